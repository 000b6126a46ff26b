//! Batches of changes for the readers of a subscription.

use std::sync::Arc;
use std::time::Instant;

use errors::{Error, ErrorCode, Result};

use super::super::feed::Feed;
use super::super::slot_filter::SlotFilter;
use super::super::{Progress, Since, Token};
use super::definition::SubscriptionDefinition;
use crate::session::Session;
use crate::state::subscriptions::{OpenSubscription, Share};

/// Maximum length of a reader's name.
const READER_MAX_BYTES: usize = 128;

/// A request of a reader for its next batch.
pub struct SubscriptionBatch {
    session: Session,
    definition: SubscriptionDefinition,
    open: Arc<OpenSubscription>,
    reader: String,
    limit: u64,
    share: Share,
    /// The changes of the share; `None` without slots.
    feed: Option<Feed>,
}

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEnd {
    /// There are no changes yet.
    Empty,
    /// The reader has the changes, and acknowledges them by this number.
    Full(u64),
    /// Another reader has come or gone: what was read does not count.
    Stale,
}

impl Session {
    /// Begins a batch of at most `limit` changes. A batch that the reader has not acknowledged is
    /// forgotten, and its changes come again.
    ///
    /// Errors: 1202 for an unknown subscription, 1414 with status 410 if changes were removed
    /// before they were read, 32 for too many readers, 10 for a reader's name, those of
    /// [`Session::open_feed`].
    pub fn begin_batch(&self, name: &str, reader: &str, limit: u64) -> Result<SubscriptionBatch> {
        if reader.is_empty() || reader.len() > READER_MAX_BYTES {
            return Err(Error::bad_parameter(format!("'consumer' must have 1 to {READER_MAX_BYTES} bytes")));
        }
        let (definition, _) = self.find_subscription(name)?;
        let open = self.open_subscription(name)?;
        let share = open.lock().slots.join(reader, Instant::now())?;
        let mut batch = SubscriptionBatch {
            session: self.clone(),
            definition,
            open,
            reader: reader.to_owned(),
            limit,
            share,
            feed: None,
        };
        batch.open_feed()?;
        Ok(batch)
    }

    /// Acknowledges a batch. Its changes do not come again.
    ///
    /// Errors: 1202, 1600 if the batch is not known, or its changes were given to another reader.
    pub fn acknowledge_batch(&self, name: &str, batch: u64) -> Result<()> {
        let open = self.open_subscription(name)?;
        {
            let mut state = open.lock();
            if !state.slots.acknowledge(batch, Instant::now()) {
                let message = format!(
                    "there is no batch {batch}: it was acknowledged, its reader asked for another one, or its \
                     time was over and others get its changes"
                );
                return Err(Error::new(ErrorCode::CursorNotFound, message));
            }
            state.is_changed = true;
        }
        self.store_subscription(name, &open)
    }
}

impl SubscriptionBatch {
    /// Returns true if there may be changes, or the batch ends.
    pub fn has_news(&self) -> bool {
        let state = self.open.lock();
        let is_stale = state.is_removed || state.slots.is_stale(&self.reader, &self.share, Instant::now());
        drop(state);
        is_stale || self.feed.as_ref().is_some_and(Feed::has_news) || self.session.instance().is_stopping()
    }

    /// Reads the next changes, and passes the JSON of each to `frame`.
    ///
    /// Errors: 1202 if the subscription was removed, those of [`Feed::read`].
    pub fn read(&mut self, frame: &mut dyn FnMut(Option<Token>, &[u8])) -> Result<Progress> {
        if self.open.lock().is_removed {
            let message = format!("the subscription '{}' was removed", self.definition.name);
            return Err(Error::new(ErrorCode::DocumentNotFound, message));
        }
        match &mut self.feed {
            Some(feed) => feed.read(frame),
            None => self.session.check_running().map(|()| Progress { changes: 0, has_more: false }),
        }
    }

    /// Ends a batch of `changes`. After [`BatchEnd::Empty`] and [`BatchEnd::Stale`] it may be read
    /// on.
    ///
    /// Errors: those of [`Session::begin_batch`].
    pub fn end(&mut self, changes: u64) -> Result<BatchEnd> {
        let Some(feed) = &self.feed else {
            return self.join_again();
        };
        let end = feed.token().position;
        let mut state = self.open.lock();
        if state.slots.is_stale(&self.reader, &self.share, Instant::now()) {
            drop(state);
            return self.join_again();
        }
        if changes == 0 {
            state.is_changed |= state.slots.advance(&self.reader, &mut self.share, end);
            return Ok(BatchEnd::Empty);
        }
        let id = self.session.instance().next_local_id()?;
        state.slots.begin_batch(&self.reader, &self.share, (id, end, changes));
        Ok(BatchEnd::Full(id))
    }

    /// Returns true if there may be more changes behind the batch.
    pub fn has_more(&self) -> bool {
        self.feed.as_ref().is_some_and(|feed| feed.is_complete() || feed.has_news())
    }

    /// Releases what pins memory of the engine.
    pub fn release(&mut self) {
        if let Some(feed) = &mut self.feed {
            feed.release();
        }
    }

    fn join_again(&mut self) -> Result<BatchEnd> {
        let now = Instant::now();
        let mut state = self.open.lock();
        let share = state.slots.join(&self.reader, now)?;
        state.slots.leave(&self.reader, now);
        drop(state);
        if share == self.share {
            return Ok(BatchEnd::Empty);
        }
        self.share = share;
        self.open_feed()?;
        Ok(BatchEnd::Stale)
    }

    /// Opens the feed of the share.
    fn open_feed(&mut self) -> Result<()> {
        self.feed = None;
        let Some(position) = self.share.lowest() else { return Ok(()) };
        let since = Since::Token(Token { log: self.open.lock().log, position });
        let request = self.definition.feed_request(since, Some(self.limit));
        let slots = SlotFilter(self.share.clone());
        self.feed = Some(self.session.open_feed_of(request, Some(slots))?);
        Ok(())
    }
}

impl Drop for SubscriptionBatch {
    fn drop(&mut self) {
        self.open.lock().slots.leave(&self.reader, Instant::now());
    }
}
