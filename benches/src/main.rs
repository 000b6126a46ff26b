//! Prints Persea's rates as ratios to physical limits, all measured in one run on one machine.
//!
//! usage: benches --server PERSEA --http-limit PROGRAM --kv-limit PROGRAM [--engine NAME]
//!                [--scale X] [NAME ...]
//!        benches --server PERSEA [--scale X] engines
//!        benches --server PERSEA [--tools PERSEA] [--engine NAME] [--scale X] backup
//!        benches --server PERSEA [--tools PERSEA] [--engine NAME] [--scale X] bystander
//!        benches --server PERSEA [--engine NAME] [--scale X] quantizers
//!        benches --server PERSEA --tikv PD,.. [--scale X] cluster
//!        benches [--graph-scale N] [--edge-factor N] analytics
//!        benches --server PERSEA [--tools PERSEA] [--engine NAME] [--scale X]
//!                [--documents-max N] [--charts FOLDER] table-NAME ...
//!
//! `PERSEA` is the server's binary. The limits are separate programs: `http-limit SERVER PORT
//! THREADS` answers `POST /echo` with its parsed and printed body; `kv-limit ENGINE --rows N ...`
//! prints tab-separated rates of bare RocksDB. `search` takes `--texts FILE`, with one text per
//! line, and `--postgres FOLDER`, PostgreSQL's programs. A comparison whose limit is not given
//! prints its rate alone. Names choose benchmarks; without names, all but the tables run.
//!
//! A row of the report has these cells: the measure, Persea's result, the limit's, their ratio, the
//! target ratio, and whether it is reached. CPU times are those of the server and of this client,
//! per request or per document.
//!
//! `engines` compares the memory-mapped engine with RocksDB's: two servers with the same data take
//! turns. `--engine NAME` chooses the engine of all other servers.
//!
//! `backup` loads 10,000,000 documents times `--scale`, and backs them up while others are written.
//! It needs 10 GB in the folder of `TMPDIR`.
//!
//! `bystander` measures the waits of a small client while the server loads 10,000,000 documents
//! times `--scale`, builds an index, is backed up, dumps, restores and drops. It needs 8 GB in the
//! folder of `TMPDIR`.
//!
//! `quantizers` compares vector indexes of 1,000,000 documents times `--scale` with and without
//! codes. It needs 4 GB in the folder of `TMPDIR`.
//!
//! `cluster` needs a running TiKV cluster, whose PD `--tikv` names. It compares one server, two
//! servers, and the engine alone, whose client works on the same stores without a server.
//!
//! `analytics` compares algorithms over graphs in memory with bare loops over the same arrays. It
//! needs no server. Its graph has `2^graph-scale` vertices, and `edge-factor` times as many edges.
//!
//! Tables (`table-export`, `table-batch`, `table-cursor`, `table-dump`, `table-scale`) print one
//! Markdown table each and write a chart to `--charts` (the current folder). `persea bench`, `dump`
//! and `restore` of `--tools`, by default the server's binary, make their data and requests. Their
//! sizes are those of the posts that they repeat, times `--scale`; `--documents-max` omits larger
//! collections. `table-scale` measures collections of 1, 10 and 100 million documents, and needs
//! 100 MB in the folder of `TMPDIR` for each million.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod http;
mod limits;
mod servers;
mod report;
mod markdown;
mod quantiles;
mod folder;
mod tools;
mod documents;
mod import;
mod rate;
mod search;
mod backup;
mod tables;
mod bystander;
mod vectors;
mod batch;
mod export;
mod graph;
mod memory;
mod requests;
mod cluster;
mod engines;
mod analytics;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use harness::Server;

use tables::TABLES;

/// A failure with a message for people.
type Failure = Box<dyn std::error::Error>;

/// The settings of the command line.
pub(crate) struct Setup {
    server: PathBuf,
    /// The storage engine of its servers; `None`: the default.
    engine: Option<String>,
    http_limit: Option<PathBuf>,
    kv_limit: Option<PathBuf>,
    /// The binary whose tools the tables use; `None`: the server's.
    tools: Option<PathBuf>,
    /// The file of texts that `search` searches, and the folder of PostgreSQL's programs.
    texts: Option<PathBuf>,
    postgres: Option<PathBuf>,
    /// The addresses of PD.
    pd: Option<String>,
    /// The folder for charts.
    charts: PathBuf,
    /// Maximum number of documents of a table's collection.
    documents_max: Option<u64>,
    /// Factor of the numbers of documents: 1 is the size of the published figures.
    scale: f64,
    /// The logarithm to base 2 of the vertices of the graph of `analytics`.
    graph_scale: u32,
    /// The edges of that graph for each vertex.
    edge_factor: usize,
}

impl Setup {
    /// Starts Persea on a store in `folder`.
    fn persea(&self, folder: &Path, options: &[&str]) -> Result<Server, Failure> {
        servers::persea(&self.server, self.engine.as_deref(), folder, options)
    }

    /// Returns a number of documents, scaled.
    fn documents(&self, full: u64) -> u64 {
        ((full as f64 * self.scale) as u64).max(1_000)
    }
}

type Benchmark = (&'static str, fn(&Setup, &mut report::Report) -> Result<(), Failure>);

const BENCHMARKS: &[Benchmark] = &[
    ("requests", requests::run),
    ("search", search::run),
    ("batch", batch::run),
    ("export", export::run),
    ("graph", graph::run),
    ("import", import::run),
    ("memory", memory::run),
    ("vectors", vectors::run),
];

/// The comparison of engines. It runs only by name.
const ENGINES: &str = "engines";

/// Backups under load. They run only by name.
const BACKUP: &str = "backup";

/// Codes of vectors. They run only by name.
const QUANTIZERS: &str = "quantizers";

/// A small client beside large work. It runs only by name.
const BYSTANDER: &str = "bystander";

/// Servers on a TiKV cluster. They run only by name.
const CLUSTER: &str = "cluster";

/// Algorithms over graphs in memory. They run only by name.
const ANALYTICS: &str = "analytics";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("benches: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let (setup, names) = read()?;
    if BENCHMARKS.iter().any(|(name, _)| is_chosen(&names, name)) {
        let mut report = report::Report::new();
        for (_, benchmark) in BENCHMARKS.iter().filter(|(name, _)| is_chosen(&names, name)) {
            benchmark(&setup, &mut report)?;
        }
    }
    if names.iter().any(|name| name == ENGINES) {
        engines::run(&setup, &mut report::Report::of(engines::OURS, engines::THEIRS))?;
    }
    if names.iter().any(|name| name == BACKUP) {
        backup::run(&setup, &mut report::Report::new())?;
    }
    if names.iter().any(|name| name == QUANTIZERS) {
        vectors::run_quantizers(&setup, &mut report::Report::new())?;
    }
    if names.iter().any(|name| name == BYSTANDER) {
        bystander::run(&setup)?;
    }
    if names.iter().any(|name| name == CLUSTER) {
        cluster::run(&setup, &mut report::Report::of("server", "engine"))?;
    }
    if names.iter().any(|name| name == ANALYTICS) {
        analytics::run(&setup, &mut report::Report::of(analytics::OURS, analytics::THEIRS))?;
    }
    for table in TABLES.iter().filter(|(name, _)| names.iter().any(|chosen| chosen == name)) {
        tables::run(table, &setup)?;
    }
    Ok(())
}

fn is_chosen(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|chosen| chosen == name)
}

/// Reads the command line and returns the settings and the names on it.
fn read() -> Result<(Setup, Vec<String>), Failure> {
    let mut setup = Setup {
        server: PathBuf::new(),
        engine: None,
        http_limit: None,
        kv_limit: None,
        tools: None,
        texts: None,
        postgres: None,
        pd: None,
        charts: ".".into(),
        documents_max: None,
        scale: 1.0,
        graph_scale: 21,
        edge_factor: 16,
    };
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--server" => setup.server = value()?.into(),
            "--engine" => setup.engine = Some(value()?),
            "--http-limit" => setup.http_limit = Some(value()?.into()),
            "--kv-limit" => setup.kv_limit = Some(value()?.into()),
            "--scale" => setup.scale = value()?.parse()?,
            "--graph-scale" => setup.graph_scale = value()?.parse()?,
            "--edge-factor" => setup.edge_factor = value()?.parse()?,
            "--texts" => setup.texts = Some(value()?.into()),
            "--postgres" => setup.postgres = Some(value()?.into()),
            "--tikv" => setup.pd = Some(value()?),
            "--tools" => setup.tools = Some(value()?.into()),
            "--charts" => setup.charts = value()?.into(),
            "--documents-max" => setup.documents_max = Some(value()?.parse()?),
            name if is_known(name) => names.push(argument),
            other => return Err(format!("unknown argument {other:?}").into()),
        }
    }
    let needs_server = names.is_empty() || names.iter().any(|name| name != ANALYTICS);
    if needs_server && setup.server.as_os_str().is_empty() {
        return Err("--server is missing: the path of the persea binary, built with --release".into());
    }
    if !(setup.scale > 0.0 && setup.scale <= 100.0) {
        return Err(format!("--scale must be more than 0 and at most 100, not {}", setup.scale).into());
    }
    if !(1..=28).contains(&setup.graph_scale) || !(1..=64).contains(&setup.edge_factor) {
        return Err("--graph-scale must be from 1 to 28, and --edge-factor from 1 to 64".into());
    }
    Ok((setup, names))
}

fn is_known(name: &str) -> bool {
    BENCHMARKS
        .iter()
        .map(|known| known.0)
        .chain(TABLES.iter().map(|known| known.0))
        .chain([ENGINES, BACKUP, QUANTIZERS, BYSTANDER, CLUSTER, ANALYTICS])
        .any(|known| known == name)
}
