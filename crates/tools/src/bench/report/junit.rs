//! The measurements in the form of JUnit's reports, which continuous integration shows.
//!
//! Each run is a test. It has failed if operations have.

use std::fmt::Write;

use chart::escape;

use super::super::options::Settings;
use super::Run;

pub(super) fn report(settings: &Settings, runs: &[Run]) -> String {
    let failed = runs.iter().filter(|run| run.tally.failed > 0).count();
    let seconds: f64 = runs.iter().map(|run| run.elapsed.as_secs_f64()).sum();
    let case = escape(settings.case.name());
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\
         <testsuite name=\"arangobench\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" time=\"{seconds:.6}\">\n",
        runs.len()
    );
    for (number, run) in runs.iter().enumerate() {
        let Run { batch_size, threads, tally, elapsed } = run;
        // Writes to a String do not fail.
        let _ = write!(
            xml,
            "<testcase classname=\"{case}\" name=\"run {} of {case}: batches of {batch_size}, {threads} threads\" \
             time=\"{:.6}\"",
            number + 1,
            elapsed.as_secs_f64()
        );
        let _ = match &tally.first_failure {
            None => writeln!(xml, "/>"),
            Some(text) => writeln!(
                xml,
                "><failure message=\"{} of {} operations failed\">{}</failure></testcase>",
                tally.failed,
                tally.operations,
                escape(text)
            ),
        };
    }
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}
