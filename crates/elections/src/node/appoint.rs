//! Appoints a leader when there is none, or when its lease has run out. Raft's leader does this.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use super::Node;
use crate::choice::{Answer, choose};
use crate::codec::message::{Reply, Request};
use crate::error::{Error, Result};
use crate::member::{Holder, Position};
use crate::raft::Applied;
use crate::state::{Command, Outcome};

impl Node {
    /// Waits out leases, and appoints.
    pub(super) async fn appoint_in_time(self: Arc<Self>) {
        loop {
            sleep(self.timing.retry).await;
            if self.raft_leader().ok() != Some(self.peers.holder.member) {
                continue;
            }
            let applied = self.applied.borrow().clone();
            let end = applied.since + self.timing.wait;
            if applied.state.leader.is_some() && Instant::now() < end {
                // A renewal moves the end, so the state is looked at again then.
                sleep_until(end).await;
                continue;
            }
            match self.appoint_after(&applied).await {
                Ok(Some(holder)) => tracing::info!(member = holder.member, "a leader was appointed"),
                Ok(None) => tracing::debug!("no majority with a member that can lead has answered"),
                Err(error) => tracing::debug!(%error, "no leader was appointed"),
            }
        }
    }

    /// Asks all members how far they are, and appoints the most advanced one. The appointment is
    /// void if the leader has renewed its lease since this state.
    async fn appoint_after(self: &Arc<Self>, applied: &Applied) -> Result<Option<Holder>> {
        let state = &applied.state;
        let answers = self.ask_positions().await;
        let before = state.leader.map(|holder| holder.member);
        let before = before.or(state.previous.map(|past| past.leader));
        let sets = self.membership().get_joint_config().clone();
        let Some(holder) = choose(&sets, &answers, before) else {
            return Ok(None);
        };
        let appointment = Command::Appoint { revision: state.revision, to: holder };
        match self.write(appointment, self.timing.lease).await? {
            Outcome::Accepted => Ok(Some(holder)),
            Outcome::Void => Err(Error::Refused(String::from("the leader has renewed its lease"))),
        }
    }

    /// Returns the answers of all voters that can be reached.
    async fn ask_positions(self: &Arc<Self>) -> Vec<Answer> {
        let mut asked = JoinSet::new();
        for id in self.membership().voter_ids() {
            let node = Arc::clone(self);
            asked.spawn(async move { node.ask_position(id).await });
        }
        let mut answers: Vec<Answer> = asked.join_all().await.into_iter().flatten().collect();
        answers.sort_by_key(|answer| answer.holder.member);
        answers
    }

    /// Returns the position of this member, or none if it cannot lead or is about to stop.
    pub(super) async fn own_position(&self) -> Option<Position> {
        let position = self.peers.host.position().await;
        position.filter(|_| self.board.stopped().is_none())
    }

    /// Returns the answer of one member.
    pub(super) async fn ask_position(&self, id: u64) -> Result<Answer> {
        if id == self.peers.holder.member {
            return Ok(Answer { holder: self.peers.holder, position: self.own_position().await });
        }
        match self.peers.ask(id, &self.seat(id)?, &Request::Position, self.timing.answer).await? {
            Reply::Position { run, position } => Ok(Answer { holder: Holder { member: id, run }, position }),
            _ => Err(Error::Message(format!("member {id} answered another question"))),
        }
    }
}
