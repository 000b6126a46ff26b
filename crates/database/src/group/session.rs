//! The methods of sessions that concern the group of this server. They are for administrators.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use client::Endpoint;
use elections::Member;
use errors::{Error, ErrorCode, Result};

use super::of_elections;
use super::succession::{self, SuccessionAnswer};
use crate::follow::member_position;
use crate::session::Session;
use crate::state::group::Group;

/// The group as a member sees it.
#[derive(Clone, Debug, Default)]
pub struct GroupView {
    /// The id of this member.
    pub own: u64,
    /// The number of appointments so far.
    pub epoch: u64,
    /// The id of the leader, if one is known.
    pub leader: Option<u64>,
    /// True if this member leads and accepts writes.
    pub leads: bool,
    /// True if a write waits until a majority of the members has it.
    pub is_synchronous: bool,
    /// The position of this member: the epoch and the tick of its last write; `None` while it
    /// cannot lead.
    pub position: Option<(u64, u64)>,
    /// The members, this one included.
    pub members: Vec<MemberView>,
    /// The files of what this member alone had when another one became the leader.
    pub set_aside: Vec<PathBuf>,
    /// The reason why the elections do not run.
    pub failure: Option<String>,
}

/// A member of the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberView {
    /// Its id.
    pub id: u64,
    /// Its address.
    pub endpoint: String,
    /// The position of the leader's log up to which it has everything, as the leader knows it.
    pub acknowledged: Option<u64>,
}

impl Session {
    /// Returns the group; `None` if this server is in none.
    ///
    /// Errors: 11 for users who are no administrators.
    pub fn group_view(&self) -> Result<Option<GroupView>> {
        self.require_administrator()?;
        self.instance().group().map(|group| self.describe_group(group)).transpose()
    }

    /// Returns the endpoints of all members, the leader's first; `None` if this server is in no
    /// group.
    pub fn group_endpoints(&self) -> Option<Vec<String>> {
        let group = self.instance().group()?;
        let leader = group.leadership().and_then(|leadership| leadership.leader).map(|leader| leader.id);
        let mut members = group.members();
        members.sort_by_key(|member| (leader != Some(member.id), member.id));
        Some(members.into_iter().map(|member| member.endpoint).collect())
    }

    /// Makes a member the leader, once it has caught up.
    ///
    /// Errors: 11; 10 if this server is in no group, or the member cannot lead; 1495 if nobody
    /// leads, or the outcome is not known.
    pub fn appoint_leader(&self, id: u64, limit: Duration) -> Result<()> {
        self.require_administrator()?;
        let group = self.group()?;
        elections(group)?.appoint(id, limit).map_err(|error| of_elections(&error))
    }

    /// Adds a member, which has been started with an empty folder.
    ///
    /// Errors: 11; 10 if this server is in no group, the id is taken, or the folder is another
    /// group's; 1495 if the member does not answer.
    pub fn add_group_member(&self, member: Member, limit: Duration) -> Result<()> {
        self.require_administrator()?;
        let group = self.group()?;
        Endpoint::parse(&member.endpoint)
            .map_err(|error| Error::bad_parameter(format!("'endpoint': {error}")))?;
        elections(group)?.add_member(member, limit).map_err(|error| of_elections(&error))
    }

    /// Removes a member, also one that does not answer.
    ///
    /// Errors: 11; 10 if this server is in no group, the member leads, or does not exist.
    pub fn remove_group_member(&self, id: u64, limit: Duration) -> Result<()> {
        self.require_administrator()?;
        let group = self.group()?;
        elections(group)?.remove_member(id, limit).map_err(|error| of_elections(&error))
    }

    /// Returns the reply to a message of another member's elections.
    ///
    /// Errors: 11 for all but other servers; 10 if this server is in no group, or the message is
    /// not for it.
    pub fn receive_group_message(&self, message: &[u8]) -> Result<Vec<u8>> {
        self.require_superuser()?;
        let group = self.group()?;
        let _waiting = aql_value::Waiting::begin();
        elections(group)?.receive(message).map_err(|error| of_elections(&error))
    }

    /// Tells another member where the log of this server, the leader, continues what it has: the
    /// number of a server, and a position in its log.
    ///
    /// Errors: 11, 10 if this server is in no group, 1496 if it does not lead in the epoch.
    pub fn group_succession(&self, epoch: u64, last: Option<(&str, u64)>) -> Result<SuccessionAnswer> {
        self.require_superuser()?;
        succession::answer(self.instance(), self.group()?, epoch, last)
    }

    /// Notes up to which position of this server's log a member has everything.
    ///
    /// Errors: 11, 10 if this server is in no group.
    pub fn acknowledge_log(&self, member: u64, epoch: u64, position: u64) -> Result<()> {
        self.require_superuser()?;
        self.group()?.acknowledge(member, epoch, position);
        Ok(())
    }

    /// Checks that all of this server's log was that of a leader until now, after a part of it was
    /// read for a member that follows the leadership of an epoch.
    ///
    /// The log of a former leader goes on with what it takes over from the next one: it may drop
    /// collections to copy them. A member that applied that would lose them as well.
    ///
    /// Errors: 10 if this server is in no group, 1496 if it does not lead in the epoch.
    pub fn check_log_of_epoch(&self, epoch: u64) -> Result<()> {
        if self.group()?.led_epoch() == Some(epoch) {
            return Ok(());
        }
        let message = format!("this server does not lead in epoch {epoch}; its log is no leader's any more");
        Err(Error::new(ErrorCode::ClusterNotLeader, message))
    }

    /// Checks that another server asks, or somebody who has the secret of all servers.
    ///
    /// Errors: 11.
    fn require_superuser(&self) -> Result<()> {
        match self.user() {
            None => Ok(()),
            Some(_) => Err(Error::new(ErrorCode::Forbidden, "only other members of the group may ask this")),
        }
    }

    fn group(&self) -> Result<&Arc<Group>> {
        self.instance().group().ok_or_else(|| {
            Error::bad_parameter(
                "this server is in no group; start it with --group.own-id and --group.member",
            )
        })
    }

    fn describe_group(&self, group: &Group) -> Result<GroupView> {
        let leadership = group.leadership();
        let acknowledged = group.acknowledgements();
        let member = |member: Member| MemberView {
            acknowledged: acknowledged.iter().find(|(id, _)| *id == member.id).map(|(_, position)| *position),
            id: member.id,
            endpoint: member.endpoint,
        };
        let position = member_position(self.instance())?;
        Ok(GroupView {
            own: group.options().own,
            epoch: leadership.as_ref().map_or(0, |leadership| leadership.epoch),
            leads: group.accepts_writes(self.instance().store()),
            leader: leadership.and_then(|leadership| leadership.leader).map(|leader| leader.id),
            is_synchronous: group.options().is_synchronous,
            position: position.map(|position| (position.epoch, position.tick)),
            members: group.members().into_iter().map(member).collect(),
            set_aside: group.files_set_aside(),
            failure: group.elections().and_then(|elections| elections.failure()),
        })
    }
}

fn elections(group: &Group) -> Result<&Arc<elections::Elections>> {
    let starting = || Error::new(ErrorCode::ClusterLeadershipChallengeOngoing, "the elections are starting");
    group.elections().ok_or_else(starting)
}
