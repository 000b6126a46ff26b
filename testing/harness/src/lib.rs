//! Starts, kills and disturbs servers and clusters, for the programs and tests that watch them from
//! outside.

pub mod requests;
pub mod server;
pub mod servers;
pub mod cluster;
