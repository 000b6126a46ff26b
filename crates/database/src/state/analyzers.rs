//! Analyzers that are kept open, and their documents.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use analyzers::{Analyzer, Definition, QueryCompiler};
use catalog::{ANALYZERS_COLLECTION, AnalyzerName, analyzer_of_document};
use errors::Result;
use kv::BlockLimits;
use storage::{Catalog, DocumentScanSpec, Snapshot, Store};
use velocypack::Slice;

use crate::embedded_aql::AnalyzerQueries;

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1_000, bytes: 4 << 20 };

/// Maximum number of analyzers that are kept open. The others are opened again for each use.
const OPEN_MAX: usize = 1_000;

/// The analyzers that are open, of all databases.
///
/// A change of an analyzer changes the catalog's version, and then all are opened again.
#[derive(Default)]
pub(crate) struct OpenAnalyzers {
    queries: AnalyzerQueries,
    open: RwLock<Open>,
}

/// The analyzers of a database by name; `None` for a name that no analyzer has.
type Known = HashMap<Box<str>, Option<Arc<Analyzer>>>;

#[derive(Default)]
struct Open {
    /// The version of the catalog that the analyzers are from.
    catalog_version: u64,
    databases: HashMap<Box<str>, Known>,
    count: usize,
}

impl OpenAnalyzers {
    /// Returns the compiler of the queries of analyzers.
    pub(crate) fn queries(&self) -> &dyn QueryCompiler {
        &self.queries
    }

    /// Returns the analyzer with this name in a database, or `None` if there is none.
    pub(crate) fn get(&self, store: &Store, database: &str, local: &str) -> Result<Option<Arc<Analyzer>>> {
        let version = store.catalog().version();
        {
            let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
            let known = open.databases.get(database).and_then(|analyzers| analyzers.get(local));
            if let Some(analyzer) = known.filter(|_| open.catalog_version == version) {
                return Ok(analyzer.clone());
            }
        }
        let snapshot = store.snapshot()?;
        let stored = stored_in(&snapshot, database, local)?;
        let analyzer = stored.map(|stored| stored.definition.open(self.queries())).transpose()?;
        self.keep(snapshot.catalog(), database, local, analyzer.clone());
        Ok(analyzer)
    }

    fn keep(&self, catalog: &Catalog, database: &str, local: &str, analyzer: Option<Arc<Analyzer>>) {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if open.catalog_version < catalog.version() || open.count >= OPEN_MAX {
            *open = Open { catalog_version: catalog.version(), ..Open::default() };
        }
        if open.catalog_version == catalog.version() {
            open.databases.entry(database.into()).or_default().insert(local.into(), analyzer);
            open.count += 1;
        }
    }
}

/// A stored analyzer.
pub(crate) struct Stored {
    /// The key of its document: the name in its database, unless it was restored with another.
    pub(crate) key: String,
    pub(crate) definition: Definition,
}

impl Stored {
    fn read(database: &str, document: Slice<'_>) -> Option<Self> {
        let key = document.get("_key").and_then(Slice::as_str)?.to_owned();
        Some(Stored { key, definition: analyzer_of_document(database, document)? })
    }
}

/// Returns the analyzer with a name in a database.
pub(crate) fn stored_in(snapshot: &Snapshot, database: &str, local: &str) -> Result<Option<Stored>> {
    let found = snapshot.catalog().database(database);
    let Some(collection) = found.and_then(|found| found.collection(ANALYZERS_COLLECTION)) else {
        return Ok(None);
    };
    let has_name = |stored: &Stored| AnalyzerName::parse(stored.definition.name()).local == local;
    let document = snapshot.get(collection, &[local])?.document(0);
    let stored = document.and_then(|document| Stored::read(database, document.slice())).filter(has_name);
    match stored {
        Some(stored) => Ok(Some(stored)),
        None => Ok(all_in(snapshot, database)?.into_iter().find(has_name)),
    }
}

/// Returns all analyzers of a database, by key.
pub(crate) fn all_in(snapshot: &Snapshot, database: &str) -> Result<Vec<Stored>> {
    let mut all = Vec::new();
    let found = snapshot.catalog().database(database);
    let Some(collection) = found.and_then(|found| found.collection(ANALYZERS_COLLECTION)) else {
        return Ok(all);
    };
    let mut scan = snapshot.scan(collection, &DocumentScanSpec::default())?;
    while let Some(documents) = scan.next_block(READ_LIMITS)? {
        all.extend(documents.iter().filter_map(|document| Stored::read(database, document)));
    }
    Ok(all)
}
