//! The folder of a dump: names of files, and the descriptions of their contents. `dump` writes it,
//! `restore` reads it.
//!
//! The layout is that of ArangoDB's tools; `docs/tools.md` describes it.

pub(crate) mod info;
pub(crate) mod names;
pub(crate) mod key;
