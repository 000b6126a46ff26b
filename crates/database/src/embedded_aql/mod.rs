//! AQL that definitions contain: the expressions of computed values, the rules of
//! collections, and the queries of Analyzers.
//!
//! It sees one document or one text, never the server: [`restricted`] names the functions that it
//! must not call. The store compiles it through the traits that this module implements.

mod analyzer_queries;
mod change_filter;
mod document_expression;
mod access_rules;
mod computed_values;
mod isolated;
mod restricted;

pub(crate) use access_rules::{CompiledRules, RuleUser, check as check_access_rules, new_secret};
pub(crate) use analyzer_queries::AnalyzerQueries;
pub(crate) use change_filter::ChangeFilter;
pub(crate) use computed_values::Compiler;
pub(crate) use isolated::EmptyStore;
