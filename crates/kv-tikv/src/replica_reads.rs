//! Reads that any replica of a region may answer: dirty reads.
//!
//! A leader answers a read at any timestamp. A follower does in one of two ways. It may ask the
//! leader how far the log was (`replica_read`), which costs a message between stores and needs a
//! leader. Or it knows that it has all commits up to the timestamp (`stale_read`), by what the
//! leader has told it (TiKV's *resolved timestamp*); it refuses later timestamps with
//! `DataIsNotReady`.
//!
//! A follower that does not answer costs one message: the leader is asked next. If the leader does
//! not answer either, the other followers are asked for what they have. If they lack commits as
//! well, later dirty reads go back to a state that one of them has, until there is a leader.
//!
//! Source: `kvrpcpb.proto` and `errorpb.proto` of kvproto; TiDB's documentation, "Understanding
//! Stale Read and safe-ts in TiKV".

use std::time::Duration;

use crate::protocol::RegionRequest;
use crate::protocol::kv::Context;
use crate::protocol::region::Peer;
use crate::topology::client::{Client, Miss, Trouble};
use crate::topology::regions::Region;

/// The replicas that may answer a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answering {
    /// The leader.
    Leader,
    /// All; a follower asks the leader how far the log was.
    AnyAfterLeader,
    /// All; a follower answers if it has all commits up to the timestamp.
    Any,
}

/// The timestamp of a read, and the replicas that may answer it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadAt {
    pub(crate) at: u64,
    pub(crate) answering: Answering,
}

impl From<u64> for ReadAt {
    fn from(at: u64) -> Self {
        ReadAt { at, answering: Answering::Leader }
    }
}

/// The maximum time of a follower's reply.
const PATIENCE: Duration = Duration::from_secs(1);

/// The answer of a follower.
enum Followed<T> {
    Reply(T),
    /// It has all commits up to this timestamp only.
    Behind(u64),
    Nothing,
}

impl Client {
    /// Sends a read of a region once to a replica that may answer it, and to the leader after that.
    pub(crate) async fn read<Q: RegionRequest>(
        &self,
        region: &Region,
        request: &Q,
        context: Context,
        read: ReadAt,
    ) -> std::result::Result<Q::Reply, Miss> {
        if read.answering == Answering::Leader {
            return self.send(region, request, context).await;
        }
        self.replicas.note_met(region, self.timestamps.milliseconds_now());
        let first = self.replicas.choose(region, |peer| self.reply_seconds(peer));
        if first.id != region.leader.id {
            let is_stale = read.answering == Answering::Any;
            let manner = Context { stale_read: is_stale, replica_read: !is_stale, ..context.clone() };
            if let Followed::Reply(reply) = self.ask_follower(region, first, request, manner).await {
                return Ok(reply);
            }
        }
        let miss = match self.send(region, request, context.clone()).await {
            Ok(reply) => return Ok(reply),
            Err(miss) if miss.is_leaderless => miss,
            Err(miss) => return Err(miss),
        };
        // They may have the state, and if not, they say which one they have.
        let mut has = 0;
        for peer in region.peers.iter().filter(|peer| peer.id != region.leader.id) {
            let manner = Context { stale_read: true, ..context.clone() };
            match self.ask_follower(region, *peer, request, manner).await {
                Followed::Reply(reply) => {
                    self.replicas.note_silent(region.leader.store_id);
                    return Ok(reply);
                }
                Followed::Behind(safe) => has = has.max(safe),
                Followed::Nothing => {}
            }
        }
        if has > 0 {
            // No key is empty.
            let key = if region.start.is_empty() { &[0][..] } else { &region.start };
            self.replicas.lower_ceiling(has.min(read.at), key);
            self.replicas.note_silent(region.leader.store_id);
        }
        Err(miss)
    }

    async fn ask_follower<Q: RegionRequest>(
        &self,
        region: &Region,
        peer: Peer,
        request: &Q,
        context: Context,
    ) -> Followed<Q::Reply> {
        let answer = tokio::time::timeout(PATIENCE, self.exchange(region, peer, request, context)).await;
        // A follower whose leader is gone is silent.
        let Ok(answer) = answer else {
            self.replicas.note_behind(peer.store_id);
            return Followed::Nothing;
        };
        match answer {
            Ok(reply) => {
                self.replicas.note_answer();
                Followed::Reply(reply)
            }
            Err(Trouble::Refusal { error, .. }) => {
                self.count_error(&error);
                self.replicas.note_behind(peer.store_id);
                error.data_is_not_ready.map_or(Followed::Nothing, |behind| Followed::Behind(behind.safe_ts))
            }
            Err(Trouble::Silence { .. } | Trouble::NoAddress(_) | Trouble::Broken { .. }) => {
                self.forget_address(peer.store_id);
                self.replicas.note_silent(peer.store_id);
                Followed::Nothing
            }
        }
    }
}
