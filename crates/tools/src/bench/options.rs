//! The options of `persea bench`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use options::{
    Decimal, Definition, Flag, List, Maybe, Number, Opt, Options, Program, Text, Unsupported, decimal, flag,
    number, text,
};
use velocypack::{Builder, Limits, Slice, json};

use super::case::{self, Case};
use super::operation::{Amount, Plan, query_body};
use crate::console::Console;
use crate::failure::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea bench",
    usage: "[--OPTION VALUE ...]",
    about: "Send the requests of a test case as fast as the server answers them, and print throughput and latency. The \
            collections that the test case uses are dropped and created again.",
    sections: &[ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED, OWN_IGNORED],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: None,
};

options::section! {
    static ASYNC: Opt<Flag> =
        flag("async", false, "Let the server answer requests before it runs them.");
    static BATCH_SIZE: Opt<List<Number>> =
        number("batch-size", "0", "Number of operations in a request to /_api/batch; 0 sends each in its own request. Several values: one run for each.").list();
    pub(super) static CHART: Opt<Maybe<Text>> =
        text("chart", "", "Write an SVG chart of the time by batch size and number of threads to this file.").optional();
    static COLLECTION: Opt<Text> =
        text("collection", "ArangoBenchmark", "Name of the collection, and prefix of the names of others.");
    static COMPLEXITY: Opt<Number> =
        number("complexity", "1", "Number of attributes in a document, or of documents in an import.");
    static CONCURRENCY: Opt<List<Number>> =
        number("concurrency", "", "Old name of --threads.").list().uncommon();
    static CREATE_COLLECTION: Opt<Flag> =
        flag("create-collection", true, "Create new collections before each run. Otherwise use them as they are.");
    static CREATE_DATABASE: Opt<Flag> =
        flag("create-database", false, "Create the database if it does not exist.");
    static CUSTOM_QUERY: Opt<Maybe<Text>> =
        text("custom-query", "", "AQL query of the test case custom-query.").optional();
    static CUSTOM_QUERY_BINDVARS: Opt<Maybe<Text>> =
        text("custom-query-bindvars", "", "Bind parameters of the query, as a JSON object.").optional();
    static CUSTOM_QUERY_FILE: Opt<Maybe<Text>> =
        text("custom-query-file", "", "Read the AQL query from this file.").optional();
    static DELAY: Opt<Flag> =
        flag("delay", false, "Start all threads together, once all have connected.");
    static DURATION: Opt<Number> =
        number("duration", "0", "Duration of a run in seconds, instead of --requests; 0 means no such limit.");
    static HISTOGRAM_GENERATE: Opt<Flag> =
        flag("histogram.generate", false, "Print a histogram of request times.");
    static HISTOGRAM_INTERVAL_SIZE: Opt<Decimal> =
        decimal("histogram.interval-size", "0", "Width of an interval in milliseconds; 0 divides the longest time.");
    static HISTOGRAM_NUM_INTERVALS: Opt<Number> =
        number("histogram.num-intervals", "1000", "Maximum number of intervals. The last one counts all longer times.");
    static HISTOGRAM_PERCENTILES: Opt<List<Decimal>> =
        decimal("histogram.percentiles", "", "Percentile to print. Default: 50, 80, 85, 90, 95, 99 and 99.99.").list();
    pub(super) static JSON_REPORT_FILE: Opt<Maybe<Text>> =
        text("json-report-file", "", "Write the statistics as JSON to this file.").optional();
    pub(super) static JUNIT_REPORT_FILE: Opt<Maybe<Text>> =
        text("junit-report-file", "", "Write the statistics as JUnit XML to this file.").optional();
    static KEEP_ALIVE: Opt<Flag> =
        flag("keep-alive", true, "Keep one connection for each thread instead of opening one for each request.");
    static PROGRESS: Opt<Flag> =
        flag("progress", true, "Show progress.");
    static QUIET: Opt<Flag> =
        flag("quiet", false, "Print no message about each run.");
    static REQUESTS: Opt<Number> =
        number("requests", "1000", "Number of operations in a run.");
    static RUNS: Opt<Number> =
        number("runs", "1", "Number of runs.");
    pub(super) static TEST_CASE: Opt<Text> =
        text("test-case", "version", "Name of the test case; `help` lists them.");
    static THREADS: Opt<List<Number>> =
        number("threads", "0", "Number of threads, each with a connection; 0 means one for each core, at least two. Several values: one run for each.").list();
    static VERBOSE: Opt<Flag> =
        flag("verbose", false, "Print every error reply instead of only the first.").uncommon();
    static WAIT_FOR_SYNC: Opt<Flag> =
        flag("wait-for-sync", false, "Create collections whose writes wait for the disk.");
}

const OWN_IGNORED: &[Unsupported] = &[Unsupported {
    reason: "a single server keeps one copy of a collection, without shards",
    names: &["number-of-shards", "replication-factor"],
}];

const REQUESTS_MAX: u64 = 1 << 40;
const THREADS_MAX: u64 = 1_024;
const BATCH_MAX: u64 = 100_000;
const COMPLEXITY_MAX: u64 = 1_000_000;
const RUNS_MAX: u64 = 10_000;
const DURATION_MAX: u64 = 1 << 24;
const INTERVALS_MAX: u64 = 100_000;

/// The documents in one reply to a query. More are fetched, except in batches, whose parts are
/// independent.
const CURSOR_BATCH: u64 = 1_000;
const CURSOR_BATCH_MAX: u64 = 1_000_000;

const PERCENTILES: &[f64] = &[50.0, 80.0, 85.0, 90.0, 95.0, 99.0, 99.99];

/// The settings of a benchmark.
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

/// The files to write.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    pub(super) json: Option<PathBuf>,
    pub(super) junit: Option<PathBuf>,
    pub(super) chart: Option<PathBuf>,
}

/// The intervals of the printed histogram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervals {
    /// The size in seconds; 0 divides the longest time.
    pub(super) size: f64,
    pub(super) count: u64,
}

impl Settings {
    pub(super) fn read(options: &Options, console: &Console) -> Result<Self, Failure> {
        let file = |option: &Opt<Maybe<Text>>| options.non_empty(option).map(PathBuf::from);
        let case = case::find(options.get(&TEST_CASE))?;
        let settings = Settings {
            case,
            amount: amount(options)?,
            threads: threads(options)?,
            batch_sizes: in_range(&BATCH_SIZE, options.get(&BATCH_SIZE), 0, BATCH_MAX)?,
            runs: number_in(options, &RUNS, 1, RUNS_MAX)?,
            collection: options.get(&COLLECTION).to_owned(),
            complexity: number_in(options, &COMPLEXITY, 1, COMPLEXITY_MAX)?,
            creates_collections: options.get(&CREATE_COLLECTION),
            creates_database: options.get(&CREATE_DATABASE),
            waits_for_sync: options.get(&WAIT_FOR_SYNC),
            is_async: options.get(&ASYNC),
            starts_together: options.get(&DELAY),
            keeps_alive: options.get(&KEEP_ALIVE),
            progress: options.get(&PROGRESS),
            quiet: options.get(&QUIET),
            verbose: options.get(&VERBOSE),
            query: query(options, case, console)?,
            percentiles: percentiles(options)?,
            histogram: intervals(options)?,
            files: Files {
                json: file(&JSON_REPORT_FILE),
                junit: file(&JUNIT_REPORT_FILE),
                chart: file(&CHART),
            },
        };
        if settings.collection.is_empty() {
            return Err(Failure::option("--collection must be a name"));
        }
        Ok(settings)
    }

    /// Returns the common part of all operations of one run.
    pub(super) fn plan(&self, batch_size: u64, threads: u64) -> Result<Plan, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros());
        let total = match self.amount {
            Amount::Operations(count) => Some(count),
            Amount::Time(_) => None,
        };
        let cursor_batch = if batch_size == 0 { CURSOR_BATCH } else { CURSOR_BATCH_MAX };
        let query = match &self.query {
            Some((text, variables)) => query_body(text, Slice::new(variables), cursor_batch, false)?,
            None => String::new(),
        };
        Ok(Plan {
            collection: self.collection.clone(),
            complexity: self.complexity,
            threads,
            total,
            stamp: format!("{now:x}"),
            query,
            cursor_batch,
        })
    }
}

fn amount(options: &Options) -> Result<Amount, Failure> {
    let requests = number_in(options, &REQUESTS, 1, REQUESTS_MAX)?;
    Ok(match number_in(options, &DURATION, 0, DURATION_MAX)? {
        0 => Amount::Operations(requests),
        seconds => Amount::Time(Duration::from_secs(seconds)),
    })
}

fn number_in(options: &Options, option: &Opt<Number>, least: u64, most: u64) -> Result<u64, Failure> {
    let number = options.get(option);
    in_range(option, vec![number], least, most)?;
    Ok(number)
}

/// Returns the numbers of an option. Errors: one of them is out of range.
fn in_range(option: &Definition, numbers: Vec<u64>, least: u64, most: u64) -> Result<Vec<u64>, Failure> {
    match numbers.iter().find(|number| !(least..=most).contains(number)) {
        Some(wrong) => {
            Err(Failure::option(format!("--{} must be from {least} to {most}, not {wrong}", option.name)))
        }
        None => Ok(numbers),
    }
}

fn threads(options: &Options) -> Result<Vec<u64>, Failure> {
    let option = match (options.is_given(&CONCURRENCY), options.is_given(&THREADS)) {
        (true, true) => {
            let text = "--concurrency is the older name of --threads; give one of them";
            return Err(Failure::option(text));
        }
        (true, false) => &CONCURRENCY,
        _ => &THREADS,
    };
    let cores = || std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2) as u64);
    let threads = in_range(option, options.get(option), 0, THREADS_MAX)?;
    Ok(threads.into_iter().map(|threads| if threads == 0 { cores() } else { threads }).collect())
}

fn percentiles(options: &Options) -> Result<Vec<f64>, Failure> {
    let given = options.get(&HISTOGRAM_PERCENTILES);
    if let Some(wrong) = given.iter().find(|percentile| **percentile > 100.0) {
        return Err(Failure::option(format!("--histogram.percentiles must be from 0 to 100, not {wrong}")));
    }
    Ok(if given.is_empty() { PERCENTILES.to_vec() } else { given })
}

fn intervals(options: &Options) -> Result<Option<Intervals>, Failure> {
    let count = number_in(options, &HISTOGRAM_NUM_INTERVALS, 1, INTERVALS_MAX)?;
    let size = options.get(&HISTOGRAM_INTERVAL_SIZE) / 1e3;
    Ok(options.get(&HISTOGRAM_GENERATE).then_some(Intervals { size, count }))
}

fn query(options: &Options, case: &Case, console: &Console) -> Result<Option<(String, Vec<u8>)>, Failure> {
    let text = match (options.non_empty(&CUSTOM_QUERY), options.non_empty(&CUSTOM_QUERY_FILE)) {
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
                "the test case custom-query requires --custom-query or --custom-query-file",
            )),
            false => Ok(None),
        };
    };
    if !is_wanted {
        console.warning(&format!(
            "--custom-query has no effect: it applies to --test-case custom-query, not {}",
            case.name()
        ));
        return Ok(None);
    }
    let mut variables = Builder::new();
    let json_text = options.non_empty(&CUSTOM_QUERY_BINDVARS).unwrap_or("{}");
    let wrong = |reason: String| Failure::option(format!("--custom-query-bindvars: {reason}"));
    json::parse(json_text.as_bytes(), &Limits::default(), &mut variables)
        .map_err(|error| wrong(error.to_string()))?;
    let variables = variables.into_vec();
    match Slice::new(&variables).is_object() {
        true => Ok(Some((text, variables))),
        false => Err(wrong("it must be a JSON object".to_owned())),
    }
}
