//! The table of test cases.

use super::cases::{crud, document, plain, query, seed, shapes, transaction};
use super::operation::{Operation, Plan, Turn};
use super::stage::Stage;
use crate::Failure;

/// A test case: its operations, and the collections that they need.
pub(super) struct Case {
    /// The name, then its aliases.
    pub(super) names: &'static [&'static str],
    /// The purpose, in a few words.
    pub(super) about: &'static str,
    /// The preparation of its collections, before the clock runs.
    pub(super) prepare: fn(&Stage<'_>) -> Result<(), Failure>,
    /// The operations that it sends.
    pub(super) operations: Operations,
    /// The removal of data that are of no use afterwards.
    pub(super) finish: fn(&Stage<'_>) -> Result<(), Failure>,
    /// True if replies may have more to fetch.
    pub(super) has_cursors: bool,
}

/// The operations of a test case.
#[derive(Clone, Copy)]
pub(super) enum Operations {
    /// The same operation each time, so that it is made once.
    Same(fn(&Plan) -> Operation),
    /// Another operation each time.
    Each(fn(&Plan, Turn) -> Operation),
}

use Operations::{Each, Same};

impl Case {
    /// Returns the name that reports have.
    pub(super) fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }
}

const fn case(
    names: &'static [&'static str],
    about: &'static str,
    prepare: fn(&Stage<'_>) -> Result<(), Failure>,
    operations: Operations,
) -> Case {
    Case { names, about, prepare, operations, finish: nothing, has_cursors: false }
}

impl Case {
    const fn with_cursors(self) -> Self {
        Case { has_cursors: true, ..self }
    }

    const fn finishing(self, finish: fn(&Stage<'_>) -> Result<(), Failure>) -> Self {
        Case { finish, ..self }
    }
}

fn nothing(_: &Stage<'_>) -> Result<(), Failure> {
    Ok(())
}

/// All test cases, in the order of the help text.
#[rustfmt::skip]
pub(super) static CASES: &[Case] = &[
    case(&["version"], "requests the version", nothing, Same(plain::version)),
    case(&["document"], "inserts documents", document::prepare, Same(document::insert)),
    case(&["import-document"], "imports --complexity documents at a time", document::prepare, Same(document::import)),
    case(&["collection"], "creates collections and drops them after the run", nothing, Each(plain::collection)).finishing(plain::drop_collections),
    case(&["crud"], "inserts, updates, reads (twice) and removes documents", crud::prepare, Each(crud::whole)),
    case(&["crud-append"], "inserts, updates and reads (twice) documents", crud::prepare, Each(crud::append)),
    case(&["crud-write-read"], "inserts and reads documents", crud::prepare, Each(crud::write_read)),
    case(&["edge-crud", "edge"], "inserts, updates and reads (twice) edges", crud::prepare_edges, Each(crud::edge)),
    case(&["persistent-index", "hash", "skiplist"], "like crud-append, with an index on one attribute", crud::prepare_index, Each(crud::index)),
    case(&["shapes"], "inserts, reads and removes documents with 20 sets of attributes", crud::prepare, Each(shapes::fixed)),
    case(&["random-shapes"], "inserts, reads and removes documents with random attribute names", crud::prepare, Each(shapes::random)),
    case(&["shapes-append"], "inserts and reads documents with random attribute names", crud::prepare, Each(shapes::append)),
    case(&["aqlinsert"], "inserts documents by queries", document::prepare, Each(query::insert)),
    case(&["aqlv8"], "inserts documents with random values by queries", document::prepare, Same(query::insert_random)),
    case(&["aqltrx"], "queries three empty collections, including joins", query::prepare_three, Each(query::joins)).with_cursors(),
    case(&["custom-query"], "runs the query of --custom-query and reads its whole result", nothing, Same(query::custom)).with_cursors(),
    case(&["stream-cursor"], "updates of one document (which conflict between threads) and streamed queries over 500", query::prepare_stream, Each(query::stream)).with_cursors(),
    case(&["multi-collection"], "queries that insert a document into two collections", transaction::prepare_two, Same(transaction::insert_into_two)),
    case(&["multitrx"], "queries that read and write two collections", transaction::prepare_pairs, Each(transaction::read_and_write)),
    case(&["counttrx"], "queries that insert 50 documents and check the count", document::prepare, Same(transaction::count)),
    case(&["deadlocktrx"], "queries that write two collections in either order", transaction::prepare_two, Each(transaction::either_order)),
    case(&["seed-documents", "seed-export", "seed-dump"], "imports, of --complexity documents of 150 bytes with numbered keys", document::prepare, Each(seed::documents)),
    case(&["seed-small", "seed-cursor"], "imports, of --complexity documents with a key and a number", document::prepare, Each(seed::small)),
    case(&["seed-vertices"], "imports, of --complexity people of a social network", document::prepare, Each(seed::vertices)),
    case(&["seed-edges"], "imports of the friends of --complexity people, into NAME_edges", seed::prepare_edges, Each(seed::edges)),
];

/// Returns the test case with a name.
pub(super) fn find(name: &str) -> Result<&'static Case, Failure> {
    if let Some(case) = CASES.iter().find(|case| case.names.contains(&name)) {
        return Ok(case);
    }
    let names: Vec<&str> = CASES.iter().map(Case::name).collect();
    Err(Failure::option(format!("--test-case: unknown test case {name:?}; use one of {}", names.join(", "))))
}

/// Returns a line for each test case.
pub(super) fn list() -> String {
    let lines = CASES.iter().map(|case| format!("{:<41}{}", case.names.join(", "), case.about));
    lines.collect::<Vec<_>>().join("\n")
}
