//! Runs the scripts of HTTP exchanges in `tests/http`, whose README describes the format.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::ask_until_right;
use serde_json::Value;

use crate::support::{Reply, Server, tests_folder};

/// The number of concurrent servers. Scripts wait more than they compute, but many servers that
/// start together on a slow disk are slow to start.
const SERVERS: usize = 8;

#[test]
fn scripts() {
    let folder = tests_folder().join("http");
    let wanted = std::env::var("PERSEA_TEST").unwrap_or_default();
    let mut scripts: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "http"));
    scripts.retain(|path| path.to_string_lossy().contains(&wanted));
    scripts.sort();
    assert!(!scripts.is_empty(), "no scripts in {}", folder.display());
    let next = AtomicUsize::new(0);
    let run_all = || {
        let scripts = std::iter::from_fn(|| scripts.get(next.fetch_add(1, Ordering::Relaxed)));
        scripts.flat_map(|path| run(path)).collect::<Vec<String>>()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..SERVERS).map(|_| scope.spawn(run_all)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{} exchanges failed:\n\n{}", failures.len(), failures.join("\n\n"));
}

/// One request, and the conditions on its reply.
#[derive(Debug)]
struct Exchange {
    line: usize,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Body,
    status: u16,
    /// True if the request is repeated until its reply is as expected.
    is_repeated: bool,
    expected_headers: Vec<(String, String)>,
    expected: Option<Expected>,
}

#[derive(Debug)]
enum Body {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Debug)]
enum Expected {
    Contains(String),
    Exactly(String),
    /// Texts that the body contains, in this order.
    Texts(Vec<String>),
}

fn run(path: &Path) -> Vec<String> {
    let script = std::fs::read_to_string(path).unwrap();
    let options: Vec<&str> = script
        .lines()
        .filter_map(|line| line.strip_prefix("# server:"))
        .flat_map(str::split_whitespace)
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &options);
    let mut client = server.connect();
    let mut names = HashMap::new();
    let mut failures = Vec::new();
    for exchange in parse(&script) {
        let headers: Vec<_> =
            exchange.headers.iter().map(|(name, value)| (name.clone(), fill(value, &names))).collect();
        let target = fill(&exchange.path, &names);
        let body = match &exchange.body {
            Body::Text(text) => fill(text, &names).into_bytes(),
            Body::Bytes(bytes) => bytes.clone(),
        };
        let place = format!("{}:{}: {} {target}", path.display(), exchange.line, exchange.method);
        let ask = || {
            let send = || client.send(&exchange.method, &target, &headers, &body);
            let reply =
                catch_unwind(AssertUnwindSafe(send)).map_err(|_| "the connection broke".to_owned())?;
            let failure = check(&exchange, &reply, &mut names).err();
            Ok::<_, String>(failure.map(|failure| format!("{failure}\n{} {}", reply.status, reply.text())))
        };
        match ask_until_right(ask, |failure| failure.is_none() || !exchange.is_repeated) {
            Ok(None) => {}
            Ok(Some(failure)) => failures.push(format!("{place}\n{failure}")),
            Err(broken) => {
                failures.push(format!("{place}\n{broken}"));
                return failures;
            }
        }
    }
    failures
}

fn parse(script: &str) -> Vec<Exchange> {
    let mut exchanges = Vec::new();
    let mut lines = script.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (method, path) =
            line.split_once(' ').unwrap_or_else(|| panic!("line {}: no request", number + 1));
        let mut exchange = Exchange {
            line: number + 1,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: Body::Text(String::new()),
            status: 0,
            is_repeated: false,
            expected_headers: Vec::new(),
            expected: None,
        };
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.trim().is_empty()) {
            exchange.take_line(line);
        }
        assert_ne!(exchange.status, 0, "line {}: no status is expected", number + 1);
        exchanges.push(exchange);
    }
    exchanges
}

impl Exchange {
    fn take_line(&mut self, line: &str) {
        let is_body = |line: &str| line.starts_with(['{', '[', '"', ' ']);
        if let Some(expected) = line.strip_prefix("-> ") {
            match expected.split_once(": ") {
                Some((name, value)) => self.expected_headers.push((name.to_owned(), value.to_owned())),
                None => {
                    let status = expected.strip_prefix("soon ");
                    self.is_repeated = status.is_some();
                    let status = status.unwrap_or(expected).trim().parse();
                    self.status = status.unwrap_or_else(|_| panic!("no status: {line}"));
                }
            }
        } else if self.status != 0 {
            if let Some(text) = line.strip_prefix("~ ") {
                match &mut self.expected {
                    Some(Expected::Texts(texts)) => texts.push(text.to_owned()),
                    _ => self.expected = Some(Expected::Texts(vec![text.to_owned()])),
                }
                return;
            }
            match line.strip_prefix("exactly ") {
                Some(exact) => self.expected = Some(Expected::Exactly(exact.to_owned())),
                None => match &mut self.expected {
                    Some(Expected::Contains(json)) => json.push_str(line),
                    _ => self.expected = Some(Expected::Contains(line.to_owned())),
                },
            }
        } else if let Some(bytes) = line.strip_prefix("bytes ") {
            let byte = |text| u8::from_str_radix(text, 16).unwrap_or_else(|_| panic!("no byte: {text}"));
            self.body = Body::Bytes(bytes.split_whitespace().map(byte).collect());
        } else if let Some(raw) = line.strip_prefix('|') {
            let raw = raw.strip_prefix(' ').unwrap_or(raw);
            match raw.strip_suffix("\\r") {
                Some(raw) => self.push_text(&format!("{raw}\r\n")),
                None => self.push_text(&format!("{raw}\n")),
            }
        } else if matches!(&self.body, Body::Text(text) if !text.is_empty()) || is_body(line) {
            self.push_text(line);
        } else {
            let (name, value) =
                line.split_once(": ").unwrap_or_else(|| panic!("neither header nor body: {line}"));
            self.headers.push((name.to_owned(), value.to_owned()));
        }
    }
}

impl Exchange {
    fn push_text(&mut self, text: &str) {
        match &mut self.body {
            Body::Text(body) => body.push_str(text),
            Body::Bytes(_) => panic!("line {}: a body of bytes and text", self.line),
        }
    }
}

/// Replaces `{{name}}` with the value of that name, and `{{text*count}}` with repeated text.
fn fill(text: &str, names: &HashMap<String, String>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, (inner, after))) =
        rest.split_once("{{").and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
    {
        filled.push_str(before);
        match (names.get(inner), inner.rsplit_once('*').map(|(text, count)| (text, count.parse()))) {
            (Some(value), _) => filled.push_str(value),
            (None, Some((repeated, Ok(count)))) => filled.push_str(&repeated.repeat(count)),
            // These are two braces of JSON rather than a placeholder.
            (None, _) => {
                filled.push_str("{{");
                rest = rest.get(before.len() + 2..).unwrap_or_default();
                continue;
            }
        }
        rest = after;
    }
    filled + rest
}

fn check(exchange: &Exchange, reply: &Reply, names: &mut HashMap<String, String>) -> Result<(), String> {
    if reply.status != exchange.status {
        return Err(format!("expected status {}", exchange.status));
    }
    for (name, value) in &exchange.expected_headers {
        if value == "!" {
            match reply.header(name) {
                Some(actual) => return Err(format!("there is a header {name}: {actual}")),
                None => continue,
            }
        }
        let actual = reply.header(name).ok_or_else(|| format!("the header {name} is missing"))?;
        if let Some(name) = value.strip_prefix('=') {
            names.insert(name.to_owned(), actual.to_owned());
            continue;
        }
        let value = fill(value, names);
        if value != "*" && value != actual {
            return Err(format!("the header {name} is {actual}, not {value}"));
        }
    }
    match &exchange.expected {
        None => Ok(()),
        Some(Expected::Exactly(text)) => {
            let (text, actual) = (fill(text, names), reply.text());
            if actual.trim_end() == text { Ok(()) } else { Err(format!("expected exactly {text}")) }
        }
        Some(Expected::Texts(texts)) => {
            let body = reply.text();
            let mut rest = body.as_str();
            for text in texts {
                let text = fill(text, names);
                rest = rest.split_once(&text).ok_or_else(|| format!("the body lacks, in order: {text}"))?.1;
            }
            Ok(())
        }
        Some(Expected::Contains(text)) => {
            let expected: Value =
                serde_json::from_str(&fill(text, names)).map_err(|error| format!("{error} in {text}"))?;
            let actual: Value =
                serde_json::from_slice(&reply.body).map_err(|error| format!("no JSON: {error}"))?;
            contains(&actual, &expected, "", names)
        }
    }
}

fn contains(
    actual: &Value,
    expected: &Value,
    at: &str,
    names: &mut HashMap<String, String>,
) -> Result<(), String> {
    match (actual, expected) {
        (_, Value::String(any)) if any == "*" => Ok(()),
        (actual, Value::String(name)) if name.starts_with('=') && name.len() > 1 => {
            let text = actual.as_str().map_or_else(|| actual.to_string(), str::to_owned);
            names.insert(name[1..].to_owned(), text);
            Ok(())
        }
        (Value::Object(actual), Value::Object(expected)) => {
            expected.iter().try_for_each(|(name, expected)| {
                if expected == "!" {
                    return actual
                        .get(name)
                        .map_or(Ok(()), |actual| Err(format!("there is {at}.{name}: {actual}")));
                }
                let actual = actual.get(name).ok_or_else(|| format!("{at}.{name} is missing"))?;
                contains(actual, expected, &format!("{at}.{name}"), names)
            })
        }
        (Value::Array(actual), Value::Array(expected)) => {
            if actual.len() != expected.len() {
                return Err(format!("{at} has {} members, not {}", actual.len(), expected.len()));
            }
            let pairs = actual.iter().zip(expected).enumerate();
            pairs.into_iter().try_for_each(|(i, (actual, expected))| {
                contains(actual, expected, &format!("{at}[{i}]"), names)
            })
        }
        (Value::Number(actual), Value::String(text)) if actual.to_string() == *text => Ok(()),
        (Value::Number(actual), Value::Number(expected)) if actual.as_f64() == expected.as_f64() => Ok(()),
        (actual, expected) if actual == expected => Ok(()),
        (actual, expected) => Err(format!("{at} is {actual}, not {expected}")),
    }
}
