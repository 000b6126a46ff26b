//! Brings commands into the log, and requests to the member that carries them out.

use std::time::Duration;

use tokio::time::timeout;

use super::Node;
use crate::codec::message::{Reply, Request};
use crate::error::{Error, Result};
use crate::state::{Command, Outcome};

impl Node {
    /// Brings a command into the log, through Raft's leader, and returns its outcome.
    ///
    /// Errors: the outcome is unknown. The command may still be applied later.
    pub(super) async fn propose(&self, command: &Command, limit: Duration) -> Result<Outcome> {
        let leader = self.raft_leader()?;
        if leader == self.peers.holder.member {
            return self.write(command.clone(), limit).await;
        }
        let request = Request::Propose(command.clone());
        match self.peers.ask(leader, &self.seat(leader)?, &request, limit).await? {
            Reply::Outcome(outcome) => Ok(outcome),
            _ => Err(Error::Message(format!("member {leader} answered another question"))),
        }
    }

    /// Brings a command into the log as Raft's leader.
    pub(super) async fn write(&self, command: Command, limit: Duration) -> Result<Outcome> {
        let written = timeout(limit, self.raft.client_write(command)).await;
        let written = written.map_err(|_| Error::Timeout("a command"))?;
        written.map(|written| written.data).map_err(|error| Error::Refused(error.to_string()))
    }

    /// Returns the id of Raft's leader. Errors: none is known.
    pub(crate) fn raft_leader(&self) -> Result<u64> {
        let leader = self.metrics.borrow().current_leader;
        leader.ok_or_else(|| Error::Refused(String::from("no majority of the group can be reached")))
    }

    /// Sends an order to another member, and waits until it is carried out.
    pub(super) async fn order(&self, id: u64, request: &Request, limit: Duration) -> Result<()> {
        match self.peers.ask(id, &self.seat(id)?, request, limit).await? {
            Reply::Done => Ok(()),
            _ => Err(Error::Message(format!("member {id} answered another question"))),
        }
    }
}
