//! The options of `persea bench`.

use options::{Definition, Exception, Kind, Program, option};

use Kind::{Bool, Decimal, Number, Text};

use crate::common::{ENVIRONMENT_PREFIX, GENERAL, LOG, REFUSED, SERVER, WITHOUT_EFFECT};

pub(super) static PROGRAM: Program = Program {
    name: "persea bench",
    usage: "[--OPTION VALUE ...]",
    about: "Sends requests of a test case as fast as the server answers them, and prints how many a second and how long they take. \
            Drops and creates the collections that the test case works on.",
    tables: &[OPTIONS, GENERAL, SERVER, LOG],
    without_effect: &[WITHOUT_EFFECT, OWN_WITHOUT_EFFECT],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: None,
};

#[rustfmt::skip]
const OPTIONS: &[Definition] = &[
    option("async", Bool, "false", "requests that the server answers before it carries them out"),
    option("batch-size", Number, "0", "operations in a request to /_api/batch; 0 sends each by itself. Given several times: a run with each").list(),
    option("chart", Text, "", "file, .svg, for a picture of the time by batch size and number of threads"),
    option("collection", Text, "ArangoBenchmark", "name of the collection, and beginning of the names of others"),
    option("complexity", Number, "1", "attributes of a document, or documents of an import"),
    option("concurrency", Number, "", "older name of --threads").list().uncommon(),
    option("create-collection", Bool, "true", "drop and create the collections before each run; with false they are used as they are"),
    option("create-database", Bool, "false", "create the database if it does not exist"),
    option("custom-query", Text, "", "AQL of the test case custom-query"),
    option("custom-query-bindvars", Text, "", "its bind variables, a JSON object"),
    option("custom-query-file", Text, "", "file with its AQL"),
    option("delay", Bool, "false", "threads connect first, then begin together"),
    option("duration", Number, "0", "seconds that a run takes, instead of --requests; 0 is no such limit"),
    option("histogram.generate", Bool, "false", "print how many requests took how long"),
    option("histogram.interval-size", Decimal, "0", "milliseconds of an interval; 0 divides the longest time"),
    option("histogram.num-intervals", Number, "1000", "most intervals; the last holds all longer times"),
    option("histogram.percentiles", Decimal, "", "percentiles to print; 50, 80, 85, 90, 95, 99 and 99.99 if none is given").list(),
    option("json-report-file", Text, "", "file for the figures as JSON"),
    option("junit-report-file", Text, "", "file for the figures as JUnit's XML"),
    option("keep-alive", Bool, "true", "one connection a thread; false opens one for each request"),
    option("progress", Bool, "true", "show how far the run is"),
    option("quiet", Bool, "false", "no message about each run"),
    option("requests", Number, "1000", "operations of a run"),
    option("runs", Number, "1", "how often to measure"),
    option("test-case", Text, "version", "what to send; `--test-case help` lists them"),
    option("threads", Number, "0", "threads, each with a connection; 0 is one for each core, at least two. Given several times: a run with each").list(),
    option("verbose", Bool, "false", "show each reply that is an error, not the first alone").uncommon(),
    option("wait-for-sync", Bool, "false", "collections whose writes wait for the disk"),
];

const OWN_WITHOUT_EFFECT: &[Exception] = &[Exception {
    reason: "a single server keeps one copy of a collection, in one piece",
    names: &["number-of-shards", "replication-factor"],
}];
