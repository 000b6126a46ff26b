//! The parts that know no other part of the store: values of documents and revisions, options,
//! errors, repetitions, sorting, and threads.

pub(crate) mod change_log_options;
pub(crate) mod computed_values;
pub(crate) mod conflicts;
pub(crate) mod documents;
pub(crate) mod error;
pub(crate) mod external_sort;
pub(crate) mod fork_join;
pub(crate) mod longest_document;
pub(crate) mod memory_budget;
pub(crate) mod options;
pub(crate) mod restriction;
pub(crate) mod revision;
pub(crate) mod schema;
pub(crate) mod search_options;
pub(crate) mod usage;
