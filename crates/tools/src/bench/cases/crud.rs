//! Inserts, updates, reads and removals of documents and edges.
//!
//! Each thread performs the steps of one key after another, so that no operation touches a document
//! of another thread.

use super::super::operation::{Operation, Plan, Turn, document};
use super::super::stage::Stage;
use crate::Failure;

/// A step in the life of a document.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Insert,
    Update,
    Read,
    Remove,
}

use Step::{Insert, Read, Remove, Update};

pub(in super::super) fn prepare(stage: &Stage<'_>) -> Result<(), Failure> {
    stage.collection(&stage.plan.collection, false)
}

pub(in super::super) fn prepare_edges(stage: &Stage<'_>) -> Result<(), Failure> {
    stage.collection(&stage.plan.collection, true)
}

pub(in super::super) fn prepare_index(stage: &Stage<'_>) -> Result<(), Failure> {
    prepare(stage)?;
    stage.index(&stage.plan.collection, "value")
}

pub(in super::super) fn whole(plan: &Plan, turn: Turn) -> Operation {
    step(&[Insert, Update, Read, Read, Remove], plan, turn, plain)
}

pub(in super::super) fn append(plan: &Plan, turn: Turn) -> Operation {
    step(&[Insert, Update, Read, Read], plan, turn, plain)
}

pub(in super::super) fn write_read(plan: &Plan, turn: Turn) -> Operation {
    step(&[Insert, Read], plan, turn, plain)
}

pub(in super::super) fn edge(plan: &Plan, turn: Turn) -> Operation {
    step(&[Insert, Update, Read, Read], plan, turn, |plan, key, number, step| {
        let ends = match step {
            Insert => format!("\"_from\":\"vertices/{number}\",\"_to\":\"vertices/{}\",", number + 1),
            _ => String::new(),
        };
        document(key, &format!("{ends}\"value\":{number},"), plan.complexity)
    })
}

pub(in super::super) fn index(plan: &Plan, turn: Turn) -> Operation {
    step(&[Insert, Update, Read, Read], plan, turn, |plan, key, number, step| {
        let value = if matches!(step, Insert) { number } else { number + 1 };
        document(key, &format!("\"value\":{value},"), plan.complexity)
    })
}

fn plain(plan: &Plan, key: Option<&str>, number: u64, step: Step) -> String {
    let is_updated = matches!(step, Update);
    document(key, &format!("\"value\":{number},\"updated\":{is_updated},"), plan.complexity)
}

/// The body of a document. The arguments are the key for an insert, the number among the thread's
/// documents, and the step.
pub(super) type Body = fn(&Plan, Option<&str>, u64, Step) -> String;

/// Returns the next step of the thread.
pub(super) fn step(steps: &[Step], plan: &Plan, turn: Turn, body: Body) -> Operation {
    let count = steps.len() as u64;
    let (number, at) = (turn.own / count, (turn.own % count) as usize);
    let key = plan.key(turn.thread, number);
    let segment = plan.segment();
    let path = || format!("/_api/document/{segment}/{key}");
    let step = steps.get(at).copied().unwrap_or(Read);
    match step {
        Insert => Operation::post(format!("/_api/document/{segment}"), body(plan, Some(&key), number, step)),
        Update => Operation::patch(path(), body(plan, None, number, step)),
        Read => Operation::get(path()),
        Remove => Operation::delete(path()),
    }
}
