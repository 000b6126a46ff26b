//! The turn of a webhook that is due: one delivery, and what follows from its outcome.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_value::Charge;
use errors::{Error, ErrorCode, Result};
use webhooks::{Delivery, Outcome, back_off};

use super::super::kept::{now, own_session};
use super::super::{ChangeForm, Feed, FeedRequest, Since, Token};
use super::batch::{Batch, BatchLimits, Message};
use super::dead_letters::{self, Burial, DEAD_LETTERS_MAX};
use super::documents::{save, save_with};
use crate::embedded_aql::ChangeFilter;
use crate::instance::Instance;
use crate::session::{Identity, Session};
use crate::state::webhooks::{Hook, HookState, Next, WebhookDefinition, WebhookProgress};

/// The pause of a webhook whose position cannot be saved, or that waits for the server.
const PAUSE: Duration = Duration::from_secs(1);
/// The time between two saves of a position at which there was nothing to deliver.
const SAVE_EVERY: Duration = Duration::from_secs(10);

/// A webhook as it was when its turn began.
struct Turn<'a> {
    instance: &'a Arc<Instance>,
    hook: &'a Hook,
    definition: Arc<WebhookDefinition>,
    filter: Option<Arc<ChangeFilter>>,
    progress: WebhookProgress,
    generation: u64,
}

/// Works for a webhook, and returns when it is due again.
pub(super) fn run(instance: &Arc<Instance>, hook: &Hook) -> Next {
    if instance.is_stopping() || instance.webhooks().schedule.is_stopped() {
        return Next::Never;
    }
    // The position could not be saved.
    if instance.is_read_only() {
        return Next::At(Instant::now() + PAUSE, u64::MAX);
    }
    let turn = {
        let state = hook.state();
        if state.is_stopped() {
            return if state.is_removed { Next::Removed } else { Next::Never };
        }
        Turn {
            instance,
            hook,
            definition: Arc::clone(&state.definition),
            filter: state.filter.clone(),
            progress: state.progress.clone(),
            generation: state.generation,
        }
    };
    turn.run().unwrap_or_else(|error| turn.fail(&error))
}

/// Returns the session with whose rights a webhook reads.
///
/// Errors: 11 without rights on the database, 1228 if it was dropped.
fn reading_session(instance: &Arc<Instance>, hook: &Hook, definition: &WebhookDefinition) -> Result<Session> {
    let gone = || Error::new(ErrorCode::DatabaseNotFound, "the database was dropped");
    let catalog = instance.catalog();
    let database = catalog.database(&hook.database).ok_or_else(gone)?;
    if database.definition().id != hook.database_id {
        return Err(gone());
    }
    let identity = match &definition.user {
        None => Identity::Superuser,
        Some(name) if catalog.user(name).is_some_and(|user| user.active) => Identity::User(Arc::clone(name)),
        Some(name) => {
            let message = format!("forbidden: the user '{name}' of the webhook is not there or not active");
            return Err(Error::new(ErrorCode::Forbidden, message));
        }
    };
    let session = Session::open(Arc::clone(instance), &hook.database, identity)?;
    for name in definition.collections.iter().flatten() {
        session.require_collection(name, catalog::AccessLevel::ReadOnly)?;
    }
    Ok(session)
}

/// Sends a message to the receiver of a webhook.
pub(super) fn send(instance: &Instance, definition: &WebhookDefinition, message: &Message) -> Outcome {
    let _waiting = aql_value::Waiting::begin();
    instance.webhooks().sender.send(&Delivery {
        target: &definition.target,
        secret: definition.secret.as_ref(),
        headers: &definition.headers,
        id: &message.id,
        content_type: message.content_type,
        body: message.body.clone(),
    })
}

impl Turn<'_> {
    fn run(&self) -> Result<Next> {
        let session = reading_session(self.instance, self.hook, &self.definition)?;
        if self.progress.retries_dead_letters {
            return self.retry_dead_letter();
        }
        let form = ChangeForm::parse(&self.definition.format)?;
        let mut feed = self.feed(&session, form)?;
        let limits = BatchLimits { changes: self.definition.batch_size, until: self.progress.pending };
        let memory = Charge::new(session.request_memory());
        let batch = Batch::read(&mut feed, self.hook, form, limits, memory)?;
        drop(feed);
        if batch.changes == 0 {
            return self.pass(&batch);
        }
        if let Some(next) = self.wait_for_more(&batch) {
            return Ok(next);
        }
        let (changes, last, end) = (batch.changes, batch.last, batch.end);
        let message = batch.message(self.hook, self.progress.log);
        let outcome = send(self.instance, &self.definition, &message);
        self.settle(&message, changes, (last, end), outcome)
    }

    fn feed(&self, session: &Session, form: ChangeForm) -> Result<Feed> {
        let request = FeedRequest {
            since: Since::Token(Token { log: self.progress.log, position: self.progress.position }),
            collections: self.definition.collections.clone(),
            filter: self.definition.filter.clone(),
            bind_vars: Vec::new(),
            limit: None,
            initial: false,
            global: false,
            form,
        };
        session.begin_feed(request, self.filter.clone(), None)
    }

    /// Locks the state, unless a user has set another position since the turn began.
    fn state(&self) -> Option<std::sync::MutexGuard<'_, HookState>> {
        let state = self.hook.state();
        (state.generation == self.generation && !state.is_removed).then_some(state)
    }

    /// Moves the position behind changes that the webhook does not want.
    fn pass(&self, batch: &Batch) -> Result<Next> {
        let Some(mut state) = self.state() else { return Ok(Next::Now) };
        state.progress.position = state.progress.position.max(batch.end);
        state.pace.waiting_since = None;
        let was_pending = state.progress.pending.take().is_some();
        if was_pending {
            state.progress.attempts = 0;
        }
        if was_pending || state.pace.saved.elapsed() >= SAVE_EVERY {
            save(self.instance, self.hook, &mut state)?;
        }
        Ok(if batch.has_more { Next::Now } else { Next::AfterCommit(batch.end) })
    }

    /// Returns the time until which the batch waits for more changes.
    fn wait_for_more(&self, batch: &Batch) -> Option<Next> {
        let wait = self.definition.batch_wait();
        if wait.is_zero() || batch.is_full || batch.has_more || self.progress.pending.is_some() {
            return None;
        }
        let mut state = self.hook.state();
        let due = *state.pace.waiting_since.get_or_insert_with(Instant::now) + wait;
        if due <= Instant::now() {
            return None;
        }
        let missing = self.definition.batch_size.saturating_sub(batch.changes);
        Some(Next::At(due, batch.end.saturating_add(missing)))
    }

    /// Notes the outcome of a delivery. `positions`: of its last change, and the end of the batch.
    fn settle(
        &self,
        message: &Message,
        changes: u64,
        positions: (u64, u64),
        outcome: Outcome,
    ) -> Result<Next> {
        let (last, end) = positions;
        let counts = &self.instance.webhooks().counts;
        let Some(mut state) = self.state() else { return Ok(Next::Now) };
        state.pace.waiting_since = None;
        let (reason, retry_after) = match outcome {
            Outcome::Delivered { .. } => {
                counts.deliveries.add(1);
                deliver_up_to(&mut state.progress, end);
                state.progress.last_success = Some(now());
                state.progress.last_error = None;
                save(self.instance, self.hook, &mut state)?;
                return Ok(Next::Now);
            }
            Outcome::Gone => {
                counts.failures.add(1);
                pause(&mut state, "the receiver answers with status 410: it wants no further deliveries");
                save(self.instance, self.hook, &mut state)?;
                return Ok(Next::Never);
            }
            Outcome::Failed { reason, retry_after, .. } => (reason, retry_after),
        };
        // The server has interrupted the delivery.
        if self.instance.webhooks().schedule.is_stopped() {
            return Ok(Next::Never);
        }
        counts.failures.add(1);
        state.progress.pending = Some(last);
        state.progress.attempts += 1;
        state.progress.last_error = Some(reason);
        if state.progress.attempts >= self.definition.max_attempts {
            return self.bury(&mut state, message, changes, end);
        }
        save(self.instance, self.hook, &mut state)?;
        let attempts = u32::try_from(state.progress.attempts).unwrap_or(u32::MAX);
        Ok(Next::Retry(Instant::now() + back_off(attempts, retry_after)))
    }

    /// Makes a delivery a dead letter, and goes on behind it.
    fn bury(&self, state: &mut HookState, message: &Message, changes: u64, end: u64) -> Result<Next> {
        if state.progress.dead_letters >= DEAD_LETTERS_MAX {
            pause(state, &format!("there are {DEAD_LETTERS_MAX} dead letters; retry or remove them"));
            save(self.instance, self.hook, state)?;
            return Ok(Next::Never);
        }
        let session = own_session(self.instance, &self.hook.database)?;
        let error = state.progress.last_error.clone().unwrap_or_default();
        let last = state.progress.pending.unwrap_or(end);
        let burial = Burial {
            token: Token { log: self.progress.log, position: last },
            changes,
            attempts: state.progress.attempts,
            error: &error,
            time: &now(),
        };
        save_with(self.instance, self.hook, state, |transaction, state| {
            let is_new = dead_letters::bury(&session, transaction, self.hook, message, &burial)?;
            state.progress.dead_letters += u64::from(is_new);
            deliver_up_to(&mut state.progress, end);
            Ok(())
        })?;
        self.instance.webhooks().counts.dead_letters.add(1);
        Ok(Next::Now)
    }

    /// Sends the first dead letter once more.
    fn retry_dead_letter(&self) -> Result<Next> {
        let session = own_session(self.instance, &self.hook.database)?;
        let found = dead_letters::first(&session, self.hook)?;
        let outcome = found.as_ref().map(|letter| send(self.instance, &self.definition, &letter.message));
        let counts = &self.instance.webhooks().counts;
        let mut state = self.hook.state();
        if state.is_removed {
            return Ok(Next::Removed);
        }
        match (found, outcome) {
            (Some(letter), Some(Outcome::Delivered { .. })) => {
                counts.deliveries.add(1);
                state.progress.last_success = Some(now());
                save_with(self.instance, self.hook, &mut state, |transaction, state| {
                    dead_letters::remove(&session, transaction, self.hook, Some(&letter.key))?;
                    state.progress.dead_letters = state.progress.dead_letters.saturating_sub(1);
                    Ok(())
                })?;
                return Ok(Next::Now);
            }
            (_, Some(Outcome::Failed { reason, .. })) => {
                if self.instance.webhooks().schedule.is_stopped() {
                    return Ok(Next::Never);
                }
                counts.failures.add(1);
                state.progress.last_error = Some(format!("a dead letter was sent once more: {reason}"));
            }
            (_, Some(_)) => {
                counts.failures.add(1);
                pause(&mut state, "the receiver answers with status 410: it wants no further deliveries");
            }
            (_, None) => state.progress.dead_letters = 0,
        }
        state.progress.retries_dead_letters = false;
        save(self.instance, self.hook, &mut state)?;
        Ok(Next::Now)
    }

    /// Judges an error that is not the receiver's.
    fn fail(&self, error: &Error) -> Next {
        match error.code() {
            ErrorCode::ShuttingDown => return Next::Never,
            ErrorCode::DatabaseNotFound | ErrorCode::DocumentNotFound | ErrorCode::DataSourceNotFound => {
                let mut state = self.hook.state();
                state.is_removed = true;
                self.hook.note_saved(&mut state);
                return Next::Removed;
            }
            _ => {}
        }
        let Some(mut state) = self.state() else { return Next::Now };
        if !is_permanent(error) {
            tracing::warn!(
                target: "webhooks",
                "the webhook '{}' of the database '{}' waits: {error}", self.hook.name, self.hook.database
            );
            state.progress.last_error = Some(error.message().to_owned());
            return Next::At(Instant::now() + PAUSE, u64::MAX);
        }
        tracing::warn!(
            target: "webhooks",
            "the webhook '{}' of the database '{}' has stopped: {error}", self.hook.name, self.hook.database
        );
        state.progress.failure = Some(error.message().to_owned());
        state.progress.last_error = state.progress.failure.clone();
        if let Err(error) = save(self.instance, self.hook, &mut state) {
            tracing::warn!(target: "webhooks", "the state of a webhook cannot be saved: {error}");
        }
        Next::Never
    }
}

/// Moves the position behind a delivery that has ended.
fn deliver_up_to(progress: &mut WebhookProgress, end: u64) {
    progress.position = progress.position.max(end);
    progress.pending = None;
    progress.attempts = 0;
}

fn pause(state: &mut HookState, reason: &str) {
    let mut definition = WebhookDefinition::clone(&state.definition);
    definition.paused = true;
    state.definition = Arc::new(definition);
    state.progress.attempts = 0;
    state.progress.last_error = Some(reason.to_owned());
}

/// Returns true if the error stays until a user changes the webhook or its rights.
fn is_permanent(error: &Error) -> bool {
    /// ArangoDB's numbers of errors in queries, which filters have too.
    const QUERY_ERRORS: std::ops::Range<u32> = 1_501..1_600;
    let is_of_filter = QUERY_ERRORS.contains(&error.number());
    is_of_filter
        || matches!(
            error.code(),
            ErrorCode::Forbidden
                | ErrorCode::ReplicationStartTickNotPresent
                | ErrorCode::NotImplemented
                | ErrorCode::BadParameter
        )
}
