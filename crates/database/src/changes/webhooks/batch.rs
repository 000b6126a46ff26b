//! Batches: the changes of one delivery, as its body.

use std::hash::{BuildHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use aql_value::Charge;
use bytes::Bytes;
use errors::Result;
use rapidhash::fast::SeedableState;
use velocypack::json;

use super::super::feed::Feed;
use super::super::{ChangeForm, Token};
use crate::state::webhooks::Hook;

/// Bytes of changes after which a batch is complete. A longer change comes alone.
const BATCH_BYTES: usize = 1 << 20;
/// The time that one turn reads the log.
const READ_TIME: Duration = Duration::from_secs(1);

/// The changes of a delivery.
pub(super) struct Batch {
    /// The body so far: the changes, separated by commas, behind its beginning.
    body: Vec<u8>,
    pub(super) changes: u64,
    /// The positions of the first and the last change.
    first: u64,
    pub(super) last: u64,
    /// The position up to which the batch has everything.
    pub(super) end: u64,
    /// There is no room for more changes.
    pub(super) is_full: bool,
    /// There may be more changes at once.
    pub(super) has_more: bool,
    form: ChangeForm,
    memory: Charge,
}

/// The bounds of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchLimits {
    pub(super) changes: u64,
    /// The position of the last change of a batch that has failed before.
    pub(super) until: Option<u64>,
}

/// A delivery that is ready to be sent.
pub(super) struct Message {
    pub(super) id: String,
    pub(super) content_type: &'static str,
    pub(super) body: Bytes,
    /// The memory of the body.
    pub(super) _memory: Charge,
}

impl Batch {
    /// Reads the next batch.
    ///
    /// Errors: those of [`Feed::read`]; 32 without memory.
    pub(super) fn read(
        feed: &mut Feed,
        hook: &Hook,
        form: ChangeForm,
        limits: BatchLimits,
        memory: Charge,
    ) -> Result<Batch> {
        let mut batch = Batch::new(hook, form, memory);
        let began = Instant::now();
        let mut is_over = false;
        let mut has_more = true;
        while has_more && !batch.is_full && !is_over && began.elapsed() < READ_TIME {
            let before = batch.body.len();
            has_more = feed
                .read(&mut |token, change| {
                    is_over |= batch.is_full || !batch.add(token, change, limits);
                })?
                .has_more;
            batch.memory.grow((batch.body.len() - before) as u64)?;
        }
        // A read may have taken more than the batch.
        batch.end = if is_over { batch.last } else { feed.token().position };
        batch.is_full |= is_over;
        batch.has_more = has_more || is_over;
        Ok(batch)
    }

    fn new(hook: &Hook, form: ChangeForm, memory: Charge) -> Batch {
        let mut body = Vec::new();
        if form == ChangeForm::CloudEvents {
            body.push(b'[');
        } else {
            body.extend_from_slice(b"{\"webhook\":");
            json::write_str(&hook.name, &mut body);
            body.extend_from_slice(b",\"database\":");
            json::write_str(&hook.database, &mut body);
            body.extend_from_slice(b",\"changes\":[");
        }
        Batch { body, changes: 0, first: 0, last: 0, end: 0, is_full: false, has_more: false, form, memory }
    }

    /// Adds a change. Returns false if it does not belong to the batch.
    fn add(&mut self, token: Option<Token>, change: &[u8], limits: BatchLimits) -> bool {
        let Some(position) = token.map(|token| token.position) else { return true };
        let is_late = limits.until.is_some_and(|until| position > until);
        let is_long = self.changes > 0 && self.body.len() + change.len() > BATCH_BYTES;
        if is_late || is_long {
            self.is_full = true;
            return false;
        }
        if self.changes > 0 {
            self.body.push(b',');
        } else {
            self.first = position;
        }
        self.body.extend_from_slice(change);
        self.changes += 1;
        self.last = position;
        self.is_full = self.changes >= limits.changes || limits.until == Some(position);
        true
    }

    /// Returns the whole body, with an identifier that only deliveries of the same changes have.
    pub(super) fn message(mut self, hook: &Hook, log: u64) -> Message {
        let mut hasher = SeedableState::fixed().build_hasher();
        self.body.hash(&mut hasher);
        hook.unique.hash(&mut hasher);
        let id = format!("msg_{:016x}_{}_{}", hasher.finish(), self.first, self.last);
        let content_type = close(&mut self.body, self.form, Token { log, position: self.last });
        Message { id, content_type, body: self.body.into(), _memory: self.memory }
    }

    /// Returns a test delivery, which has no changes.
    pub(super) fn ping(hook: &Hook, form: ChangeForm, token: Token, memory: Charge) -> Message {
        let mut batch = Batch::new(hook, form, memory);
        let content_type = close(&mut batch.body, form, token);
        let id = format!("msg_ping_{:016x}", fastrand::u64(..));
        Message { id, content_type, body: batch.body.into(), _memory: batch.memory }
    }
}

/// Ends a body, and returns its type.
fn close(body: &mut Vec<u8>, form: ChangeForm, token: Token) -> &'static str {
    if form == ChangeForm::CloudEvents {
        body.push(b']');
        return "application/cloudevents-batch+json";
    }
    body.extend_from_slice(format!("],\"token\":\"{token}\"}}").as_bytes());
    "application/json"
}
