//! The executor: physical operators that pull batches of rows from each other.
//!
//! Lowering turns a [`Plan`](aql_plan::Plan) into a chain of operators, one for each node. A
//! request for a batch goes to the last one, which asks the one before it, and so on up to the
//! single row that every query starts from. Requests start small and grow, so that `LIMIT 1` is
//! cheap and a full scan is fast.
//!
//! - [`Execution`] runs one query: start, batches, statistics and warnings at the end.
//! - `lower` turns nodes into operators; `operator` has them, one per file; `aggregate` has the
//!   aggregates of COLLECT.
//!
//! Invariants:
//! - An operator never returns more rows than requested, and never an empty batch.
//! - A query reads the state at its start, whatever it writes. Only the lookup of an UPSERT sees
//!   the query's own writes.
//! - Code that keeps rows accounts for them, and drops rows that are no longer needed.
//! - Between two batches nothing pins memory of the storage engine after [`Execution::release`].

mod arrays;
mod batch_limits;
mod data;
mod graph_search;
mod intermediate_commits;
mod parallelism;
mod schema;
mod search;
mod spill_options;
mod statistics;
mod aggregate;
mod environment;
mod profile;
mod sliding_aggregate;
mod context;
mod spill;
mod operator;
mod lower;
mod execution;

pub use batch_limits::BatchLimits;
pub use data::{DataAccess, ReadAuthorization, index_bounds};
pub use environment::{AnalyzerLookup, OpenChanges, OpenGraphs, QueryEnvironment};
pub use execution::{
    Execution, ExecutionInput, ExecutionOptions, Finished, FixedState, ResultBatch, StartFailed,
};
pub use intermediate_commits::IntermediateCommitOptions;
pub use parallelism::Parallelism;
pub use spill_options::SpillOptions;
pub use statistics::{ExecutionStatistics, NodeStatistics};
