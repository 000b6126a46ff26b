//! Where the work of a request runs: on its connection's task or on the worker pool.

pub(crate) mod permits;
pub mod pool;
