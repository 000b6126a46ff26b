//! The replicated state, and the commands that change it.
//!
//! Every member applies the same commands in the same order, so all decisions here are functions of
//! the state and the command alone. No clock is read: the time that a lease takes is waited for by
//! the member that proposes an appointment, and `revision` proves that no renewal came in between.

use crate::member::Holder;

/// A leader of the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past {
    /// The id of the member that led.
    pub leader: u64,
    /// The epoch in which it led.
    pub epoch: u64,
}

/// The replicated state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// The number of appointments so far.
    pub(crate) epoch: u64,
    /// The leader of this epoch, unless it gave up.
    pub(crate) leader: Option<Holder>,
    /// The number of accepted commands so far: renewals, appointments, handovers, resignations.
    pub(crate) revision: u64,
    /// The leader before this epoch, or the one that gave up.
    pub(crate) previous: Option<Past>,
}

/// A change of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// The leader prolongs its lease.
    Renew {
        /// The epoch in which the sender leads.
        epoch: u64,
        /// The sender.
        holder: Holder,
    },
    /// Raft's leader appoints a leader, after it has waited out the lease.
    Appoint {
        /// The revision since which the lease was waited out. A renewal in between makes the
        /// command void.
        revision: u64,
        /// The new leader.
        to: Holder,
    },
    /// The leader appoints its successor. It has given up its lease before it sends this.
    HandOver {
        /// The epoch in which the sender leads.
        epoch: u64,
        /// The sender.
        from: Holder,
        /// The new leader.
        to: Holder,
    },
    /// The leader ends its lease. It has given it up before it sends this.
    Resign {
        /// The epoch in which the sender leads.
        epoch: u64,
        /// The sender.
        holder: Holder,
    },
}

/// The result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The command changed the state.
    Accepted,
    /// The state had changed before, so the command is void.
    Void,
}

impl State {
    /// Applies one command.
    pub(crate) fn apply(&mut self, command: &Command) -> Outcome {
        let accepted = match *command {
            Command::Renew { epoch, holder } => self.leads(epoch, holder),
            Command::Appoint { revision, to } => {
                let current = revision == self.revision;
                if current {
                    self.appoint(to);
                }
                current
            }
            Command::HandOver { epoch, from, to } => {
                let current = self.leads(epoch, from);
                if current {
                    self.appoint(to);
                }
                current
            }
            Command::Resign { epoch, holder } => {
                let current = self.leads(epoch, holder);
                if current {
                    self.retire();
                }
                current
            }
        };
        if !accepted {
            return Outcome::Void;
        }
        self.revision += 1;
        Outcome::Accepted
    }

    /// Returns true if this run of a member is the leader of this epoch.
    pub(crate) fn leads(&self, epoch: u64, holder: Holder) -> bool {
        self.epoch == epoch && self.leader == Some(holder)
    }

    fn appoint(&mut self, to: Holder) {
        self.retire();
        self.epoch += 1;
        self.leader = Some(to);
    }

    fn retire(&mut self) {
        if let Some(holder) = self.leader.take() {
            self.previous = Some(Past { leader: holder.member, epoch: self.epoch });
        }
    }
}
