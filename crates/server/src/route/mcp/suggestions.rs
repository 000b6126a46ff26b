//! The names that a model may have meant, for queries with names that do not exist.

use catalog::AccessLevel;
use database::Session;
use database::query::builtin_functions;
use errors::{Error, ErrorCode};
use mcp::closest;

use super::failure::ToolError;

/// Returns the error of a query, with names that are like the one that does not exist.
pub(super) fn of_query(session: &Session, error: Error, aql: &str) -> ToolError {
    let hint = match error.code() {
        ErrorCode::DataSourceNotFound => of_data(session, error.message()),
        ErrorCode::QueryFunctionNameUnknown => of_functions(error.message()),
        _ => None,
    };
    let failed = ToolError::of_query(error, aql);
    match hint {
        Some(hint) => failed.with_hint(hint),
        None => failed,
    }
}

/// Returns collections and views that the user may read.
fn of_data(session: &Session, message: &str) -> Option<String> {
    let (_, name) = message.rsplit_once(": ")?;
    let name = name.split_whitespace().next()?;
    let catalog = session.catalog();
    let collections = session.database_in(&catalog).ok()?.collections();
    let readable = collections
        .map(|collection| collection.name())
        .filter(|name| session.require_collection(name, AccessLevel::ReadOnly).is_ok());
    let views = session.views().unwrap_or_default();
    similar(name, readable.chain(views.iter().map(|view| view.name.as_str())))
}

/// Returns functions; the message has the name in quotes, with parentheses.
fn of_functions(message: &str) -> Option<String> {
    let (_, name) = message.split_once('\'')?;
    let (name, _) = name.split_once('(')?;
    let functions = builtin_functions();
    similar(name, functions.iter().map(|function| function.name))
}

fn similar<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let names = closest(name, known);
    (!names.is_empty()).then(|| format!("similar names are: {}", names.join(", ")))
}
