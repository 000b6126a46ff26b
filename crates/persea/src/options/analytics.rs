//! `--analytics`: algorithms over whole graphs.

use std::time::Duration;

use database::analytics::AnalyticsOptions;
use options::{Number, Opt, Options, number};

options::section! {
    static JOBS: Opt<Number> =
        number("analytics.max-jobs", "1000", "Maximum number of jobs of graph analytics that run or keep their results.");
    static PROJECTIONS: Opt<Number> =
        number("analytics.max-projections", "256", "Maximum number of graphs that stay in memory.");
    static VERTICES: Opt<Number> =
        number("analytics.max-vertices", "4294967294", "Maximum number of vertices of a graph in memory.");
    static TIME_TO_LIVE: Opt<Number> =
        number("analytics.projection-ttl", "3600", "Seconds after its last use at which a graph leaves the memory.");
    static THREADS: Opt<Number> =
        number("analytics.threads", "0", "Number of threads that all algorithms share; 0 for one a processor.");
}

/// Makes the bounds of graph analytics.
pub(crate) fn settings(options: &Options) -> AnalyticsOptions {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    AnalyticsOptions {
        threads: count(options.get(&THREADS)),
        projections_max: count(options.get(&PROJECTIONS)),
        vertices_max: options.get(&VERTICES),
        time_to_live: Duration::from_secs(options.get(&TIME_TO_LIVE)),
        jobs_max: count(options.get(&JOBS)),
    }
}
