//! Nodes of a plan: one step each of a linear pipeline that rows flow through.
//!
//! Each kind of node is a file: its fields, the variables that it reads and sets, its expressions
//! and its text ([`PlanNode`]). To add a kind, write its file and add it to [`NodeKind`]. The
//! functions that ask about any node are in `dataflow.rs`.

mod aggregate;
mod calculation;
mod collect;
mod collection_scan;
mod coverage;
mod document_source;
mod enumerate_list;
mod enumerate_paths;
mod enumerate_view;
mod filter;
mod graph_access;
mod index_access;
mod index_collect;
mod index_range;
mod index_scan;
mod insert;
mod limit;
mod materialize;
mod modification_options;
mod near_vector;
mod no_results;
mod path;
mod plan_node;
mod printer;
mod projection;
mod remove;
mod return_node;
mod shortest_path;
mod singleton;
mod sort;
mod subquery;
mod traversal;
mod update;
mod upsert;
mod window;

use no_results::NoResults;
use printer::{flag, listed};
use projection::print_projections;
use singleton::Singleton;

pub use aggregate::{AggregateFunction, CollectAggregate};
pub use calculation::Calculation;
pub use collect::{Collect, CollectGroup, CollectInto, CollectMethod, IntoContent};
pub use collection_scan::CollectionScan;
pub use coverage::Coverage;
pub use document_source::{DocumentSource, IndexHint};
pub use enumerate_list::{EnumerateList, ObjectMembers};
pub use enumerate_paths::{EnumeratePaths, EnumeratePathsKind};
pub use enumerate_view::{
    ConditionOptimization, EnumerateView, HintedSearch, ViewHighlight, ViewOptions, ViewOrder, ViewScore,
    ViewScorer,
};
pub use filter::Filter;
pub use graph_access::{EdgeAccess, EdgeDirection, EdgeLookup, GraphAccess};
pub use index_access::IndexAccess;
pub use index_collect::IndexCollect;
pub use index_range::{IndexLookup, IndexRange};
pub use index_scan::{IndexScan, JoinPart};
pub use insert::Insert;
pub use limit::Limit;
pub use materialize::Materialize;
pub use modification_options::{ModificationOptions, OverwriteMode};
pub use near_vector::NearVector;
pub use path::{CoveredCondition, PathElement, PathOutput, PathSearchOptions, StepCondition};
pub(crate) use plan_node::{PlanNode, Role};
pub(crate) use printer::NodePrinter;
pub use projection::{Projection, ProjectionSource};
pub use remove::Remove;
pub use return_node::Return;
pub use shortest_path::ShortestPath;
pub use sort::{Sort, SortElement};
pub use subquery::Subquery;
pub use traversal::{EdgeIndexHint, Prune, Traversal, TraversalOptions, TraversalOrder, Uniqueness};
pub use update::Update;
pub use upsert::Upsert;
pub use window::{Window, WindowBound};

/// Identifies a node within a plan and its subplans; also in explain and in the statistics of a
/// profiled query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// One step of the pipeline.
#[derive(Debug, Clone)]
pub struct Node {
    /// Unique in the plan, subplans included.
    pub id: NodeId,
    /// The work of the node.
    pub kind: NodeKind,
    /// Clients are told that its next batch may be computed ahead (rule `async-prefetch`).
    pub prefetches: bool,
    /// Estimated cost of this node and all before it, in ArangoDB's unit (roughly: documents
    /// touched).
    pub estimated_cost: f64,
    /// Estimated number of rows that it produces over the whole run.
    pub estimated_items: u64,
}

/// The work of a node.
///
/// A node reads the variables set by the nodes before it (in a subquery: also those before the
/// subquery) and passes all of them on, except where it says otherwise.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// Produces one row without variables (in a subquery: the outer row). Always the first node,
    /// and only the first.
    Singleton,
    /// Produces nothing.
    NoResults,
    /// A row for each document of a collection.
    EnumerateCollection(Box<CollectionScan>),
    /// A row for each document that an index finds.
    Index(Box<IndexScan>),
    /// A row for each document whose vector is near another, the nearest first.
    NearVector(Box<NearVector>),
    /// A row for each document that a view finds, or an inverted index.
    EnumerateView(Box<EnumerateView>),
    /// A row for each member of an array. Error 1563 ("collection or array expected as operand to
    /// FOR loop; you provided a value of type 'null'") if the value is not an array.
    EnumerateList(EnumerateList),
    /// A row for each path from a vertex.
    Traversal(Box<Traversal>),
    /// A row for each vertex of a shortest path between two vertices.
    ShortestPath(Box<ShortestPath>),
    /// A row for each of several paths between two vertices.
    EnumeratePaths(Box<EnumeratePaths>),
    /// Sets a variable.
    Calculation(Calculation),
    /// Runs a pipeline for each row and sets a variable to the array of its results.
    Subquery(Subquery),
    /// Keeps the rows in which a variable is true.
    Filter(Filter),
    /// Sorts all rows.
    Sort(Sort),
    /// Skips and limits.
    Limit(Limit),
    /// Groups; only the variables that it sets (and those of outer queries) remain.
    Collect(Box<Collect>),
    /// Groups of the documents of a collection, from an index.
    IndexCollect(Box<IndexCollect>),
    /// Fetches documents that a scan has left for later.
    Materialize(Box<Materialize>),
    /// Aggregates over the rows near each row. Depends on the order of the rows.
    Window(Box<Window>),
    /// The result of the (sub)query: always the last node, where there is one.
    Return(Return),
    /// Inserts a document for each row.
    Insert(Box<Insert>),
    /// Updates or replaces a document for each row.
    Update(Box<Update>),
    /// Removes a document for each row.
    Remove(Box<Remove>),
    /// Inserts a document, or updates or replaces the one found, for each row.
    Upsert(Box<Upsert>),
}

impl NodeKind {
    /// Returns the node itself.
    pub(crate) fn as_plan_node(&self) -> &dyn PlanNode {
        match self {
            Self::Singleton => &Singleton,
            Self::NoResults => &NoResults,
            Self::EnumerateCollection(node) => &**node,
            Self::Index(node) => &**node,
            Self::NearVector(node) => &**node,
            Self::EnumerateView(node) => &**node,
            Self::EnumerateList(node) => node,
            Self::Traversal(node) => &**node,
            Self::ShortestPath(node) => &**node,
            Self::EnumeratePaths(node) => &**node,
            Self::Calculation(node) => node,
            Self::Subquery(node) => node,
            Self::Filter(node) => node,
            Self::Sort(node) => node,
            Self::Limit(node) => node,
            Self::Collect(node) => &**node,
            Self::IndexCollect(node) => &**node,
            Self::Materialize(node) => &**node,
            Self::Window(node) => &**node,
            Self::Return(node) => node,
            Self::Insert(node) => &**node,
            Self::Update(node) => &**node,
            Self::Remove(node) => &**node,
            Self::Upsert(node) => &**node,
        }
    }

    /// Returns the node itself to change it, or `None` if it has no fields.
    pub(crate) fn as_plan_node_mut(&mut self) -> Option<&mut dyn PlanNode> {
        Some(match self {
            Self::Singleton | Self::NoResults => return None,
            Self::EnumerateCollection(node) => &mut **node,
            Self::Index(node) => &mut **node,
            Self::NearVector(node) => &mut **node,
            Self::EnumerateView(node) => &mut **node,
            Self::EnumerateList(node) => node,
            Self::Traversal(node) => &mut **node,
            Self::ShortestPath(node) => &mut **node,
            Self::EnumeratePaths(node) => &mut **node,
            Self::Calculation(node) => node,
            Self::Subquery(node) => node,
            Self::Filter(node) => node,
            Self::Sort(node) => node,
            Self::Limit(node) => node,
            Self::Collect(node) => &mut **node,
            Self::IndexCollect(node) => &mut **node,
            Self::Materialize(node) => &mut **node,
            Self::Window(node) => &mut **node,
            Self::Return(node) => node,
            Self::Insert(node) => &mut **node,
            Self::Update(node) => &mut **node,
            Self::Remove(node) => &mut **node,
            Self::Upsert(node) => &mut **node,
        })
    }
}
