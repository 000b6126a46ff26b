//! Queries of one collection, and reads of several.

use std::fmt::Write;

use super::super::operation::{Operation, Plan, Turn, document, json_text};
use super::super::stage::Stage;
use crate::Failure;

/// The number of documents of `stream-cursor`.
const STREAMED: u64 = 500;

pub(in super::super) fn insert(plan: &Plan, turn: Turn) -> Operation {
    let collection = json_text(&plan.collection);
    let document = document(Some(&plan.key(turn.thread, turn.own)), "", plan.complexity);
    plan.cursor(
        "INSERT @document INTO @@collection",
        &format!(r#"{{"document":{document},"@collection":{collection}}}"#),
    )
}

pub(in super::super) fn insert_random(plan: &Plan) -> Operation {
    let mut query = String::from("INSERT { value: RAND()");
    for number in 1..=plan.complexity {
        // Writes to a String do not fail.
        let _ = write!(query, ", test{number}: RANDOM_TOKEN(32)");
    }
    query.push_str(" } INTO @@collection");
    plan.cursor(&query, &format!(r#"{{"@collection":{}}}"#, json_text(&plan.collection)))
}

/// Makes three empty collections.
pub(in super::super) fn prepare_three(stage: &Stage<'_>) -> Result<(), Failure> {
    (1..=3).try_for_each(|number| stage.collection(&numbered(stage.plan, number), false))
}

pub(super) fn numbered(plan: &Plan, number: u64) -> String {
    format!("{}{number}", plan.collection)
}

/// Reads of one, two and three collections, by scans, by keys and by joins.
const JOINS: &[&str] = &[
    "FOR a IN @@one FOR b IN @@two FOR c IN @@three RETURN [a, b, c]",
    "FOR a IN @@one FOR b IN @@two FILTER a._key == b._key FOR c IN @@three FILTER b.value == c.value RETURN 1",
    "FOR a IN @@one COLLECT value = a.value WITH COUNT INTO n RETURN { value, n, two: LENGTH(@@two), three: LENGTH(@@three) }",
    "FOR a IN UNION((FOR x IN @@one RETURN x), (FOR x IN @@two RETURN x), (FOR x IN @@three RETURN x)) SORT a.value LIMIT 10 RETURN a",
    "FOR a IN @@one LET b = (FOR b IN @@two FILTER b._key == a.other RETURN b) FOR c IN @@three RETURN { a, b, c }",
];

pub(in super::super) fn joins(plan: &Plan, turn: Turn) -> Operation {
    let query = JOINS.get((turn.own % JOINS.len() as u64) as usize).copied().unwrap_or_default();
    let names: Vec<String> = (1..=3).map(|number| json_text(&numbered(plan, number))).collect();
    let [one, two, three] = names.as_slice() else { return Operation::get("/_api/version") };
    plan.cursor(query, &format!(r#"{{"@one":{one},"@two":{two},"@three":{three}}}"#))
}

pub(in super::super) fn custom(plan: &Plan) -> Operation {
    Operation::post("/_api/cursor", plan.query.clone())
}

pub(in super::super) fn prepare_stream(stage: &Stage<'_>) -> Result<(), Failure> {
    let (plan, mut lines) = (stage.plan, String::new());
    stage.collection(&plan.collection, false)?;
    for number in 0..STREAMED {
        lines += &document(Some(&format!("test{number}")), "", plan.complexity);
        lines.push('\n');
    }
    stage.import(&plan.collection, lines)
}

pub(in super::super) fn stream(plan: &Plan, turn: Turn) -> Operation {
    let collection = json_text(&plan.collection);
    if turn.own.is_multiple_of(2) {
        let changes = document(None, &format!("\"value\":{},", turn.number), plan.complexity);
        let query = "UPDATE @key WITH @changes IN @@collection";
        let variables = format!(r#"{{"key":"test1","changes":{changes},"@collection":{collection}}}"#);
        return plan.cursor(query, &variables);
    }
    let (query, batch) = (json_text("FOR d IN @@collection RETURN d"), plan.cursor_batch);
    let variables = format!(r#"{{"@collection":{collection}}}"#);
    Operation::post(
        "/_api/cursor",
        format!(
            r#"{{"query":{query},"bindVars":{variables},"batchSize":{batch},"options":{{"stream":true}}}}"#
        ),
    )
}
