//! The second phase: the commit of the primary key, which decides.

use kv::{Error, Result};

use super::Commit;
use crate::outcomes::Outcome;
use crate::protocol::kv::{CommitRequest, Context};
use crate::topology::client::Miss;

impl Commit {
    /// Commits the primary key. Returns the commit's timestamp.
    ///
    /// Errors: [`Error::Conflict`] if others have rolled the transaction back because its locks had
    /// expired; [`Error::Undetermined`] if no reply says whether it has committed.
    pub(crate) async fn commit_primary(&self) -> Result<u64> {
        let mut retry = self.client.retry();
        let mut may_have_acted = false;
        let mut timestamp = self.timestamp(0).await?;
        loop {
            let reason = match self.commit_primary_once(timestamp).await {
                Ok(None) => return Ok(timestamp),
                Ok(Some(expired_until)) if expired_until > 0 => {
                    // A reader has seen the state before, so the commit must come after its time.
                    timestamp = self.timestamp(expired_until).await?;
                    continue;
                }
                Ok(Some(_)) => match self.settle().await {
                    Ok(Outcome::Committed(timestamp)) => return Ok(timestamp),
                    Ok(Outcome::RolledBack) => return Err(Error::Conflict),
                    Ok(Outcome::Alive { .. }) => "the primary key refuses the commit".to_owned(),
                    Err(error) => error.to_string(),
                },
                Err(miss) => {
                    may_have_acted |= miss.may_have_acted;
                    if let Some(failure) = miss.failure.filter(|_| !may_have_acted) {
                        return Err(failure);
                    }
                    miss.reason
                }
            };
            if retry.is_over() {
                return match (may_have_acted, self.settle().await) {
                    (_, Ok(Outcome::Committed(timestamp))) => Ok(timestamp),
                    (_, Ok(Outcome::RolledBack)) => Err(Error::Conflict),
                    (false, _) => Err(Error::Unavailable { reason }),
                    (true, _) => Err(Error::Undetermined { reason }),
                };
            }
            // The last pause ends with the time limit, after which the loop runs once more.
            let _ = retry.pause(&reason).await;
        }
    }

    /// Returns a timestamp for the commit.
    ///
    /// Errors: [`kv::Error::LeaseEnded`].
    async fn timestamp(&self, least: u64) -> Result<u64> {
        let timestamp = self.client.timestamps.next().await?.max(least);
        self.client.fence.check(timestamp).map(|()| timestamp)
    }

    /// Sends the commit once. Returns `None` on success; otherwise the least timestamp that the
    /// store accepts, or 0 if it does not say why it refuses.
    async fn commit_primary_once(&self, timestamp: u64) -> std::result::Result<Option<u64>, Miss> {
        let request = CommitRequest {
            context: None,
            start_version: self.start,
            keys: vec![self.primary.clone()],
            commit_version: timestamp,
        };
        let region =
            self.client.region_of(&self.primary).await.map_err(|error| Miss::new(error.to_string()))?;
        let reply = self.client.send(&region, &request, Context::finishing()).await?;
        Ok(reply.error.map(|error| error.commit_ts_expired.map_or(0, |expired| expired.min_commit_ts)))
    }
}
