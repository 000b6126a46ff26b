//! Starts, disturbs and stops a TiKV cluster for the programs that test the server on it.
//!
//! `scripts/tikv-cluster` starts the processes. Each one advertises the address of a [`Link`]. The
//! link stands between it and all others, so that messages can be held back, cut off and delayed.

mod link;
mod processes;
mod outage;

pub use link::{Condition, Link};
pub use outage::{Fault, Outage};
pub use processes::Cluster;
