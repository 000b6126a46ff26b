//! Graphs that are in memory for algorithms, the threads that compute, and the jobs that run.

mod origin;
mod vertices;
mod projection;
mod projections;
mod job;
mod jobs;
mod engines;
mod pool;

use std::time::Duration;

use crate::metrics::AnalyticsUse;

pub use engines::Engine;
pub(crate) use engines::Engines;
pub use job::{Job, JobState, JobStatus};
pub(crate) use jobs::Jobs;
pub use origin::JobOrigin;
pub(crate) use pool::AnalyticsPool;
pub use projection::ProjectionInfo;
pub(crate) use projection::{LoadedGraph, Projection};
pub(crate) use projections::Projections;
pub(crate) use vertices::Vertices;

/// The options of graph analytics.
#[derive(Clone, Copy, Debug)]
pub struct AnalyticsOptions {
    /// The threads that all algorithms share; 0 for one a processor.
    pub threads: usize,
    /// Maximum number of projections of all databases.
    pub projections_max: usize,
    /// Maximum number of vertices of a projection.
    pub vertices_max: u64,
    /// The time after its last use at which a projection is removed.
    pub time_to_live: Duration,
    /// Maximum number of jobs that run, wait or keep their result.
    pub jobs_max: usize,
}

impl Default for AnalyticsOptions {
    fn default() -> Self {
        AnalyticsOptions {
            threads: 0,
            projections_max: 256,
            vertices_max: u64::from(u32::MAX) - 1,
            time_to_live: Duration::from_secs(3_600),
            jobs_max: 1_000,
        }
    }
}

/// The state of graph analytics.
#[derive(Debug)]
pub(crate) struct Analytics {
    pub(crate) options: AnalyticsOptions,
    pub(crate) pool: AnalyticsPool,
    pub(crate) projections: Projections,
    pub(crate) jobs: Jobs,
    pub(crate) engines: Engines,
}

impl Analytics {
    pub(crate) fn new(options: AnalyticsOptions) -> Self {
        Analytics {
            options,
            pool: AnalyticsPool::new(options.threads),
            projections: Projections::new(options.projections_max),
            jobs: Jobs::new(options.jobs_max),
            engines: Engines::default(),
        }
    }

    /// Returns the metrics.
    pub(crate) fn in_use(&self) -> AnalyticsUse {
        let (projections, projection_bytes) = self.projections.size();
        AnalyticsUse {
            projections,
            projection_bytes,
            running_jobs: self.jobs.running(),
            runs: self.pool.runs(),
        }
    }

    /// Removes the projections and jobs of a database that is dropped.
    pub(crate) fn remove_database(&self, database: &str) {
        self.jobs.remove_database(database);
        self.projections.remove_database(database);
    }

    /// Removes projections, engines and results of jobs that nobody has used for their time to
    /// live.
    pub(crate) fn expire(&self) {
        self.projections.expire();
        self.jobs.expire();
        self.engines.expire();
    }
}
