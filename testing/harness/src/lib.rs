//! Starts, watches, disturbs and kills servers and clusters, for the programs and tests that
//! observe them from outside.

mod wait;
mod ports;
mod process;
mod child;
pub mod http1;
pub mod requests;
mod server;
mod servers;
mod follower;
pub mod cluster;

pub use child::GuardedChild;
pub use follower::Follower;
pub use ports::free_address;
pub use process::{Memory, Process};
pub use server::{Launch, PASSWORD, SECRET, Server, Stderr, program_next_to_this};
pub use servers::Servers;
pub use wait::{DEADLINE, ask_until_right, wait_for, wait_until, wait_within};
