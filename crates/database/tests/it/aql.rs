//! Runs the AQL golden files in `tests/aql`. The README there describes the format.

#![allow(clippy::print_stdout, reason = "a test")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use database::Format;
use database::query::request::QueryRequest;
use database::{Identity, Instance, InstanceOptions, Session};
use errors::Error;
use serde_json::{Value, json};
use velocypack::{Builder, Limits};

#[test]
fn golden_files() {
    let folder = Path::new("../../tests/aql");
    let wanted = std::env::var("PERSEA_TEST").unwrap_or_default();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "test"));
    files.retain(|path| path.to_string_lossy().contains(&wanted));
    files.sort();
    assert!(!files.is_empty(), "no golden files in {}", folder.display());
    let failures: Vec<String> = files.iter().flat_map(|path| File::read(path).run()).collect();
    assert!(failures.is_empty(), "{} cases failed:\n\n{}", failures.len(), failures.join("\n\n"));
}

/// One golden file: its blocks of lines, with continued lines joined.
struct File<'a> {
    path: &'a Path,
    blocks: Vec<Vec<String>>,
}

impl<'a> File<'a> {
    fn read(path: &'a Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut blocks: Vec<Vec<String>> = vec![Vec::new()];
        for line in text.lines() {
            match (line.strip_prefix("  "), blocks.last_mut().unwrap()) {
                (Some(more), block) => write!(block.last_mut().expect("a first line"), "\n  {more}").unwrap(),
                (None, _) if line.trim().is_empty() => blocks.push(Vec::new()),
                (None, block) => block.push(line.to_owned()),
            }
        }
        blocks.retain(|block| !block.is_empty());
        File { path, blocks }
    }

    fn run(mut self) -> Vec<String> {
        let database = Database::new();
        let mut failures = Vec::new();
        for block in &mut self.blocks {
            let Some(case) = block.iter().any(|line| line.starts_with("query ")).then(|| Case::parse(block))
            else {
                block.iter().filter(|line| !line.starts_with('#')).for_each(|line| database.set_up(line));
                continue;
            };
            let answer = database.answer(&case.request(), false);
            if std::env::var_os("PERSEA_UPDATE_GOLDEN").is_some() {
                case.update(block, &answer);
            } else if let Err(failure) = case.check(&answer).and_then(|()| database.check_variants(&case)) {
                failures.push(format!("{}: {}\n  {failure}", self.path.display(), case.query));
            }
        }
        if std::env::var_os("PERSEA_UPDATE_GOLDEN").is_some() {
            let text: Vec<String> = self.blocks.iter().map(|block| block.join("\n")).collect();
            std::fs::write(self.path, text.join("\n\n") + "\n").unwrap();
        }
        failures
    }
}

/// A query and the expectations of its answer.
#[derive(Default)]
struct Case {
    query: String,
    bind: Option<Value>,
    options: Option<Value>,
    result: Option<Value>,
    unordered: Option<Value>,
    warnings: Vec<u64>,
    error: Option<(u32, String)>,
    stats: Option<Value>,
    uses: Vec<String>,
    rules: Vec<String>,
}

/// The answer to a query: rows and `extra`, or an error.
type Answer = Result<(Vec<Value>, Value), Error>;

impl Case {
    fn parse(block: &[String]) -> Case {
        let mut case = Case::default();
        for line in block.iter().filter(|line| !line.starts_with('#')) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let json = || serde_json::from_str(rest).unwrap_or_else(|error| panic!("{error} in {line}"));
            let words = || rest.split_whitespace().map(str::to_owned).collect();
            match word {
                "query" => case.query = rest.to_owned(),
                "bind" => case.bind = Some(json()),
                "options" => case.options = Some(json()),
                "result" => case.result = Some(json()),
                "unordered" => case.unordered = Some(json()),
                "stats" => case.stats = Some(json()),
                "uses" => case.uses = words(),
                "rules" => case.rules = words(),
                "warnings" => {
                    case.warnings = rest.split_whitespace().map(|number| number.parse().unwrap()).collect()
                }
                "error" => {
                    let (number, message) = rest.split_once(' ').unwrap_or((rest, ""));
                    case.error = Some((number.parse().unwrap(), message.to_owned()));
                }
                other => panic!("unknown word {other:?} in a golden file"),
            }
        }
        case
    }

    fn request(&self) -> Value {
        let mut request =
            json!({"query": self.query, "options": self.options.clone().unwrap_or_else(|| json!({}))});
        if let Some(bind) = &self.bind {
            request["bindVars"] = bind.clone();
        }
        request
    }

    fn check(&self, answer: &Answer) -> Result<(), String> {
        let (rows, extra) = match (answer, &self.error) {
            (Err(error), Some((number, message))) => {
                let good = error.number() == *number && error.message().contains(message.as_str());
                return if good {
                    Ok(())
                } else {
                    Err(format!("expected error {number} {message}, got {error}"))
                };
            }
            (Err(error), None) => return Err(format!("failed: {error}")),
            (Ok((rows, _)), Some((number, _))) => {
                return Err(format!("expected error {number}, got {rows:?}"));
            }
            (Ok((rows, extra)), None) => (rows, extra),
        };
        self.check_rows(rows)?;
        let warnings: Vec<u64> = extra["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|warning| warning["code"].as_u64().unwrap())
            .collect();
        if warnings != self.warnings {
            return Err(format!("expected warnings {:?}, got {}", self.warnings, extra["warnings"]));
        }
        let stats = self.stats.iter().flat_map(|stats| stats.as_object().unwrap());
        for (name, expected) in stats {
            if extra["stats"][name] != *expected {
                return Err(format!("stats.{name} is {}, not {expected}", extra["stats"][name]));
            }
        }
        Ok(())
    }

    fn check_rows(&self, rows: &[Value]) -> Result<(), String> {
        let sorted = |rows: &[Value]| {
            let mut texts: Vec<String> = rows.iter().map(|row| numbers_alike(row).to_string()).collect();
            texts.sort();
            texts
        };
        let alike = |rows: &[Value]| rows.iter().map(numbers_alike).collect::<Vec<_>>();
        let matches = match (&self.result, &self.unordered) {
            (Some(Value::Array(expected)), _) => alike(expected) == alike(rows),
            (_, Some(Value::Array(expected))) => sorted(expected) == sorted(rows),
            _ => return Err("the case expects nothing".to_owned()),
        };
        if matches { Ok(()) } else { Err(format!("got {}", Value::Array(rows.to_vec()))) }
    }

    /// Updates the lines whose expectation is wrong. A case without expectations gets new lines.
    fn update(&self, block: &mut Vec<String>, answer: &Answer) {
        if self.result.is_none() && self.unordered.is_none() && self.error.is_none() {
            block.extend(expectation(answer));
            return;
        }
        for line in block.iter_mut() {
            match (answer, line.split(' ').next()) {
                (Ok((rows, _)), Some(word @ ("result" | "unordered"))) if self.check_rows(rows).is_err() => {
                    *line = format!("{word} {}", Value::Array(rows.clone()));
                }
                (Err(error), Some("error")) if self.check(answer).is_err() => {
                    *line = format!("error {} {}", error.number(), error.message());
                }
                _ => {}
            }
        }
    }
}

/// Returns the lines that expect an answer.
fn expectation(answer: &Answer) -> Vec<String> {
    match answer {
        Err(error) => vec![format!("error {} {}", error.number(), error.message())],
        Ok((rows, extra)) => {
            let warnings = extra["warnings"].as_array().unwrap();
            let numbers: Vec<String> = warnings.iter().map(|warning| warning["code"].to_string()).collect();
            let warnings = (!numbers.is_empty()).then(|| format!("warnings {}", numbers.join(" ")));
            [format!("result {}", Value::Array(rows.clone()))].into_iter().chain(warnings).collect()
        }
    }
}

/// Returns the value with all numbers as doubles, since 1 and 1.0 are equal in AQL and in JSON.
fn numbers_alike(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(members) => members.iter().map(numbers_alike).collect(),
        Value::Object(object) => {
            object.iter().map(|(name, value)| (name.clone(), numbers_alike(value))).collect()
        }
        other => other.clone(),
    }
}

/// An empty database.
struct Database {
    session: Session,
}

impl Database {
    fn new() -> Self {
        let engine: Arc<dyn kv::Engine> = test_engine::engine();
        let instance = Instance::open(engine, InstanceOptions::default()).unwrap();
        Database { session: Session::open(instance, "_system", Identity::Superuser).unwrap() }
    }

    fn set_up(&self, line: &str) {
        let mut words = line.splitn(3, char::is_whitespace);
        let (kind, name) = (words.next().unwrap(), words.next().unwrap());
        let json: Value =
            serde_json::from_str(words.next().unwrap()).unwrap_or_else(|error| panic!("{error} in {line}"));
        match kind {
            "collection" | "edges" => {
                let kind = if kind == "edges" { 3 } else { 2 };
                self.session
                    .create_collection(pack(&json!({"name": name, "type": kind})).as_slice())
                    .unwrap();
                let query = format!("FOR d IN @documents INSERT d INTO `{name}`");
                self.answer(&json!({"query": query, "bindVars": {"documents": json}, "options": {}}), false)
                    .unwrap();
            }
            "graph" => {
                let mut body = json;
                body["name"] = json!(name);
                self.session.create_graph(pack(&body).as_slice(), storage::Durability::Buffered).unwrap();
            }
            "index" => {
                self.session.create_index(name, pack(&json).as_slice()).unwrap();
            }
            "analyzer" => {
                let mut body = json;
                body["name"] = json!(name);
                self.session.create_analyzer(pack(&body).as_slice()).unwrap();
            }
            "view" => {
                let mut body = json;
                body["name"] = json!(name);
                self.session.create_view(pack(&body).as_slice()).unwrap();
                // The view finds all documents from here on.
                let query = format!("FOR d IN `{name}` OPTIONS {{waitForSync: true}} LIMIT 1 RETURN 1");
                self.answer(&json!({"query": query, "options": {}}), false).unwrap();
            }
            other => panic!("unknown word {other:?} at the start of a golden file"),
        }
    }

    /// Returns all rows, from any number of batches.
    fn answer(&self, request: &Value, reprinted: bool) -> Answer {
        let mut request = QueryRequest::from_body(pack(request).as_slice())?;
        if reprinted {
            let query = aql_syntax::parse(&request.text, &aql_syntax::Limits::default()).unwrap();
            request.text = aql_syntax::print(&query);
        }
        let mut reply = self.session.query(&request, Format::Json)?;
        let mut rows = Vec::new();
        loop {
            let mut body: Value = serde_json::from_slice(&reply.body).unwrap();
            rows.append(body["result"].as_array_mut().unwrap());
            if body["hasMore"] == false {
                return Ok((rows, body["extra"].take()));
            }
            reply = self.session.fetch(reply.cursor.unwrap(), None, Format::Json)?;
        }
    }

    /// Checks that every variant of running the case gives the same answer.
    fn check_variants(&self, case: &Case) -> Result<(), String> {
        let plan = self.session.explain(&QueryRequest::from_body(pack(&case.request()).as_slice()).unwrap());
        let Ok(plan) = plan else { return Ok(()) };
        let plan: Value =
            serde_json::from_str(&velocypack::json::to_json_string(velocypack::Slice::new(&plan), None))
                .unwrap();
        let plan = &plan["plan"];
        let names = |list: &Value, of: fn(&Value) -> Option<&str>| -> Vec<String> {
            list.as_array().unwrap().iter().filter_map(|item| of(item).map(str::to_owned)).collect()
        };
        let nodes = names(&plan["nodes"], |node| node["type"].as_str());
        let rules = names(&plan["rules"], Value::as_str);
        for (wanted, found) in [(&case.uses, &nodes), (&case.rules, &rules)] {
            if let Some(missing) = wanted.iter().find(|wanted| !found.contains(wanted)) {
                return Err(format!("the plan has no {missing} but {found:?}"));
            }
        }
        if plan["isModificationQuery"] == true || case.error.is_some() {
            return Ok(());
        }
        let variants: &[(&str, Value, usize, bool)] = &[
            ("without rules", json!({"optimizer": {"rules": ["-all"]}}), 1_000, false),
            ("by batches of 1", json!({}), 1, false),
            ("by batches of 2, streamed", json!({"stream": true}), 2, false),
            ("by batches of 1024", json!({}), 1_024, false),
            ("printed and parsed again", json!({}), 1_000, true),
        ];
        for (name, options, batch_size, reprinted) in variants {
            let mut request = case.request();
            request["batchSize"] = json!(batch_size);
            for (option, value) in options.as_object().unwrap() {
                request["options"][option] = value.clone();
            }
            let answer = self.answer(&request, *reprinted);
            let rows = answer.map_err(|error| format!("{name}: {error}"))?.0;
            case.check_rows(&rows).map_err(|failure| format!("{name}: {failure}"))?;
        }
        Ok(())
    }
}

fn pack(json: &Value) -> Builder {
    let mut builder = Builder::new();
    velocypack::json::parse(json.to_string().as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder
}
