//! Raft's messages to other members.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use openraft::OptionalSend;
use openraft::error::{Fatal, RPCError, RaftError, ReplicationClosed, StreamingError, Unreachable};
use openraft::network::{Backoff, RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, SnapshotResponse, VoteRequest, VoteResponse,
};

use super::peers::Peers;
use crate::codec::message::{Reply, Request};
use crate::error::Error;
use crate::member::Seat;
use crate::types::{Snapshot, Types, Vote};

type RpcError = RPCError<u64, Seat, RaftError<u64>>;

/// Makes the ways to other members.
pub(crate) struct Network {
    /// The way to all of them.
    pub(crate) peers: Arc<Peers>,
    /// The pause after a member did not answer.
    pub(crate) retry: Duration,
}

/// The way to one member.
pub(crate) struct Link {
    peers: Arc<Peers>,
    retry: Duration,
    target: u64,
    seat: Seat,
}

impl RaftNetworkFactory<Types> for Network {
    type Network = Link;

    async fn new_client(&mut self, target: u64, node: &Seat) -> Link {
        Link { peers: Arc::clone(&self.peers), retry: self.retry, target, seat: node.clone() }
    }
}

impl Link {
    async fn ask(&self, request: Request, option: &RPCOption) -> Result<Reply, Unreachable> {
        let asked = self.peers.ask(self.target, &self.seat, &request, option.hard_ttl()).await;
        asked.map_err(|error| Unreachable::new(&error))
    }

    /// The error of a reply that answers another question.
    fn wrong(&self) -> Unreachable {
        Unreachable::new(&Error::Message(format!("member {} answered another question", self.target)))
    }
}

impl RaftNetwork<Types> for Link {
    async fn append_entries(
        &mut self,
        rpc: AppendEntriesRequest<Types>,
        option: RPCOption,
    ) -> Result<AppendEntriesResponse<u64>, RpcError> {
        match self.ask(Request::Append(rpc), &option).await? {
            Reply::Append(reply) => Ok(reply),
            _ => Err(self.wrong().into()),
        }
    }

    async fn vote(
        &mut self,
        rpc: VoteRequest<u64>,
        option: RPCOption,
    ) -> Result<VoteResponse<u64>, RpcError> {
        match self.ask(Request::Vote(rpc), &option).await? {
            Reply::Vote(reply) => Ok(reply),
            _ => Err(self.wrong().into()),
        }
    }

    async fn full_snapshot(
        &mut self,
        vote: Vote,
        snapshot: Snapshot,
        _cancel: impl Future<Output = ReplicationClosed> + OptionalSend + 'static,
        option: RPCOption,
    ) -> Result<SnapshotResponse<u64>, StreamingError<Types, Fatal<u64>>> {
        // One short message, which its own limit ends.
        match self.ask(Request::Snapshot(vote, snapshot), &option).await? {
            Reply::Snapshot(vote) => Ok(SnapshotResponse::new(vote)),
            _ => Err(self.wrong().into()),
        }
    }

    fn backoff(&self) -> Backoff {
        Backoff::new(std::iter::repeat(self.retry))
    }
}
