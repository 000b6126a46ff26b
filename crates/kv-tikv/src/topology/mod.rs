//! The processes of the cluster: PD and its timestamps, the regions of keys and their stores, and
//! the client that sends each request to the right one.

pub(crate) mod client;
pub(crate) mod fence;
pub(crate) mod nodes;
pub(crate) mod pd;
pub(crate) mod region_errors;
pub(crate) mod regions;
pub(crate) mod replicas;
pub(crate) mod retry;
