//! Adds and removes members.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use openraft::ChangeMembers;
use tokio::time::{sleep, timeout};

use super::Node;
use crate::codec::message::{Reply, Request};
use crate::error::{Error, Result};
use crate::member::{ENDPOINT_MAX, MEMBERS_MAX, Member, NUMBER_MAX, Seat};
use crate::types::Membership;

impl Node {
    /// Adds a member, whose folder has to be empty. Any member can be asked, and knows the new
    /// member afterwards.
    pub(crate) async fn add(&self, member: Member, limit: Duration) -> Result<()> {
        check(&member)?;
        let id = member.id;
        self.add_at_leader(member, limit).await?;
        self.learn_change(|membership| membership.voter_ids().any(|voter| voter == id)).await;
        Ok(())
    }

    async fn add_at_leader(&self, member: Member, limit: Duration) -> Result<()> {
        match self.raft_leader()? {
            leader if leader == self.peers.holder.member => {}
            leader => return self.order(leader, &Request::Add(member), limit).await,
        }
        let _busy = self.begin_change()?;
        let membership = self.membership();
        if membership.voter_ids().any(|id| id == member.id) {
            return Err(Error::Refused(format!("member {} belongs to the group already", member.id)));
        }
        if membership.nodes().count() >= MEMBERS_MAX {
            return Err(Error::Refused(format!("the group has {MEMBERS_MAX} members, the most it can have")));
        }
        let id = member.id;
        let folder = match self.peers.greet(member.clone(), self.timing.answer).await? {
            Reply::Hello { founded: false, folder, .. } => folder,
            Reply::Hello { .. } => {
                return Err(Error::Refused(format!("the folder of member {id} is not empty")));
            }
            _ => return Err(Error::Message(format!("member {id} answered another question"))),
        };
        let seat = Seat { endpoint: member.endpoint, folder };
        let learn = ChangeMembers::SetNodes(BTreeMap::from([(id, seat.clone())]));
        self.change(learn, limit).await?;
        let caught_up = timeout(limit, self.raft.add_learner(id, seat, true)).await;
        if !matches!(caught_up, Ok(Ok(_))) {
            self.change(ChangeMembers::RemoveNodes(BTreeSet::from([id])), limit).await?;
            return Err(Error::Timeout("the new member's copy of the log"));
        }
        self.change(ChangeMembers::AddVoterIds(BTreeSet::from([id])), limit).await
    }

    /// Removes a member that does not lead. Any member can be asked, and does not count the member
    /// afterwards.
    pub(crate) async fn remove(&self, id: u64, limit: Duration) -> Result<()> {
        self.remove_at_leader(id, limit).await?;
        self.learn_change(|membership| membership.voter_ids().all(|voter| voter != id)).await;
        Ok(())
    }

    async fn remove_at_leader(&self, id: u64, limit: Duration) -> Result<()> {
        match self.raft_leader()? {
            leader if leader == self.peers.holder.member => {}
            leader => return self.order(leader, &Request::Remove(id), limit).await,
        }
        let _busy = self.begin_change()?;
        self.seat(id)?;
        if self.applied.borrow().state.leader.is_some_and(|leader| leader.member == id) {
            return Err(Error::Refused(format!("member {id} leads; appoint another one first")));
        }
        if self.membership().voter_ids().all(|voter| voter == id) {
            return Err(Error::Refused(format!("member {id} is the only one of its group")));
        }
        // A member whose addition failed may have been left without a vote.
        let votes = self.membership().voter_ids().any(|voter| voter == id);
        let ids = BTreeSet::from([id]);
        let change = if votes { ChangeMembers::RemoveVoters(ids) } else { ChangeMembers::RemoveNodes(ids) };
        self.change(change, limit).await
    }

    /// Waits until this member knows of a change that the leader of Raft has made. A member that
    /// was removed may never hear of it, so the wait is short.
    async fn learn_change(&self, is_known: impl Fn(&Membership) -> bool) {
        let mut metrics = self.metrics.clone();
        let known = metrics.wait_for(|metrics| is_known(metrics.membership_config.membership()));
        if timeout(self.timing.answer, known).await.is_err() {
            tracing::debug!("a change of the members is done, and is not known here yet");
        }
    }

    /// Ends changes of members whose leader of Raft failed between their two steps.
    pub(super) async fn finish_changes(self: Arc<Self>) {
        loop {
            sleep(self.timing.lease).await;
            let leads = self.raft_leader().ok() == Some(self.peers.holder.member);
            if !leads || self.membership().get_joint_config().len() < 2 {
                continue;
            }
            let Ok(_busy) = self.begin_change() else {
                continue;
            };
            let nothing = ChangeMembers::AddVoterIds(BTreeSet::new());
            if let Err(error) = self.change(nothing, self.timing.request).await {
                tracing::debug!(%error, "a change of the members is not finished yet");
            }
        }
    }

    fn begin_change(&self) -> Result<tokio::sync::MutexGuard<'_, ()>> {
        let busy = self.busy.try_lock();
        busy.map_err(|_| Error::Refused(String::from("another handover or change of members is running")))
    }

    async fn change(&self, change: ChangeMembers<u64, Seat>, limit: Duration) -> Result<()> {
        match timeout(limit, self.raft.change_membership(change, false)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(Error::Refused(error.to_string())),
            Err(_) => Err(Error::Timeout("a change of the members")),
        }
    }
}

/// Errors: the id or the endpoint is out of its bounds.
pub(crate) fn check(member: &Member) -> Result<()> {
    let Member { id, endpoint } = member;
    if !(1..=NUMBER_MAX).contains(id) {
        return Err(Error::Options(format!("the id of a member is {id}; it must be between 1 and 2^60")));
    }
    if endpoint.is_empty() || endpoint.len() > ENDPOINT_MAX {
        return Err(Error::Options(format!(
            "the endpoint of member {id} has {} bytes; it must have between 1 and {ENDPOINT_MAX}",
            endpoint.len()
        )));
    }
    Ok(())
}
