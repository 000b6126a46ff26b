//! Questions about plans that several rules ask, and changes that they share.
//!
//! A rule imports from here, never from another rule.

pub(crate) mod access_path;
pub(crate) mod condition;
pub(crate) mod conjunction;
pub(crate) mod coverage;
pub(crate) mod demand;
pub(crate) mod filter;
pub(crate) mod geo;
pub(crate) mod hinted_search;
pub(crate) mod identity;
pub(crate) mod late;
pub(crate) mod path;
pub(crate) mod pipeline;
pub(crate) mod primary_sort;
pub(crate) mod projection;
pub(crate) mod sort_order;
pub(crate) mod view_columns;
