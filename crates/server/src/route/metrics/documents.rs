//! The times of reads and writes of documents, if they are measured.

use database::Session;
use storage::{DocumentOperation, OPERATION_CUTS};

use super::Page;

/// The writes of documents with the names of their metrics.
const WRITES: &[(DocumentOperation, &str)] = &[
    (DocumentOperation::Insert, "insert"),
    (DocumentOperation::Update, "update"),
    (DocumentOperation::Replace, "replace"),
    (DocumentOperation::Remove, "remove"),
];

/// Writes nothing unless the times are measured.
pub(super) fn print(session: &Session, page: &mut Page) {
    let store = session.instance().store();
    let mut written = 0;
    for (operation, name) in WRITES {
        let Some(times) = store.operation_times(*operation) else { return };
        written += times.count();
        let name = format!("arangodb_document_{name}_time");
        page.histogram(&name, "Seconds of each write of a document of this kind.", &OPERATION_CUTS, &times);
    }
    page.counter("arangodb_document_writes_total", "Documents that were written.", written);
    page.counter(
        "arangodb_document_writes_replication_total",
        "Documents that were written for another server; always 0.",
        0,
    );
    if let Some(times) = store.operation_times(DocumentOperation::Read) {
        page.histogram(
            "arangodb_document_read_time",
            "Seconds of each lookup of a document by its key.",
            &OPERATION_CUTS,
            &times,
        );
    }
    if let Some(times) = store.operation_times(DocumentOperation::Truncate) {
        page.histogram(
            "arangodb_collection_truncate_time",
            "Seconds of each truncation of a collection.",
            &OPERATION_CUTS,
            &times,
        );
        page.counter("arangodb_collection_truncates_total", "Truncations of collections.", times.count());
        page.counter(
            "arangodb_collection_truncates_replication_total",
            "Truncations for another server; always 0.",
            0,
        );
    }
}
