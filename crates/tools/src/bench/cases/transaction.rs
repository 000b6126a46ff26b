//! Transactions over several collections or documents.
//!
//! ArangoDB's tool has them in JavaScript, which the server runs. Here each is one query that reads
//! and writes the same.

use super::super::operation::{Operation, Plan, Turn, document, json_text};
use super::super::stage::Stage;
use super::query::numbered;
use crate::Failure;

/// Makes two empty collections.
pub(in super::super) fn prepare_two(stage: &Stage<'_>) -> Result<(), Failure> {
    (1..=2).try_for_each(|number| stage.collection(&numbered(stage.plan, number), false))
}

/// Makes two collections with a document for each thread.
pub(in super::super) fn prepare_pairs(stage: &Stage<'_>) -> Result<(), Failure> {
    prepare_two(stage)?;
    let keys = (0..stage.plan.threads).map(|thread| format!("{{\"_key\":\"test{thread}\",\"value\":0}}\n"));
    let lines: String = keys.collect();
    (1..=2).try_for_each(|number| stage.import(&numbered(stage.plan, number), lines.clone()))
}

/// Returns the names of two collections as bind variables, without the brackets.
fn two(plan: &Plan) -> String {
    let [one, two] = [1, 2].map(|number| json_text(&numbered(plan, number)));
    format!(r#""@one":{one},"@two":{two}"#)
}

pub(in super::super) fn insert_into_two(plan: &Plan) -> Operation {
    let variables = format!(r#"{{{},"document":{}}}"#, two(plan), document(None, "", plan.complexity));
    plan.cursor("INSERT @document INTO @@one INSERT @document INTO @@two", &variables)
}

pub(in super::super) fn read_and_write(plan: &Plan, turn: Turn) -> Operation {
    let query = "FOR a IN @@one FILTER a._key == @key FOR b IN @@two FILTER b._key == @key \
                 UPDATE a WITH { value: b.value + 1 } IN @@one UPDATE b WITH { value: a.value + 1 } IN @@two";
    plan.cursor(query, &format!(r#"{{{},"key":"test{}"}}"#, two(plan), turn.thread))
}

/// The number of documents of one transaction of `counttrx`.
const COUNTED: u64 = 50;

pub(in super::super) fn count(plan: &Plan) -> Operation {
    let query = "LET whole = ASSERT(LENGTH(@@collection) % @count == 0, 'a transaction was seen in part') \
                 FOR i IN 1..@count INSERT {} INTO @@collection";
    let collection = json_text(&plan.collection);
    plan.cursor(query, &format!(r#"{{"@collection":{collection},"count":{COUNTED}}}"#))
}

pub(in super::super) fn either_order(plan: &Plan, turn: Turn) -> Operation {
    let query = match turn.own.is_multiple_of(2) {
        true => "INSERT {} INTO @@one INSERT {} INTO @@two",
        false => "INSERT {} INTO @@two INSERT {} INTO @@one",
    };
    plan.cursor(query, &format!("{{{}}}", two(plan)))
}
