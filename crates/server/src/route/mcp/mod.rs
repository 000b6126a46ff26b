//! `/_mcp`: the Model Context Protocol, by which programs that talk to a language model find and
//! call the tools of a database.
//!
//! The crate `mcp` speaks the protocol. Here are the tools, one file each: a constant `TOOL` and a
//! function `call` over the session of the request's user. All of them but the writing ones read,
//! and [`run`] refuses a query whose plan writes unless the operator allows it.

mod limits;
mod failure;
mod context;
mod suggestions;
mod run;
mod calls;
mod names;
mod text_source;
mod vector_source;
mod graph_source;
mod search;
mod aql_reference;
mod describe_schema;
mod explain;
mod get_documents;
mod list_databases;
mod query;
mod search_hybrid;
mod search_text;
mod search_vector;
mod shortest_paths;
mod traverse;
mod validate;
mod write_definitions;
mod write_documents;
mod resources;
mod prompts;
mod host;

use std::sync::Arc;

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::ORIGIN;

use crate::http::Cost::Blocking;
use crate::http::cors::TrustedOrigins;
use crate::http::{Request, Response, Route, Verb};
use crate::options::McpOptions;

pub(crate) use calls::{CallCounts, METRICS};

/// The services of this family.
pub(crate) struct Services {
    pub(crate) options: McpOptions,
    /// The origins whose pages may send requests.
    pub(crate) trusted_origins: TrustedOrigins,
    pub(crate) calls: Arc<CallCounts>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[Route::with(Verb::Post, "/_mcp", Blocking, answer)
    .not_in_scripts()
    .about("Answers a message of the Model Context Protocol.")
    .with_body(r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#)];

fn answer(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if !services.options.is_enabled {
        return Err(Error::new(ErrorCode::HttpNotFound, "'/_mcp' is disabled; --mcp.enabled enables it"));
    }
    check_origin(services, request)?;
    let host = host::ToolHost { services, session, request };
    let answer = mcp::answer(request.body(), &|name| request.header(name), &host);
    let status = StatusCode::from_u16(answer.status).map_err(Error::internal)?;
    Ok(match answer.body {
        Some(body) => Response::json(status, body),
        None => Response::empty(status),
    })
}

/// Refuses the page of an origin that is not trusted, also if a name that the page's owner controls
/// leads to this server (DNS rebinding).
fn check_origin(services: &Services, request: &Request) -> Result<()> {
    let Some(origin) = request.headers().get(ORIGIN) else { return Ok(()) };
    if services.trusted_origins.contains(origin) {
        return Ok(());
    }
    let shown = String::from_utf8_lossy(origin.as_bytes());
    let message = format!("a page of {shown} may not use '/_mcp'; --http.trusted-origin allows that");
    Err(Error::new(ErrorCode::HttpForbidden, message))
}
