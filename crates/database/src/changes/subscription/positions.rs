//! Storing the positions of subscriptions.

use std::sync::Arc;

use catalog::DatabaseId;
use errors::{ErrorCode, Result};
use kv::BlockLimits;
use storage::{DocumentScanSpec, WriteOptions};
use velocypack::Slice;

use super::super::kept::{MODE, own_session};
use super::definition::{SUBSCRIPTIONS_COLLECTION, StoredPositions, SubscriptionDefinition};
use crate::instance::Instance;
use crate::session::Session;
use crate::state::subscriptions::OpenSubscription;

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1_000, bytes: 4 << 20 };

impl Session {
    /// Stores the positions of a subscription, if they have changed. While the server refuses
    /// writes they stay in memory.
    pub(super) fn store_subscription(&self, name: &str, open: &OpenSubscription) -> Result<()> {
        // The lock keeps the order of two writers.
        let mut state = open.lock();
        if !state.is_changed || state.is_removed {
            return Ok(());
        }
        let positions = StoredPositions { log: state.log, slots: *state.slots.positions() };
        let patch = positions.to_patch()?;
        let written = own_session(self.instance(), self.database_name())?.write(
            SUBSCRIPTIONS_COLLECTION,
            MODE,
            |transaction, collection| {
                transaction.update(collection, name, Slice::new(&patch), &WriteOptions::default())
            },
        );
        match written {
            Err(error) if error.code() == ErrorCode::ReadOnly => Ok(()),
            Err(error) => Err(error),
            Ok(_) => {
                state.is_changed = false;
                Ok(())
            }
        }
    }
}

/// Stores the positions of all subscriptions that have changed.
pub(crate) fn store_positions(instance: &Arc<Instance>) {
    let catalog = instance.store().catalog();
    let name_of = |id: DatabaseId| {
        let mut databases = catalog.databases();
        databases.find(|found| found.definition().id == id).map(|found| found.name().to_owned())
    };
    for ((database, name), open) in instance.subscriptions().all(|id| name_of(id).is_some()) {
        let Some(database) = name_of(database) else { continue };
        let stored =
            own_session(instance, &database).and_then(|session| session.store_subscription(&name, &open));
        if let Err(error) = stored {
            tracing::warn!(target: "engines", "cannot store the position of subscription '{name}': {error}");
        }
    }
}

/// Returns the position from which on subscriptions need a log; `u64::MAX` without any.
pub(crate) fn held_from(instance: &Instance, log: u64) -> Result<u64> {
    let snapshot = instance.store().snapshot()?;
    let catalog = Arc::clone(snapshot.catalog());
    let mut held = u64::MAX;
    for database in catalog.databases() {
        let Some(collection) = database.collection(SUBSCRIPTIONS_COLLECTION) else { continue };
        let mut scan = snapshot.scan(collection, &DocumentScanSpec::default())?;
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            for document in documents.iter() {
                // A document that somebody has changed holds nothing.
                let Ok((_, stored)) = SubscriptionDefinition::from_document(document) else { continue };
                if stored.log == log {
                    let lowest = stored.slots.into_iter().min().unwrap_or(u64::MAX);
                    held = held.min(lowest.saturating_add(1));
                }
            }
        }
    }
    Ok(held)
}
