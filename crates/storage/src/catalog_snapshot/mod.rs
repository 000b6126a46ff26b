//! The catalog as of one moment: immutable, shared, and replaced as a whole when something changes.

mod catalog;
mod collection;
pub(crate) mod changed_records;
pub(crate) mod definition_changes;
mod database;
mod view_form;
pub(crate) mod metadata;
pub(crate) mod draft;

pub use self::catalog::Catalog;
pub use collection::Collection;
pub use database::Database;
