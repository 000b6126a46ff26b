//! `POST /_api/transaction`: a JavaScript function that runs within a transaction in the server.

mod host;

use std::sync::Arc;

use database::javascript::{Call, IsolateThread, ended, text};
use database::transaction::{TransactionRequest, TransactionStatus};
use database::{Interrupt, Session};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use self::host::RouterHost;
use super::batch::PartServices;
use crate::http::Cost::Unknown;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

const PATTERN: &str = "/_api/transaction";

/// The module that runs an action.
const MODULE: &str = "persea/actions";

/// The services of this family.
pub(crate) struct Services {
    /// The routes for the requests of scripts.
    pub(crate) parts: Arc<PartServices>,
}

pub(crate) const ROUTES: &[Route<Services>] = &[Route::with(Verb::Post, PATTERN, Unknown, start)];

/// The route that refuses a transaction within a script.
pub(crate) const WITHIN_SCRIPT: &[Route] = &[Route::open(Verb::Post, PATTERN, Unknown, refuse)];

fn refuse(_services: &(), _request: &Request) -> Result<Response> {
    Err(Error::of(ErrorCode::TransactionNested))
}

fn start(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if !session.instance().options().javascript.transactions {
        let message = "JavaScript transactions are switched off (--javascript.transactions)";
        return Err(Error::new(ErrorCode::Forbidden, message));
    }
    let interrupt = Interrupt::new();
    let session = session.clone().ended_by(interrupt.clone());
    let (parts, request) = (Arc::clone(&services.parts), request.without_budget());
    let work = move || Transaction { parts, session, request }.run();
    Ok(Response::interruptible(interrupt, work))
}

/// A request for a transaction.
struct Transaction {
    parts: Arc<PartServices>,
    session: Session,
    request: Request,
}

impl Transaction {
    /// Begins the transaction, runs its action, and commits; or aborts if the action fails.
    fn run(&self) -> Result<Response> {
        let body = self.request.body_object()?;
        let wanted = TransactionRequest::from_body(body.slice())?;
        let action = body.slice().get("action").and_then(Slice::as_str);
        let action = action.ok_or_else(|| Error::bad_parameter("missing/invalid action definition"))?;
        let params = body.slice().get("params").unwrap_or(Slice::NULL);
        let id = self.session.begin_transaction(&wanted)?.id;
        let done = self.act(id, action, params).and_then(|response| {
            self.session.commit_transaction(id)?;
            Ok(response)
        });
        if done.is_err() {
            // It may be aborted already, by its client or because it expired.
            self.session.abort_transaction(id).ok();
        }
        done
    }

    /// Checks that the script may continue. Errors: 1500 if the client has gone, 1654 if the
    /// transaction was aborted.
    fn check(&self, id: u64) -> Result<()> {
        self.session.check_interrupt()?;
        match self.session.transaction_status(id)? {
            TransactionStatus::Running => Ok(()),
            _ => Err(Error::new(
                ErrorCode::TransactionAborted,
                "the transaction was aborted while its action ran",
            )),
        }
    }

    /// Runs the action within a transaction, and returns the response for its result.
    fn act(&self, id: u64, action: &str, params: Slice<'_>) -> Result<Response> {
        let (parts, session, request) = (Arc::clone(&self.parts), self.session.clone(), self.request.clone());
        let host = move || -> Box<dyn javascript::Host> {
            Box::new(RouterHost { parts, session, request, transaction: id })
        };
        let mut thread = IsolateThread::start(host, &self.session.request_memory())?;
        let arguments = vec![text(action)?, params.bytes().to_vec()];
        let call = Call { module: MODULE, function: "run", arguments };
        match thread.call(call, || self.check(id), response)? {
            Ok(response) => Ok(response),
            Err(javascript::Failure::Exception(exception)) => {
                Err(Error::new(ErrorCode::TransactionInternal, exception.message))
            }
            Err(failure) => Err(ended(&failure)),
        }
    }
}

/// Makes a response of what the module returned. Errors: what the action threw; 10 if it is no
/// function.
fn response(outcome: Slice<'_>) -> Result<Response> {
    if let Some(reason) = outcome.get("invalid").and_then(Slice::as_str) {
        return Err(Error::bad_parameter(format!("invalid action: {reason}")));
    }
    if let Some(message) = outcome.get("message").and_then(Slice::as_str) {
        let number = outcome.get("number").and_then(Slice::as_f64);
        let code = ErrorCode::ALL.iter().copied().find(|code| Some(f64::from(code.number())) == number);
        return Err(Error::new(code.unwrap_or(ErrorCode::TransactionInternal), message.to_owned()));
    }
    let result = outcome.get("result").unwrap_or(Slice::NULL);
    Response::success(StatusCode::OK, |fields| {
        fields.value("result", result);
    })
}
