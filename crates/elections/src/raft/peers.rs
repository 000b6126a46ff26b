//! Questions to other members.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::codec::message::{Head, Reply, Request, decode_reply, encode_request};
use crate::error::{Error, Result};
use crate::host::Host;
use crate::member::{Holder, Member, Seat};

/// This member as others know it, and its way to them.
pub(crate) struct Peers {
    /// This run of this member.
    pub(crate) holder: Holder,
    /// The random number of this member's folder.
    pub(crate) folder: u64,
    /// The members of the configuration. Their endpoints take precedence over replicated ones, so
    /// that a member can move to another address.
    pub(crate) configured: BTreeMap<u64, Member>,
    /// The transport and the data.
    pub(crate) host: Arc<dyn Host>,
}

impl Peers {
    /// Returns a member with the endpoint by which it is reached.
    pub(crate) fn member(&self, id: u64, seat: &Seat) -> Member {
        let replicated = || Member { id, endpoint: seat.endpoint.clone() };
        self.configured.get(&id).cloned().unwrap_or_else(replicated)
    }

    /// Asks a member of the group.
    pub(crate) async fn ask(
        &self,
        id: u64,
        seat: &Seat,
        request: &Request,
        limit: Duration,
    ) -> Result<Reply> {
        self.send(self.member(id, seat), seat.folder, request, limit).await
    }

    /// Asks a member whose folder is not known yet.
    pub(crate) async fn greet(&self, member: Member, limit: Duration) -> Result<Reply> {
        self.send(member, 0, &Request::Hello, limit).await
    }

    async fn send(&self, to: Member, to_folder: u64, request: &Request, limit: Duration) -> Result<Reply> {
        let id = to.id;
        let head = Head { from: self.holder.member, from_folder: self.folder, to: id, to_folder };
        let call = self.host.call(to, encode_request(head, request), limit);
        let unreachable = |reason| Error::Unreachable { to: id, reason };
        let reply =
            timeout(limit, call).await.map_err(|_| unreachable(format!("no answer in {limit:?}")))??;
        match decode_reply(&reply) {
            Ok(Reply::Refused(reason)) => Err(Error::Refused(format!("member {id}: {reason}"))),
            Ok(reply) => Ok(reply),
            Err(reason) => Err(Error::Message(format!("the answer of member {id}: {reason}"))),
        }
    }
}
