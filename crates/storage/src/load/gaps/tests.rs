//! Gaps between stored numbers.

use std::sync::Arc;

use kv::MemoryEngine;
use kv::{Durability, Engine, LoadHint, LoadKind, Snapshot};

use super::*;

/// Takes a snapshot of an engine with some numbers as keys.
fn stored(numbers: impl Iterator<Item = u32>) -> Arc<dyn Snapshot> {
    let engine = MemoryEngine::new();
    let mut load = engine.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
    numbers.for_each(|number| load.add(&number.to_be_bytes(), b"").unwrap());
    load.finish(Durability::Buffered).unwrap();
    engine.snapshot().unwrap()
}

fn documents(numbers: impl Iterator<Item = u32>) -> Pairs {
    let mut documents = Pairs::default();
    numbers
        .for_each(|number| documents.push(|key| key.extend_from_slice(&number.to_be_bytes()), b"document"));
    assert!(documents.sort());
    documents
}

fn are_free(documents: &Pairs, gaps: &[Range<usize>], snapshot: &dyn Snapshot) -> bool {
    gaps.iter().all(|gap| is_free(documents, gap, snapshot).unwrap())
}

#[test]
fn documents_outside_all_stored_keys_fall_into_one_gap() {
    let snapshot = stored((0..50).chain(150..200));
    for numbers in [50..150, 60..61, 200..300] {
        let documents = documents(numbers);
        let gaps = find(&documents, snapshot.as_ref(), 10).unwrap();
        assert_eq!((gaps.len(), &gaps[0]), (1, &(0..documents.len())));
        assert!(are_free(&documents, &gaps, snapshot.as_ref()));
    }
}

#[test]
fn documents_of_two_places_fall_into_two_gaps() {
    let snapshot = stored((0..50).chain(1000..1050));
    let documents = documents((1050..1070).chain(50..80));
    let gaps = find(&documents, snapshot.as_ref(), 10).unwrap();
    assert_eq!(gaps, [0..30, 30..50]);
    assert!(are_free(&documents, &gaps, snapshot.as_ref()));
}

#[test]
fn scattered_documents_count_as_one_part_that_is_not_free() {
    let snapshot = stored((0..100).map(|number| number * 10));
    let documents = documents((0..100).map(|number| number * 10 + 5));
    let gaps = find(&documents, snapshot.as_ref(), 2).unwrap();
    assert_eq!((gaps.len(), &gaps[0]), (1, &(0..100)));
    assert!(!are_free(&documents, &gaps, snapshot.as_ref()));
    let each = find(&documents, snapshot.as_ref(), 1).unwrap();
    assert_eq!((each.len(), each.last()), (GAPS_MAX + 1, Some(&(GAPS_MAX..100))));
    assert!(!are_free(&documents, &each, snapshot.as_ref()));
}

#[test]
fn a_key_that_is_taken_is_in_no_free_gap() {
    let snapshot = stored([20, 55].into_iter());
    for number in [20, 55] {
        let documents = documents(number - 10..number + 11);
        for least in [0, 1, 5] {
            let gaps = find(&documents, snapshot.as_ref(), least).unwrap();
            assert_eq!((gaps.first().unwrap().start, gaps.last().unwrap().end), (0, 21));
            assert!(!are_free(&documents, &gaps, snapshot.as_ref()), "{gaps:?}");
        }
    }
}
