//! Queries: what a client asks ([`request`]), how far it gets at once ([`execute`]), how it becomes a plan
//! ([`prepare`], [`plan_cache`]), how it is run ([`run`]) and what is reported of it ([`report`]), who knows of it meanwhile ([`registry`]), and which results are
//! used again ([`results_cache`]).

mod builtin;
mod constant_cost;
mod defaults;
mod execute;
mod explain;
pub(crate) mod large_texts;
mod latency;
pub mod plan_cache;
mod planning_memory;
mod prepare;
pub mod registry;
mod report;
pub mod request;
pub mod results_cache;
mod run;

pub use builtin::{BuiltinFunction, builtin_functions};
pub use defaults::QueryDefaults;
pub use execute::{Progress, RestOfQuery};
pub use prepare::PreparedQuery;
