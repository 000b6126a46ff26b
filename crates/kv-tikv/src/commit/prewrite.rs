//! The first phase: locks and checks.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kv::{Error, Result};
use tokio::task::JoinSet;

use super::batches::{self, Batch, CONCURRENT_BATCHES};
use super::{Commit, heartbeat};
use crate::commit::mutations::Mutations;
use crate::locks::LOCK_PAUSE;
use crate::protocol::kv::{Context, Mutation, PrewriteRequest, PrewriteResponse};
use crate::refusals::{self, lock_of};

/// The permission to commit in the first phase. Only the one message that has all keys gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnePhase {
    Allowed,
    Forbidden,
}

/// The obstacles that a store looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// Locks, newer commits, and a rollback of the transaction itself.
    All,
    /// Locks only.
    Locks,
}

/// The result of the first phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prewritten {
    /// All keys are locked.
    Locked,
    /// The store has committed the transaction immediately.
    Committed,
}

/// The failure of the first phase.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// A store may have committed the transaction immediately, and its reply was lost.
    pub(crate) may_have_committed: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure { error, may_have_committed: false }
    }
}

impl Commit {
    /// Locks the keys of mutations. With `one_phase` it commits them at the same time, if one
    /// message has all of them.
    pub(crate) async fn prewrite_all(
        self: &Arc<Self>,
        mutations: Mutations,
        one_phase: bool,
    ) -> std::result::Result<Prewritten, Failure> {
        if one_phase
            && let Ok([batch]) =
                <[_; 1]>::try_from(batches::of_mutations(&self.client, mutations.merged()).await?)
        {
            // All keys are checked here. A conflict of a key that need not be checked is detected
            // below.
            match self.prewrite(batch, Check::All, OnePhase::Allowed).await {
                Err(Failure { error: Error::Conflict, may_have_committed: false })
                    if !mutations.unchecked.is_empty() => {}
                outcome => return outcome,
            }
        }
        self.prewrite_in_batches(mutations).await
    }

    /// Locks the keys of mutations that are a part of the transaction.
    pub(crate) async fn prewrite_part(self: &Arc<Self>, mutations: Mutations) -> Result<()> {
        self.prewrite_in_batches(mutations).await.map(|_| ()).map_err(|failure| failure.error)
    }

    async fn prewrite_in_batches(
        self: &Arc<Self>,
        mutations: Mutations,
    ) -> std::result::Result<Prewritten, Failure> {
        let checked = batches::of_mutations(&self.client, mutations.checked).await?;
        let unchecked = batches::of_mutations(&self.client, mutations.unchecked).await?;
        let checked = checked.into_iter().map(|batch| (batch, Check::All));
        let unchecked = unchecked.into_iter().map(|batch| (batch, Check::Locks));
        self.prewrite_batches(checked.chain(unchecked)).await
    }

    async fn prewrite_batches(
        self: &Arc<Self>,
        batches: impl Iterator<Item = (Batch<Mutation>, Check)>,
    ) -> std::result::Result<Prewritten, Failure> {
        let mut tasks = JoinSet::new();
        for (batch, check) in batches {
            if tasks.len() >= CONCURRENT_BATCHES
                && let Some(ended) = tasks.join_next().await
            {
                ended.map_err(|_| Error::Closed)??;
            }
            let commit = Arc::clone(self);
            tasks.spawn(async move { commit.prewrite(batch, check, OnePhase::Forbidden).await });
        }
        while let Some(ended) = tasks.join_next().await {
            ended.map_err(|_| Error::Closed)??;
        }
        Ok(Prewritten::Locked)
    }

    async fn prewrite(
        &self,
        batch: Batch<Mutation>,
        check: Check,
        mut one_phase: OnePhase,
    ) -> std::result::Result<Prewritten, Failure> {
        let mut may_have_committed = false;
        let result = self.prewrite_until_done(batch, check, &mut one_phase, &mut may_have_committed).await;
        result.map_err(|error| Failure { error, may_have_committed })
    }

    async fn prewrite_until_done(
        &self,
        batch: Batch<Mutation>,
        check: Check,
        one_phase: &mut OnePhase,
        may_have_committed: &mut bool,
    ) -> Result<Prewritten> {
        let mut retry = self.client.retry();
        let patient_until = Instant::now() + self.patience;
        let mut waiting = VecDeque::from([batch]);
        let mut is_retry = false;
        while let Some((region, mutations)) = waiting.pop_front() {
            let mut request = self.request(mutations);
            request.try_one_pc = *one_phase == OnePhase::Allowed;
            request.skip_constraint_check = check == Check::Locks;
            let context = Context { is_retry_request: is_retry, ..self.context() };
            is_retry = true;
            match self.client.send(&region, &request, context).await {
                Ok(PrewriteResponse { errors, one_pc_commit_ts, .. }) if errors.is_empty() => {
                    if one_pc_commit_ts > 0 {
                        return Ok(Prewritten::Committed);
                    }
                    continue;
                }
                Ok(PrewriteResponse { errors, .. }) => {
                    let locks = errors.into_iter().map(lock_of).collect::<Result<Vec<_>>>()?;
                    let resolved = self.client.resolve(&locks, None, &mut retry).await?;
                    if resolved.must_wait {
                        if Instant::now() >= patient_until {
                            let held = locks.first().map(refusals::describe).unwrap_or_default();
                            tracing::debug!(target: "engines", "a commit has waited in vain: {held}");
                            return Err(Error::Conflict);
                        }
                        retry.pause_at_least(LOCK_PAUSE, &"another transaction holds a key").await?;
                    }
                }
                Err(miss) => {
                    *may_have_committed |= miss.may_have_acted && *one_phase == OnePhase::Allowed;
                    miss.pause(&mut retry).await?;
                }
            }
            let again = batches::of_mutations(&self.client, request.mutations).await?;
            if again.len() + waiting.len() > 1 {
                *one_phase = OnePhase::Forbidden;
            }
            waiting.extend(again);
        }
        Ok(Prewritten::Locked)
    }

    fn request(&self, mutations: Vec<Mutation>) -> PrewriteRequest {
        PrewriteRequest {
            context: None,
            mutations,
            primary_lock: self.primary.clone(),
            start_version: self.start,
            lock_ttl: heartbeat::life_of_lock(&self.client, self.start),
            skip_constraint_check: false,
            txn_size: self.keys,
            // With this, readers can move the commit past their timestamps and need not wait.
            min_commit_ts: self.after.max(self.start) + 1,
            try_one_pc: false,
            max_commit_ts: self.client.fence.greatest_commit(),
        }
    }
}

/// The minimum time that a transaction waits for locks of others, most of which will be released
/// soon.
pub(crate) const PATIENCE_MIN: Duration = Duration::from_millis(500);
