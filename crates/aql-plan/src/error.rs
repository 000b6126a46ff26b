//! Errors of planning, in ArangoDB's numbers and words.

use crate::node::IndexHint;
use aql_value::{Error, Value};
use std::fmt::Display;

/// ArangoDB's error numbers that planning uses besides those of [`aql_value::error_number`].
pub(crate) mod number {
    pub(crate) const COLLECTION_TYPE_INVALID: u32 = 1218;
    pub(crate) const QUERY_PARSE: u32 = 1501;
    pub(crate) const NUMBER_OUT_OF_RANGE: u32 = 1504;
    pub(crate) const VARIABLE_REDECLARED: u32 = 1511;
    pub(crate) const VARIABLE_NAME_UNKNOWN: u32 = 1512;
    pub(crate) const TOO_MANY_COLLECTIONS: u32 = 1522;
    pub(crate) const TOO_MUCH_NESTING: u32 = 1524;
    pub(crate) const INVALID_OPTIONS_ATTRIBUTE: u32 = 1539;
    pub(crate) const BIND_PARAMETERS_INVALID: u32 = 1550;
    pub(crate) const BIND_PARAMETER_MISSING: u32 = 1551;
    pub(crate) const BIND_PARAMETER_UNDECLARED: u32 = 1552;
    pub(crate) const BIND_PARAMETER_TYPE: u32 = 1553;
    pub(crate) const VECTOR_SEARCH_NOT_APPLIED: u32 = 1554;
    pub(crate) const COLLECTION_USED_IN_EXPRESSION: u32 = 1568;
    pub(crate) const GEO_INDEX_MISSING: u32 = 1570;
    pub(crate) const FULLTEXT_INDEX_MISSING: u32 = 1571;
    pub(crate) const INVALID_AGGREGATE_EXPRESSION: u32 = 1574;
    pub(crate) const COMPILE_TIME_OPTIONS: u32 = 1575;
    pub(crate) const ACCESS_AFTER_MODIFICATION: u32 = 1579;
    pub(crate) const FUNCTION_NOT_FOUND: u32 = 1582;
    pub(crate) const WINDOW_AFTER_MODIFICATION: u32 = 1595;
    pub(crate) const GRAPH_NOT_FOUND: u32 = 1924;
    pub(crate) const GRAPH_VERTEX_COLLECTION_NOT_PART: u32 = 1926;
    pub(crate) const GRAPH_EDGE_COLLECTION_NOT_PART: u32 = 1939;
    pub(crate) const GRAPH_EMPTY: u32 = 1940;
    pub(crate) const GRAPH_NEGATIVE_EDGE_WEIGHT: u32 = 1948;
}

pub(crate) use aql_value::error_number as common;

/// Where ArangoDB looks at whole statements, with the values of parameters.
pub(crate) const OPTIMIZING_AST: &str = "optimizing ast";

/// Where ArangoDB refuses what is of the wrong form for a node of the plan.
pub(crate) const INSTANTIATING: &str = "instantiating plan";

pub(crate) fn parse(message: impl Into<String>) -> Error {
    Error::new(number::QUERY_PARSE, message)
}

pub(crate) fn variable_redeclared(name: &str) -> Error {
    Error::new(number::VARIABLE_REDECLARED, format!("variable '{name}' is assigned multiple times"))
}

pub(crate) fn unknown_variable(name: &str) -> Error {
    Error::new(number::VARIABLE_NAME_UNKNOWN, format!("unknown variable '{name}'"))
}

pub(crate) fn unknown_data_source(name: &str) -> Error {
    Error::new(common::DATA_SOURCE_NOT_FOUND, format!("collection or view not found: {name}"))
}

pub(crate) fn collection_in_expression(name: &str) -> Error {
    Error::new(
        number::COLLECTION_USED_IN_EXPRESSION,
        format!("collection '{name}' used as expression operand"),
    )
}

pub(crate) fn access_after_modification(what: impl Display) -> Error {
    Error::new(number::ACCESS_AFTER_MODIFICATION, format!("access after data-modification by {what}"))
        .in_stage(OPTIMIZING_AST)
}

pub(crate) fn graph_not_found(name: &str) -> Error {
    Error::new(number::GRAPH_NOT_FOUND, format!("graph '{name}' not found"))
}

pub(crate) fn not_an_edge_collection(name: &str) -> Error {
    Error::new(
        number::COLLECTION_TYPE_INVALID,
        format!("collection type invalid for collection '{name}': expecting collection type 'edge'"),
    )
}

pub(crate) fn parameter_missing(name: &str) -> Error {
    Error::new(
        number::BIND_PARAMETER_MISSING,
        format!("no value specified for declared bind parameter '{name}'"),
    )
}

pub(crate) fn parameter_undeclared(name: &str) -> Error {
    Error::new(
        number::BIND_PARAMETER_UNDECLARED,
        format!("bind parameter '{name}' was not declared in the query"),
    )
}

pub(crate) fn parameter_type(name: &str) -> Error {
    Error::new(number::BIND_PARAMETER_TYPE, format!("bind parameter '{name}' has an invalid value or type"))
}

/// A loop over a constant that is no array. The message quotes the constant, cut short.
pub(crate) fn loop_over_no_array(value: &Value) -> Error {
    const MAX_QUOTED_CHARACTERS: usize = 64;
    let content: String = value.to_json().chars().take(MAX_QUOTED_CHARACTERS).collect();
    let kind = value.kind().name();
    Error::new(
        common::ARRAY_EXPECTED,
        format!(
            "collection or array expected as operand to FOR loop; you specified type '{kind}' with content '{content}'"
        ),
    )
    .in_stage(OPTIMIZING_AST)
}

pub(crate) fn vector_search_not_applied(function: &str) -> Error {
    let message = format!("failed vector search: no vector index for AQL function {function}()");
    Error::new(number::VECTOR_SEARCH_NOT_APPLIED, message)
}

pub(crate) fn argument_count(function: &str, fewest: usize, most: usize) -> Error {
    Error::new(
        common::FUNCTION_ARGUMENT_NUMBER_MISMATCH,
        format!(
            "invalid number of arguments for function '{function}()', expected number of arguments: minimum: {fewest}, maximum: {most}"
        ),
    )
}

pub(crate) fn too_many_collections() -> Error {
    Error::new(number::TOO_MANY_COLLECTIONS, "too many collections/shards")
}

pub(crate) fn too_much_nesting(what: &str) -> Error {
    Error::new(number::TOO_MUCH_NESTING, format!("too much nesting or too many objects: {what}"))
}

/// No plan follows the hint, which the message quotes as JSON.
pub(crate) fn forced_index_hint_unusable(hint: &IndexHint) -> Error {
    let names: Vec<Value> = hint.names.iter().map(|name| Value::from_str(name)).collect();
    let (names, lookahead) = (Value::array(&names).to_json(), hint.lookahead);
    Error::new(
        common::FORCED_INDEX_HINT_UNUSABLE,
        format!(
            "could not use index hint to serve query; \
             {{\"indexHint\":{{\"forced\":true,\"lookahead\":{lookahead},\"type\":\"simple\",\"hint\":{names}}}}}"
        ),
    )
}

/// The offset (`"offset"`) or the count (`"count"`) of LIMIT is no constant, or not one that it can be.
pub(crate) fn limit_value(what: &str) -> Error {
    let message = format!("LIMIT {what} value is not a number or out of range");
    Error::new(number::NUMBER_OUT_OF_RANGE, message).in_stage(INSTANTIATING)
}
