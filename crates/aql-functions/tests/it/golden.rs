//! Calls of every function and their results, one a line, in the files of `golden/`:
//!
//! ```text
//! NAME(arguments as JSON) => result as JSON
//! NAME(arguments as JSON) => null warns 1542
//! NAME(arguments as JSON) => error 1569
//! NAME(arguments as JSON) => about 0.7071067811865476
//! ```
//!
//! `about` allows for the last bits of a number. Empty lines and those that begin with `#` are
//! ignored.

use std::collections::BTreeSet;
use std::path::PathBuf;

use aql_functions::{all, lookup};
use aql_value::{Kind, Value};

use crate::common::{Answer, call, parse};

fn golden_folder() -> PathBuf {
    PathBuf::from("tests/golden")
}

/// Returns every line that is a call, with its file and line.
fn lines() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(golden_folder()).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        for (number, line) in (1..).zip(std::fs::read_to_string(&path).unwrap().lines()) {
            if !line.is_empty() && !line.starts_with('#') {
                lines.push((format!("{file}:{number}"), line.to_owned()));
            }
        }
    }
    assert!(lines.len() > 500);
    lines
}

/// Splits a line into name, arguments and expectation.
fn parts(line: &str) -> Option<(&str, Vec<Value>, &str)> {
    let (name, rest) = line.split_once('(')?;
    let (arguments, expected) = rest.rsplit_once(") => ")?;
    Some((name, parse(&format!("[{arguments}]")).elements().collect(), expected))
}

/// Describes the mismatch between a result and its expectation, if there is one.
fn complaint(answer: &Answer, expected: &str) -> Option<String> {
    if let Some(number) = expected.strip_prefix("error ") {
        return match &answer.result {
            Err(error) if error.number().to_string() == number => None,
            other => Some(format!("answers {other:?}")),
        };
    }
    let (expected, warnings) = expected.split_once(" warns ").unwrap_or((expected, ""));
    let result = match &answer.result {
        Ok(result) => result,
        Err(error) => return Some(format!("fails: {error}")),
    };
    let found = answer.warnings.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    if found != warnings {
        return Some(format!("warns {found:?} and answers {}", result.to_json()));
    }
    let fits = match expected.strip_prefix("about ") {
        Some(number) => is_about(result, &parse(number)),
        None => result.to_json() == parse(expected).to_json(),
    };
    if fits { None } else { Some(format!("answers {}", result.to_json())) }
}

fn is_about(result: &Value, expected: &Value) -> bool {
    match (result.kind(), expected.kind()) {
        (Kind::Number, Kind::Number) => {
            let (result, expected) = (result.to_f64(), expected.to_f64());
            (result - expected).abs() <= 1e-14 * expected.abs().max(1.0)
        }
        (Kind::Array, Kind::Array) => {
            result.len() == expected.len()
                && result.elements().zip(expected.elements()).all(|(left, right)| is_about(&left, &right))
        }
        _ => false,
    }
}

#[test]
fn calls_answer_as_written() {
    let mut complaints = Vec::new();
    for (place, line) in lines() {
        let found = match parts(&line) {
            None => Some("is not of the form NAME(arguments) => result".to_owned()),
            Some((name, arguments, expected)) => match lookup(name) {
                None => Some("calls an unknown function".to_owned()),
                Some(function) if arguments.len() < function.min_args => {
                    Some("has too few arguments".to_owned())
                }
                Some(function) if function.max_args.is_some_and(|most| arguments.len() > most) => {
                    Some("has too many arguments".to_owned())
                }
                Some(function) => complaint(&call(function, &arguments), expected),
            },
        };
        complaints.extend(found.map(|found| format!("{place}: {line}\n    {found}")));
    }
    assert!(complaints.is_empty(), "{} of the calls:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn every_function_has_a_line() {
    let called: BTreeSet<String> = lines()
        .iter()
        .filter_map(|(_, line)| line.split_once('('))
        .map(|(name, _)| name.to_uppercase())
        .collect();
    // Their results differ from call to call, or from machine to machine; `properties.rs` and
    // `effects.rs` test them.
    let others = ["HASH", "RAND", "RANDOM", "UUID", "DATE_TIMEZONE", "DATE_TIMEZONES"];
    let missing: Vec<&str> = all()
        .map(|function| function.name)
        .filter(|name| !called.contains(*name) && !others.contains(name))
        .collect();
    assert!(missing.is_empty(), "no line calls {missing:?}");
}
