//! Queries. A client's request ([`request`]) runs as far as a budget allows ([`execute`]).
//!
//! [`prepare`] turns it into a plan, or takes the plan of the [`plan_cache`]. [`run`] executes the
//! plan. [`report`] reports on the execution, and [`spans`] reports it to traces. [`registry`]
//! lists the running queries. `handover` goes on with queries of servers that are gone.
//! [`capture`] keeps a result in the [`results_cache`], and [`cached_result`] delivers it to
//! further queries.

mod builtin;
mod cached_result;
mod capture;
mod catalog_view;
mod constant_cost;
mod cursor_spec;
mod execute;
mod execution_input;
mod explain;
mod handover;
mod kept_result;
mod plan_eligibility;
mod planning_memory;
mod prepare;
mod report;
mod run;
mod spans;

pub use crate::query_request::{self as request, QueryDefaults};
pub use crate::state::{plan_cache, query_log, query_registry as registry, results_cache};
pub use builtin::{BuiltinFunction, builtin_functions};
pub use cached_result::CachedResult;
pub use execute::{Progress, RestOfQuery};
pub use prepare::PreparedQuery;
