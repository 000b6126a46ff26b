//! The dependencies of a result: collections and the versions in which they were read.

use aql_plan::{Expression, NodeKind, Plan};
use catalog::CollectionId;
use storage::{Catalog, Collection, DataVersion, Database};

/// Collections and the versions in which a query read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependencies {
    collections: Vec<Dependency>,
    /// True if the result may have been read from any collection of the database. A new collection
    /// invalidates it.
    of_all: bool,
    /// The number of collections, from the first, that the query names.
    named: usize,
    /// The version of the catalog, if the result depends on definitions of analyzers.
    catalog_version: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Dependency {
    /// The name by which the query finds the collection. Another collection may get the name later.
    name: Box<str>,
    id: CollectionId,
    version: DataVersion,
}

impl Dependency {
    /// Returns the present version, or `None` while the collection is being written.
    fn now(collection: &Collection) -> Option<Self> {
        let version = collection.data_version()?;
        Some(Dependency { name: collection.name().into(), id: collection.id(), version })
    }
}

impl Dependencies {
    /// Returns the dependencies of a result that was read from no collection.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Dependencies { collections: Vec::new(), of_all: false, named: 0, catalog_version: None }
    }

    /// Returns the versions in which a plan would read its collections now, or `None` if its result
    /// must not be cached.
    ///
    /// This is so if a collection is being written, no longer matches the plan, or is an excluded
    /// system collection.
    pub(crate) fn now(
        plan: &Plan,
        catalog: &Catalog,
        database: &Database,
        include_system: bool,
    ) -> Option<Self> {
        let mut collections = Vec::with_capacity(plan.collections.len());
        for used in &plan.collections {
            let collection = database.collection(&used.collection.name)?;
            let is_left_out = collection.definition().properties.is_system && !include_system;
            if collection.id().0 != used.collection.id || is_left_out {
                return None;
            }
            collections.push(Dependency::now(collection)?);
        }
        let named = collections.len();
        let of_all = reads_by_identifier(plan);
        if of_all {
            for collection in database.collections() {
                if !collections.iter().any(|known| known.id == collection.id()) {
                    collections.push(Dependency::now(collection)?);
                }
            }
        }
        let catalog_version = uses_analyzers(plan).then(|| catalog.version());
        Some(Dependencies { collections, of_all, named, catalog_version })
    }

    /// Returns true if nothing changed since the result was read.
    pub(crate) fn hold_in(&self, catalog: &Catalog, database: &Database) -> bool {
        if self.catalog_version.is_some_and(|version| version != catalog.version()) {
            return false;
        }
        if self.of_all && database.collections().count() != self.collections.len() {
            return false;
        }
        self.collections.iter().all(|known| {
            database
                .collection(&known.name)
                .is_some_and(|now| now.id() == known.id && now.data_version() == Some(known.version))
        })
    }

    /// Returns true if they include the state of every collection of a plan.
    pub(crate) fn cover(&self, plan: &Plan) -> bool {
        let is_known = |id: u64| self.collections.iter().any(|known| known.id.0 == id);
        plan.collections.iter().all(|used| is_known(used.collection.id))
    }

    /// Returns the names of the collections that the query names.
    pub(crate) fn named(&self) -> impl Iterator<Item = &str> {
        self.collections.iter().take(self.named).map(|collection| &*collection.name)
    }

    /// Returns the names of the other collections that the result may have been read from: those of
    /// the vertices of graph queries.
    pub(crate) fn unnamed(&self) -> impl Iterator<Item = &str> {
        self.collections.iter().skip(self.named).map(|collection| &*collection.name)
    }
}

/// Returns true if a plan finds documents by `_id` in any collection: the vertices of graph
/// queries.
fn reads_by_identifier(plan: &Plan) -> bool {
    plan.any_node(&|node| {
        matches!(node.kind, NodeKind::Traversal(_) | NodeKind::ShortestPath(_) | NodeKind::EnumeratePaths(_))
    })
}

/// Returns true if a plan calls a function that takes the name of an analyzer.
fn uses_analyzers(plan: &Plan) -> bool {
    let is_call = |part: &Expression| matches!(part, Expression::Call { function, .. } if ANALYZER_FUNCTIONS.contains(&function.name));
    plan.any_node(&|node| !node.kind.all_expressions(&|expression| !expression.any(&is_call)))
}

/// The functions that take the name of an analyzer, and those that may call them by name.
const ANALYZER_FUNCTIONS: [&str; 5] = ["APPLY", "CALL", "MINHASH_MATCH", "NGRAM_MATCH", "TOKENS"];
