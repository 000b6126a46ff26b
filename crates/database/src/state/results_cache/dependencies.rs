//! The dependencies of a result: collections and the versions in which they were read, and the
//! states of the indexes in which it was searched.

use aql_plan::{EnumerateView, Expression, NodeKind, Plan, for_each_node};
use catalog::{CollectionId, IndexId};
use storage::{Catalog, Collection, DataVersion, DataVersions, Database};

/// Maximum number of collections in a database whose graph queries have cached results, where the
/// version of each collection takes a message.
const COLLECTIONS_MAX: usize = 32;

/// Collections and the versions in which a query read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependencies {
    collections: Vec<Dependency>,
    /// True if the result may have been read from any collection of the database. A new collection
    /// invalidates it.
    of_all: bool,
    /// The number of collections, from the first, that the query names.
    named: usize,
    /// The views that the query names.
    views: Vec<Box<str>>,
    /// The inverted indexes and the links of views that were searched. They follow the documents,
    /// so the version of a collection does not tell what a search finds.
    searches: Vec<Search>,
    /// The version of the catalog, if the result depends on definitions of views or analyzers.
    catalog_version: Option<u64>,
}

/// A text index and the number of the state in which it was searched.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Search {
    collection: CollectionId,
    index: IndexId,
    state: u64,
}

impl Search {
    /// Returns true if the index still has that state.
    fn is_current(&self, database: &Database) -> bool {
        let collection = database.collection_by_id(self.collection);
        let index = collection.and_then(|collection| collection.index(self.index));
        index.and_then(|index| index.search_state()) == Some(self.state)
    }
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
    fn now(collection: &Collection, versions: &DataVersions<'_>) -> Option<Self> {
        let version = versions.of(collection)?;
        Some(Dependency { name: collection.name().into(), id: collection.id(), version })
    }
}

impl Dependencies {
    /// Returns the dependencies of a result that was read from no collection.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Dependencies {
            collections: Vec::new(),
            of_all: false,
            named: 0,
            views: Vec::new(),
            searches: Vec::new(),
            catalog_version: None,
        }
    }

    /// Returns the versions in which a plan would read its collections now, or `None` if its result
    /// must not be cached.
    ///
    /// This is so if a collection is being written or is an excluded system collection, or if a
    /// collection or a view no longer matches the plan.
    pub(crate) fn now(
        plan: &Plan,
        catalog: &Catalog,
        database: &Database,
        include_system: bool,
        versions: &DataVersions<'_>,
    ) -> Option<Self> {
        let is_left_out =
            |collection: &Collection| collection.definition().properties.is_system && !include_system;
        let mut collections = Vec::with_capacity(plan.collections.len());
        for used in &plan.collections {
            let collection = database.collection(&used.collection.name)?;
            if collection.id().0 != used.collection.id || is_left_out(collection) {
                return None;
            }
            collections.push(Dependency::now(collection, versions)?);
        }
        let named = collections.len();
        if !views_match(plan, database) {
            return None;
        }
        let (views, searched) = searched(plan);
        let mut searches = Vec::with_capacity(searched.len());
        for (collection, index) in searched {
            let found = database.collection_by_id(collection).filter(|found| !is_left_out(found))?;
            searches.push(Search { collection, index, state: found.index(index)?.search_state()? });
            add(&mut collections, found, versions)?;
        }
        let of_all = reads_by_identifier(plan);
        if of_all {
            let is_message_each = !versions.are_in_memory();
            if is_message_each && database.collections().count() > COLLECTIONS_MAX {
                return None;
            }
            database.collections().try_for_each(|collection| add(&mut collections, collection, versions))?;
        }
        let is_defined_elsewhere = !views.is_empty() || !searches.is_empty() || uses_analyzers(plan);
        let catalog_version = is_defined_elsewhere.then(|| catalog.version());
        Some(Dependencies { collections, of_all, named, views, searches, catalog_version })
    }

    /// Returns true if nothing changed since the result was read.
    pub(crate) fn hold_in(
        &self,
        catalog: &Catalog,
        database: &Database,
        versions: &DataVersions<'_>,
    ) -> bool {
        if self.catalog_version.is_some_and(|version| version != catalog.version()) {
            return false;
        }
        if self.of_all && database.collections().count() != self.collections.len() {
            return false;
        }
        self.searches_hold_in(database)
            && self.collections.iter().all(|known| {
                database
                    .collection(&known.name)
                    .is_some_and(|now| now.id() == known.id && versions.of(now) == Some(known.version))
            })
    }

    /// Returns true if the searched indexes have the same states as before.
    ///
    /// A query looks at their states while it runs. So it has seen these states if this is true
    /// after its end.
    pub(crate) fn searches_hold_in(&self, database: &Database) -> bool {
        self.searches.iter().all(|search| search.is_current(database))
    }

    /// Returns these dependencies with the present states of the searched indexes, if everything
    /// else is as in `now`.
    pub(crate) fn with_searches_of(self, now: &Dependencies) -> Option<Self> {
        let renewed = Dependencies { searches: now.searches.clone(), ..self };
        (renewed == *now).then_some(renewed)
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

    /// Returns the names of the views that the query names.
    pub(crate) fn views(&self) -> impl Iterator<Item = &str> {
        self.views.iter().map(|view| &**view)
    }

    /// Returns the names of the other collections that the result may have been read from: those of
    /// views, and those of the vertices of graph queries.
    pub(crate) fn unnamed(&self) -> impl Iterator<Item = &str> {
        self.collections.iter().skip(self.named).map(|collection| &*collection.name)
    }
}

/// Adds a collection, unless it is known already. Returns `None` while it is being written.
fn add(
    collections: &mut Vec<Dependency>,
    collection: &Collection,
    versions: &DataVersions<'_>,
) -> Option<()> {
    if !collections.iter().any(|known| known.id == collection.id()) {
        collections.push(Dependency::now(collection, versions)?);
    }
    Some(())
}

/// Returns true if the views of a plan still search the indexes that the plan knows.
fn views_match(plan: &Plan, database: &Database) -> bool {
    !plan.any_node(&|node| {
        let NodeKind::EnumerateView(search) = &node.kind else { return false };
        let EnumerateView { view, hinted: None, .. } = &**search else { return false };
        let Some(now) = database.view(&view.name) else { return true };
        let indexes = database.view_indexes(now).map(|(collection, index)| (collection.id().0, index.id()));
        let known = view.indexes.iter().map(|known| (known.collection.id, known.index));
        now.id.0 != view.id || !indexes.eq(known)
    })
}

/// Returns the views that a plan names, and the text indexes that it searches, each once.
fn searched(plan: &Plan) -> (Vec<Box<str>>, Vec<(CollectionId, IndexId)>) {
    let (mut views, mut indexes) = (Vec::<Box<str>>::new(), Vec::new());
    for_each_node(&plan.nodes, &mut |node| {
        let NodeKind::EnumerateView(search) = &node.kind else { return };
        if search.hinted.is_none() && !views.iter().any(|known| **known == *search.view.name) {
            views.push((*search.view.name).into());
        }
        for index in search.indexes() {
            let found = (CollectionId(index.collection.id), index.index);
            if !indexes.contains(&found) {
                indexes.push(found);
            }
        }
    });
    (views, indexes)
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
