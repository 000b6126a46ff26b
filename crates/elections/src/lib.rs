//! Elections: several servers agree on which of them leads.
//!
//! [`Elections::start`] runs one member. [`Elections::leadership`] says who leads, and whether this
//! member may write; [`Elections::wait_for_change`] waits for news. The server gives a
//! [`Transport`] to the other members and passes what arrives to [`Elections::receive`]. It gives a
//! [`Candidate`] that knows the member's [`Position`] in the data.
//!
//! The members keep a state of a few numbers in a Raft log, by openraft. Data never pass through
//! it. `docs/architecture/elections.md` explains it all.
//!
//! # Invariants
//!
//! 1. **One writer.** At every instant at most one member has a [`Leadership`] whose `valid_until`
//!    lies ahead, while no clock runs more than a tenth faster than another.
//! 2. **One leader an epoch.** An epoch belongs to one run of one member. A member that starts
//!    again begins as no leader.
//! 3. **A majority decides.** A minority neither appoints a leader nor prolongs a lease.
//! 4. **The most advanced leads.** An appointment follows the answers of a majority, so a write
//!    that a majority had is not lost. An operator may choose another member, which catches up
//!    first.
//! 5. **Nothing is forgotten.** A vote and an entry are on the disk before they are acknowledged. A
//!    member whose folder was lost is refused.
//!
//! # Why two members cannot both write
//!
//! A leader counts its lease from before it sends a renewal. A member that appoints counts from
//! when it applied the renewal, which is later, and waits a tenth longer. Its appointment names the
//! revision since which it waited. A renewal that was applied in between has changed the revision,
//! so the appointment is void. A renewal that is applied afterwards is void itself, as its sender
//! does not lead any more. The log decides between the two for all members alike, so neither a
//! deposed leader of Raft nor a delayed, repeated or reordered message can do harm.

mod error;
mod member;
mod timing;
mod state;
mod interface;
mod types;
mod codec;
mod journal;
mod host;
mod leadership;
mod raft;
mod choice;
mod node;
mod elections;
#[cfg(test)]
mod simulation;

pub use codec::message::MESSAGE_MAX;
pub use elections::{Elections, Options};
pub use error::{Error, Result};
pub use interface::{Candidate, Transport};
pub use leadership::Leadership;
pub use member::{ENDPOINT_MAX, MEMBERS_MAX, Member, Position};
pub use state::Past;
pub use timing::{LEASE, LEASE_MAX, LEASE_MIN};
