//! What the options of a benchmark mean together.

use std::time::Duration;

use options::{Options, parse_bytes};
use velocypack::{Builder, Limits, Slice, json};

use super::case::{self, Case};
use super::report::Files;
use super::work::Amount;
use crate::{Console, Failure};

const REQUESTS_MAX: u64 = 1 << 40;
const THREADS_MAX: u64 = 1_024;
const BATCH_MAX: u64 = 100_000;
const COMPLEXITY_MAX: u64 = 1_000_000;
const RUNS_MAX: u64 = 10_000;
const DURATION_MAX: u64 = 1 << 24;
const INTERVALS_MAX: u64 = 100_000;

const PERCENTILES: &[f64] = &[50.0, 80.0, 85.0, 90.0, 95.0, 99.0, 99.99];

/// What a benchmark is to do.
pub(super) struct Settings {
    pub(super) case: &'static Case,
    pub(super) amount: Amount,
    pub(super) threads: Vec<u64>,
    pub(super) batch_sizes: Vec<u64>,
    pub(super) runs: u64,
    pub(super) collection: String,
    pub(super) complexity: u64,
    pub(super) creates_collections: bool,
    pub(super) creates_database: bool,
    pub(super) waits_for_sync: bool,
    pub(super) is_async: bool,
    pub(super) starts_together: bool,
    pub(super) keeps_alive: bool,
    pub(super) progress: bool,
    pub(super) quiet: bool,
    pub(super) verbose: bool,
    /// AQL and, as VelocyPack, its bind variables.
    pub(super) query: Option<(String, Vec<u8>)>,
    pub(super) percentiles: Vec<f64>,
    pub(super) histogram: Option<Intervals>,
    pub(super) files: Files,
}

/// The intervals of the histogram that is printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervals {
    /// Seconds; 0 divides the longest time.
    pub(super) size: f64,
    pub(super) count: u64,
}

impl Settings {
    pub(super) fn read(options: &Options, console: &Console) -> Result<Self, Failure> {
        let file = |name: &str| options.text(name).filter(|path| !path.is_empty()).map(Into::into);
        let case = case::find(options.text("test-case").unwrap_or_default())?;
        let settings = Settings {
            case,
            amount: amount(options)?,
            threads: threads(options)?,
            batch_sizes: numbers(options, "batch-size", 0, BATCH_MAX)?,
            runs: number(options, "runs", 1, RUNS_MAX)?,
            collection: options.text("collection").unwrap_or_default().to_owned(),
            complexity: number(options, "complexity", 1, COMPLEXITY_MAX)?,
            creates_collections: options.flag("create-collection"),
            creates_database: options.flag("create-database"),
            waits_for_sync: options.flag("wait-for-sync"),
            is_async: options.flag("async"),
            starts_together: options.flag("delay"),
            keeps_alive: options.flag("keep-alive"),
            progress: options.flag("progress"),
            quiet: options.flag("quiet"),
            verbose: options.flag("verbose"),
            query: query(options, case, console)?,
            percentiles: percentiles(options)?,
            histogram: intervals(options)?,
            files: Files {
                json: file("json-report-file"),
                junit: file("junit-report-file"),
                chart: file("chart"),
            },
        };
        if settings.collection.is_empty() {
            return Err(Failure::option("--collection must be a name"));
        }
        Ok(settings)
    }
}

fn amount(options: &Options) -> Result<Amount, Failure> {
    let requests = number(options, "requests", 1, REQUESTS_MAX)?;
    Ok(match number(options, "duration", 0, DURATION_MAX)? {
        0 => Amount::Operations(requests),
        seconds => Amount::Time(Duration::from_secs(seconds)),
    })
}

fn number(options: &Options, name: &str, least: u64, most: u64) -> Result<u64, Failure> {
    match options.number(name) {
        number if (least..=most).contains(&number) => Ok(number),
        number => Err(out_of_range(name, least, most, number)),
    }
}

fn numbers(options: &Options, name: &str, least: u64, most: u64) -> Result<Vec<u64>, Failure> {
    let values = options.all(name).into_iter().filter_map(parse_bytes);
    let check = |value: u64| match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(out_of_range(name, least, most, value)),
    };
    values.map(check).collect()
}

fn out_of_range(name: &str, least: u64, most: u64, value: u64) -> Failure {
    Failure::option(format!("--{name} must be from {least} to {most}, not {value}"))
}

fn threads(options: &Options) -> Result<Vec<u64>, Failure> {
    let name = match (options.is_given("concurrency"), options.is_given("threads")) {
        (true, true) => {
            let text = "--concurrency is the older name of --threads; give one of them";
            return Err(Failure::option(text));
        }
        (true, false) => "concurrency",
        _ => "threads",
    };
    let cores = || std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2) as u64);
    let threads = numbers(options, name, 0, THREADS_MAX)?;
    Ok(threads.into_iter().map(|threads| if threads == 0 { cores() } else { threads }).collect())
}

fn percentiles(options: &Options) -> Result<Vec<f64>, Failure> {
    let given: Vec<f64> =
        options.all("histogram.percentiles").into_iter().filter_map(|text| text.parse().ok()).collect();
    if let Some(wrong) = given.iter().find(|percentile| **percentile > 100.0) {
        return Err(Failure::option(format!("--histogram.percentiles must be from 0 to 100, not {wrong}")));
    }
    Ok(if given.is_empty() { PERCENTILES.to_vec() } else { given })
}

fn intervals(options: &Options) -> Result<Option<Intervals>, Failure> {
    let count = number(options, "histogram.num-intervals", 1, INTERVALS_MAX)?;
    let size = options.seconds("histogram.interval-size") / 1e3;
    Ok(options.flag("histogram.generate").then_some(Intervals { size, count }))
}

fn query(options: &Options, case: &Case, console: &Console) -> Result<Option<(String, Vec<u8>)>, Failure> {
    let given = |name: &str| options.text(name).filter(|text| !text.is_empty());
    let text = match (given("custom-query"), given("custom-query-file")) {
        (Some(text), _) => Some(text.to_owned()),
        (None, Some(path)) => Some(std::fs::read_to_string(path).map_err(|error| {
            Failure::option(format!("--custom-query-file: {path} cannot be read: {error}"))
        })?),
        (None, None) => None,
    };
    let is_wanted = case.name() == "custom-query";
    let Some(text) = text else {
        return match is_wanted {
            true => Err(Failure::option(
                "the test case custom-query needs its AQL: --custom-query or --custom-query-file",
            )),
            false => Ok(None),
        };
    };
    if !is_wanted {
        console.warning(&format!(
            "--custom-query has no effect: it is for --test-case custom-query, not {}",
            case.name()
        ));
        return Ok(None);
    }
    let mut variables = Builder::new();
    let json_text = given("custom-query-bindvars").unwrap_or("{}");
    let wrong = |reason: String| Failure::option(format!("--custom-query-bindvars: {reason}"));
    json::parse(json_text.as_bytes(), &Limits::default(), &mut variables)
        .map_err(|error| wrong(error.to_string()))?;
    let variables = variables.into_vec();
    match Slice::new(&variables).is_object() {
        true => Ok(Some((text, variables))),
        false => Err(wrong("it must be a JSON object".to_owned())),
    }
}
