//! Answers the messages of other members.

use std::time::Duration;

use tokio::time::timeout;

use super::Node;
use crate::codec::message::{Head, Reply, Request, decode_request, encode_reply};
use crate::error::{Error, Result};
use crate::state::Command;

impl Node {
    /// Returns the reply to a message. Errors: the message is no request, or this member cannot
    /// serve it; the sender may try again.
    pub(crate) async fn receive(&self, message: &[u8]) -> Result<Vec<u8>> {
        let (head, request) =
            decode_request(message).map_err(|reason| Error::Message(String::from(reason)))?;
        self.check_head(head, &request)?;
        let limit = match request {
            Request::CatchUp(..) | Request::Appoint(_) | Request::Add(_) | Request::Remove(_) => {
                self.timing.request
            }
            _ => self.timing.lease,
        };
        let reply = match timeout(limit, self.answer(request)).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => Reply::Refused(error.to_string()),
            Err(_) => return Err(Error::Timeout("the answer to a message")),
        };
        Ok(encode_reply(&reply))
    }

    /// Errors: the message is for another member, or one of the two folders is not the one that the
    /// group knows.
    fn check_head(&self, head: Head, request: &Request) -> Result<()> {
        let own = self.peers.holder.member;
        if head.to != own {
            return Err(Error::Message(format!("it is for member {}; this is member {own}", head.to)));
        }
        let greets = matches!(request, Request::Hello);
        if !greets && head.to_folder != self.peers.folder {
            return Err(Error::Message(String::from(
                "the group knows this member with another folder; remove the member and add it again",
            )));
        }
        if let Request::Propose(command) = request {
            check_proposal(head, command)?;
        }
        let known = self.membership().get_node(&head.from).map(|seat| seat.folder);
        if !greets && known.is_some_and(|folder| folder != head.from_folder) {
            return Err(Error::Message(format!(
                "the group knows member {} with another folder; remove the member and add it again",
                head.from
            )));
        }
        Ok(())
    }

    async fn answer(&self, request: Request) -> Result<Reply> {
        let failed = |error: &dyn std::error::Error| Error::Stopped(error.to_string());
        Ok(match request {
            Request::Hello => Reply::Hello {
                folder: self.peers.folder,
                founded: self.founded().await,
                digest: self.configured_digest(),
            },
            Request::Vote(vote) => Reply::Vote(self.raft.vote(vote).await.map_err(|error| failed(&error))?),
            Request::Append(append) => {
                Reply::Append(self.raft.append_entries(append).await.map_err(|error| failed(&error))?)
            }
            Request::Snapshot(vote, snapshot) => {
                let installed = self.raft.install_full_snapshot(vote, snapshot).await;
                Reply::Snapshot(installed.map_err(|error| failed(&error))?.vote)
            }
            Request::Propose(command) => Reply::Outcome(self.write(command, self.timing.lease).await?),
            Request::Position => {
                Reply::Position { run: self.peers.holder.run, position: self.own_position().await }
            }
            Request::CatchUp(to, milliseconds) => {
                let limit = self.timing.request.min(Duration::from_millis(milliseconds.into()));
                self.peers.host.catch_up(to, limit).await.map_err(Error::Refused)?;
                Reply::Done
            }
            Request::Appoint(to) => {
                self.hand_over(to, self.timing.request / 2).await?;
                Reply::Done
            }
            Request::Add(member) => {
                self.add(member, self.timing.request / 4).await?;
                Reply::Done
            }
            Request::Remove(id) => {
                self.remove(id, self.timing.request / 4).await?;
                Reply::Done
            }
        })
    }
}

/// Errors: a member proposes what only another one may.
fn check_proposal(head: Head, command: &Command) -> Result<()> {
    let by = match command {
        Command::Renew { holder, .. } | Command::Resign { holder, .. } => Some(holder.member),
        Command::HandOver { from, .. } => Some(from.member),
        // Raft's leader alone has waited out the lease.
        Command::Appoint { .. } => None,
    };
    if by == Some(head.from) {
        return Ok(());
    }
    Err(Error::Message(format!("member {} may not propose {command}", head.from)))
}
