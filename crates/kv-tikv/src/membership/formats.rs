//! The format of a store that servers of different versions have open.
//!
//! The identity's fact names the format that every server must read that opens the store. It is
//! raised once all living members read the next one:
//!
//! - A server that opens the store writes its record first and reads the fact afterwards. It leaves
//!   if it cannot read the format.
//! - A server that raises the format writes the fact first and reads the records afterwards. It
//!   uses the format once no living member reads only older ones.
//!
//! One of the two sees the other. So no server uses a format while another one, which has a lease,
//! cannot read it. A format is never lowered: it is used only if no older server can come.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kv::{Error, Result};

use super::identity::Identity;
use super::{Membership, living};
use crate::commit::{Commit, PATIENCE_MIN};
use crate::protocol::kv::{Mutation, Op};
use crate::topology::client::Client;

/// The format that a server may use.
pub(crate) struct Format {
    /// The newest format that this server reads.
    newest: u32,
    used: AtomicU32,
}

impl Format {
    /// Returns the state of a server that has become a member and reads formats up to `newest`.
    /// Leaves the store again if it cannot read its format.
    ///
    /// Errors: [`Error::NewerFormat`].
    pub(crate) async fn join(client: &Arc<Client>, membership: &Membership, newest: u32) -> Result<Format> {
        let format = Format { newest, used: AtomicU32::new(0) };
        let joined = format.follow(client, membership).await;
        if matches!(joined, Err(Error::NewerFormat { .. })) {
            membership.release(client).await?;
        }
        joined.map(|()| format)
    }

    /// Returns the format that this server may use.
    pub(crate) fn used(&self) -> u32 {
        self.used.load(Ordering::Acquire)
    }

    /// Raises the format of the store, or its use here, as far as the living members permit.
    pub(crate) async fn advance(&self, client: &Arc<Client>, membership: &Membership) -> Result<()> {
        if self.used() >= self.newest {
            return Ok(());
        }
        let at = client.timestamps.next().await?;
        let readable = readable(client, membership, at).await?;
        let key = membership.keys.fact(super::identity::NAME);
        if let Some(identity) = Identity::read(client, &key, at, self.newest).await?
            && identity.format < readable.min(self.newest)
        {
            let raised = Identity { format: readable.min(self.newest), ..identity };
            let mutation = Mutation { op: Op::Put as i32, key, value: raised.text().into_bytes() };
            match Commit::run(Arc::clone(client), at, vec![mutation].into(), PATIENCE_MIN).await {
                // Another server has raised it.
                Ok(()) | Err(Error::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
        self.follow(client, membership).await
    }

    /// Uses the format of the store, or an older one that all living members read.
    async fn follow(&self, client: &Arc<Client>, membership: &Membership) -> Result<()> {
        let at = client.timestamps.next().await?;
        let key = membership.keys.fact(super::identity::NAME);
        let identity = Identity::read(client, &key, at, self.newest)
            .await?
            .ok_or_else(|| Error::Corrupt { reason: "the store has lost its identity".to_owned() })?;
        let before = self.used();
        let used = identity.format.min(readable(client, membership, at).await?).max(before);
        self.used.store(used, Ordering::Release);
        if before != 0 && before < used {
            tracing::info!(target: "engines", "all servers read format {used} of the store, which is used now");
        }
        Ok(())
    }
}

/// Returns the newest format that all living members read.
async fn readable(client: &Client, membership: &Membership, at: u64) -> Result<u32> {
    let members = living(client, &membership.keys, at).await?;
    Ok(members.iter().map(|record| record.reads).min().unwrap_or(super::FIRST_FORMAT))
}
