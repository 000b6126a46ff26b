//! Errors of planning, with ArangoDB's messages.

use std::borrow::Cow;
use std::fmt::Display;

use aql_value::Value;
use errors::{Error, ErrorCode};

/// The stage in which ArangoDB examines whole statements, with the values of parameters.
pub(crate) const OPTIMIZING_AST: &str = "optimizing ast";

/// The stage in which ArangoDB refuses values that a node of the plan cannot take.
pub(crate) const INSTANTIATING: &str = "instantiating plan";

pub(crate) fn parse(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorCode::QueryParse, message)
}

pub(crate) fn unknown_kept_variable(name: &str) -> Error {
    parse(format!("use of unknown variable '{name}' for KEEP"))
}

pub(crate) fn variable_redeclared(name: &str) -> Error {
    Error::new(ErrorCode::QueryVariableRedeclared, format!("variable '{name}' is assigned multiple times"))
}

pub(crate) fn unknown_variable(name: &str) -> Error {
    Error::new(ErrorCode::QueryVariableNameUnknown, format!("unknown variable '{name}'"))
}

pub(crate) fn collection_in_expression(name: &str) -> Error {
    Error::new(
        ErrorCode::QueryCollectionUsedInExpression,
        format!("collection '{name}' used as expression operand"),
    )
}

pub(crate) fn access_after_modification(what: impl Display) -> Error {
    Error::new(ErrorCode::QueryAccessAfterModification, format!("access after data-modification by {what}"))
        .in_stage(OPTIMIZING_AST)
}

pub(crate) fn not_an_edge_collection(name: &str) -> Error {
    Error::new(
        ErrorCode::CollectionTypeInvalid,
        format!("collection type invalid for collection '{name}': expecting collection type 'edge'"),
    )
}

pub(crate) fn parameter_missing(name: &str) -> Error {
    Error::new(
        ErrorCode::QueryBindParameterMissing,
        format!("no value specified for declared bind parameter '{name}'"),
    )
}

pub(crate) fn parameter_undeclared(name: &str) -> Error {
    Error::new(
        ErrorCode::QueryBindParameterUndeclared,
        format!("bind parameter '{name}' was not declared in the query"),
    )
}

pub(crate) fn parameter_type(name: &str) -> Error {
    Error::new(
        ErrorCode::QueryBindParameterType,
        format!("bind parameter '{name}' has an invalid value or type"),
    )
}

/// Returns the error for a loop over a constant that is not an array. The message quotes the
/// constant, cut short.
pub(crate) fn loop_over_no_array(value: &Value) -> Error {
    const MAX_QUOTED_CHARACTERS: usize = 64;
    let content: String = value.to_json().chars().take(MAX_QUOTED_CHARACTERS).collect();
    let kind = value.kind().name();
    Error::new(
        ErrorCode::QueryArrayExpected,
        format!(
            "collection or array expected as operand to FOR loop; you specified type '{kind}' with content '{content}'"
        ),
    )
    .in_stage(OPTIMIZING_AST)
}

pub(crate) fn argument_count(function: &str, fewest: usize, most: usize) -> Error {
    Error::new(
        ErrorCode::QueryFunctionArgumentNumberMismatch,
        format!(
            "invalid number of arguments for function '{function}()', expected number of arguments: minimum: {fewest}, maximum: {most}"
        ),
    )
}

/// Returns the error for a View where only a collection can be.
pub(crate) fn view_is_no_collection(name: &str) -> Error {
    Error::new(ErrorCode::CollectionTypeMismatch, format!("'{name}' is required to be a collection"))
}

pub(crate) fn too_many_collections() -> Error {
    Error::of(ErrorCode::QueryTooManyCollections)
}

pub(crate) fn too_much_nesting(what: &str) -> Error {
    Error::new(ErrorCode::QueryTooMuchNesting, format!("too much nesting or too many objects: {what}"))
}

/// Returns the error for an invalid offset (`"offset"`) or count (`"count"`) of LIMIT.
pub(crate) fn limit_value(what: &str) -> Error {
    let message = format!("LIMIT {what} value is not a number or out of range");
    Error::new(ErrorCode::QueryNumberOutOfRange, message).in_stage(INSTANTIATING)
}
