//! The results of a service's tests.

use client::Request;
use options::Options;
use velocypack::Slice;

use super::command::Call;
use super::options::REPORTER;
use super::reporter::Reporter;
use super::request::Service;
use crate::{Console, Failure};

/// Maximum depth of suites that are printed.
const DEPTH_MAX: usize = 64;

/// Runs the tests of a service and prints the results. Errors: a test has failed.
pub(super) fn run(
    service: &Service<'_>,
    call: &Call,
    options: &Options,
    console: &Console,
) -> Result<(), Failure> {
    let reporter = options.get(&REPORTER);
    let mut request = Request::post("/_api/foxx/tests").query("reporter", reporter.name());
    if reporter.is_text() {
        request = request.query("idiomatic", "true");
    }
    if let Some(filter) = call.argument(1) {
        request = request.query("filter", filter);
    }
    let reply = service.ask(request, "test")?;
    let failures = if reporter.is_text() {
        let text = String::from_utf8_lossy(reply.body());
        console.print(text.trim_end());
        failures_of_text(reporter, &text)
    } else {
        let value = reply.value()?;
        let value = Slice::new(&value);
        match reporter {
            Reporter::Json => console.print(&value.to_json_string()),
            reporter => lines(reporter, value).iter().for_each(|line| console.print(line)),
        }
        number(value, &["stats", "failures"])
    };
    match failures {
        Some(0) => Ok(()),
        Some(1) => Err(Failure::new(format!("1 test of {} fails", service.mount))),
        Some(count) => Err(Failure::new(format!("{count} tests of {} fail", service.mount))),
        None => {
            Err(Failure::new(format!("the report about {} does not say how many tests fail", service.mount)))
        }
    }
}

/// Returns the number of failures that a text reports; `None` if the text is not complete.
pub(super) fn failures_of_text(reporter: Reporter, text: &str) -> Option<u64> {
    match reporter {
        Reporter::Stream => {
            let last =
                super::value::parse(text.lines().rev().find(|line| !line.trim().is_empty())?.as_bytes(), "")
                    .ok()?;
            let last = Slice::new(&last);
            let is_end = last.at(0).and_then(Slice::as_str) == Some("end");
            number(last.at(1).filter(|_| is_end)?, &["failures"])
        }
        Reporter::Xunit => {
            let (_, suite) = text.split_once("<testsuite ")?;
            let (attributes, _) = suite.split_once('>')?;
            let count = |name: &str| {
                let (_, value) = attributes.split_once(&format!("{name}=\""))?;
                value.split('"').next()?.parse::<u64>().ok()
            };
            Some(count("failures")?.saturating_add(count("errors").unwrap_or(0)))
        }
        _ => {
            text.lines().find(|line| line.starts_with("1.."))?;
            Some(text.lines().filter(|line| line.starts_with("not ok")).count() as u64)
        }
    }
}

/// Returns a report in lines for a person.
pub(super) fn lines(reporter: Reporter, report: Slice<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut failures = Vec::new();
    match reporter {
        Reporter::Spec => suite(report, "", 0, &mut lines, &mut failures),
        _ => {
            let list =
                |name: &str| report.get(name).filter(|list| list.is_array()).unwrap_or(Slice::EMPTY_ARRAY);
            for (result, name) in [("pass", "passes"), ("pending", "pending"), ("fail", "failures")] {
                for test in list(name).elements() {
                    let title = text(test, "fullTitle");
                    if result == "fail" {
                        failures.push((title.to_owned(), reason(test)));
                    }
                    if reporter == Reporter::List {
                        lines.push(line(result, title, test));
                    }
                }
            }
        }
    }
    let count = |name: &str| number(report, &["stats", name]).unwrap_or(0);
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(format!(
        "{} passed, {} failed, {} pending, {} ms",
        count("passes"),
        count("failures"),
        count("pending"),
        count("duration")
    ));
    for (title, reason) in failures {
        lines.push(String::new());
        lines.push(format!("FAIL {title}"));
        lines.extend(reason.lines().map(|line| format!("    {}", line.trim_end())));
    }
    lines
}

fn suite(
    suite: Slice<'_>,
    path: &str,
    depth: usize,
    lines: &mut Vec<String>,
    failures: &mut Vec<(String, String)>,
) {
    let list = |name: &str| suite.get(name).filter(|list| list.is_array()).unwrap_or(Slice::EMPTY_ARRAY);
    let indent = "  ".repeat(depth);
    for test in list("tests").elements() {
        let (title, result) = (text(test, "title"), text(test, "result"));
        if result == "fail" {
            failures.push((format!("{path} {title}").trim_start().to_owned(), reason(test)));
        }
        lines.push(format!("{indent}{}", line(result, title, test)));
    }
    for inner in list("suites").elements().filter(|_| depth < DEPTH_MAX) {
        let title = text(inner, "title");
        lines.push(format!("{indent}{title}"));
        self::suite(inner, format!("{path} {title}").trim_start(), depth + 1, lines, failures);
    }
}

fn line(result: &str, title: &str, test: Slice<'_>) -> String {
    let mark = match result {
        "pass" => "ok  ",
        "fail" => "FAIL",
        _ => "-   ",
    };
    match number(test, &["duration"]) {
        Some(duration) => format!("{mark} {title} ({duration} ms)"),
        None => format!("{mark} {title}"),
    }
}

/// Returns the reason of a failure: the stack if it has the message, or the message.
fn reason(test: Slice<'_>) -> String {
    let Some(error) = test.get("err") else { return String::new() };
    if let Some(text) = error.as_str() {
        return text.to_owned();
    }
    let (message, stack) = (text(error, "message"), text(error, "stack"));
    match stack.contains(message) {
        true => stack.to_owned(),
        false => format!("{message}\n{stack}"),
    }
}

fn text<'v>(value: Slice<'v>, name: &str) -> &'v str {
    value.get(name).and_then(Slice::as_str).unwrap_or_default()
}

fn number(value: Slice<'_>, path: &[&str]) -> Option<u64> {
    let value = value.get_path(path)?;
    // Times may have fractions, which nobody needs.
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(|number| (0.0..1e15).contains(number)).map(|number| number as u64))
}
