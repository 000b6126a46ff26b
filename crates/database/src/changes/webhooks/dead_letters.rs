//! Dead letters: deliveries that failed for good.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use kv::BlockLimits;
use storage::{
    Collection, DocumentScanSpec, KeyBound, OverwriteMode, Snapshot, Transaction, WriteKind, WriteOptions,
};
use velocypack::{Builder, Slice};

use super::super::Token;
use super::batch::Message;
use crate::session::Session;
use crate::state::webhooks::Hook;

/// The collection of dead letters.
pub(super) const DEAD_LETTERS: &str = "_webhookdeadletters";
/// Maximum number of dead letters of a webhook.
pub(super) const DEAD_LETTERS_MAX: u64 = 1_000;

const ONE: BlockLimits = BlockLimits { rows: 1, bytes: 1 };
const MANY: BlockLimits = BlockLimits { rows: 100, bytes: 1 << 20 };

/// A delivery that failed for good.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadLetter {
    /// Its key.
    pub key: String,
    /// The identifier of the message.
    pub id: String,
    /// The token behind its last change.
    pub token: String,
    /// The number of its changes.
    pub changes: u64,
    /// The number of attempts.
    pub attempts: u64,
    /// The error of the last attempt.
    pub error: String,
    /// The time at which it was given up, in ISO 8601.
    pub time: String,
    /// The bytes of the body.
    pub bytes: u64,
}

/// The facts about a delivery that failed for good.
pub(super) struct Burial<'a> {
    pub(super) token: Token,
    pub(super) changes: u64,
    pub(super) attempts: u64,
    pub(super) error: &'a str,
    pub(super) time: &'a str,
}

/// A dead letter as it is sent once more.
pub(super) struct Exhumed {
    pub(super) key: String,
    pub(super) message: Message,
}

fn collection(session: &Session) -> Result<Arc<Collection>> {
    let catalog = session.catalog();
    Ok(Arc::clone(session.database_in(&catalog)?.require_collection(DEAD_LETTERS)?))
}

fn prefix(hook: &Hook) -> String {
    format!("{:016x}-", hook.unique)
}

/// Stores a dead letter. Returns true if it is new: a replay may bring the same again.
///
/// Errors: those of the write.
pub(super) fn bury(
    session: &Session,
    transaction: &mut Transaction,
    hook: &Hook,
    message: &Message,
    burial: &Burial<'_>,
) -> Result<bool> {
    let mut out = Builder::with_capacity(message.body.len() + 512);
    out.open_object()?;
    out.key("_key")?;
    // Keys have the order of positions.
    out.add_str(&format!("{}{:020}", prefix(hook), burial.token.position))?;
    for (name, text) in [
        ("webhook", hook.name.as_ref()),
        ("id", message.id.as_str()),
        ("contentType", message.content_type),
        ("token", burial.token.to_string().as_str()),
        ("error", burial.error),
        ("time", burial.time),
    ] {
        out.key(name)?;
        out.add_str(text)?;
    }
    out.key("changes")?;
    out.add_u64(burial.changes)?;
    out.key("attempts")?;
    out.add_u64(burial.attempts)?;
    out.key("body")?;
    let body = std::str::from_utf8(&message.body).map_err(|_| Error::internal("a body is no UTF-8"))?;
    out.add_str(body)?;
    out.close()?;
    let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
    let letters = collection(session)?;
    let stored = transaction.insert(&letters, out.as_slice(), &options)?;
    Ok(stored.kind == WriteKind::Inserted)
}

/// Returns the first dead letter of a webhook.
///
/// Errors: those of the engine; 32 without memory.
pub(super) fn first(session: &Session, hook: &Hook) -> Result<Option<Exhumed>> {
    let mut found = None;
    let snapshot = session.instance().store().snapshot()?;
    visit(session, &snapshot, hook, ONE, &mut |key, document| {
        let body = document.get("body").and_then(Slice::as_str).unwrap_or_default();
        let mut memory = aql_value::Charge::new(session.request_memory());
        memory.grow(body.len() as u64)?;
        let is_of_events = document.get("contentType").and_then(Slice::as_str) != Some("application/json");
        let message = Message {
            id: document.get("id").and_then(Slice::as_str).unwrap_or_default().to_owned(),
            content_type: match is_of_events {
                true => "application/cloudevents-batch+json",
                false => "application/json",
            },
            body: body.as_bytes().to_vec().into(),
            _memory: memory,
        };
        found = Some(Exhumed { key: key.to_owned(), message });
        Ok(false)
    })?;
    Ok(found)
}

/// Lists the dead letters of a webhook, in the order of their positions.
///
/// Errors: those of the engine.
pub(super) fn list(session: &Session, hook: &Hook) -> Result<Vec<DeadLetter>> {
    let mut letters = Vec::new();
    let snapshot = session.instance().store().snapshot()?;
    visit(session, &snapshot, hook, MANY, &mut |key, document| {
        let text = |name: &str| document.get(name).and_then(Slice::as_str).unwrap_or_default();
        let number = |name: &str| document.get(name).and_then(Slice::as_u64).unwrap_or_default();
        letters.push(DeadLetter {
            key: key.to_owned(),
            id: text("id").to_owned(),
            token: text("token").to_owned(),
            changes: number("changes"),
            attempts: number("attempts"),
            error: text("error").to_owned(),
            time: text("time").to_owned(),
            bytes: text("body").len() as u64,
        });
        Ok(true)
    })?;
    Ok(letters)
}

/// Removes all dead letters of a webhook, or one.
///
/// Errors: those of the write.
pub(super) fn remove(
    session: &Session,
    transaction: &mut Transaction,
    hook: &Hook,
    only: Option<&str>,
) -> Result<()> {
    let mut keys: Vec<String> = only.map(str::to_owned).into_iter().collect();
    if only.is_none() {
        visit(session, &transaction.view(), hook, MANY, &mut |key, _| {
            keys.push(key.to_owned());
            Ok(true)
        })?;
    }
    let letters = collection(session)?;
    for key in &keys {
        match transaction.remove(&letters, key, Slice::NONE, &WriteOptions::default()) {
            // Another request has removed it.
            Err(error) if error.code() == ErrorCode::DocumentNotFound => {}
            removed => drop(removed?),
        }
    }
    Ok(())
}

/// Passes each dead letter of a webhook to `visit`, until that returns false.
fn visit(
    session: &Session,
    snapshot: &Snapshot,
    hook: &Hook,
    limits: BlockLimits,
    visit: &mut dyn FnMut(&str, Slice<'_>) -> Result<bool>,
) -> Result<()> {
    let database = session.database_in(snapshot.catalog())?;
    let Some(letters) = database.collection(DEAD_LETTERS) else { return Ok(()) };
    let prefix = prefix(hook);
    let from_key = KeyBound { key: prefix.clone(), inclusive: true };
    let spec = DocumentScanSpec { from_key: Some(from_key), ..DocumentScanSpec::default() };
    let mut scan = snapshot.scan(letters, &spec)?;
    while let Some(documents) = scan.next_block(limits)? {
        for document in documents.iter() {
            let key = document.get("_key").and_then(Slice::as_str).unwrap_or_default();
            if !key.starts_with(&prefix) || !visit(key, document)? {
                return Ok(());
            }
        }
    }
    Ok(())
}
