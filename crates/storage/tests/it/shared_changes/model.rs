//! Readers that begin at random moments while two servers write the same documents.

use std::collections::{BTreeMap, BTreeSet};

use errors::ErrorCode;
use proptest::prelude::*;
use serde_json::Value;
use storage::{ChangeKind, OverwriteMode, Store, Transaction, WriteOptions};
use test_engine::wait_until;
use velocypack::Slice;

use super::{LONG, commit, key, read, servers, settled};
use crate::common::{LOAD_WAIT, all, present, value};

/// An operation on one of a few documents.
#[derive(Clone, Debug)]
struct Operation {
    server: usize,
    key: u8,
    kind: Kind,
    /// A reader begins before it, on a server.
    reader: Option<usize>,
}

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Inserts a document, or replaces it.
    Put,
    Remove,
    /// Loads a document, if there is none.
    Load,
}

fn operation() -> impl Strategy<Value = Operation> {
    let reader = prop_oneof![3 => Just(None), 1 => (0..2_usize).prop_map(Some)];
    let kind = prop_oneof![Just(Kind::Put), Just(Kind::Remove), Just(Kind::Load)];
    (0..2_usize, 0..4_u8, kind, reader).prop_map(|(server, key, kind, reader)| Operation {
        server,
        key,
        kind,
        reader,
    })
}

fn run(store: &Store, operation: &Operation, n: usize) {
    let collection = present(store, "c");
    let key = operation.key.to_string();
    let document = value(&format!(r#"{{"_key":"{key}","n":{n}}}"#));
    if operation.kind == Kind::Load {
        let mut load =
            store.load_documents(&collection, &WriteOptions::default(), LOAD_WAIT).unwrap().unwrap();
        load.add(Slice::new(&document)).unwrap();
        // The key may be taken.
        load.finish().unwrap();
        return;
    }
    let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
    let removes = operation.kind == Kind::Remove;
    let work = |transaction: &mut Transaction| match removes {
        true => transaction.remove(&collection, &key, Slice::NONE, &options).map(drop),
        false => transaction.insert(&collection, Slice::new(&document), &options).map(drop),
    };
    let mut outcome = commit(store, work);
    // The other server has inserted the document in the meantime.
    while outcome.as_ref().is_err_and(|error| error.code() == ErrorCode::UniqueConstraintViolated) {
        outcome = commit(store, work);
    }
    assert!(outcome.is_ok() || removes, "{outcome:?}");
}

/// Returns the state of a reader: the documents of a snapshot, by their keys.
fn documents(values: impl IntoIterator<Item = Value>) -> BTreeMap<String, Value> {
    let key = |document: &Value| document["_key"].as_str().unwrap().to_owned();
    values.into_iter().map(|document| (key(&document), document)).collect()
}

/// A reader: its server, the documents of its snapshot, the position up to which it has read, and
/// the commits behind it that the snapshot shows.
type Reader = (usize, BTreeMap<String, Value>, u64, BTreeSet<u64>);

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// A snapshot and the changes behind it are the collection, wherever and whenever both are
    /// read, while two servers write the same documents concurrently.
    #[test]
    fn a_snapshot_and_the_changes_behind_it_are_the_collection(
        operations in prop::collection::vec(operation(), 1..40),
    ) {
        let (_cluster, stores) = servers::<2>(LONG);
        wait_until("the log has begun everywhere", || stores[1].change_log().is_some());
        let mut readers: Vec<Reader> = Vec::new();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..2).map(|server| {
                let (store, operations) = (&stores[server], &operations);
                scope.spawn(move || {
                    let own = operations.iter().enumerate().filter(|(_, one)| one.server == server);
                    own.for_each(|(n, one)| run(store, one, n));
                })
            }).collect();
            for server in operations.iter().filter_map(|one| one.reader) {
                let store = &stores[server];
                let (snapshot, below, shown) = store.snapshot_with_changes(super::scope(store)).unwrap();
                let present = documents(all(&snapshot, &present(store, "c")));
                readers.push((1 - server, present, below - 1, shown.into_iter().collect()));
            }
            writers.into_iter().for_each(|writer| writer.join().unwrap());
        });
        let expected = documents(all(&stores[0].snapshot().unwrap(), &present(&stores[0], "c")));
        for (server, mut present, after, shown) in readers {
            let store = &stores[server];
            settled(store);
            for entry in read(store, after).0 {
                if shown.contains(&entry.transaction) {
                    continue;
                }
                match entry.kind {
                    ChangeKind::Removed => drop(present.remove(key(&entry))),
                    _ => drop(present.insert(key(&entry).to_owned(), entry.document.clone())),
                }
            }
            prop_assert_eq!(&present, &expected);
        }
    }
}
