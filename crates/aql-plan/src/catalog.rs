//! What planning needs to know of collections, indexes and graphs.

use aql_value::Value;
use catalog::index::{Capabilities, SearchShape};
use std::sync::Arc;

/// The database as the planner sees it. Answers are for one point in time, the same during one planning.
pub trait PlanCatalog {
    /// The collection of that name, `None` if there is none.
    fn collection(&self, name: &str) -> Option<CollectionInfo>;
    /// Roughly which share of the entries of an index lies within a range, from 0 to 1; `None` if that is not known. Only
    /// asked of indexes whose entries are ordered.
    fn range_share(&self, collection: &str, index: &IndexInfo, range: &ConstantRange<'_>) -> Option<f64> {
        let _ = (collection, index, range);
        None
    }
    /// Whether there is a View of that name.
    fn has_view(&self, name: &str) -> bool {
        let _ = name;
        false
    }
    /// The named graph of that name, `None` if there is none.
    fn graph(&self, name: &str) -> Option<GraphInfo> {
        let _ = name;
        None
    }
}

/// A range of an index between values that are known when a plan is made.
#[derive(Debug, Clone, Default)]
pub struct ConstantRange<'a> {
    /// Values of the leading fields.
    pub equal: Vec<&'a Value>,
    /// Lower bound of the field behind them, and whether it is itself within.
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

/// A collection as a node names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CollectionReference {
    /// Identifier in the catalog: stays the same when the collection is renamed.
    pub id: u64,
    /// Name, as the query has it.
    pub name: Box<str>,
}

/// A collection. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CollectionInfo {
    /// Identifier and name.
    pub reference: CollectionReference,
    /// Whether it holds edges.
    pub is_edge: bool,
    /// Its indexes, the primary index first. Indexes still being built are left out.
    pub indexes: Arc<[IndexInfo]>,
    /// Number of documents; an estimate does.
    pub count_estimate: u64,
}

/// An index.
#[derive(Debug, Clone)]
pub struct IndexInfo {
    /// Identifier within the collection: 0 for the primary index.
    pub id: u64,
    /// Unique in the collection.
    pub name: Box<str>,
    /// What it can be used for.
    pub capabilities: Capabilities,
    /// Name of the type as the user gave it (`hash` and `skiplist` are persistent indexes), for explain.
    pub type_name: Box<str>,
    /// Indexed attributes in order. Primary: `_key`, `_id`. Edge: `_from`, `_to`.
    pub fields: Vec<IndexField>,
    /// No two documents have equal values in all fields.
    pub unique: bool,
    /// Documents in which a field is null or missing are left out.
    pub sparse: bool,
    /// Attributes stored with each entry.
    pub stored_values: Vec<Vec<Box<str>>>,
    /// Number of distinct values divided by the number of documents, within (0, 1]; `None` if not known.
    pub selectivity_estimate: Option<f64>,
    /// Property `deduplicate`, for explain.
    pub deduplicate: bool,
    /// Property `estimates`, for explain.
    pub estimates: bool,
    /// Property `cacheEnabled`, for explain.
    pub cache_enabled: bool,
}

impl IndexInfo {
    /// Finds edges by either vertex, as traversals do.
    pub fn is_edge_index(&self) -> bool {
        self.has_independent_fields() && !self.capabilities.clustered
    }

    /// Whether each field of the index can be looked up by itself.
    pub fn has_independent_fields(&self) -> bool {
        matches!(self.capabilities.search, SearchShape::AnyField { .. })
    }

    /// Equalities on leading fields are looked up.
    pub fn has_leading_fields(&self) -> bool {
        self.capabilities.search == SearchShape::LeadingFields
    }

    /// How many of the leading fields must be compared for equality.
    pub fn prefix_fields(&self) -> usize {
        match self.capabilities.search {
            SearchShape::Box { prefix_fields } => prefix_fields,
            _ => 0,
        }
    }

    /// No field expands an array.
    pub fn has_plain_fields(&self) -> bool {
        self.fields.iter().all(|field| field.expansion.is_none())
    }
}

/// A field of an index: a path of attribute names of which one may end in `[*]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IndexField {
    /// Names from the document down, without `[*]`.
    pub path: Vec<Box<str>>,
    /// `[*]` follows the name at this position of the path: the members of that array are indexed.
    pub expansion: Option<usize>,
}

impl IndexField {
    /// A field from names and the position after which `[*]` stands.
    pub fn new(path: &[&str], expansion: Option<usize>) -> Self {
        Self { path: path.iter().map(|name| (*name).into()).collect(), expansion }
    }

    /// The field in the form in which indexes list it: `a.b[*].c`.
    pub fn to_text(&self) -> String {
        let names = self.path.iter().enumerate().map(|(position, name)| {
            let stars = if self.expansion == Some(position) { "[*]" } else { "" };
            format!("{name}{stars}")
        });
        names.collect::<Vec<_>>().join(".")
    }
}
