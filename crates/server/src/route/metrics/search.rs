//! Inverted indexes and links of views.

use std::fmt::{Display, Write};

use database::Session;
use storage::{Collection, Database, Index, TextIndexStatistics};

use super::Page;

/// A figure of an index.
type Figure = fn(&TextIndexStatistics) -> u64;

const FIGURES: [(&str, &str, Figure); 5] = [
    ("arangodb_search_num_docs", "Documents with nested and deleted ones.", |figures| figures.documents),
    ("arangodb_search_num_live_docs", "Documents that are not deleted.", |figures| figures.living_documents),
    ("arangodb_search_num_segments", "Segments.", |figures| figures.segments),
    ("arangodb_search_num_files", "Files of segments.", |figures| figures.files),
    ("arangodb_search_index_size", "Bytes of segments.", |figures| figures.bytes),
];

pub(super) fn print(session: &Session, page: &mut Page) {
    let catalog = session.catalog();
    let mut rows = Vec::new();
    for database in catalog.databases() {
        for collection in database.collections() {
            for index in collection.indexes() {
                if let Some(figures) = index.text_statistics() {
                    rows.push((labels(database, collection, index), figures));
                }
            }
        }
    }
    for (name, help, figure) in FIGURES {
        page.head(name, "gauge", help);
        for (labels, figures) in &rows {
            let _ = writeln!(page.text, "{name}{{{labels}}} {}", figure(figures));
        }
    }
}

fn labels(database: &Database, collection: &Collection, index: &Index) -> String {
    let view = index.view().and_then(|view| database.view_by_id(view));
    let (kind, name) = match view {
        Some(view) => ("view", view.name.as_str()),
        None => ("index", index.name()),
    };
    let [database, collection, name] = [database.name(), collection.name(), name].map(escaped);
    format!("db=\"{database}\",{kind}=\"{name}\",collection=\"{collection}\"")
}

/// Returns a text as the value of a label.
fn escaped(text: impl Display) -> String {
    text.to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
