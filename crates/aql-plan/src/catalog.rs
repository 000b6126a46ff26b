//! The planner's view of collections, indexes, views and graphs.

use std::sync::Arc;

use aql_value::Value;
use catalog::index::{Capabilities, SearchShape};
use catalog::{IndexId, ViewKind};

/// The database as the planner sees it.
///
/// All answers are for one point in time, which does not change while a query is planned.
pub trait PlanCatalog {
    /// Returns the collection with that name or number, `None` if there is none.
    fn collection(&self, name: &str) -> Option<CollectionInfo>;
    /// Returns an estimate of the share of an index's entries within a range, from 0 to 1; `None`
    /// if it is unknown.
    ///
    /// Callers ask only about indexes whose entries are ordered.
    fn range_share(&self, collection: &str, index: &IndexInfo, range: &ConstantRange<'_>) -> Option<f64> {
        let _ = (collection, index, range);
        None
    }
    /// Returns the view of that name, `None` if there is none.
    fn view(&self, name: &str) -> Option<ViewInfo> {
        let _ = name;
        None
    }
    /// Returns the named graph of that name, `None` if there is none.
    fn graph(&self, name: &str) -> Option<GraphInfo> {
        let _ = name;
        None
    }
}

/// A view as the planner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewInfo {
    /// Its name.
    pub name: Arc<str>,
    /// Identifier in the catalog, which stays the same when the view is renamed.
    pub id: u64,
    /// Its kind.
    pub kind: ViewKind,
    /// The indexes that it searches, by the names of their collections.
    pub indexes: Vec<ViewIndexInfo>,
    /// The primary sort order; empty without one.
    pub primary_sort: Vec<ViewSortField>,
    /// The attributes of each column of stored values, as paths of names.
    pub stored_values: Vec<Vec<Vec<Box<str>>>>,
    /// True if rules of its collections restrict the user of the query.
    pub is_restricted: bool,
}

/// The place of an attribute in the columns of a view's indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ViewColumn {
    /// The column of stored values with this number.
    Stored(usize),
    /// The column with the attributes of the primary sort order.
    Sort,
}

impl ViewInfo {
    /// Returns the attributes that its indexes store: their paths, their columns, and their places
    /// in these.
    pub fn stored_attributes(&self) -> impl Iterator<Item = (&[Box<str>], ViewColumn, usize)> {
        let stored = self.stored_values.iter().enumerate().flat_map(|(column, paths)| {
            paths
                .iter()
                .enumerate()
                .map(move |(place, path)| (path.as_slice(), ViewColumn::Stored(column), place))
        });
        let sorted = self.primary_sort.iter().enumerate();
        stored.chain(sorted.map(|(place, field)| (field.path.as_slice(), ViewColumn::Sort, place)))
    }
}

/// An index of a view: a link, or an inverted index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewIndexInfo {
    /// The collection of its documents.
    pub collection: CollectionReference,
    /// Identifier within the collection.
    pub index: IndexId,
}

/// An attribute of a view's primary sort order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewSortField {
    /// Names from the document down.
    pub path: Vec<Box<str>>,
    /// True if the least value comes first.
    pub ascending: bool,
}

/// A range of an index between values that are known when the plan is made.
#[derive(Debug, Clone, Default)]
pub struct ConstantRange<'a> {
    /// Values of the leading fields.
    pub equal: Vec<&'a Value>,
    /// Lower bound of the field after them, and true if the bound itself is within the range.
    pub lower: Option<(&'a Value, bool)>,
    /// Upper bound of that field, likewise.
    pub upper: Option<(&'a Value, bool)>,
}

/// A named graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphInfo {
    /// Its name.
    pub name: Box<str>,
    /// Its edge collections, each once, in the order of their definition.
    pub edge_definitions: Vec<EdgeDefinitionInfo>,
    /// Vertex collections that no edge definition names.
    pub orphan_collections: Vec<Box<str>>,
}

/// An edge collection of a named graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeDefinitionInfo {
    /// Name of the edge collection.
    pub collection: Box<str>,
    /// Names of the collections that its edges come from.
    pub from: Vec<Box<str>>,
    /// Names of the collections that its edges go to.
    pub to: Vec<Box<str>>,
}

/// A database without collections.
#[derive(Debug, Clone, Copy, Default)]
pub struct EmptyCatalog;

impl PlanCatalog for EmptyCatalog {
    fn collection(&self, _name: &str) -> Option<CollectionInfo> {
        None
    }
}

/// A reference to a collection from a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CollectionReference {
    /// Identifier in the catalog, which stays the same when the collection is renamed.
    pub id: u64,
    /// Name.
    pub name: Box<str>,
}

/// A collection as the planner sees it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CollectionInfo {
    /// Identifier and name.
    pub reference: CollectionReference,
    /// True for a collection of edges.
    pub is_edge: bool,
    /// Its indexes, the primary index first. Indexes still being built are omitted.
    pub indexes: Arc<[IndexInfo]>,
    /// Estimated number of documents.
    pub count_estimate: u64,
    /// The rules that restrict the user of the query; `None` if there are none.
    pub rules: Option<Arc<UserRules>>,
}

/// The rules of a collection for one user. A loop over the collection contains them, so that
/// indexes serve them like a condition of the query.
#[derive(Debug, Clone)]
pub struct UserRules {
    /// The condition over `@doc` and `@user` under which a document is visible; `None` if all are.
    pub condition: Option<aql_syntax::ast::Expression>,
    /// The value of `@user`.
    pub user: Value,
    /// The top-level attributes in which something is masked.
    pub masked: MaskedAttributes,
}

/// The top-level attributes of documents in which something is masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MaskedAttributes {
    /// Those with these names. There may be none.
    Named(Vec<Box<str>>),
    /// Perhaps any but the system attributes.
    Any,
}

impl MaskedAttributes {
    /// Returns true if nothing is masked.
    pub fn is_empty(&self) -> bool {
        matches!(self, MaskedAttributes::Named(names) if names.is_empty())
    }

    /// Returns true if something is masked in an attribute.
    pub fn includes(&self, name: &str) -> bool {
        match self {
            MaskedAttributes::Named(names) => names.iter().any(|masked| **masked == *name),
            MaskedAttributes::Any => !SYSTEM_ATTRIBUTES.contains(&name),
        }
    }
}

/// The attributes that are never masked.
const SYSTEM_ATTRIBUTES: [&str; 5] = ["_key", "_id", "_rev", "_from", "_to"];

/// An index as the planner sees it.
#[derive(Debug, Clone)]
pub struct IndexInfo {
    /// Identifier within the collection: 0 for the primary index.
    pub id: u64,
    /// Name, unique in the collection.
    pub name: Box<str>,
    /// The searches that the index can answer.
    pub capabilities: Capabilities,
    /// Name of the type as the user gave it (`hash` and `skiplist` are persistent indexes), for
    /// explain.
    pub type_name: Box<str>,
    /// Indexed attributes in order. Primary: `_key`, `_id`. Edge: `_from`, `_to`.
    pub fields: Vec<IndexField>,
    /// No two documents have equal values in all fields.
    pub unique: bool,
    /// The index omits documents in which a field is null or missing.
    pub sparse: bool,
    /// Attributes stored with each entry.
    pub stored_values: Vec<Vec<Box<str>>>,
    /// Number of distinct values divided by the number of documents, within (0, 1]; `None` if
    /// unknown.
    pub selectivity_estimate: Option<f64>,
    /// Property `deduplicate`, for explain.
    pub deduplicate: bool,
    /// Property `estimates`, for explain.
    pub estimates: bool,
    /// Property `cacheEnabled`, for explain.
    pub cache_enabled: bool,
    /// The rest of an inverted index; `None` for other types.
    pub text: Option<Arc<TextIndexInfo>>,
}

/// The parts of an inverted index that other indexes do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextIndexInfo {
    /// The fields of its definition; those that `includeAllFields` adds are omitted.
    pub fields: Vec<TextField>,
    /// The primary sort order; empty without one.
    pub primary_sort: Vec<ViewSortField>,
    /// The attributes of each column of stored values, as paths of names.
    pub stored_values: Vec<Vec<Vec<Box<str>>>>,
}

/// A field of an inverted index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextField {
    /// Its path, from the document or from the nested document.
    pub path: IndexField,
    /// The elements of an array are indexed as if each was the value.
    pub search_field: bool,
    /// The fields of nested documents; empty for a field with values of its own.
    pub nested: Vec<TextField>,
}

impl IndexInfo {
    /// Returns true if the index finds edges by either vertex, as traversals do.
    pub fn is_edge_index(&self) -> bool {
        self.has_independent_fields() && !self.capabilities.clustered
    }

    /// Returns true if each field of the index can be looked up by itself.
    pub fn has_independent_fields(&self) -> bool {
        matches!(self.capabilities.search, SearchShape::AnyField { .. })
    }

    /// Returns true if the index finds documents by equality on leading fields.
    pub fn has_leading_fields(&self) -> bool {
        self.capabilities.search == SearchShape::LeadingFields
    }

    /// Returns the number of leading fields that must be compared for equality.
    pub fn prefix_fields(&self) -> usize {
        match self.capabilities.search {
            SearchShape::Box { prefix_fields } => prefix_fields,
            _ => 0,
        }
    }

    /// Returns true if no field expands an array.
    pub fn has_plain_fields(&self) -> bool {
        self.fields.iter().all(|field| field.expansion.is_none())
    }
}

/// A field of an index: a path of attribute names, one of which may end in `[*]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IndexField {
    /// Names from the document down, without `[*]`.
    pub path: Vec<Box<str>>,
    /// The position in the path of the name that `[*]` follows: the members of that array are
    /// indexed.
    pub expansion: Option<usize>,
}

impl IndexField {
    /// Creates a field from names and the position after which `[*]` follows.
    pub fn new(path: &[&str], expansion: Option<usize>) -> Self {
        Self { path: path.iter().map(|name| (*name).into()).collect(), expansion }
    }

    /// Returns the field as indexes list it: `a.b[*].c`.
    pub fn to_text(&self) -> String {
        let names = self.path.iter().enumerate().map(|(position, name)| {
            let stars = if self.expansion == Some(position) { "[*]" } else { "" };
            format!("{name}{stars}")
        });
        names.collect::<Vec<_>>().join(".")
    }
}
