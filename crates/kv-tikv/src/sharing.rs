//! The other servers of a store, as the layers above see them.

use std::sync::Arc;
use std::time::Duration;

use kv::{Error, Member, MemberNumber, Nodes, Result, Sharing, TIMESTAMPS_MAX};

use crate::shared::Shared;
use crate::topology::nodes;

/// The members of an open store.
pub(crate) struct TikvSharing(pub(crate) Arc<Shared>);

impl TikvSharing {
    fn write(&self, change: impl FnOnce(&mut Member) + Send + 'static) -> Result<()> {
        self.0.check_open()?;
        let store = Arc::clone(&self.0);
        self.0.wait(async move { store.membership.renew(&store.client, change).await })
    }
}

impl Sharing for TikvSharing {
    fn member(&self) -> MemberNumber {
        self.0.membership.number()
    }

    fn identity(&self) -> u64 {
        self.0.membership.identity()
    }

    fn lease(&self) -> Duration {
        self.0.options.lease
    }

    fn format(&self) -> u32 {
        self.0.format.used()
    }

    fn members(&self) -> Result<Vec<Member>> {
        self.0.check_open()?;
        let store = Arc::clone(&self.0);
        self.0.wait(async move { store.membership.members(&store.client).await })
    }

    fn nodes(&self) -> Result<Nodes> {
        self.0.check_open()?;
        let client = Arc::clone(&self.0.client);
        self.0.wait(async move { nodes::nodes(&client).await })
    }

    fn timestamps(&self, count: u32) -> Result<u64> {
        if count == 0 || count > TIMESTAMPS_MAX {
            let reason = format!("{count} timestamps cannot be taken at once");
            return Err(Error::Misuse { reason });
        }
        self.0.check_open()?;
        let client = Arc::clone(&self.0.client);
        self.0.wait(async move {
            let first = client.timestamps.next_of(count).await?;
            client.fence.check(first).map(|()| first)
        })
    }

    fn clock_ms(&self) -> u64 {
        self.0.client.timestamps.milliseconds_now()
    }

    fn lease_end(&self) -> u64 {
        self.0.client.fence.end_timestamp()
    }

    fn set_address(&self, address: &str) -> Result<()> {
        if address.contains(char::is_whitespace) {
            return Err(Error::Misuse { reason: "an address has no white space".to_owned() });
        }
        let address = address.to_owned();
        self.write(move |member| member.address = address)
    }

    fn acknowledge(&self, announcement: u64, pending: &[u64]) -> Result<()> {
        let pending = pending.to_vec();
        self.write(move |member| {
            member.acknowledged = announcement;
            member.pending = pending;
        })
    }
}
