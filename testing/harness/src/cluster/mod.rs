//! Starts, disturbs and stops a TiKV cluster for the programs that test the server on it.
//!
//! `scripts/tikv-cluster` starts the processes. Each process advertises the address of a [`Link`].
//! All others reach it through this link, which can hold back, cut off and delay messages.

mod link;
mod processes;
mod outage;

pub use link::{Condition, Link};
pub use outage::{Fault, Outage};
pub use processes::Cluster;
