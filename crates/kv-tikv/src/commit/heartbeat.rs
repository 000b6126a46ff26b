//! The lifetime of a transaction's locks, which it extends while it commits.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::Commit;
use crate::protocol::kv::TxnHeartBeatRequest;
use crate::topology::client::Client;
use crate::topology::pd;

/// The time in milliseconds after which others may roll back a transaction that gives no sign of
/// life.
const LIFE_MS: u64 = 4000;

/// The time between two signs of life.
const INTERVAL: Duration = Duration::from_millis(1000);

/// Returns the life of a lock in milliseconds from the transaction's start on.
pub(super) fn life_of_lock(client: &Client, start: u64) -> u64 {
    let elapsed = client.timestamps.milliseconds_now().saturating_sub(pd::milliseconds(start));
    elapsed + LIFE_MS
}

/// The task that extends the lock of a primary key until it is dropped.
pub(crate) struct Heartbeat(JoinHandle<()>);

impl Heartbeat {
    /// Starts to give signs of life, the first one after a second.
    pub(crate) fn start(commit: &Arc<Commit>) -> Self {
        let commit = Arc::clone(commit);
        Heartbeat(tokio::spawn(async move {
            loop {
                tokio::time::sleep(INTERVAL).await;
                let request = TxnHeartBeatRequest {
                    context: None,
                    primary_lock: commit.primary.clone(),
                    start_version: commit.start,
                    advise_lock_ttl: life_of_lock(&commit.client, commit.start),
                };
                let mut retry = commit.client.retry();
                if commit.client.send_to_key(&commit.primary, &request, &mut retry).await.is_err() {
                    return;
                }
            }
        }))
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.0.abort();
    }
}
