//! Algorithms over whole graphs, with the rights of a user.
//!
//! - `source`: the graph that a request names. `load`: reads it into memory. `rows`: results as
//!   rows. `store`: results as attributes of documents.
//! - `run`: one run in one of five modes, as `GRAPH_ALGORITHM()` of AQL has them; `summary`: its
//!   statistics as a row. `ids`: identifiers of vertices as an attribute.
//! - `projections`: graphs that stay in memory. `jobs`: work that no request waits for; `results`:
//!   the rows that it has kept. `queries`: graphs from the rows of queries.
//! - `pregel`, `engines`: jobs as two interfaces of ArangoDB have them.
//!
//! The algorithms are those of the crate `graph-analytics`; docs/analytics.md describes them.

mod load;
mod source;
mod rows;
mod store;
mod ids;
mod summary;
mod run;
mod queries;
mod projections;
mod jobs;
mod results;
mod pregel;
mod engines;

pub use graph_analytics::{ALGORITHMS, Algorithm, Kind, Parameter};
pub use jobs::{JobRequest, JobWork};

pub use crate::state::analytics::{
    AnalyticsOptions, Engine, Job, JobOrigin, JobState, JobStatus, ProjectionInfo,
};

pub(crate) use run::GraphRuns;
