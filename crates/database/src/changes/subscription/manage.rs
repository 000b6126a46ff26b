//! Making, listing, moving and removing subscriptions.

use std::sync::Arc;
use std::time::Instant;

use catalog::{AccessLevel, DatabaseId};
use errors::{Error, ErrorCode, Result};
use kv::BlockLimits;
use storage::{ChangeScope, DocumentScanSpec, WriteOptions};
use velocypack::Slice;

use super::super::kept::{MODE, now, own_session, provide_collections};
use super::super::{Since, Token};
use super::SubscriptionReader;
use super::definition::{SUBSCRIPTIONS_COLLECTION, StoredPositions, SubscriptionDefinition};
use crate::session::Session;
use crate::state::subscriptions::{OpenSubscription, SLOTS, Slots};

/// Maximum number of subscriptions of a database.
const SUBSCRIPTIONS_MAX: usize = 1_000;
const READ_LIMITS: BlockLimits = BlockLimits { rows: 1_000, bytes: 4 << 20 };

/// A subscription and how far it was read.
#[derive(Clone, Debug)]
pub struct Subscription {
    /// Its definition.
    pub definition: SubscriptionDefinition,
    /// The position below which everything is acknowledged.
    pub token: Token,
    /// The positions of the log behind it.
    pub lag: u64,
    /// Its present readers.
    pub readers: Vec<SubscriptionReader>,
}

impl Session {
    /// Makes a subscription. The log begins if it has not begun.
    ///
    /// Errors: 10 for a wrong definition, 1210 (409) if the name is in use, 1203 for an unknown
    /// collection, 32 for too many, those of [`Session::open_feed`].
    pub fn create_subscription(&self, body: Slice<'_>) -> Result<Subscription> {
        let (definition, since) = SubscriptionDefinition::parse(body, self.user().map(AsRef::as_ref), now())?;
        for name in definition.collections.iter().flatten() {
            self.collection(name, AccessLevel::ReadOnly)?;
        }
        // It checks the filter and the token, and makes the log begin.
        let feed = self.open_feed(definition.feed_request(since, None))?;
        let token = feed.token();
        drop(feed);
        let system = own_session(self.instance(), self.database_name())?;
        provide_collections(&system, &[SUBSCRIPTIONS_COLLECTION])?;
        if self.stored_subscriptions()?.len() >= SUBSCRIPTIONS_MAX {
            let message = format!("a database has at most {SUBSCRIPTIONS_MAX} subscriptions");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        let positions = StoredPositions { log: token.log, slots: [token.position; SLOTS] };
        let document = definition.to_document(&positions)?;
        let written = system.write(SUBSCRIPTIONS_COLLECTION, MODE, |transaction, collection| {
            transaction.insert(collection, Slice::new(&document), &WriteOptions::default())
        });
        written.map_err(|error| match error.code() {
            ErrorCode::UniqueConstraintViolated => Error::new(
                ErrorCode::UniqueConstraintViolated,
                format!("there is a subscription '{}' already", definition.name),
            ),
            _ => error,
        })?;
        self.subscription(&definition.name)
    }

    /// Returns the subscriptions of the user, or of all users for administrators, by name.
    pub fn subscriptions(&self) -> Result<Vec<Subscription>> {
        let mut list = Vec::new();
        for (definition, stored) in self.stored_subscriptions()? {
            if self.may_read_subscription(&definition) {
                list.push(self.describe(definition, &stored)?);
            }
        }
        list.sort_by(|one, other| one.definition.name.cmp(&other.definition.name));
        Ok(list)
    }

    /// Returns a subscription. Errors: 1202 if the user has none with this name.
    pub fn subscription(&self, name: &str) -> Result<Subscription> {
        let (definition, stored) = self.find_subscription(name)?;
        self.describe(definition, &stored)
    }

    /// Removes a subscription. Errors: 1202.
    pub fn remove_subscription(&self, name: &str) -> Result<()> {
        self.find_subscription(name)?;
        own_session(self.instance(), self.database_name())?.write(
            SUBSCRIPTIONS_COLLECTION,
            MODE,
            |transaction, collection| {
                transaction.remove(collection, name, Slice::NONE, &WriteOptions::default())
            },
        )?;
        self.instance().subscriptions().forget(self.database_id()?, name);
        Ok(())
    }

    /// Moves a subscription. Its readers go on from there; batches that were not acknowledged are
    /// forgotten.
    ///
    /// Errors: 1202, 10, 1414 with status 410 for a token whose changes are gone.
    pub fn move_subscription(&self, name: &str, since: &str) -> Result<Subscription> {
        let (definition, _) = self.find_subscription(name)?;
        let token = self.open_feed(definition.feed_request(Since::parse(since)?, None))?.token();
        let open = self.open_subscription(name)?;
        {
            let mut state = open.lock();
            (state.log, state.is_changed) = (token.log, true);
            state.slots.move_to(token.position);
        }
        self.store_subscription(name, &open)?;
        self.subscription(name)
    }

    /// Returns the state of a subscription of the user. Errors: 1202.
    pub(super) fn open_subscription(&self, name: &str) -> Result<Arc<OpenSubscription>> {
        let (definition, stored) = self.find_subscription(name)?;
        let state = || (stored.log, Slots::new(stored.slots, definition.ack_timeout));
        Ok(self.instance().subscriptions().open(self.database_id()?, name, state))
    }

    pub(super) fn find_subscription(&self, name: &str) -> Result<(SubscriptionDefinition, StoredPositions)> {
        let unknown =
            || Error::new(ErrorCode::DocumentNotFound, format!("there is no subscription '{name}'"));
        let snapshot = self.instance().store().snapshot()?;
        let database = self.database_in(snapshot.catalog())?;
        let collection = database.collection(SUBSCRIPTIONS_COLLECTION).ok_or_else(unknown)?;
        let documents = snapshot.get(collection, &[name])?;
        let offset = documents.offsets.first().copied().flatten().ok_or_else(unknown)?;
        let found = SubscriptionDefinition::from_document(documents.block.slice(offset as usize))?;
        match self.may_read_subscription(&found.0) {
            true => Ok(found),
            false => Err(unknown()),
        }
    }

    pub(super) fn database_id(&self) -> Result<DatabaseId> {
        Ok(self.database_in(&self.catalog())?.definition().id)
    }

    /// Returns true if a subscription belongs to the user, or if the user is an administrator.
    fn may_read_subscription(&self, definition: &SubscriptionDefinition) -> bool {
        definition.user.as_deref() == self.user().map(AsRef::as_ref) || self.require_administrator().is_ok()
    }

    fn stored_subscriptions(&self) -> Result<Vec<(SubscriptionDefinition, StoredPositions)>> {
        let snapshot = self.instance().store().snapshot()?;
        let database = self.database_in(snapshot.catalog())?;
        let Some(collection) = database.collection(SUBSCRIPTIONS_COLLECTION) else { return Ok(Vec::new()) };
        let mut list = Vec::new();
        let mut scan = snapshot.scan(collection, &DocumentScanSpec::default())?;
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            for document in documents.iter() {
                match SubscriptionDefinition::from_document(document) {
                    Ok(found) => list.push(found),
                    Err(error) => tracing::warn!(target: "engines", "a subscription is left out: {error}"),
                }
            }
        }
        Ok(list)
    }

    fn describe(&self, definition: SubscriptionDefinition, stored: &StoredPositions) -> Result<Subscription> {
        let open = self.instance().subscriptions().get(self.database_id()?, &definition.name);
        let (log, position, readers) = match open {
            Some(open) => {
                let state = open.lock();
                (state.log, state.slots.lowest(), state.slots.readers(Instant::now()))
            }
            None => (stored.log, stored.slots.iter().min().copied().unwrap_or_default(), Vec::new()),
        };
        let lag = self.instance().store().lag(ChangeScope::Database(self.database_id()?), position)?;
        Ok(Subscription { definition, token: Token { log, position }, lag, readers })
    }
}
