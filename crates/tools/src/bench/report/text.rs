//! The measurements for a person, in the form of ArangoDB's tool.

use std::fmt::Write;

use super::super::histogram::Histogram;
use super::super::options::{Intervals, Settings};
use super::{Run, median};
use crate::Console;

/// Prints the measurements of runs with the same settings: the median run, and the time of each.
pub(in super::super) fn print(settings: &Settings, runs: &[Run], console: &Console) {
    let Some(median) = median(runs) else { return };
    let latencies = &median.tally.latencies;
    let mut text = header(settings, runs.len(), median);
    figures(&mut text, median, latencies);
    each_run(&mut text, runs);
    percentiles(&mut text, settings, latencies);
    if let Some(intervals) = settings.histogram {
        histogram(&mut text, intervals, latencies);
    }
    console.print(&text);
}

fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

// Writes to a String do not fail.

fn header(settings: &Settings, runs: usize, median: &Run) -> String {
    format!(
        "\nTotal number of operations: {}, runs: {runs}, keep alive: {}, async: {}, batch size: {}, \
         concurrency level (threads): {}\nTest case: {}, complexity: {}, collection: '{}'\n",
        median.tally.operations,
        yes(settings.keeps_alive),
        yes(settings.is_async),
        median.batch_size,
        median.threads,
        settings.case.name(),
        settings.complexity,
        settings.collection,
    )
}

fn figures(text: &mut String, run: &Run, latencies: &Histogram) {
    let (elapsed, threads) = (run.elapsed.as_secs_f64(), run.threads as f64);
    let each = elapsed / run.tally.operations.max(1) as f64;
    let lines = [
        ("Total request/response duration (sum of all threads)", format!("{:.6} s", latencies.sum())),
        ("Request/response duration (per thread)", format!("{:.6} s", latencies.sum() / threads)),
        ("Time needed per operation", format!("{each:.9} s")),
        ("Time needed per operation per thread", format!("{:.9} s", each * threads)),
        ("Operations per second rate", format!("{:.2}", run.rate())),
        ("Requests", latencies.count().to_string()),
        ("Failed operations", run.tally.failed.to_string()),
        ("Elapsed time since start", format!("{elapsed:.6} s")),
    ];
    for (name, value) in lines {
        let _ = writeln!(text, "{name}: {value}");
    }
}

/// Adds a line for each of several runs; the text above is about the median one.
fn each_run(text: &mut String, runs: &[Run]) {
    for (number, run) in runs.iter().enumerate().filter(|_| runs.len() > 1) {
        let (seconds, rate, failed) = (run.elapsed.as_secs_f64(), run.rate(), run.tally.failed);
        let _ = writeln!(
            text,
            "Run {}: {seconds:.6} s, {rate:.2} operations per second, {failed} failed",
            number + 1
        );
    }
}

fn percentiles(text: &mut String, settings: &Settings, latencies: &Histogram) {
    let ms = |seconds: f64| seconds * 1e3;
    let _ = writeln!(
        text,
        "Min request time: {:.4} ms\nAvg request time: {:.4} ms\nMax request time: {:.4} ms",
        ms(latencies.min()),
        ms(latencies.mean()),
        ms(latencies.max())
    );
    for percentile in &settings.percentiles {
        let _ = writeln!(text, "{percentile} % of requests: {:.4} ms", ms(latencies.percentile(*percentile)));
    }
}

fn histogram(text: &mut String, intervals: Intervals, latencies: &Histogram) {
    text.push_str("Histogram: from ms, requests, share\n");
    let all = latencies.count().max(1) as f64;
    for (begin, count) in latencies.intervals(intervals.size, intervals.count) {
        let _ = writeln!(text, "{:>12.4} {count:>12} {:>8.3} %", begin * 1e3, count as f64 / all * 100.0);
    }
}
