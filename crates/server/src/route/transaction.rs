//! `/_api/transaction`: stream transactions, which span requests.
//!
//! Other requests take part in one by the header `x-arango-trx-id`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use database::Session;
use database::transaction::{PendingTransaction, TransactionRequest, TransactionStatus, TransactionSummary};
use errors::{Error, Result};
use hyper::StatusCode;

use crate::http::Cost::{Constant, Control, Transaction, Unknown};
use crate::http::fields::Fields;
use crate::http::following::{allows_dirty_read, mark_dirty};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{AllServers, Route, Verb};
use crate::http::waits::polled;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/transaction", Constant, list)
        .of_all_servers(AllServers::List { attribute: Some("transactions"), limit: None })
        .about("Lists the stream transactions."),
    Route::new(Verb::Post, "/_api/transaction/begin", Unknown, begin)
        .not_in_scripts()
        .about("Begins a stream transaction.")
        .with_body(r#"{"collections": {"write": ["docs"]}}"#),
    Route::new(Verb::Get, "/_api/transaction/{id}", Constant, status)
        .of_local_object("id")
        .about("Returns the state of a stream transaction."),
    Route::new(Verb::Put, "/_api/transaction/{id}", Transaction, commit)
        .not_in_scripts()
        .of_local_object("id")
        .about("Commits a stream transaction."),
    Route::new(Verb::Delete, "/_api/transaction/{id}", Control, abort)
        .not_in_scripts()
        .of_local_object("id")
        .about("Aborts a stream transaction."),
    Route::new(Verb::Delete, "/_api/transaction/write", Control, abort_writing)
        .not_in_scripts()
        .of_all_servers(AllServers::Change)
        .about("Aborts the stream transactions that may write."),
];

fn list(session: &Session, _request: &Request) -> Result<Response> {
    let transactions = session.transactions();
    Response::object(StatusCode::OK, |fields| {
        fields.list("transactions", |fields| {
            for transaction in transactions {
                fields.child_element(|fields| {
                    fields.text("id", &transaction.id.to_string()).text("state", transaction.status.name());
                });
            }
        });
    })
}

fn begin(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let mut wanted = TransactionRequest::from_body(body.slice())?;
    wanted.allow_dirty_reads |= allows_dirty_read(request.headers());
    if request.budget().is_unlimited() {
        return begun(session, session.begin_transaction(&wanted)?);
    }
    if session.must_build_edge_indexes(&wanted)? {
        let interrupt = session.part_interrupt();
        let session = session.clone().ended_by(interrupt.clone());
        let work = move || begun(&session, session.begin_transaction(&wanted)?);
        return Ok(Response::interruptible(interrupt, work));
    }
    let mut pending = session.prepare_transaction(&wanted)?;
    if pending.is_ready() {
        return begun(session, pending.begin()?);
    }
    // Clients may wait for minutes, and the transaction that they wait for needs threads.
    let pending = Arc::new(Mutex::new(Some(pending)));
    let (waiting, session) = (Arc::clone(&pending), session.clone());
    let is_ready = move || lock(&waiting).as_mut().is_none_or(PendingTransaction::is_ready);
    Ok(Response::when_ready(polled(is_ready), move || {
        let pending = lock(&pending).take();
        let mut pending = pending.ok_or_else(|| Error::internal("a transaction began twice"))?;
        pending.wait();
        begun(&session, pending.begin()?)
    }))
}

fn lock(pending: &Mutex<Option<PendingTransaction>>) -> MutexGuard<'_, Option<PendingTransaction>> {
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}

fn begun(session: &Session, transaction: TransactionSummary) -> Result<Response> {
    let response = respond(StatusCode::CREATED, transaction.id, transaction.status)?;
    // It may have been aborted by now.
    let is_dirty = session.clone().within(transaction.id).may_read_dirty().unwrap_or(false);
    Ok(if is_dirty { mark_dirty(response) } else { response })
}

fn status(session: &Session, request: &Request) -> Result<Response> {
    let id = transaction_id(request)?;
    respond(StatusCode::OK, id, session.transaction_status(id)?)
}

fn commit(session: &Session, request: &Request) -> Result<Response> {
    let id = transaction_id(request)?;
    session.commit_transaction(id)?;
    respond(StatusCode::OK, id, TransactionStatus::Committed)
}

fn abort(session: &Session, request: &Request) -> Result<Response> {
    let id = transaction_id(request)?;
    session.abort_transaction(id)?;
    respond(StatusCode::OK, id, TransactionStatus::Aborted)
}

fn abort_writing(session: &Session, _request: &Request) -> Result<Response> {
    session.abort_writing_transactions();
    Response::success(StatusCode::OK, |fields| {
        fields.child("result", |_| {});
    })
}

fn respond(status: StatusCode, id: u64, state: TransactionStatus) -> Result<Response> {
    Response::success(status, |fields| {
        fields.child("result", |fields: &mut Fields| {
            fields.text("id", &id.to_string()).text("status", state.name());
        });
    })
}

/// Returns the number of the path. Errors: 10.
fn transaction_id(request: &Request) -> Result<u64> {
    let id = request.parameter("id").parse().ok().filter(|id| *id > 0);
    id.ok_or_else(|| {
        let message = format!("bad transaction ID: '{}' is not a number", request.parameter("id"));
        Error::bad_parameter(message)
    })
}
