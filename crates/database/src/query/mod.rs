//! Queries: what a client asks ([`request`]), how it becomes a plan ([`prepare`], [`plan_cache`]), how it is run
//! ([`run`]), and who knows of it meanwhile ([`registry`]).

mod explain;
pub mod plan_cache;
mod prepare;
mod quick;
pub mod registry;
pub mod request;
mod run;

pub use prepare::PreparedQuery;
