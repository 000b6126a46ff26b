//! Long scans read their next blocks on another thread, and only their timing shows it.

use std::sync::Arc;

use catalog::CollectionType;
use storage::{BlockLimits, Collection, DocumentScan, DocumentScanSpec, Store, WriteOptions};
use velocypack::Slice;

use crate::common::{self, create, insert, store, write};

const DOCUMENTS: usize = 20_000;

fn filled() -> (Arc<Store>, Arc<Collection>) {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    write(&store, |transaction| {
        for number in 0..DOCUMENTS {
            let body = common::value(&format!(r#"{{"_key": "{number:05}"}}"#));
            transaction.insert(&c, Slice::new(&body), &WriteOptions::default())?;
        }
        Ok(())
    })
    .unwrap();
    (store, c)
}

fn scan(store: &Store, collection: &Collection, reverse: bool) -> DocumentScan {
    let spec = DocumentScanSpec { sequential: true, reverse, ..DocumentScanSpec::default() };
    store.snapshot().unwrap().scan(collection, &spec).unwrap()
}

/// A caller that asks for one document when read-ahead begins can still get many later.
#[test]
fn blocks_are_as_large_as_asked_for() {
    let (store, c) = filled();
    let (mut scan, mut next, mut blocks) = (scan(&store, &c, false), 0, 0);
    for _ in 0..40 {
        take(&mut scan, 1, &mut next);
    }
    while take(&mut scan, 1000, &mut next) {
        blocks += 1;
    }
    assert_eq!(next, DOCUMENTS);
    assert!(blocks < 30, "{blocks}");
}

/// Takes documents and checks that they are the next ones. Returns false after the last.
fn take(scan: &mut DocumentScan, rows: usize, next: &mut usize) -> bool {
    let Some(documents) = scan.next_block(BlockLimits { rows, bytes: 1 << 20 }).unwrap() else {
        return false;
    };
    assert!((1..=rows).contains(&documents.len()), "{} of {rows}", documents.len());
    for document in documents.iter() {
        assert_eq!(document.get("_key").unwrap().as_str().unwrap(), format!("{next:05}"));
        *next += 1;
    }
    true
}

#[test]
fn all_documents_come_in_order_whatever_is_asked_for() {
    let (store, c) = filled();
    for sizes in [&[100][..], &[1, 2, 3], &[500, 500, 500, 500, 7], &[1000, 1, 999]] {
        let (mut scan, mut next) = (scan(&store, &c, false), 0);
        let mut sizes = sizes.iter().cycle();
        while take(&mut scan, *sizes.next().unwrap(), &mut next) {}
        assert_eq!(next, DOCUMENTS);
        assert!(scan.next_block(BlockLimits { rows: 1, bytes: 1 }).unwrap().is_none());
    }
}

#[test]
fn a_released_scan_continues_where_it_was() {
    let (store, c) = filled();
    let (mut scan, mut next, mut blocks) = (scan(&store, &c, false), 0, 0);
    while take(&mut scan, 100, &mut next) {
        blocks += 1;
        if blocks % 30 == 0 {
            scan.release();
        }
        if blocks == 60 {
            // This document is not in the snapshot.
            insert(&store, &c, r#"{"_key": "19999a"}"#).unwrap();
        }
    }
    assert_eq!(next, DOCUMENTS);
}

#[test]
fn a_released_reverse_scan_continues_where_it_was() {
    let (store, c) = filled();
    let (mut scan, mut keys, mut blocks) = (scan(&store, &c, true), Vec::new(), 0);
    while let Some(documents) = scan.next_block(BlockLimits { rows: 100, bytes: 1 << 20 }).unwrap() {
        keys.extend(documents.iter().map(|d| d.get("_key").unwrap().as_str().unwrap().to_owned()));
        blocks += 1;
        if blocks % 35 == 0 {
            scan.release();
        }
    }
    let expected: Vec<String> = (0..DOCUMENTS).rev().map(|number| format!("{number:05}")).collect();
    assert!(keys == expected);
}

#[test]
fn many_concurrent_scans_and_abandoned_scans() {
    let (store, c) = filled();
    for _ in 0..20 {
        let mut scans: Vec<(DocumentScan, usize)> = (0..4).map(|_| (scan(&store, &c, false), 0)).collect();
        for _ in 0..25 {
            for (scan, next) in &mut scans {
                assert!(take(scan, 100, next));
            }
        }
    }
    let mut reverse = scan(&store, &c, true);
    let mut count = 0;
    while let Some(documents) = reverse.next_block(BlockLimits { rows: 100, bytes: 1 << 20 }).unwrap() {
        count += documents.len();
    }
    assert_eq!(count, DOCUMENTS);
}
