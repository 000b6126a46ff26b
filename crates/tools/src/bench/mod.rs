//! `persea bench`, also called through links named `arangobench` and `arangob`: requests as fast as
//! a server answers them.
//!
//! [`options`] reads the options. For each batch size and number of threads, a [`case`] prepares
//! its collections. Threads ([`work`]), each with a connection of its own, send its operations
//! ([`operation`], [`batch`]) and measure the times of replies ([`histogram`]). [`report`] prints
//! and writes the measurements.

mod batch;
mod case;
mod cases;
mod histogram;
mod operation;
mod options;
mod report;
mod stage;
mod work;

use self::options::{Settings, TEST_CASE};
use crate::{Console, Failure, Progress, Server, Tool, Unit, connect};
use ::options::Options;
use operation::Amount;
use report::Run;
use stage::Stage;
use work::Work;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "bench",
    links: &["arangobench", "arangob"],
    summary: "measure the throughput of a server",
    when_stopped: "the measurements are lost",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    if options.get(&TEST_CASE) == "help" {
        console.print(&case::list());
        return Ok(());
    }
    let settings = Settings::read(options, console)?;
    report::prepare_files(&settings.files)?;
    let server = connect(options, console, settings.creates_database)?;
    let mut runs = Vec::new();
    for batch_size in &settings.batch_sizes {
        for threads in &settings.threads {
            let mut series = Vec::new();
            for number in 0..settings.runs {
                series.push(run_once(&settings, &server, *batch_size, *threads, number, console)?);
            }
            report::text::print(&settings, &series, console);
            runs.append(&mut series);
        }
    }
    report::write_files(&settings, &server.client.options().database, &runs)?;
    match runs.iter().map(|run| run.tally.failed).sum::<u64>() {
        0 => Ok(()),
        failed => {
            let operations = runs.iter().map(|run| run.tally.operations).sum::<u64>();
            let first = runs.iter().find_map(|run| run.tally.first_failure.as_deref()).unwrap_or_default();
            Err(Failure::new(format!("{failed} of {operations} operations failed; the first: {first}")))
        }
    }
}

/// Prepares the collections and measures once.
fn run_once(
    settings: &Settings,
    server: &Server,
    batch_size: u64,
    threads: u64,
    number: u64,
    console: &Console,
) -> Result<Run, Failure> {
    let case = settings.case;
    let plan = settings.plan(batch_size, threads)?;
    let stage = Stage {
        client: &server.client,
        plan: &plan,
        creates_collections: settings.creates_collections,
        waits_for_sync: settings.waits_for_sync,
    };
    let during = |failure: Failure| failure.during(&format!("the test case {:?} cannot begin", case.name()));
    (case.prepare)(&stage).map_err(during)?;
    if !settings.quiet {
        let size = if batch_size == 0 { String::new() } else { format!(", batches of {batch_size}") };
        let (name, of) = (case.name(), settings.runs);
        let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        console.info(&format!("{name}: {threads}{size}, run {} of {of}", number + 1));
    }
    let total = match settings.amount {
        Amount::Operations(count) => Some(count),
        Amount::Time(_) => None,
    };
    let work = Work {
        settings,
        plan: &plan,
        options: server.client.options(),
        console,
        progress: Progress::new(console, settings.progress, case.name(), Unit::Items("operations"), total),
    };
    let (tally, elapsed) = work.run(batch_size)?;
    drop(work);
    (case.finish)(&stage)?;
    Ok(Run { batch_size, threads, tally, elapsed })
}

#[cfg(test)]
mod tests;
