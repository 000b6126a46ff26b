//! Documents whose attributes differ from one to the next.

use std::fmt::Write;

use Step::{Insert, Read, Remove};

use super::super::operation::{Operation, Plan, Turn};
use super::crud::{Step, step};
use super::seed::mix;

/// The number of sets of attributes that recur.
const SHAPES: u64 = 20;

pub(in super::super) fn fixed(plan: &Plan, turn: Turn) -> Operation {
    step(&[Insert, Read, Remove], plan, turn, |plan, key, number, _| {
        named(key, plan.complexity, |attribute| format!("shape{}-{attribute}", number % SHAPES))
    })
}

pub(in super::super) fn random(plan: &Plan, turn: Turn) -> Operation {
    step(&[Insert, Read, Remove], plan, turn, random_names)
}

pub(in super::super) fn append(plan: &Plan, turn: Turn) -> Operation {
    step(&[Insert, Read], plan, turn, random_names)
}

fn random_names(plan: &Plan, key: Option<&str>, number: u64, _: Step) -> String {
    named(key, plan.complexity, |attribute| format!("name{:x}", mix(number << 20 | attribute) >> 32))
}

fn named(key: Option<&str>, attributes: u64, name: impl Fn(u64) -> String) -> String {
    let mut text = format!("{{\"_key\":\"{}\"", key.unwrap_or_default());
    for attribute in 0..attributes {
        // Writes to a String do not fail.
        let _ = write!(text, ",\"{}\":\"some value\"", name(attribute));
    }
    text.push('}');
    text
}
