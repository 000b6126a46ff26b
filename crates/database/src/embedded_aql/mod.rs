//! AQL that definitions contain: the expressions of computed values, and the queries of Analyzers.
//!
//! It sees one document or one text, never the server: [`restricted`] names the functions that it
//! must not call. The store compiles it through the traits that this module implements.

mod analyzer_queries;
mod change_filter;
mod computed_values;
mod isolated;
mod restricted;

pub(crate) use analyzer_queries::AnalyzerQueries;
pub(crate) use change_filter::ChangeFilter;
pub(crate) use computed_values::Compiler;
pub(crate) use isolated::EmptyStore;
