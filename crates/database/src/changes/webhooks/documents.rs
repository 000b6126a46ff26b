//! The documents that keep webhooks.

use std::sync::Arc;
use std::time::Instant;

use aql_value::Charge;
use errors::{Error, ErrorCode, Result};
use kv::BlockLimits;
use storage::{Database, DocumentScanSpec, Transaction, WriteOptions};
use velocypack::{Builder, Slice};

use super::super::kept::{MODE, own_session};
use crate::instance::Instance;
use crate::session::Session;
use crate::state::webhooks::{Hook, HookState, Pace, WebhookDefinition, WebhookProgress};

/// The collection of webhooks.
pub(super) const WEBHOOKS: &str = "_webhooks";
const READ_LIMITS: BlockLimits = BlockLimits { rows: 100, bytes: 1 << 20 };

/// Stores a new webhook.
///
/// Errors: 1207 if there is one of its name.
pub(super) fn insert(session: &Session, hook: &Hook) -> Result<()> {
    let document = document(hook, &hook.state())?;
    let stored = session.write(WEBHOOKS, MODE, |transaction, webhooks| {
        transaction.insert(webhooks, Slice::new(&document), &WriteOptions::default())
    });
    match stored {
        Err(error) if error.code() == ErrorCode::UniqueConstraintViolated => {
            let message = format!("there is a webhook '{}' already", hook.name);
            Err(Error::new(ErrorCode::DuplicateName, message))
        }
        stored => stored.map(drop),
    }
}

/// Stores the present state of a webhook.
///
/// Errors: 1202, 1203 and 1228 if the webhook is gone; those of the write.
pub(super) fn save(instance: &Arc<Instance>, hook: &Hook, state: &mut HookState) -> Result<()> {
    save_with(instance, hook, state, |_, _| Ok(()))
}

/// Changes a webhook by a request, in memory and in its document. An error leaves both as they
/// were.
///
/// Errors: as [`save`], those of `work`.
pub(super) fn change<T>(
    instance: &Arc<Instance>,
    hook: &Hook,
    work: impl FnOnce(&mut HookState) -> Result<T>,
) -> Result<T> {
    let mut state = hook.state();
    let before = (Arc::clone(&state.definition), state.filter.clone(), state.progress.clone());
    let changed = work(&mut state).and_then(|result| save(instance, hook, &mut state).map(|()| result));
    if changed.is_err() {
        (state.definition, state.filter, state.progress) = before;
    }
    changed
}

/// Stores the present state of a webhook in one transaction with changes of its dead letters.
///
/// An error undoes what `work` has changed.
///
/// Errors: as [`save`], those of `work`.
pub(super) fn save_with(
    instance: &Arc<Instance>,
    hook: &Hook,
    state: &mut HookState,
    work: impl FnOnce(&mut Transaction, &mut HookState) -> Result<()>,
) -> Result<()> {
    let session = own_session(instance, &hook.database)?;
    let before = state.progress.clone();
    let written = session.write(WEBHOOKS, MODE, |transaction, webhooks| {
        work(transaction, state)?;
        let document = document(hook, state)?;
        transaction.replace(webhooks, &hook.name, Slice::new(&document), &WriteOptions::default())
    });
    if let Err(error) = written {
        state.progress = before;
        return Err(error);
    }
    hook.note_saved(state);
    Ok(())
}

/// Removes the document of a webhook, with its dead letters by `work`.
///
/// Errors: those of the write.
pub(super) fn remove(
    instance: &Arc<Instance>,
    hook: &Hook,
    work: impl FnOnce(&mut Transaction) -> Result<()>,
) -> Result<()> {
    let session = own_session(instance, &hook.database)?;
    session.write(WEBHOOKS, MODE, |transaction, webhooks| {
        work(transaction)?;
        let removed = transaction.remove(webhooks, &hook.name, Slice::NONE, &WriteOptions::default());
        match removed {
            Err(error) if error.code() == ErrorCode::DocumentNotFound => Ok(()),
            removed => removed.map(drop),
        }
    })?;
    Ok(())
}

fn document(hook: &Hook, state: &HookState) -> Result<Vec<u8>> {
    let mut document = Builder::new();
    document.open_object()?;
    document.key("_key")?;
    document.add_str(&hook.name)?;
    document.key("unique")?;
    document.add_str(&format!("{:016x}", hook.unique))?;
    state.definition.print(&mut document)?;
    state.progress.print(&mut document)?;
    document.close()?;
    Ok(document.into_vec())
}

/// Returns the webhook that a session may add to its database.
///
/// Errors: 32 without memory for it.
pub(super) fn new_hook(
    session: &Session,
    database: &Database,
    name: &str,
    unique: u64,
    definition: WebhookDefinition,
    progress: WebhookProgress,
) -> Result<Hook> {
    let mut memory = Charge::new(Arc::clone(session.instance().work_memory()));
    memory.grow(definition.memory_bytes())?;
    let filter = session.change_filter(definition.filter.as_deref(), &definition.bind_vars);
    let mut progress = progress;
    let filter = filter.unwrap_or_else(|error| {
        progress.failure = Some(error.message().to_owned());
        None
    });
    let state = HookState {
        definition: Arc::new(definition),
        filter,
        progress,
        generation: 0,
        is_removed: false,
        pace: Pace { saved: Instant::now(), waiting_since: None },
        memory,
    };
    let database = (database.definition().id, Arc::clone(session.database_name()));
    Ok(Hook::new(session.instance().next_local_id()?, unique, database, name.into(), state))
}

/// Reads the webhooks of a database, and passes each to `visit`.
///
/// Errors: those of the engine.
pub(super) fn load(session: &Session, mut visit: impl FnMut(Hook)) -> Result<()> {
    let snapshot = session.instance().store().snapshot()?;
    let database = session.database_in(snapshot.catalog())?;
    let Some(webhooks) = database.collection(WEBHOOKS) else { return Ok(()) };
    let mut scan = snapshot.scan(webhooks, &DocumentScanSpec::default())?;
    while let Some(documents) = scan.next_block(READ_LIMITS)? {
        for document in documents.iter() {
            let name = document.get("_key").and_then(Slice::as_str).unwrap_or_default();
            match read(session, database, name, document) {
                Some(hook) => visit(hook?),
                None => tracing::warn!(
                    target: "webhooks",
                    "the webhook '{name}' of the database '{}' is damaged and not delivered",
                    session.database_name()
                ),
            }
        }
    }
    Ok(())
}

fn read(session: &Session, database: &Database, name: &str, document: Slice<'_>) -> Option<Result<Hook>> {
    let unique = u64::from_str_radix(document.get("unique")?.as_str()?, 16).ok()?;
    let definition = WebhookDefinition::from_document(document)?;
    let progress = WebhookProgress::from_document(document)?;
    Some(new_hook(session, database, name, unique, definition, progress))
}
