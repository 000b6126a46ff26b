//! The traits of openraft: storage of the log, the state machine, and the network.

mod log_store;
mod state_machine;
mod peers;
mod network;

pub(crate) use log_store::LogStore;
pub(crate) use network::Network;
pub(crate) use peers::Peers;
pub(crate) use state_machine::{Applied, StateMachine};
