//! Prints Persea's rates as ratios to physical limits, all measured in one run on one machine.
//!
//! usage: benches --server PERSEA --http-limit PROGRAM --kv-limit PROGRAM [--scale X] [NAME ...]
//!
//! `PERSEA` is the server's binary. The limits are programs of their own: `http-limit SERVER PORT THREADS` answers
//! `POST /echo` with its parsed and printed body, `kv-limit ENGINE --rows N ...` prints tab-separated rates of bare
//! RocksDB. A comparison whose limit is not given prints its rate alone. Names choose benchmarks; none means all.
//!
//! A table row is: what, Persea's figure, the limit's, their ratio, the ratio to reach, and whether it is reached.
//! CPU times are those of the server and of this client, per request or per document.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod batch;
mod export;
mod graph;
mod http;
mod import;
mod limits;
mod memory;
mod process;
mod rate;
mod report;
mod requests;

use std::path::PathBuf;
use std::process::ExitCode;

/// A failure, for a person to read.
type Failure = Box<dyn std::error::Error>;

/// What the command line says.
pub(crate) struct Setup {
    server: PathBuf,
    http_limit: Option<PathBuf>,
    kv_limit: Option<PathBuf>,
    /// Multiplies the numbers of documents: 1 is the size of the published figures.
    scale: f64,
}

impl Setup {
    /// A number of documents, scaled.
    fn documents(&self, full: u64) -> u64 {
        ((full as f64 * self.scale) as u64).max(1_000)
    }
}

type Benchmark = (&'static str, fn(&Setup, &mut report::Report) -> Result<(), Failure>);

const BENCHMARKS: &[Benchmark] = &[
    ("requests", requests::run),
    ("batch", batch::run),
    ("export", export::run),
    ("graph", graph::run),
    ("import", import::run),
    ("memory", memory::run),
];

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
    let mut setup = Setup { server: PathBuf::new(), http_limit: None, kv_limit: None, scale: 1.0 };
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--server" => setup.server = value()?.into(),
            "--http-limit" => setup.http_limit = Some(value()?.into()),
            "--kv-limit" => setup.kv_limit = Some(value()?.into()),
            "--scale" => setup.scale = value()?.parse()?,
            name if BENCHMARKS.iter().any(|(known, _)| *known == name) => names.push(argument),
            other => return Err(format!("unknown argument {other:?}").into()),
        }
    }
    if setup.server.as_os_str().is_empty() {
        return Err("--server is missing: the path of the persea binary, built with --release".into());
    }
    let mut report = report::Report::new();
    for (name, benchmark) in BENCHMARKS {
        if names.is_empty() || names.iter().any(|chosen| chosen == name) {
            benchmark(&setup, &mut report)?;
        }
    }
    Ok(())
}
