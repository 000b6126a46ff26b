//! Reports of runs: as text, and in files.

mod chart;
mod json;
mod junit;
pub(super) mod text;

use std::path::Path;
use std::time::Duration;

use super::options::{CHART, Files, JSON_REPORT_FILE, JUNIT_REPORT_FILE, Settings};
use super::work::Tally;
use crate::Failure;

/// The measurements of one run.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) batch_size: u64,
    pub(super) threads: u64,
    pub(super) tally: Tally,
    /// The time from the first request to the last reply.
    pub(super) elapsed: Duration,
}

impl Run {
    /// Returns the operations per second.
    pub(super) fn rate(&self) -> f64 {
        self.tally.operations as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Returns the median run by time; of the two in the middle, the faster one.
pub(super) fn median<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Option<&'a Run> {
    let mut runs: Vec<&Run> = runs.into_iter().collect();
    runs.sort_by_key(|run| run.elapsed);
    runs.get(runs.len().checked_sub(1)? / 2).copied()
}

/// Checks before the first run that the files can be written.
pub(super) fn prepare_files(files: &Files) -> Result<(), Failure> {
    if let Some(path) = &files.chart
        && !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
    {
        let path = path.display();
        return Err(Failure::option(format!("--chart: the file must end with .svg, not {path}")));
    }
    let all = [
        (JSON_REPORT_FILE.name, &files.json),
        (JUNIT_REPORT_FILE.name, &files.junit),
        (CHART.name, &files.chart),
    ];
    for (option, path) in all {
        let Some(path) = path else { continue };
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(path);
        opened.map_err(|error| unwritten(option, path, &error))?;
    }
    Ok(())
}

/// Writes all files that the options ask for.
pub(super) fn write_files(settings: &Settings, database: &str, runs: &[Run]) -> Result<(), Failure> {
    let Files { json, junit, chart } = &settings.files;
    write(JSON_REPORT_FILE.name, json.as_deref(), || json::report(settings, database, runs))?;
    write(JUNIT_REPORT_FILE.name, junit.as_deref(), || Ok(junit::report(settings, runs)))?;
    write(CHART.name, chart.as_deref(), || Ok(chart::chart(settings, runs).svg()))
}

fn write<T: AsRef<[u8]>>(
    option: &str,
    path: Option<&Path>,
    content: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, content()?).map_err(|error| unwritten(option, path, &error))
}

fn unwritten(option: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("--{option}: {} cannot be written: {error}", path.display()))
}
