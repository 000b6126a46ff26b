//! The view of a database's catalog that the planner uses.

use std::sync::Arc;

use aql_plan::{
    CollectionInfo, CollectionReference, ConstantRange, EdgeDefinitionInfo, GraphInfo, IndexField, IndexInfo,
    PlanCatalog, TextField, TextIndexInfo, UserRules, ViewIndexInfo, ViewInfo, ViewSortField,
};
use catalog::index::{InvertedField, InvertedOptions};
use catalog::text_index::{SortAttribute, StoredColumn};
use catalog::{EdgeDefinition, FieldPath, GraphDefinition, IndexDefinition, IndexId, ObjectId};
use storage::{Collection, Database, Store};

use crate::graph;
use crate::state::access_rules::UserRestrictions;

/// The assumed number of documents of a collection whose rules restrict the user. Costs would tell
/// the number of all documents.
const RESTRICTED_COUNT: u64 = 10_000;

/// The catalog of one database at one moment.
pub(crate) struct CatalogView {
    database: Arc<Database>,
    /// The store that holds the definitions of graphs, which are documents.
    store: Arc<Store>,
    /// The rules that restrict the user of the query.
    restrictions: Option<UserRestrictions>,
}

impl CatalogView {
    pub(crate) fn new(
        database: Arc<Database>,
        store: Arc<Store>,
        restrictions: Option<UserRestrictions>,
    ) -> Self {
        CatalogView { database, store, restrictions }
    }

    /// Returns the rules of a collection that restrict the user. Rules that cannot be understood
    /// fail when the query reads.
    fn rules(&self, collection: &Collection) -> Option<Arc<UserRules>> {
        let rules = self.restrictions.as_ref()?.rules(collection.definition()).ok().flatten()?;
        Some(Arc::clone(rules.planned()))
    }
}

impl PlanCatalog for CatalogView {
    fn collection(&self, name: &str) -> Option<CollectionInfo> {
        let collection = self.database.collection(name)?;
        let rules = self.rules(collection);
        let is_restricted = rules.is_some();
        let estimate = |index: &storage::Index| if is_restricted { None } else { selectivity(index) };
        let indexes = collection.indexes().iter();
        let indexes = indexes.filter(|index| !index.definition().properties.is_hidden());
        let indexes = indexes.map(|index| index_info(index.definition(), estimate(index)));
        // An index of masked values would answer a condition on them, for example in a traversal.
        let is_masked = |field: &IndexField| {
            let masked = rules.as_ref().map(|rules| &rules.masked);
            masked.is_some_and(|masked| field.path.first().is_some_and(|name| masked.includes(name)))
        };
        let indexes = indexes.filter(|index| !index.fields.iter().any(is_masked));
        // The edge index is built before the query runs: see `session::edge_indexes`.
        let lacking = collection.lacks_edge_index().then(|| IndexDefinition::edge(ObjectId(0)));
        let lacking = lacking.map(|definition| index_info(&definition, None));
        Some(CollectionInfo {
            reference: CollectionReference { id: collection.id().0, name: collection.name().into() },
            is_edge: collection.is_edge(),
            indexes: indexes.chain(lacking).collect(),
            count_estimate: if is_restricted { RESTRICTED_COUNT } else { collection.count_about() },
            rules,
        })
    }

    /// Reads the present state, which may be later than the view. The share is an estimate anyway.
    fn range_share(&self, collection: &str, index: &IndexInfo, range: &ConstantRange<'_>) -> Option<f64> {
        let collection = self.database.collection(collection).filter(|found| self.rules(found).is_none())?;
        let index = collection.index(IndexId(index.id)).cloned()?;
        let bounds = aql_exec::index_bounds(range.equal.iter().copied(), range.lower, range.upper);
        // Without a share, the planner uses default estimates.
        self.store.index_share(&index, &bounds).ok().flatten()
    }

    fn view(&self, name: &str) -> Option<ViewInfo> {
        let view = self.database.view(name)?;
        let mut indexes = Vec::new();
        let (mut columns, mut is_restricted) = (None, false);
        for (collection, index) in self.database.view_indexes(view) {
            let reference = CollectionReference { id: collection.id().0, name: collection.name().into() };
            is_restricted |= self.rules(collection).is_some();
            indexes.push(ViewIndexInfo { collection: reference, index: index.id() });
            // Those of all indexes of a view agree.
            columns = columns.or_else(|| index.definition().properties.as_inverted());
        }
        let (sort, stored) = match (view.arangosearch(), columns) {
            // Columns have the values of documents that the user must not see.
            _ if is_restricted => (&[] as &[_], &[] as &[_]),
            (Some(own), _) => (&*own.primary_sort.fields, &*own.stored_values),
            (None, Some(index)) => (&*index.primary_sort.fields, &*index.stored_values),
            (None, None) => (&[] as &[_], &[] as &[_]),
        };
        Some(ViewInfo {
            name: view.name.as_str().into(),
            id: view.id.0,
            kind: view.kind(),
            indexes,
            primary_sort: sort.iter().map(sort_field).collect(),
            stored_values: stored_columns(stored),
            is_restricted,
        })
    }

    /// Reads the present state, which may be later than the view. This is safe for cached plans: a
    /// change of a graph changes the catalog's version, and a plan is never looked up under an
    /// older version.
    fn graph(&self, name: &str) -> Option<GraphInfo> {
        let snapshot = self.store.snapshot().ok()?;
        let database = snapshot.catalog().database(self.database.name())?;
        graph::definition_in(&snapshot, database, name).ok().flatten().map(graph_info)
    }
}

fn graph_info(graph: GraphDefinition) -> GraphInfo {
    GraphInfo {
        name: graph.name.into(),
        edge_definitions: graph.edge_definitions.into_iter().map(edge_definition_info).collect(),
        orphan_collections: graph.orphan_collections.into_iter().map(Into::into).collect(),
    }
}

fn edge_definition_info(definition: EdgeDefinition) -> EdgeDefinitionInfo {
    EdgeDefinitionInfo {
        collection: definition.collection.into(),
        from: definition.from.into_iter().map(Into::into).collect(),
        to: definition.to.into_iter().map(Into::into).collect(),
    }
}

fn index_info(definition: &IndexDefinition, selectivity_estimate: Option<f64>) -> IndexInfo {
    let properties = &definition.properties;
    IndexInfo {
        id: definition.id.0,
        name: definition.name.as_str().into(),
        capabilities: properties.capabilities(),
        type_name: properties.type_name().into(),
        fields: properties.searched_fields().iter().map(index_field).collect(),
        unique: properties.unique,
        sparse: properties.sparse,
        stored_values: properties.stored_values.iter().map(names).collect(),
        selectivity_estimate,
        deduplicate: properties.deduplicate,
        estimates: properties.estimates,
        cache_enabled: properties.cache_enabled,
        text: properties.as_inverted().map(|inverted| Arc::new(text_index_info(inverted))),
    }
}

fn text_index_info(inverted: &InvertedOptions) -> TextIndexInfo {
    let search_field = inverted.defaults.search_field;
    TextIndexInfo {
        fields: inverted.fields.iter().map(|field| text_field(field, search_field)).collect(),
        primary_sort: inverted.primary_sort.fields.iter().map(sort_field).collect(),
        stored_values: stored_columns(&inverted.stored_values),
    }
}

fn text_field(field: &InvertedField, inherited: bool) -> TextField {
    let search_field = field.search_field.unwrap_or(inherited);
    TextField {
        path: index_field(&field.path),
        search_field,
        nested: field.nested.iter().map(|field| text_field(field, search_field)).collect(),
    }
}

fn stored_columns(columns: &[StoredColumn]) -> Vec<Vec<Vec<Box<str>>>> {
    columns.iter().map(|column| column.fields.iter().map(names).collect()).collect()
}

fn selectivity(index: &storage::Index) -> Option<f64> {
    index.selectivity_estimate().filter(|estimate| *estimate > 0.0)
}

fn index_field(path: &FieldPath) -> IndexField {
    IndexField { path: names(path), expansion: path.expand_at }
}

fn sort_field(attribute: &SortAttribute) -> ViewSortField {
    ViewSortField { path: names(&attribute.path), ascending: attribute.ascending }
}

fn names(path: &FieldPath) -> Vec<Box<str>> {
    path.names.iter().map(|name| name.as_str().into()).collect()
}
