//! Which states of which collections a result was read from.

use aql_plan::{NodeKind, Plan};
use catalog::CollectionId;
use storage::{Collection, DataVersion, Database};

/// Collections and the states in which a query read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependencies {
    collections: Vec<Dependency>,
    /// The result was read from any collection of the database: it is not to be used when there are others.
    of_all: bool,
    /// How many of the collections, from the first, the query names.
    named: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Dependency {
    /// By which the query finds the collection: another one may come to have it.
    name: Box<str>,
    id: CollectionId,
    version: DataVersion,
}

impl Dependency {
    /// `None` while the collection is being written.
    fn now(collection: &Collection) -> Option<Self> {
        let version = collection.data_version()?;
        Some(Dependency { name: collection.name().into(), id: collection.id(), version })
    }
}

impl Dependencies {
    /// Those of a result that was read from nothing.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Dependencies { collections: Vec::new(), of_all: false, named: 0 }
    }

    /// The states in which a plan would read its collections now. `None` when it must not be kept: because a collection
    /// is being written, is not what the plan says any more, or is a system collection that is left out.
    pub(crate) fn now(plan: &Plan, database: &Database, include_system: bool) -> Option<Self> {
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
        Some(Dependencies { collections, of_all, named })
    }

    /// Whether everything is still as it was read.
    pub(crate) fn hold_in(&self, database: &Database) -> bool {
        if self.of_all && database.collections().count() != self.collections.len() {
            return false;
        }
        self.collections.iter().all(|known| {
            database
                .collection(&known.name)
                .is_some_and(|now| now.id() == known.id && now.data_version() == Some(known.version))
        })
    }

    /// The names of the collections that the query names.
    pub(crate) fn named(&self) -> impl Iterator<Item = &str> {
        self.collections.iter().take(self.named).map(|collection| &*collection.name)
    }
}

/// Whether a plan finds documents by their `_id`, wherever they are: the vertices of graph queries.
fn reads_by_identifier(plan: &Plan) -> bool {
    plan.any_node(&|node| {
        matches!(node.kind, NodeKind::Traversal(_) | NodeKind::ShortestPath(_) | NodeKind::EnumeratePaths(_))
    })
}
