//! Parts that several routes use to write AQL queries: quoted names, definitions of indexes and
//! views, and the fields of a view.

pub(super) mod definitions;
mod names;
mod text_fields;

pub(super) use names::{path, quoted};
pub(super) use text_fields::{FIELDS_MAX, is_over, text_fields};
