//! Queries. A client's request ([`request`]) runs as far as a budget allows ([`execute`]).
//!
//! [`prepare`] and [`plan_cache`] turn it into a plan, [`run`] executes the plan, and [`report`]
//! reports on the execution, and [`spans`] to traces. [`registry`] lists the running queries.
//! [`results_cache`] keeps results for further use.

mod builtin;
mod constant_cost;
mod defaults;
mod execute;
mod execution_input;
mod explain;
mod kept_result;
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
mod spans;

pub use builtin::{BuiltinFunction, builtin_functions};
pub use defaults::QueryDefaults;
pub use execute::{Progress, RestOfQuery};
pub use prepare::PreparedQuery;
