//! The project's own checks: one command decides if a change may land.
//!
//! `cargo xtask check` runs all of them in the order of [`STEPS`]; `cargo xtask check layers
//! clippy` runs only those two.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod files;
mod fuzz;
mod metadata;
mod modules;
mod trials;
mod web;
mod documents;
mod imports;
mod layers;
mod licences;
mod owners;
mod sbom;
mod suites;
mod titles;
mod words;

use std::process::{Command, ExitCode};
use std::time::Instant;

use trials::TRIALS;

/// A description of the failure for people.
type Failure = String;

/// A check: its name on the command line, its promise, and its function.
struct Step {
    name: &'static str,
    promise: &'static str,
    run: fn() -> Result<(), Failure>,
}

/// The checks, cheap ones first, so that an error shows early.
const STEPS: &[Step] = &[
    Step { name: "fmt", promise: "the code is formatted", run: || cargo(&["fmt", "--all", "--check"]) },
    Step { name: "layers", promise: "no crate and no module uses one above it", run: layers::check },
    Step {
        name: "imports",
        promise: "std is imported first, then other crates, then this one",
        run: imports::check,
    },
    Step {
        name: "documents",
        promise: "links in documents resolve, and lines are short",
        run: documents::check,
    },
    Step { name: "owners", promise: "what nobody can end is named in ARCHITECTURE.md", run: owners::check },
    Step { name: "words", promise: "comments keep to docs/style.md", run: words::check },
    Step { name: "licences", promise: "every dependency's licence fits Apache-2.0", run: licences::check },
    Step { name: "web", promise: "the web interface has no errors and is small", run: web::build },
    Step {
        name: "advisories",
        promise: "no dependency has a known advisory",
        run: licences::check_advisories,
    },
    Step {
        name: "clippy",
        promise: "no warning anywhere",
        run: || cargo(&["clippy", "--workspace", "--all-targets", "--", "-Dwarnings"]),
    },
    Step { name: "docs", promise: "the documentation builds without a warning", run: docs },
    Step { name: "test", promise: "every test passes", run: test },
    Step {
        name: "histories",
        promise: "transactions have snapshot isolation, also across kills and at a follower",
        run: || {
            trials::check("histories")?;
            trials::check_with(
                "histories",
                &["--seconds", "6", "--seed", "1", "--kills", "2", "--followers", "1"],
            )
        },
    },
    Step {
        name: "crash",
        promise: "a killed server keeps all acknowledged writes, and no partial ones",
        run: || {
            trials::check("crash")?;
            const MMFILES: [&str; 2] = ["--engine", "mmfiles"];
            const ENCRYPTED: [&str; 2] = ["--encrypted", "true"];
            for kind in [&MMFILES[..], &ENCRYPTED, &[MMFILES, ENCRYPTED].concat()] {
                let options = [kind, &["--kills", "20", "--seed", "1", "--seconds", "10"]].concat();
                trials::check_with("crash", &options)?;
            }
            Ok(())
        },
    },
    Step {
        name: "rules",
        promise: "a user sees and changes only what the rules of collections allow",
        run: || trials::check("rules"),
    },
    Step {
        name: "suites",
        promise: "the official drivers' tests pass, except those that are expected to fail",
        run: suites::check,
    },
    Step {
        name: "attack",
        promise: "a server withstands a minute of attacks",
        run: || trials::check("attack"),
    },
];

/// The checks that run only when they are named.
const STEPS_ON_REQUEST: &[Step] = &[
    // Before commits are handed in: in CI, the tip may be a commit that a service has made.
    Step { name: "titles", promise: "titles of commits are short and name an area", run: titles::check },
    // A second row of CI's matrix, since it builds and runs most tests once more.
    Step {
        name: "mmfiles",
        promise: "every test that takes an engine passes on the memory-mapped one",
        run: test_on_mapped_files,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, names)) if command == "check" => check(names),
        Some((command, arguments)) if command == "fuzz" => report(fuzz::run_targets(arguments)),
        Some((command, arguments)) if command == "sbom" => report(sbom::run(arguments)),
        Some((command, arguments)) if command == "suites" => report(suites::run(arguments)),
        Some((command, arguments)) if command == "web" => report(web::run_command(arguments)),
        Some((command, arguments)) if TRIALS.iter().any(|trial| trial.name == command) => {
            report(trials::run_trial(command, arguments))
        }
        _ => {
            eprintln!(
                "usage: cargo xtask check [STEP ...]\n       cargo xtask fuzz [--seconds N] [TARGET ...]\n       cargo xtask sbom FOLDER\n       cargo xtask suites [SUITE ...]\n       {}",
                web::USAGE
            );
            for trial in TRIALS {
                eprintln!("       cargo xtask {} [--help] [--OPTION VALUE ...]", trial.name);
            }
            eprintln!("\nsteps (without names, all of them run):");
            for step in STEPS {
                eprintln!("  {:<12}{}", step.name, step.promise);
            }
            eprintln!("\nsteps that run only by name:");
            for step in STEPS_ON_REQUEST {
                eprintln!("  {:<12}{}", step.name, step.promise);
            }
            ExitCode::from(2)
        }
    }
}

fn report(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn check(names: &[String]) -> ExitCode {
    let all = || STEPS.iter().chain(STEPS_ON_REQUEST);
    if let Some(unknown) = names.iter().find(|name| all().all(|step| step.name != *name)) {
        eprintln!("there is no step {unknown:?}; `cargo xtask` lists them");
        return ExitCode::from(2);
    }
    let is_named = |step: &&Step| names.iter().any(|name| name == step.name);
    let chosen: Vec<&Step> =
        if names.is_empty() { STEPS.iter().collect() } else { all().filter(is_named).collect() };
    for step in chosen {
        println!("== {}: {}", step.name, step.promise);
        let start = Instant::now();
        if let Err(failure) = (step.run)() {
            eprintln!("== {} failed: {failure}", step.name);
            return ExitCode::FAILURE;
        }
        println!("== {}: ok after {:.1} s", step.name, start.elapsed().as_secs_f64());
    }
    ExitCode::SUCCESS
}

/// Runs all tests. Many of them wait for servers that they have started, so more of them run at
/// once than there are processors, unless `RUST_TEST_THREADS` says otherwise.
fn test() -> Result<(), Failure> {
    const THREADS: &str = "RUST_TEST_THREADS";
    const TESTS_PER_PROCESSOR: usize = 2;
    // Examples are programs for measurements, which clippy has compiled.
    for targets in [&["--lib", "--bins", "--tests"][..], &["--doc"]] {
        let mut command = Command::new(env!("CARGO"));
        command.args(["test", "--workspace"]).args(targets);
        if std::env::var_os(THREADS).is_none() {
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            command.env(THREADS, (processors * TESTS_PER_PROCESSOR).to_string());
        }
        run(&mut command)?;
    }
    Ok(())
}

/// Runs the tests that take an engine. The variable also chooses the engine of servers that tests
/// start; tests of backups and of old stores need RocksDB's.
fn test_on_mapped_files() -> Result<(), Failure> {
    let packages = ["storage", "aql-exec", "database", "server"].map(|name| format!("--package={name}"));
    let modules = ["crash", "dump", "dump_options", "engines", "export", "http", "import"];
    let modules = modules.map(|name| format!("{name}::"));
    let persea = ["--package=persea", "--test=it", "--"].map(str::to_owned);
    [packages.to_vec(), [&persea[..], &modules].concat()].iter().try_for_each(|arguments| {
        let mut command = Command::new(env!("CARGO"));
        run(command.arg("test").args(arguments).env("PERSEA_STORAGE_ENGINE", "mmfiles"))
    })
}

fn docs() -> Result<(), Failure> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-Dwarnings");
    run(&mut command)
}

fn cargo(arguments: &[&str]) -> Result<(), Failure> {
    run(Command::new(env!("CARGO")).args(arguments))
}

fn run(command: &mut Command) -> Result<(), Failure> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(error) => Err(format!("{command:?} could not be started: {error}")),
    }
}
