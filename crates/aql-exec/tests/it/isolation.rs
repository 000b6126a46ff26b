//! Runs the scripts in `tests/isolation`, which show what transactions see of each other; and
//! threads.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use aql_exec::DataAccess;
use aql_value::Value;
use storage::{Durability, Transaction, TransactionOptions};

use crate::common::{Fixture, Run, start, value};

#[test]
fn scripts() {
    let folder = Path::new("../../tests/isolation");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "test") {
            let text = std::fs::read_to_string(&path).unwrap();
            for script in text.split("\n\n") {
                let mut run = Script { fixture: Fixture::new(), open: HashMap::new() };
                for line in script.lines().filter(|line| !line.starts_with('#')) {
                    run.step(line).unwrap_or_else(|error| panic!("{}: {line}\n{error}", path.display()));
                }
                assert!(run.open.is_empty(), "{}: a transaction is left open in\n{script}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}

/// A running script.
struct Script {
    fixture: Fixture,
    open: HashMap<String, Transaction>,
}

impl Script {
    fn step(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.splitn(3, ' ');
        match (words.next().unwrap(), words.next(), words.next()) {
            ("collection", Some(name), Some(documents)) => {
                self.fixture.collection(name).insert(name, documents);
                Ok(())
            }
            ("unique", Some(name), Some(attribute)) => {
                let index = format!(r#"{{"type": "persistent", "fields": ["{attribute}"], "unique": true}}"#);
                self.fixture.index(name, &index);
                Ok(())
            }
            (name, Some(_), _) if name.ends_with(':') => {
                let action = line[name.len()..].trim();
                self.in_transaction(&name[..name.len() - 1], action)
            }
            _ => {
                let mut transaction = self.fixture.store.begin(&TransactionOptions::default()).unwrap();
                let outcome = self.query(line, &mut transaction);
                if !line.contains("!!") {
                    transaction.commit(Durability::Buffered).map_err(|error| error.to_string())?;
                }
                outcome
            }
        }
    }

    fn in_transaction(&mut self, name: &str, action: &str) -> Result<(), String> {
        if action == "begin" {
            let transaction = self.fixture.store.begin(&TransactionOptions::default()).unwrap();
            self.open.insert(name.to_owned(), transaction);
            return Ok(());
        }
        let mut transaction = self.open.remove(name).ok_or("it has not begun")?;
        match action {
            "commit" => transaction.commit(Durability::Buffered).map_err(|error| error.to_string()),
            "rollback" => {
                transaction.rollback();
                Ok(())
            }
            query => {
                let outcome = self.query(query, &mut transaction);
                self.open.insert(name.to_owned(), transaction);
                outcome
            }
        }
    }

    /// Runs `query -> results` or `query !! error` within a transaction.
    fn query(&self, line: &str, transaction: &mut Transaction) -> Result<(), String> {
        let (query, error, expected) = match (line.rsplit_once(" -> "), line.rsplit_once(" !! ")) {
            (Some((query, results)), _) => (query, None, value(results)),
            (None, Some((query, number))) => (query, Some(number.parse::<u32>().unwrap()), Value::Null),
            (None, None) => return Err("neither results nor an error is expected".to_owned()),
        };
        let found = run_within(&self.fixture, query, transaction);
        match (found, error) {
            (Ok(mut found), None) => {
                let mut expected: Vec<String> = expected.elements().map(|value| value.to_json()).collect();
                expected.sort();
                found.sort();
                if found == expected { Ok(()) } else { Err(format!("gave {found:?}")) }
            }
            (Err(found), Some(number)) if found.number() == number => Ok(()),
            (found, _) => Err(format!("gave {found:?}")),
        }
    }
}

/// Returns the results of a query within a transaction, which stays open.
fn run_within(fixture: &Fixture, query: &str, transaction: &mut Transaction) -> errors::Result<Vec<String>> {
    let run = Run::default();
    let plan = Arc::new(fixture.plan(query, &run)?);
    // The execution owns the transaction and returns it; an empty one takes its place until then.
    let other = fixture.store.begin(&TransactionOptions::default()).unwrap();
    let own = std::mem::replace(transaction, other);
    let mut execution = start(&plan, DataAccess::Write(Box::new(own)), &run)?;
    let mut results = Vec::new();
    let outcome = loop {
        match execution.next_batch(usize::MAX) {
            Ok(Some(batch)) => results.extend(batch.iter().map(Value::to_json)),
            Ok(None) => break Ok(results),
            Err(error) => break Err(error),
        }
    };
    *transaction = *execution.finish().transaction.unwrap();
    outcome
}

/// Runs a query in its own transaction and retries it while it conflicts with others.
///
/// Returns its error, if any.
fn run_until_done(fixture: &Fixture, query: &str) -> Option<u32> {
    loop {
        match fixture.run(query, &Run::default()) {
            Ok(_) => return None,
            Err(error) if error.number() == 1200 => std::thread::yield_now(),
            Err(error) => return Some(error.number()),
        }
    }
}

#[test]
fn concurrent_increments_all_count() {
    let fixture = Fixture::new();
    fixture.collection("c").insert("c", r#"[{"_key": "x", "n": 0}]"#);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(run_until_done(&fixture, "FOR d IN c UPDATE d WITH {n: d.n + 1} IN c"), None);
                }
            });
        }
    });
    assert_eq!(fixture.one("FOR d IN c RETURN d.n"), "400");
}

#[test]
fn of_concurrent_inserts_of_one_value_one_succeeds() {
    let fixture = Fixture::new();
    fixture.collection("c").index("c", r#"{"type": "persistent", "fields": ["n"], "unique": true}"#);
    let outcomes: Vec<Option<u32>> = std::thread::scope(|scope| {
        let insert = |_| {
            scope.spawn(|| {
                let insert = |n| run_until_done(&fixture, &format!("INSERT {{n: {n}}} INTO c"));
                (0..40).map(insert).collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = (0..6).map(insert).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_none()).count(), 40);
    assert!(outcomes.iter().flatten().all(|number| *number == 1210));
    assert_eq!(
        fixture.one("RETURN [LENGTH(c), LENGTH(FOR d IN c FILTER d.n >= 0 RETURN DISTINCT d.n)]"),
        "[40,40]"
    );
}

#[test]
fn readers_see_transfers_whole() {
    let fixture = Fixture::new();
    let documents: Vec<String> = (0..10).map(|key| format!(r#"{{"_key": "{key}", "n": 100}}"#)).collect();
    fixture.collection("c").insert("c", &format!("[{}]", documents.join(",")));
    fixture.index("c", r#"{"type": "persistent", "fields": ["n"]}"#);
    std::thread::scope(|scope| {
        let transfers = |from: usize| {
            let fixture = &fixture;
            move || {
                for to in 0..100 {
                    let query = format!(
                        "FOR d IN c FILTER d._key IN ['{from}', '{}']
                         UPDATE d WITH {{n: d._key == '{from}' ? d.n - 1 : d.n + 1}} IN c",
                        (from + 1 + to % 8) % 10
                    );
                    assert_eq!(run_until_done(fixture, &query), None);
                }
            }
        };
        let writers: Vec<_> = (0..3).map(|from| scope.spawn(transfers(from))).collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            for query in
                ["RETURN SUM(FOR d IN c RETURN d.n)", "RETURN SUM(FOR d IN c FILTER d.n > -1000 RETURN d.n)"]
            {
                assert_eq!(fixture.run(query, &Run::default()).unwrap().results, ["1000"]);
            }
        }
    });
}
