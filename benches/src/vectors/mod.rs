//! Searches of a vector index against brute force: recall of the ten nearest, and the server's
//! time.
//!
//! Brute force is a search of all lists of the same index in the same run. The sets are clustered
//! and uniform vectors of 128 and 768 dimensions. Their numbers of lists are those of the index's
//! default. A filter that one document in a hundred passes is on an attribute that the index
//! stores. The report also has the server's CPU time, which is reliable on a busy machine.

mod quantizers;
mod set;

use std::time::Instant;

use crate::http::{Connection, JSON, request};
use crate::report::{Report, Target};
use crate::{Failure, Setup};
use set::{Set, load, searches};

pub(crate) use quantizers::run as run_quantizers;

const PROBES: [u64; 5] = [1, 4, 16, 64, 256];
/// Lists that are more than any index has.
const ALL_LISTS: u64 = 1_000_000;
/// The share of brute force's time that a search with enough recall may take.
const SHARE_MAX: f64 = 0.1;
const RECALL_MIN: f64 = 0.95;

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    for (documents, dimension) in [(100_000, 128), (30_000, 768)] {
        for clusters in [1_000, 0] {
            measure(&Set::new(setup.documents(documents), dimension, clusters), setup, report)?;
        }
    }
    Ok(())
}

fn measure(set: &Set, setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    let mut connection = Connection::open(server.port())?;
    let kind = if set.centers.is_empty() { "uniform" } else { "clustered" };
    let name = format!("{} x {} {kind}", set.documents, set.dimension);
    load(set, &mut connection)?;
    let definition = format!(
        r#"{{"type":"vector","fields":["v"],"storedValues":["n"],"params":{{"metric":"l2","dimension":{}}}}}"#,
        set.dimension
    );
    let create = request("POST", "/_api/index?collection=v", JSON, definition.as_bytes());
    let (started, cpu) = (Instant::now(), server.process().cpu_time());
    connection.expect_success(&create)?;
    report.figure(&format!("{name}: build"), started.elapsed().as_secs_f64(), "s", &Target::AtMost(20.0));
    report.figure(
        &format!("{name}: build, CPU"),
        (server.process().cpu_time() - cpu).as_secs_f64(),
        "s",
        &Target::None,
    );
    for filter in ["", "FILTER d.n == 7 "] {
        let exact = searches(set, &server, &mut connection, filter, ALL_LISTS)?;
        let what = if filter.is_empty() { name.clone() } else { format!("{name}, filter 1 %") };
        report.figure(&format!("{what}: brute force"), exact.milliseconds, "ms", &Target::None);
        report.figure(&format!("{what}: brute force, CPU"), exact.cpu_milliseconds, "ms", &Target::None);
        for n_probe in PROBES {
            let found = searches(set, &server, &mut connection, filter, n_probe)?;
            let recall = found.recall(&exact);
            let is_enough = recall >= RECALL_MIN;
            let target = if is_enough { Target::AtMost(SHARE_MAX) } else { Target::None };
            let what = format!("{what}: nProbe {n_probe}, recall {recall:.3}");
            report.ratio(&what, (found.milliseconds, "ms"), Some(exact.milliseconds), &target);
            let (own, all) = (found.cpu_milliseconds, exact.cpu_milliseconds);
            report.ratio(&format!("{what}, CPU"), (own, "ms"), Some(all), &target);
        }
    }
    Ok(())
}
