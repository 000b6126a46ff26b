//! Queries that must not read the server: those of computed values and of analyzers.

use aql_syntax::ast::{ExpressionKind, Query};
use aql_syntax::walk::query_expressions;

/// Functions that read the server or call others by name, as ArangoDB's documentation lists them.
/// Functions that read documents are marked as such in their own definitions.
const FORBIDDEN_FUNCTIONS: [&str; 14] = [
    "APPLY",
    "CALL",
    "COLLECTIONS",
    "COLLECTION_COUNT",
    "CURRENT_DATABASE",
    "CURRENT_USER",
    "FULLTEXT",
    "NEAR",
    "SCHEMA_GET",
    "SCHEMA_VALIDATE",
    "V8",
    "VERSION",
    "WITHIN",
    "WITHIN_RECTANGLE",
];

/// Returns the first function of a query that it must not call, in upper case.
///
/// `others` are functions that are forbidden at this place only.
pub(crate) fn forbidden_function<'a>(query: &'a Query, others: &[&str]) -> Option<&'a str> {
    query_expressions(query).find_map(|part| match &part.kind {
        ExpressionKind::FunctionCall(call) => {
            let name = call.name.normalized();
            let is_forbidden = call.name.is_namespaced()
                || FORBIDDEN_FUNCTIONS.contains(&name)
                || others.contains(&name)
                || aql_functions::lookup(name).is_some_and(|function| function.reads_documents);
            is_forbidden.then_some(name)
        }
        _ => None,
    })
}

/// Returns the text of a query with a bind parameter replaced by a variable. `others` are the
/// parameters that it may have beside that one.
///
/// Errors: the name of another parameter.
pub(crate) fn with_variable(
    text: &str,
    query: &Query,
    parameter: &str,
    variable: &str,
    others: &[&str],
) -> std::result::Result<String, String> {
    let mut places = Vec::new();
    for part in query_expressions(query) {
        match &part.kind {
            ExpressionKind::BindParameter(name) if **name == *parameter => places.push(part.span),
            ExpressionKind::BindParameter(name) if others.contains(&name.as_str()) => {}
            ExpressionKind::BindParameter(name) => return Err(format!("unknown bind parameter '@{name}'")),
            _ => {}
        }
    }
    places.sort_by_key(|span| span.start);
    let (mut replaced, mut copied) = (String::new(), 0);
    for span in places {
        replaced.push_str(text.get(copied..span.start as usize).unwrap_or_default());
        replaced.push_str(variable);
        copied = span.end as usize;
    }
    replaced.push_str(text.get(copied..).unwrap_or_default());
    Ok(replaced)
}
