//! Background work while a store is open: signs of life, and the oldest state to keep.

use std::sync::{Arc, Weak};
use std::time::Duration;

use kv::background::{Pauses, Task};
use kv::{Error, Result};

use crate::options::DIRTY_READ_AGE_MAX;
use crate::shared::Shared;
use crate::topology::pd;

/// The greatest time between two rounds.
const INTERVAL: Duration = Duration::from_secs(2);

/// The minimum number of rounds in the life of a lease. The rest of the lease when a leader dies
/// must exceed the election of the next one.
const ROUNDS: u32 = 15;

/// The seconds for which PD keeps the oldest state of a server that is gone.
const SAFE_POINT_LIFE_SECONDS: i64 = 60;

/// The thread's work.
pub(crate) struct Upkeep {
    store: Weak<Shared>,
    pauses: Pauses,
    interval: Duration,
}

impl Upkeep {
    pub(crate) fn new(store: &Arc<Shared>) -> Self {
        let interval = INTERVAL.min(store.options.lease / ROUNDS);
        Upkeep { store: Arc::downgrade(store), pauses: Pauses::default(), interval }
    }
}

impl Task for Upkeep {
    fn run(&self) {
        while self.pauses.wait(self.interval) {
            let Some(store) = self.store.upgrade() else { return };
            match round(&store) {
                Ok(()) => {}
                Err(Error::LeaseEnded) => {
                    tracing::error!(
                        target: "engines",
                        "the lease of this server has expired; it does not use the store until it restarts"
                    );
                    return;
                }
                Err(Error::Closed) => return,
                Err(error) => tracing::warn!(target: "engines", "the TiKV cluster is not reachable: {error}"),
            }
        }
    }

    fn stop(&self) {
        self.pauses.stop();
    }
}

/// Prolongs the lease, raises the format that is used, and tells PD the oldest state that is read.
pub(crate) fn round(store: &Arc<Shared>) -> Result<()> {
    let this = Arc::clone(store);
    store.wait(async move {
        this.membership.renew(&this.client, |_| ()).await?;
        this.format.advance(&this.client, &this.membership).await?;
        lift_ceiling(&this);
        look_for_replicas(&this);
        tell_oldest(&this).await
    })
}

/// Tells PD at once to keep the states that are read.
pub(crate) fn keep_states(store: &Arc<Shared>) -> Result<()> {
    let this = Arc::clone(store);
    store.wait(async move { tell_oldest(&this).await })
}

async fn tell_oldest(store: &Shared) -> Result<()> {
    let now_ms = pd::milliseconds(store.client.timestamps.next().await?);
    // A dirty read may begin at any moment, at a timestamp of the past.
    let dirty = pd::from_milliseconds(now_ms.saturating_sub(DIRTY_READ_AGE_MAX.as_millis() as u64));
    let oldest = store.versions.oldest().map_or(dirty, |held| held.min(dirty));
    let kept = store.safe_points.hold(&store.client.pd, oldest, SAFE_POINT_LIFE_SECONDS).await?;
    store.versions.set_safe_point(kept);
    Ok(())
}

/// Asks for the present replicas of regions that dirty reads have met. Reads do not wait for that,
/// because they go on without PD.
fn look_for_replicas(store: &Arc<Shared>) {
    let keys = store.client.replicas.take_old();
    if keys.is_empty() {
        return;
    }
    let client = Arc::clone(&store.client);
    store.spawn(async move {
        for key in keys {
            // The next read of the region asks again.
            let _ = client.describe(&key).await;
        }
    });
}

/// Ends the ceiling of dirty reads once its region has a leader.
fn lift_ceiling(store: &Arc<Shared>) {
    let Some(ceiling) = store.client.replicas.ceiling() else { return };
    let client = Arc::clone(&store.client);
    store.spawn(async move {
        // The largest timestamp requests the latest state, which the leader has.
        if client.get(&ceiling.key, u64::MAX).await.is_ok() {
            client.replicas.lift_ceiling(&ceiling);
        }
    });
}

/// Tells the other servers that this one is done.
pub(crate) fn finish(store: &Arc<Shared>) -> Result<()> {
    let this = Arc::clone(store);
    store.wait(async move {
        // PD keeps the states that this server read for a while: another one may go on with them.
        this.membership.release(&this.client).await
    })
}
