//! Hands the leadership over by an operator's order.

use std::time::{Duration, Instant as StdInstant};

use tokio::time::{Instant, timeout};

use super::Node;
use crate::codec::message::Request;
use crate::error::{Error, Result};
use crate::member::Holder;
use crate::state::{Command, Outcome};

impl Node {
    /// Makes this member the leader, within the limit. Any member can be asked.
    ///
    /// Errors: nobody leads; the chosen one cannot lead or did not catch up, and the leader goes
    /// on; or the outcome is unknown, and the group appoints a leader by itself.
    pub(crate) async fn appoint(&self, to: u64, limit: Duration) -> Result<()> {
        if self.board.led_epoch().is_some() {
            return self.hand_over(to, limit).await;
        }
        let leader = self.applied.borrow().state.leader;
        match leader.filter(|leader| leader.member != self.peers.holder.member) {
            Some(leader) => self.order(leader.member, &Request::Appoint(to), limit).await,
            None => Err(Error::Refused(String::from("no member leads at the moment"))),
        }
    }

    /// Hands the leadership of this member over.
    pub(super) async fn hand_over(&self, to: u64, limit: Duration) -> Result<()> {
        let Ok(_busy) = self.busy.try_lock() else {
            return Err(Error::Refused(String::from("another handover or change of members is running")));
        };
        let now: StdInstant = Instant::now().into_std();
        let epoch = self.board.led_epoch().filter(|_| self.board.look(now).may_write(now));
        let Some(epoch) = epoch else {
            return Err(Error::Refused(String::from("this member does not lead")));
        };
        if to == self.peers.holder.member {
            return Ok(());
        }
        let answer = self.ask_position(to).await?;
        if answer.position.is_none() {
            return Err(Error::Refused(format!("member {to} cannot lead: it copies data, or is read-only")));
        }
        self.board.pause(epoch, true);
        let done = self.hand_over_in(epoch, answer.holder, limit).await;
        self.board.pause(epoch, false);
        self.peers.host.resume_writes().await;
        done
    }

    /// Does what takes time, while writes are stopped.
    async fn hand_over_in(&self, epoch: u64, to: Holder, limit: Duration) -> Result<()> {
        let end = self.peers.host.stop_writes(limit).await.map_err(Error::Refused)?;
        let milliseconds = limit.as_millis().try_into().unwrap_or(u32::MAX);
        self.order(to.member, &Request::CatchUp(end, milliseconds), limit + self.timing.answer).await?;
        // From here on nobody can say whether the successor leads, so this member never does again.
        self.board.give_up(epoch);
        let (from, before) = (self.peers.holder, self.applied.borrow().state.revision);
        match self.propose(&Command::HandOver { epoch, from, to }, self.timing.lease).await? {
            Outcome::Accepted => {
                self.wait_for_successor(epoch, before).await;
                Ok(())
            }
            Outcome::Void => Err(Error::Refused(String::from("another leader was appointed before"))),
        }
    }

    /// Waits until the successor has a lease, for the length of one at most. `before` is a revision
    /// before the handover.
    ///
    /// This member may stop afterwards, and be Raft's leader. The successor could not get its lease
    /// until Raft has another leader; the first lease lasts until then.
    async fn wait_for_successor(&self, epoch: u64, before: u64) {
        let mut applied = self.applied.clone();
        // The handover adds one to the revision, and the renewal another one.
        let renewed = applied.wait_for(|applied| {
            applied.state.epoch > epoch && applied.state.revision >= before.saturating_add(2)
        });
        let _ = timeout(self.timing.lease, renewed).await;
    }
}
