//! Reads a file after a restart, and decides between a torn tail and damage.
//!
//! The frame that is written when a machine fails may be on the disk in part, and nothing that
//! depends on it has been acknowledged. It is the last one, so no whole frame follows it: such a
//! tail is cut. A broken frame that a whole one follows was acknowledged, so the file is refused.

use super::contents::Contents;
use super::format::{self, FRAME_HEAD, Frame, HEAD};
use crate::codec::raft::{ENTRIES_MAX, check_order, read_entry, read_log_id, read_snapshot, read_vote};
use crate::codec::reader::{Reader, Reason};
use crate::error::{Error, Result};

/// A file as it was read.
#[derive(Debug)]
pub(super) struct Recovered {
    /// The contents.
    pub(super) contents: Contents,
    /// The length of the valid part in bytes. The rest is a torn tail.
    pub(super) length: usize,
}

/// Reads the bytes of a file, whose head and identity were written together. Errors: damage.
pub(super) fn recover(bytes: &[u8]) -> Result<Recovered> {
    if bytes.get(..HEAD) != Some(format::head().as_slice()) {
        return Err(damage(0, "it does not begin as a journal of this version"));
    }
    let mut contents = Contents::default();
    let mut at = HEAD;
    while at < bytes.len() {
        let Some(frame) = bytes.get(at..).and_then(format::frame) else {
            if let Some(next) = whole_frame_after(bytes, at) {
                return Err(damage(
                    at,
                    &format!("a frame is broken, and a whole one follows at byte {next}"),
                ));
            }
            break;
        };
        let first = at == HEAD;
        if first != (frame.kind == format::IDENTITY) {
            return Err(damage(at, "the identity of the folder is not the first frame"));
        }
        apply(&mut contents, frame).map_err(|reason| damage(at, reason))?;
        at += FRAME_HEAD + frame.payload.len();
    }
    if at == HEAD {
        return Err(damage(at, "the identity of the folder is missing"));
    }
    Ok(Recovered { contents, length: at })
}

/// Returns the offset of the first whole frame of a known kind after this offset.
fn whole_frame_after(bytes: &[u8], at: usize) -> Option<usize> {
    let is_whole = |at: &usize| {
        let frame = bytes.get(*at..).and_then(format::frame);
        frame.is_some_and(|frame| (format::IDENTITY..=format::SNAPSHOT).contains(&frame.kind))
    };
    (at + 1..bytes.len()).find(is_whole)
}

/// Changes the contents by one frame.
fn apply(contents: &mut Contents, frame: Frame<'_>) -> std::result::Result<(), Reason> {
    let mut from = Reader::new(frame.payload);
    match frame.kind {
        format::IDENTITY => {
            contents.member = from.number()?;
            contents.folder = from.random()?;
        }
        format::VOTE => {
            let vote = read_vote(&mut from)?;
            if contents.vote.is_some_and(|before| before > vote) {
                return Err("a vote is older than the one before");
            }
            contents.vote = Some(vote);
        }
        format::ENTRIES => {
            let entries = from.list(ENTRIES_MAX, read_entry)?;
            check_order(contents.last(), &entries)?;
            contents.log.extend(entries.into_iter().map(|entry| (entry.log_id.index, entry)));
        }
        format::TRUNCATE => contents.truncate(from.number()?),
        format::PURGE => contents.purge(read_log_id(&mut from)?),
        format::SNAPSHOT => contents.snapshot = Some(read_snapshot(&mut from)?),
        _ => return Err("a frame is of an unknown kind"),
    }
    from.end()
}

fn damage(at: usize, what: &str) -> Error {
    Error::Damaged { at: at as u64, what: what.to_owned() }
}
