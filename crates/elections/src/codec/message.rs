//! Messages between members.
//!
//! A request has a head, a body and a checksum:
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | the version, [`VERSION`] |
//! | 1 | the kind of the body |
//! | 8, 8 | the id of the sender and the identity of its folder |
//! | 8, 8 | the id of the receiver and the identity of its folder, 0 if unknown |
//! | n | the body |
//! | 4 | CRC-32C of everything before |
//!
//! A reply has the version, the kind of the body, the body, and the same checksum.

use openraft::raft::{AppendEntriesRequest, AppendEntriesResponse, VoteRequest, VoteResponse};

use super::raft::{
    ENTRIES_MAX, check_order, read_entry, read_log_id, read_snapshot, read_vote, write_entry, write_log_id,
    write_snapshot, write_vote,
};
use super::reader::{Reader, Reason};
use super::state::{read_command, read_outcome, write_command, write_outcome};
use super::writer::Writer;
use crate::member::{ENDPOINT_MAX, Member, Position};
use crate::state::{Command, Outcome};
use crate::types::{Snapshot, Types, Vote};

/// The version of the messages.
const VERSION: u8 = 1;
/// The greatest length of a message in bytes.
pub const MESSAGE_MAX: usize = 1 << 20;
/// The greatest length of a reason in bytes.
const REASON_MAX: usize = 4096;
/// The length of the checksum.
const SUM: usize = 4;

/// Sender and receiver of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// The id of the sender.
    pub(crate) from: u64,
    /// The identity of the sender's folder.
    pub(crate) from_folder: u64,
    /// The id of the receiver.
    pub(crate) to: u64,
    /// The identity of the receiver's folder, or 0 if the sender does not know it.
    pub(crate) to_folder: u64,
}

/// A question or an order of another member.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    /// Which folder has the receiver, and does it belong to a group?
    Hello,
    /// Raft's request for a vote.
    Vote(VoteRequest<u64>),
    /// Raft's entries, or a heartbeat without any.
    Append(AppendEntriesRequest<Types>),
    /// Raft's snapshot.
    Snapshot(Vote, Snapshot),
    /// A command for the log, sent to Raft's leader.
    Propose(Command),
    /// How far has the receiver followed?
    Position,
    /// Follow up to this position, within so many milliseconds.
    CatchUp(Position, u32),
    /// Hand the leadership over to this member, sent to the leader.
    Appoint(u64),
    /// Add a member, sent to Raft's leader.
    Add(Member),
    /// Remove a member, sent to Raft's leader.
    Remove(u64),
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The identity of the folder, and whether it belongs to a group.
    Hello {
        /// The identity of the folder.
        folder: u64,
        /// True once the folder has a log.
        founded: bool,
        /// A number that depends on the ids of the configured members.
        digest: u32,
    },
    /// Raft's answer to a request for a vote.
    Vote(VoteResponse<u64>),
    /// Raft's answer to entries.
    Append(AppendEntriesResponse<u64>),
    /// The vote of a receiver of a snapshot.
    Snapshot(Vote),
    /// The result of a command that was applied.
    Outcome(Outcome),
    /// The run and the position of a member, which has no position if it cannot lead.
    Position {
        /// The random number of the run.
        run: u64,
        /// The position, if the member can lead.
        position: Option<Position>,
    },
    /// The order was carried out.
    Done,
    /// The request was refused, for this reason.
    Refused(String),
}

/// Returns the bytes of a request.
pub(crate) fn encode_request(head: Head, request: &Request) -> Vec<u8> {
    let mut to = Writer::default();
    to.byte(VERSION);
    to.byte(kind_of(request));
    for number in [head.from, head.from_folder, head.to, head.to_folder] {
        to.number(number);
    }
    match request {
        Request::Hello | Request::Position => {}
        Request::Vote(vote) => {
            write_vote(&mut to, &vote.vote);
            to.option(vote.last_log_id, write_log_id);
        }
        Request::Append(append) => write_append(&mut to, append),
        Request::Snapshot(vote, snapshot) => {
            write_vote(&mut to, vote);
            write_snapshot(&mut to, snapshot);
        }
        Request::Propose(command) => write_command(&mut to, command),
        Request::CatchUp(position, milliseconds) => {
            write_position(&mut to, *position);
            to.small(*milliseconds);
        }
        Request::Appoint(id) | Request::Remove(id) => to.number(*id),
        Request::Add(member) => {
            to.number(member.id);
            to.text(&member.endpoint);
        }
    }
    seal(to)
}

fn kind_of(request: &Request) -> u8 {
    match request {
        Request::Hello => 1,
        Request::Vote(_) => 2,
        Request::Append(_) => 3,
        Request::Snapshot(..) => 4,
        Request::Propose(_) => 5,
        Request::Position => 6,
        Request::CatchUp(..) => 7,
        Request::Appoint(_) => 8,
        Request::Add(_) => 9,
        Request::Remove(_) => 10,
    }
}

/// Decodes a request. Errors: it is not whole, or no sender of this version makes it.
pub(crate) fn decode_request(bytes: &[u8]) -> Result<(Head, Request), Reason> {
    let mut from = open(bytes)?;
    let kind = from.byte()?;
    let head = Head {
        from: from.number()?,
        from_folder: from.random()?,
        to: from.number()?,
        to_folder: from.random()?,
    };
    let request = match kind {
        1 => Request::Hello,
        2 => Request::Vote(VoteRequest::new(read_vote(&mut from)?, from.option(read_log_id)?)),
        3 => Request::Append(read_append(&mut from)?),
        4 => read_full_snapshot(&mut from)?,
        5 => Request::Propose(read_command(&mut from)?),
        6 => Request::Position,
        7 => Request::CatchUp(read_position(&mut from)?, from.small()?),
        8 => Request::Appoint(from.number()?),
        9 => Request::Add(Member { id: from.number()?, endpoint: from.text(ENDPOINT_MAX)?.to_owned() }),
        10 => Request::Remove(from.number()?),
        _ => return Err("it is of an unknown kind"),
    };
    from.end()?;
    Ok((head, request))
}

/// Returns the bytes of a reply.
pub(crate) fn encode_reply(reply: &Reply) -> Vec<u8> {
    let mut to = Writer::default();
    to.byte(VERSION);
    match reply {
        Reply::Refused(reason) => {
            to.byte(0);
            to.text(&reason[..reason.floor_char_boundary(REASON_MAX)]);
        }
        Reply::Hello { folder, founded, digest } => {
            to.byte(1);
            to.number(*folder);
            to.flag(*founded);
            to.small(*digest);
        }
        Reply::Vote(vote) => {
            to.byte(2);
            write_vote(&mut to, &vote.vote);
            to.flag(vote.vote_granted);
            to.option(vote.last_log_id, write_log_id);
        }
        Reply::Append(append) => {
            to.byte(3);
            write_appended(&mut to, append);
        }
        Reply::Snapshot(vote) => {
            to.byte(4);
            write_vote(&mut to, vote);
        }
        Reply::Outcome(outcome) => {
            to.byte(5);
            write_outcome(&mut to, *outcome);
        }
        Reply::Position { run, position } => {
            to.byte(6);
            to.number(*run);
            to.option(*position, write_position);
        }
        Reply::Done => to.byte(7),
    }
    seal(to)
}

/// Decodes a reply.
pub(crate) fn decode_reply(bytes: &[u8]) -> Result<Reply, Reason> {
    let mut from = open(bytes)?;
    let reply = match from.byte()? {
        0 => Reply::Refused(from.text(REASON_MAX)?.to_owned()),
        1 => Reply::Hello { folder: from.random()?, founded: from.flag()?, digest: from.small()? },
        2 => {
            let (vote, granted) = (read_vote(&mut from)?, from.flag()?);
            Reply::Vote(VoteResponse { vote, vote_granted: granted, last_log_id: from.option(read_log_id)? })
        }
        3 => Reply::Append(read_appended(&mut from)?),
        4 => Reply::Snapshot(read_vote(&mut from)?),
        5 => Reply::Outcome(read_outcome(&mut from)?),
        6 => Reply::Position { run: from.random()?, position: from.option(read_position)? },
        7 => Reply::Done,
        _ => return Err("it is of an unknown kind"),
    };
    from.end()?;
    Ok(reply)
}

fn write_append(to: &mut Writer, append: &AppendEntriesRequest<Types>) {
    write_vote(to, &append.vote);
    to.option(append.prev_log_id, write_log_id);
    to.option(append.leader_commit, write_log_id);
    to.list(append.entries.iter(), write_entry);
}

/// Errors: the vote is no leader's, or the entries do not follow each other, or a leader after the
/// sender made one of them. Raft relies on all three.
fn read_append(from: &mut Reader<'_>) -> Result<AppendEntriesRequest<Types>, Reason> {
    let vote = read_vote(from)?;
    let prev_log_id = from.option(read_log_id)?;
    let leader_commit = from.option(read_log_id)?;
    let entries = from.list(ENTRIES_MAX, read_entry)?;
    if !vote.committed {
        return Err("entries come from a member that does not lead");
    }
    check_order(prev_log_id, &entries)?;
    let last = entries.last().map(|entry| entry.log_id).max(prev_log_id);
    if last.max(leader_commit).is_some_and(|id| id.leader_id > vote.leader_id) {
        return Err("an entry is of a term after its sender's");
    }
    Ok(AppendEntriesRequest { vote, prev_log_id, entries, leader_commit })
}

/// Errors: the vote is no leader's, or is older than the snapshot.
fn read_full_snapshot(from: &mut Reader<'_>) -> Result<Request, Reason> {
    let vote = read_vote(from)?;
    let snapshot = read_snapshot(from)?;
    if !vote.committed {
        return Err("a snapshot comes from a member that does not lead");
    }
    if snapshot.meta.last_log_id.is_some_and(|id| id.leader_id > vote.leader_id) {
        return Err("a snapshot is of a term after its sender's");
    }
    Ok(Request::Snapshot(vote, snapshot))
}

fn write_appended(to: &mut Writer, append: &AppendEntriesResponse<u64>) {
    match append {
        AppendEntriesResponse::Success => to.byte(0),
        AppendEntriesResponse::PartialSuccess(id) => {
            to.byte(1);
            to.option(*id, write_log_id);
        }
        AppendEntriesResponse::Conflict => to.byte(2),
        AppendEntriesResponse::HigherVote(vote) => {
            to.byte(3);
            write_vote(to, vote);
        }
    }
}

fn read_appended(from: &mut Reader<'_>) -> Result<AppendEntriesResponse<u64>, Reason> {
    Ok(match from.byte()? {
        0 => AppendEntriesResponse::Success,
        1 => AppendEntriesResponse::PartialSuccess(from.option(read_log_id)?),
        2 => AppendEntriesResponse::Conflict,
        3 => AppendEntriesResponse::HigherVote(read_vote(from)?),
        _ => return Err("an answer to entries is of an unknown kind"),
    })
}

fn write_position(to: &mut Writer, position: Position) {
    to.number(position.epoch);
    to.number(position.tick);
}

/// A tick is the server's own number and may use all 64 bits.
fn read_position(from: &mut Reader<'_>) -> Result<Position, Reason> {
    Ok(Position { epoch: from.number()?, tick: from.random()? })
}

fn seal(to: Writer) -> Vec<u8> {
    let mut bytes = to.finish();
    let sum = crc32c::crc32c(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// Checks length, checksum and version, and returns a reader of the kind and what follows it.
fn open(bytes: &[u8]) -> Result<Reader<'_>, Reason> {
    if bytes.len() > MESSAGE_MAX {
        return Err("it is too long");
    }
    let at = bytes.len().checked_sub(SUM).ok_or("it ends too early")?;
    let (content, sum) = bytes.split_at(at);
    if crc32c::crc32c(content).to_le_bytes() != sum {
        return Err("its checksum is wrong");
    }
    let mut from = Reader::new(content);
    if from.byte()? != VERSION {
        return Err("it is of another version");
    }
    Ok(from)
}
