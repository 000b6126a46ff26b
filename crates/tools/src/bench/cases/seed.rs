//! Data for the tables of docs/benchmarks.md: the same each time, whatever thread makes it.
//!
//! The social network has the shape of Pokec (Takac and Zabovsky 2012; SNAP's soc-Pokec: 1,632,803
//! people, 30,622,564 directed friendships, 18.75 each). The number of a person's friends
//! has a log-normal distribution with that mean and a median of 7.5. The number of people who name
//! a person as a friend follows a power law. The most popular of 1,600,000 has about 13,000, as in
//! Pokec.

use std::fmt::Write;

use super::super::operation::{Operation, Plan, Turn};
use super::super::stage::Stage;
use super::document::import_into;
use crate::Failure;

/// The mean number of a person's friends, and the parameters of its distribution.
///
/// exp(LOG_MEAN + LOG_DEVIATION² / 2) is the mean.
pub(in super::super) const FRIENDS: f64 = 18.75;
const LOG_DEVIATION: f64 = 1.35;
/// The exponent that turns a random number from 0 to 1 into a rank of popularity.
const POPULARITY: f64 = 1.85;
/// The maximum number of friends, as in Pokec.
const FRIENDS_MAX: u64 = 8_763;

/// Returns a number that looks random (the finalizer of SplitMix64).
pub(super) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns a random number from 0 to 1, without 1.
fn unit(seed: u64) -> f64 {
    (mix(seed) >> 11) as f64 / (1u64 << 53) as f64
}

/// Returns the numbers that one operation makes.
fn numbers(plan: &Plan, turn: Turn) -> std::ops::Range<u64> {
    let first = turn.number * plan.complexity;
    first..first + plan.complexity
}

fn lines(plan: &Plan, turn: Turn, mut line: impl FnMut(u64, &mut String)) -> String {
    let mut text = String::with_capacity(plan.complexity as usize * 160);
    for number in numbers(plan, turn) {
        line(number, &mut text);
    }
    text
}

pub(in super::super) fn documents(plan: &Plan, turn: Turn) -> Operation {
    const NAMES: [&str; 8] = ["Ada", "Boris", "Chloé", "Dmitri", "Emma", "Farid", "Grete", "Hugo"];
    let text = lines(plan, turn, |number, text| {
        let random = mix(number);
        let name = NAMES.get((random % 8) as usize).copied().unwrap_or_default();
        // Writes to a String do not fail.
        let _ = writeln!(
            text,
            "{{\"_key\":\"test{number}\",\"number\":{number},\"name\":\"{name} {:x}\",\"group\":{},\"active\":{},\
             \"ratio\":{:.6},\"tags\":[\"tag{}\",\"tag{}\"]}}",
            random >> 40,
            random % 1_000,
            random.is_multiple_of(3),
            unit(number),
            random % 17,
            random % 31,
        );
    });
    import_into(&plan.segment(), text)
}

pub(in super::super) fn small(plan: &Plan, turn: Turn) -> Operation {
    let text = lines(plan, turn, |number, text| {
        let _ = writeln!(text, "{{\"_key\":\"test{number}\",\"value\":{number}}}");
    });
    import_into(&plan.segment(), text)
}

pub(in super::super) fn vertices(plan: &Plan, turn: Turn) -> Operation {
    let text = lines(plan, turn, |number, text| {
        let random = mix(number);
        let _ = writeln!(
            text,
            "{{\"_key\":\"P{number}\",\"public\":{},\"completion\":{},\"gender\":{},\"region\":\"region {}\",\"age\":{}}}",
            u8::from(!random.is_multiple_of(3)),
            random % 101,
            random % 2,
            random % 188,
            14 + random % 60,
        );
    });
    import_into(&plan.segment(), text)
}

/// Makes the collection of edges, `NAME_edges`.
pub(in super::super) fn prepare_edges(stage: &Stage<'_>) -> Result<(), Failure> {
    if stage.plan.total.is_none() {
        return Err(Failure::option(
            "seed-edges requires --requests, the number of people that edges lead to",
        ));
    }
    stage.collection(&format!("{}_edges", stage.plan.collection), true)
}

pub(in super::super) fn edges(plan: &Plan, turn: Turn) -> Operation {
    let people = (plan.total.unwrap_or(1) * plan.complexity).max(1);
    let collection = &plan.collection;
    let text = lines(plan, turn, |person, text| {
        for friend in 0..friends(person) {
            let to = popular(person << 16 | friend, people);
            let _ = writeln!(text, "{{\"_from\":\"{collection}/P{person}\",\"_to\":\"{collection}/P{to}\"}}");
        }
    });
    import_into(&format!("{}_edges", plan.segment()), text)
}

/// Returns the number of a person's friends.
pub(in super::super) fn friends(person: u64) -> u64 {
    // The sum of twelve random numbers is close to normal, with a deviation of 1.
    let normal = (0..12).map(|part| unit((person << 4 | part) ^ (1 << 63))).sum::<f64>() - 6.0;
    let log_mean = FRIENDS.ln() - LOG_DEVIATION * LOG_DEVIATION / 2.0;
    ((log_mean + LOG_DEVIATION * normal).exp().round() as u64).min(FRIENDS_MAX)
}

/// Returns one of `people`, popular ones more often. Their numbers are spread over all.
pub(in super::super) fn popular(seed: u64, people: u64) -> u64 {
    let rank = (unit(seed).powf(POPULARITY) * people as f64) as u64;
    // Multiplication by an odd number far from a power of two keeps ranks apart if `people` shares
    // no factor with it.
    (u128::from(rank) * 0x9e37_79b1 % u128::from(people.max(1))) as u64
}
