//! Commits: optimistic, in two phases, or in one if a single region has all keys.
//!
//! The first phase locks every key and checks that nobody has written it since the transaction's
//! start. The second one commits the primary key: from that moment on the transaction has
//! committed. The other keys follow in the background, and a reader that finds one of their locks
//! resolves it.

mod batches;
mod heartbeat;
pub(crate) mod mutations;
mod prewrite;
mod primary;
mod secondaries;

use std::sync::Arc;
use std::time::Duration;

use kv::{Error, Result};

use crate::commit::mutations::Mutations;
use crate::outcomes::Outcome;
use crate::protocol::kv::Context;
use crate::topology::client::Client;
use prewrite::Prewritten;

pub(crate) use batches::of_mutations as batches_of;
pub(crate) use heartbeat::Heartbeat;
pub(crate) use prewrite::PATIENCE_MIN;
pub(crate) use secondaries::settle_range;

/// A transaction that is being committed.
pub(crate) struct Commit {
    pub(crate) client: Arc<Client>,
    /// The timestamp of the state that the transaction has read.
    pub(crate) start: u64,
    /// The key whose state is that of the transaction.
    pub(crate) primary: Vec<u8>,
    /// The number of its keys.
    pub(crate) keys: u64,
    /// The least timestamp of the commit.
    ///
    /// A store that commits in one phase chooses the timestamp, and knows only of the snapshots
    /// that have read from it. The commit must also come after those that have not read yet.
    pub(crate) after: u64,
    /// The maximum wait for a lock of another transaction.
    pub(crate) patience: Duration,
    /// The transaction may use a disk that is almost full.
    pub(crate) may_fill_up: bool,
}

impl Commit {
    /// Commits mutations. Without any it does nothing.
    ///
    /// Errors: [`Error::Conflict`] if another transaction has written a key since the start;
    /// [`Error::LeaseEnded`] if the server's lease has ended; [`Error::Undetermined`] if the
    /// cluster could not say in time whether the commit took place.
    pub(crate) async fn run(
        client: Arc<Client>,
        start: u64,
        mutations: Mutations,
        patience: Duration,
    ) -> Result<()> {
        let fenced = Arc::clone(&client);
        let _running = fenced.fence.run();
        let outcome = Self::attempt(client, start, mutations, patience).await;
        if matches!(outcome, Err(Error::Undetermined { .. })) {
            fenced.fence.note_doubt();
        }
        outcome
    }

    async fn attempt(
        client: Arc<Client>,
        start: u64,
        mut mutations: Mutations,
        patience: Duration,
    ) -> Result<()> {
        let Some(primary) = mutations.primary() else { return Ok(()) };
        let keys = mutations.len() as u64;
        let may_fill_up = mutations.may_fill_up();
        let names = mutations.keys();
        // In two phases, the commit's timestamp comes after the first one.
        let one_phase = client.one_phase && batches::of_keys(&client, names.clone()).await?.len() == 1;
        let after = if one_phase { client.timestamps.next().await? } else { start };
        let commit = Arc::new(Commit { client, start, primary, keys, after, patience, may_fill_up });
        let _heartbeat = Heartbeat::start(&commit);
        match commit.prewrite_all(mutations, one_phase).await {
            Ok(Prewritten::Committed) => return Ok(()),
            Ok(Prewritten::Locked) => {}
            Err(failure) => return commit.give_up(failure, names).await,
        }
        match commit.commit_primary().await {
            Ok(timestamp) => {
                commit.commit_secondaries(names, timestamp);
                Ok(())
            }
            Err(error @ Error::Undetermined { .. }) => Err(error),
            Err(error) => {
                commit.roll_back(names);
                Err(error)
            }
        }
    }

    /// Returns the context of the transaction's messages, but for their address.
    fn context(&self) -> Context {
        Context { disk_full_opt: i32::from(self.may_fill_up), ..Context::default() }
    }

    /// Ends a transaction whose first phase has failed.
    async fn give_up(&self, failure: prewrite::Failure, keys: Vec<Vec<u8>>) -> Result<()> {
        if failure.may_have_committed {
            match self.settle().await {
                Ok(Outcome::Committed(_)) => return Ok(()),
                Ok(Outcome::RolledBack) => {}
                Ok(Outcome::Alive { .. }) | Err(_) => {
                    return Err(Error::Undetermined { reason: failure.error.to_string() });
                }
            }
        }
        self.roll_back(keys);
        Err(failure.error)
    }

    /// Determines the final outcome of the transaction: without a trace of it, it is rolled back.
    async fn settle(&self) -> Result<Outcome> {
        let mut retry = self.client.retry();
        let outcome = self.client.check(&self.primary, self.start, None, true, &mut retry).await?;
        Ok(outcome.unwrap_or(Outcome::RolledBack))
    }
}
