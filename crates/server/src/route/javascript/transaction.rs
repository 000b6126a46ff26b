//! `POST /_api/transaction`: a JavaScript function that runs within a transaction in the server.

use std::sync::Arc;

use database::Session;
use database::javascript::text;
use database::transaction::{TransactionRequest, TransactionStatus};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use super::origin::Origin;
use super::script::Script;
use crate::http::Cost::Unknown;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};
use crate::route::batch::PartServices;

const PATTERN: &str = "/_api/transaction";

/// The services of this family.
pub(crate) struct Services {
    /// The routes for the requests of actions.
    pub(crate) parts: Arc<PartServices>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[Route::with(Verb::Post, PATTERN, Unknown, start)
    .about("Runs a JavaScript function in a transaction.")
    .with_body(r#"{"collections": {"write": "docs"}, "action": "function () { return 1; }"}"#)];

/// The route that refuses a transaction within a transaction.
pub(crate) const WITHIN_TRANSACTION: &[Route] = &[Route::open(Verb::Post, PATTERN, Unknown, refuse)];

fn refuse(_services: &(), _request: &Request) -> Result<Response> {
    Err(Error::of(ErrorCode::TransactionNested))
}

fn start(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if !session.instance().options().javascript.transactions {
        let message = "JavaScript transactions are disabled (--javascript.transactions)";
        return Err(Error::new(ErrorCode::Forbidden, message));
    }
    let (origin, request) = (Origin::of_request(&services.parts, session, request), request.without_budget());
    Ok(Response::interruptible(origin.interrupt(), move || run(&origin, &request)))
}

/// Begins the transaction, runs its action, and commits; or aborts if the action fails.
fn run(origin: &Origin, request: &Request) -> Result<Response> {
    let session = &origin.session;
    let body = request.body_object()?;
    let wanted = TransactionRequest::from_body(body.slice())?;
    let action = body.slice().get("action").and_then(Slice::as_str);
    let action = action.ok_or_else(|| Error::bad_parameter("missing/invalid action definition"))?;
    let params = body.slice().get("params").unwrap_or(Slice::NULL);
    let id = session.begin_transaction(&wanted)?.id;
    let done = act(origin, id, action, params).and_then(|response| {
        session.commit_transaction(id)?;
        Ok(response)
    });
    if done.is_err() {
        // It may be aborted already, by its client or because it expired.
        session.abort_transaction(id).ok();
    }
    done
}

/// Runs the action within a transaction, and returns the response for its result.
fn act(origin: &Origin, id: u64, action: &str, params: Slice<'_>) -> Result<Response> {
    let origin = Origin { transaction: Some(id), ..origin.clone() };
    let arguments = vec![text(action)?, params.bytes().to_vec()];
    let script = Script { function: "transaction", arguments, uncaught: ErrorCode::TransactionInternal };
    let check = || is_running(&origin.session, id);
    script.run(&origin, check, |result| {
        Response::success(StatusCode::OK, |fields| {
            fields.value("result", result.unwrap_or(Slice::NULL));
        })
    })
}

/// Checks that the transaction was not aborted. Errors: 1654.
fn is_running(session: &Session, id: u64) -> Result<()> {
    match session.transaction_status(id)? {
        TransactionStatus::Running => Ok(()),
        _ => {
            Err(Error::new(ErrorCode::TransactionAborted, "the transaction was aborted while its action ran"))
        }
    }
}
