//! Options and test cases of `persea bench`, without a server.

use std::time::Duration;

use ::options::{Options, Request, Version};

use super::case::{CASES, Operations, find};
use super::cases::seed::{friends, popular};
use super::histogram::Histogram;
use super::operation::{Amount, Plan, Turn};
use super::options::{PROGRAM, Settings};
use super::report::{Run, median, prepare_files};
use super::work::Tally;
use crate::{Console, Failure};

const VERSION: Version = Version { compatible: "3.12.0", own: "1", license: "L", commit: "" };

fn read(arguments: &[&str]) -> Result<Settings, Failure> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    match Options::read(&PROGRAM, VERSION, &arguments, &|_| None)? {
        Request::Run(options) => Settings::read(&options, &Console::plain()),
        Request::Print(text) => panic!("{text}"),
    }
}

#[test]
fn the_command_line_of_2012_is_understood() {
    let line = "--server.password= --delay true --requests 500000 --test-case document --complexity 1 --batch-size 64 \
                --concurrency 4";
    let settings = read(&line.split_whitespace().collect::<Vec<_>>()).unwrap();
    assert_eq!((settings.threads, settings.batch_sizes), (vec![4], vec![64]));
    assert!(settings.starts_together && matches!(settings.amount, Amount::Operations(500_000)));
    assert_eq!(settings.case.name(), "document");
}

#[test]
fn lists_and_defaults_of_options() {
    let settings = read(&["--threads", "1", "--threads", "16", "--batch-size=0", "--batch-size=64"]).unwrap();
    assert_eq!((settings.threads, settings.batch_sizes), (vec![1, 16], vec![0, 64]));
    assert_eq!((settings.runs, settings.case.name(), settings.percentiles.len()), (1, "version", 7));
    let settings = read(&["--duration", "3", "--histogram.percentiles", "99.9"]).unwrap();
    assert!(matches!(settings.amount, Amount::Time(time) if time == Duration::from_secs(3)));
    assert_eq!(settings.percentiles, [99.9]);
    assert!(read(&[]).unwrap().threads.iter().all(|threads| *threads >= 2));
}

#[test]
fn a_query_comes_before_a_file_of_one() {
    let line = ["--test-case=custom-query", "--custom-query=RETURN 1", "--custom-query-file=/nowhere"];
    assert_eq!(read(&line).unwrap().query.unwrap().0, "RETURN 1");
}

#[test]
fn a_query_is_for_its_test_case_only() {
    assert!(read(&["--custom-query", "RETURN 1"]).unwrap().query.is_none());
}

#[test]
fn mistakes_name_the_option() {
    let wrong: &[(&[&str], &str)] = &[
        (&["--requests", "0"], "--requests must be from 1"),
        (&["--threads", "5000"], "--threads must be from 0 to 1024"),
        (&["--threads", "2", "--concurrency", "2"], "older name"),
        (&["--complexity", "0"], "--complexity"),
        (&["--test-case", "docment"], "unknown test case \"docment\""),
        (&["--test-case", "custom-query"], "--custom-query-file"),
        (&["--test-case=custom-query", "--custom-query=RETURN 1", "--custom-query-bindvars=[]"], "object"),
        (&["--test-case=custom-query", "--custom-query-file=/nowhere"], "/nowhere"),
        (&["--histogram.percentiles", "101"], "from 0 to 100"),
        (&["--collection="], "--collection"),
    ];
    for (arguments, expected) in wrong {
        let failure = read(arguments).err().unwrap();
        assert!(failure.text().contains(expected), "{arguments:?}: {}", failure.text());
        assert_eq!(failure.exit_code(), 4, "{arguments:?}");
    }
    let chart = prepare_files(&read(&["--chart", "x.png"]).unwrap().files).unwrap_err();
    assert!(chart.text().contains(".svg") && chart.text().contains("x.png"), "{}", chart.text());
}

#[test]
fn several_runs_are_summed_up_by_the_median_one() {
    let tally = Tally { operations: 1, failed: 0, latencies: Histogram::new(), first_failure: None };
    let run = |seconds| Run {
        batch_size: 0,
        threads: 1,
        tally: tally.clone(),
        elapsed: Duration::from_secs(seconds),
    };
    let median_of = |seconds: &[u64]| {
        let runs: Vec<Run> = seconds.iter().copied().map(run).collect();
        median(&runs).map(|run| run.elapsed.as_secs())
    };
    assert_eq!(median_of(&[9, 1, 2]), Some(2));
    assert_eq!(median_of(&[9, 4, 1, 2]), Some(2));
    assert_eq!(median_of(&[]), None);
}

fn plan(complexity: u64) -> Plan {
    let settings = read(&["--collection", "größe", "--requests", "100"]).unwrap();
    Plan { complexity, ..settings.plan(0, 4).unwrap() }
}

#[test]
fn every_case_makes_requests_that_http_can_carry() {
    let mut names: Vec<&str> = CASES.iter().flat_map(|case| case.names.iter().copied()).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    for name in names {
        let case = find(name).unwrap();
        for own in 0..12 {
            let operation = match case.operations {
                Operations::Same(make) => make(&plan(3)),
                Operations::Each(make) => make(&plan(3), Turn { number: own * 4, thread: 1, own }),
            };
            let is_plain = operation.path.bytes().all(|byte| byte.is_ascii_graphic());
            assert!(operation.path.starts_with("/_api/") && is_plain, "{name}: {}", operation.path);
            // Only imports have lines, and none of them can begin with a boundary.
            let is_import = operation.path.starts_with("/_api/import");
            for line in operation.body.lines() {
                let limits = velocypack::Limits::default();
                let mut out = velocypack::Builder::new();
                let parsed = velocypack::json::parse(line.as_bytes(), &limits, &mut out);
                assert!(parsed.is_ok() || name == "custom-query", "{name}: {line}");
            }
            assert!(is_import || operation.body.lines().count() <= 1, "{name}: {}", operation.body);
        }
    }
}

#[test]
fn a_thread_touches_only_what_it_has_inserted() {
    let case = find("crud").unwrap();
    let Operations::Each(make) = case.operations else { panic!() };
    let methods: Vec<&str> =
        (0..10).map(|own| make(&plan(1), Turn { number: own, thread: 2, own }).method.name()).collect();
    assert_eq!(methods[..5], ["POST", "PATCH", "GET", "GET", "DELETE"]);
    assert_eq!(methods[..5], methods[5..]);
}

#[test]
fn times_are_known_to_a_hundredth() {
    let mut histogram = Histogram::new();
    assert_eq!(
        (histogram.min(), histogram.mean(), histogram.max(), histogram.percentile(50.0)),
        (0.0, 0.0, 0.0, 0.0)
    );
    for us in 1..=10_000 {
        histogram.record(Duration::from_micros(us));
    }
    histogram.record(Duration::MAX);
    for (percent, expected) in [(0.0, 1e-6), (10.0, 1e-3), (50.0, 5e-3), (99.0, 9.9e-3)] {
        let got = histogram.percentile(percent);
        assert!((got / expected - 1.0).abs() < 0.01, "{percent}: {got}");
    }
    let mut other = Histogram::new();
    other.record(Duration::from_nanos(0));
    other.merge(&histogram);
    assert_eq!((other.count(), other.min()), (10_002, 0.0));
    let intervals = other.intervals(1e-3, 5);
    assert_eq!(intervals.iter().map(|(_, count)| count).sum::<u64>(), 10_002);
    assert_eq!(intervals.len(), 5);
}

#[test]
fn the_social_network_has_the_shape_of_pokec() {
    let people = 100_000;
    let counts: Vec<u64> = (0..people).map(friends).collect();
    let mean = counts.iter().sum::<u64>() as f64 / people as f64;
    assert!((mean / 18.75 - 1.0).abs() < 0.05, "{mean}");
    let mut sorted = counts;
    sorted.sort_unstable();
    let (median, most) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    assert!((6..=9).contains(&median) && (1_000..=8_763).contains(&most), "{median} {most}");
    let mut popularity = vec![0u32; people as usize];
    for edge in 0..people * 19 {
        popularity[popular(edge, people) as usize] += 1;
    }
    popularity.sort_unstable();
    let (median, most) = (popularity[popularity.len() / 2], popularity[popularity.len() - 1]);
    assert!(most > 1_000 && (3..19).contains(&median), "{median} {most}");
}
