//! The official drivers' own test suites, unmodified, against the server.
//!
//! They belong to their authors and are not in the repository. `PERSEA_SUITES` names their folder
//! (default: `../shared/suites`), which has a program `run SUITE SERVER`. It prints a line
//! `failed: TEST` for each failed test and ends with "N passed, N failed, N skipped". Without the
//! folder there is nothing to do.
//!
//! `tests/drivers/expected/SUITE.txt` has a line `REASON: TEST` for each test that must fail. An
//! expected failure that passes is also an error.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::Failure;
use crate::trials::server_of_tests;

/// The lists of expected failures.
const EXPECTED: &str = "tests/drivers/expected";

/// The suites of the check. The others take minutes: `cargo xtask suites` runs all.
const CHECKED: &[&str] = &["arangojs", "python-arango"];

/// The reasons why a test may fail.
const REASONS: &[&str] = &["difference", "options", "replication", "suite"];

/// Runs the short suites.
pub(crate) fn check() -> Result<(), Failure> {
    run_suites(CHECKED.iter().map(|suite| (*suite).to_owned()))
}

/// Runs the named suites, or all.
pub(crate) fn run(names: &[String]) -> Result<(), Failure> {
    let all = all()?;
    if let Some(unknown) = names.iter().find(|name| !all.contains(name)) {
        return Err(format!("unknown suite {unknown}; the suites are {}", all.join(", ")));
    }
    run_suites(if names.is_empty() { all } else { names.to_vec() })
}

fn run_suites(suites: impl IntoIterator<Item = String>) -> Result<(), Failure> {
    let folder =
        env::var_os("PERSEA_SUITES").map_or_else(|| PathBuf::from("../shared/suites"), PathBuf::from);
    let runner = folder.join("run");
    if !runner.exists() {
        println!("skipped: there are no suites in {}", folder.display());
        return Ok(());
    }
    let server = server_of_tests()?;
    let mut mistakes = String::new();
    for suite in suites {
        let known = expected(&suite)?;
        let Some(output) = run_suite(&runner, &server, &suite)? else {
            println!("skipped: {suite} could not be installed");
            continue;
        };
        let (failed, summary) = failures(&suite, &output)?;
        println!("{suite}: {summary}");
        for mistake in compare(&known, &failed) {
            mistakes.push_str(&format!("\n  {suite}: {mistake}"));
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(format!("see {EXPECTED}{mistakes}")) }
}

/// Returns the names of all suites with a list.
fn all() -> Result<Vec<String>, Failure> {
    let files = fs::read_dir(EXPECTED).map_err(|error| format!("{EXPECTED}: {error}"))?;
    let stem = |path: PathBuf| path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
    let mut names: Vec<String> = files.filter_map(|file| stem(file.ok()?.path())).collect();
    names.sort();
    Ok(names)
}

/// Returns the tests that must fail, with their reasons.
fn expected(suite: &str) -> Result<BTreeMap<String, String>, Failure> {
    let path = Path::new(EXPECTED).join(format!("{suite}.txt"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|failure| format!("{}: {failure}", path.display()))
}

fn parse(text: &str) -> Result<BTreeMap<String, String>, Failure> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.split_once(": ") {
            Some((reason, test)) if REASONS.contains(&reason) => Ok((test.to_owned(), reason.to_owned())),
            _ => Err(format!("'{line}' must begin with one of {}", REASONS.join(", "))),
        })
        .collect()
}

/// Runs one suite and returns its output; `None` if what it needs cannot be installed.
///
/// The runner ends with success whenever the tests ran, whatever failed.
fn run_suite(runner: &Path, server: &Path, suite: &str) -> Result<Option<String>, Failure> {
    let mut command = Command::new(runner);
    let output = command.arg(suite).arg(server).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("{} could not be started: {error}", runner.display()))?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Returns the failed tests and the summary in the output of a suite.
fn failures(suite: &str, output: &str) -> Result<(Vec<String>, String), Failure> {
    let summary = output.lines().next_back().filter(|line| line.contains(" passed, "));
    let summary = summary.ok_or_else(|| format!("{suite} did not finish:\n{output}"))?;
    let failed = output.lines().filter_map(|line| line.strip_prefix("failed: ")).map(str::to_owned);
    Ok((failed.collect(), summary.to_owned()))
}

/// Returns what is otherwise than expected, a line each.
fn compare(known: &BTreeMap<String, String>, failed: &[String]) -> Vec<String> {
    let new = failed.iter().filter(|test| !known.contains_key(*test)).map(|test| format!("failed: {test}"));
    let gone = known.iter().filter(|(test, _)| !failed.contains(test));
    new.chain(gone.map(|(test, reason)| format!("passed, but was expected to fail ({reason}): {test}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_must_be_expected_and_an_expected_one_must_fail() {
        let known = parse("# why\n\nreplication: a::b\noptions: c: d\n").unwrap();
        let (failed, summary) =
            failures("x", "failed: a::b\nfailed: e\n1 passed, 2 failed, 0 skipped\n").unwrap();
        assert_eq!(summary, "1 passed, 2 failed, 0 skipped");
        let expected = ["failed: e", "passed, but was expected to fail (options): c: d"];
        assert_eq!(compare(&known, &failed), expected);
        assert!(compare(&known, &["a::b".to_owned(), "c: d".to_owned()]).is_empty());
    }

    #[test]
    fn a_reason_is_one_of_a_few_and_a_suite_must_end() {
        assert!(parse("laziness: a").is_err());
        assert!(parse("a").is_err());
        assert!(failures("x", "failed: a\n").is_err());
        assert!(failures("x", "").is_err());
    }
}
