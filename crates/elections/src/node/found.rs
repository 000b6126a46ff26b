//! Founds a group: once, by the member with the lowest id, when all members have empty folders.
//!
//! A member that has lost its folder has forgotten its votes and entries, and a group in which it
//! voted again could forget an appointment. So each folder has a random number, which the founder
//! writes into the membership, and a member with another folder is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::sleep;

use super::Node;
use crate::codec::message::Reply;
use crate::error::Error;
use crate::member::{Member, Seat};

/// The answers of the other members before the group was founded.
enum Greetings {
    /// All of them have empty folders. These are the seats of the group.
    Complete(BTreeMap<u64, Seat>),
    /// Some did not answer.
    Incomplete(Error),
    /// This member belongs to a group already.
    Founded(u64),
    /// A member has been configured with other members.
    Different(u64),
}

impl Node {
    /// Founds the group, if this member is the one to do so. Ends when the folder has a log.
    pub(super) async fn found(self: Arc<Self>) {
        let mut told = false;
        while !self.founded().await {
            if self.peers.configured.keys().next() != Some(&self.peers.holder.member) {
                // Another member founds the group, or adds this one to it.
                return;
            }
            let greetings = self.greet_all().await;
            let id = match greetings {
                Greetings::Complete(seats) => {
                    if let Err(error) = self.raft.initialize(seats).await {
                        tracing::error!(%error, "the group was not founded");
                    }
                    continue;
                }
                Greetings::Incomplete(error) => {
                    tracing::debug!(%error, "the group is founded when all of its members answer");
                    None
                }
                Greetings::Founded(id) => Some((id, "belongs to a group already, and this member does not")),
                Greetings::Different(id) => Some((id, "is configured with other members than this one")),
            };
            if let Some((id, what)) = id.filter(|_| !told) {
                told = true;
                tracing::error!("this member founds no group: member {id} {what}");
            }
            sleep(self.timing.answer).await;
        }
    }

    /// Returns true if the folder has a log.
    pub(super) async fn founded(&self) -> bool {
        self.journal.read(crate::journal::Contents::founded).await
    }

    /// Returns a number that depends on the configured ids.
    pub(super) fn configured_digest(&self) -> u32 {
        let ids = self.peers.configured.keys();
        ids.fold(0, |digest, id| crc32c::crc32c_append(digest, &id.to_le_bytes()))
    }

    async fn greet_all(&self) -> Greetings {
        let mut seats = BTreeMap::new();
        for member in self.peers.configured.values() {
            let Member { id, endpoint } = member.clone();
            let folder = if id == self.peers.holder.member {
                self.peers.folder
            } else {
                match self.peers.greet(member.clone(), self.timing.answer).await {
                    Ok(Reply::Hello { founded: true, .. }) => return Greetings::Founded(id),
                    Ok(Reply::Hello { digest, .. }) if digest != self.configured_digest() => {
                        return Greetings::Different(id);
                    }
                    Ok(Reply::Hello { folder, .. }) => folder,
                    Ok(_) => {
                        return Greetings::Incomplete(Error::Message(format!(
                            "member {id} answered another question"
                        )));
                    }
                    Err(error) => return Greetings::Incomplete(error),
                }
            };
            seats.insert(id, Seat { endpoint, folder });
        }
        Greetings::Complete(seats)
    }
}
