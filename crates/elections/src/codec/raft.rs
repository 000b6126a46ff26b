//! Bytes of Raft's own types.

use std::collections::{BTreeMap, BTreeSet};

use openraft::{CommittedLeaderId, Entry, EntryPayload, LeaderId};

use super::reader::{Reader, Reason};
use super::state::{read_command, read_state, write_command, write_state};
use super::writer::Writer;
use crate::member::{ENDPOINT_MAX, MEMBERS_MAX, Seat};
use crate::types::{LogId, Membership, Snapshot, SnapshotMeta, StoredMembership, Types, Vote};

/// The greatest number of entries in one message and in one frame of the journal.
pub(crate) const ENTRIES_MAX: usize = 4096;
/// The greatest number of sets of voters: two, during a change of the members.
const SETS_MAX: usize = 2;

const BLANK: u8 = 0;
const COMMAND: u8 = 1;
const MEMBERSHIP: u8 = 2;

pub(crate) fn write_vote(to: &mut Writer, vote: &Vote) {
    to.number(vote.leader_id.term);
    to.number(vote.leader_id.node_id);
    to.flag(vote.committed);
}

pub(crate) fn read_vote(from: &mut Reader<'_>) -> Result<Vote, Reason> {
    let leader_id = LeaderId::new(from.number()?, from.number()?);
    Ok(Vote { leader_id, committed: from.flag()? })
}

pub(crate) fn write_log_id(to: &mut Writer, id: LogId) {
    to.number(id.leader_id.term);
    to.number(id.leader_id.node_id);
    to.number(id.index);
}

pub(crate) fn read_log_id(from: &mut Reader<'_>) -> Result<LogId, Reason> {
    let leader = CommittedLeaderId::new(from.number()?, from.number()?);
    Ok(LogId::new(leader, from.number()?))
}

pub(crate) fn write_entry(to: &mut Writer, entry: &Entry<Types>) {
    write_log_id(to, entry.log_id);
    match &entry.payload {
        EntryPayload::Blank => to.byte(BLANK),
        EntryPayload::Normal(command) => {
            to.byte(COMMAND);
            write_command(to, command);
        }
        EntryPayload::Membership(membership) => {
            to.byte(MEMBERSHIP);
            write_membership(to, membership);
        }
    }
}

pub(crate) fn read_entry(from: &mut Reader<'_>) -> Result<Entry<Types>, Reason> {
    let log_id = read_log_id(from)?;
    let payload = match from.byte()? {
        BLANK => EntryPayload::Blank,
        COMMAND => EntryPayload::Normal(read_command(from)?),
        MEMBERSHIP => EntryPayload::Membership(read_membership(from)?),
        _ => return Err("an entry is of an unknown kind"),
    };
    Ok(Entry { log_id, payload })
}

/// Errors: indexes have gaps, or terms decrease.
pub(crate) fn check_order(before: Option<LogId>, entries: &[Entry<Types>]) -> Result<(), Reason> {
    let mut before = before;
    for entry in entries {
        let index = before.map_or(0, |id| id.index + 1);
        if entry.log_id.index != index {
            return Err("the entries are not consecutive");
        }
        if before.is_some_and(|id| id.leader_id > entry.log_id.leader_id) {
            return Err("the terms of entries decrease");
        }
        before = Some(entry.log_id);
    }
    Ok(())
}

fn write_membership(to: &mut Writer, membership: &Membership) {
    to.list(membership.get_joint_config().iter(), |to, set| {
        to.list(set.iter(), |to, id| to.number(*id));
    });
    let seats: Vec<(&u64, &Seat)> = membership.nodes().collect();
    to.list(seats.into_iter(), |to, (id, seat)| {
        to.number(*id);
        to.number(seat.folder);
        to.text(&seat.endpoint);
    });
}

fn read_membership(from: &mut Reader<'_>) -> Result<Membership, Reason> {
    let sets = from.list(SETS_MAX, |from| {
        Ok(from.list(MEMBERS_MAX, Reader::number)?.into_iter().collect::<BTreeSet<u64>>())
    })?;
    let seats = from.list(2 * MEMBERS_MAX, |from| {
        let (id, folder) = (from.number()?, from.random()?);
        Ok((id, Seat { folder, endpoint: from.text(ENDPOINT_MAX)?.to_owned() }))
    })?;
    let seats: BTreeMap<u64, Seat> = seats.into_iter().collect();
    if sets.iter().any(BTreeSet::is_empty) {
        return Err("a set of voters is empty");
    }
    if sets.iter().flatten().any(|id| !seats.contains_key(id)) {
        return Err("a voter has no seat");
    }
    Ok(Membership::new(sets, seats))
}

pub(crate) fn write_snapshot(to: &mut Writer, snapshot: &Snapshot) {
    to.option(snapshot.meta.last_log_id, write_log_id);
    to.option(*snapshot.meta.last_membership.log_id(), write_log_id);
    write_membership(to, snapshot.meta.last_membership.membership());
    write_state(to, &snapshot.snapshot);
}

pub(crate) fn read_snapshot(from: &mut Reader<'_>) -> Result<Snapshot, Reason> {
    let last = from.option(read_log_id)?;
    let membership = StoredMembership::new(from.option(read_log_id)?, read_membership(from)?);
    if last.is_none() || *membership.log_id() > last {
        return Err("a snapshot ends before its membership");
    }
    Ok(snapshot(last, membership, read_state(from)?))
}

/// Returns a snapshot, whose name follows from its last entry.
pub(crate) fn snapshot(
    last: Option<LogId>,
    membership: StoredMembership,
    state: crate::state::State,
) -> Snapshot {
    let snapshot_id = last.map(|id| id.to_string()).unwrap_or_default();
    let meta = SnapshotMeta { last_log_id: last, last_membership: membership, snapshot_id };
    Snapshot { meta, snapshot: Box::new(state) }
}
