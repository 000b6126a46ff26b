//! Nodes of a plan: one step each of a linear pipeline that rows flow through.

mod graph;
mod index_access;
mod index_collect;
mod materialize;
mod window;

pub use graph::{
    CoveredCondition, EdgeAccess, EdgeDirection, EdgeIndexHint, EdgeLookup, EnumeratePaths,
    EnumeratePathsKind, GraphAccess, PathElement, PathOutput, PathSearchOptions, Prune, ShortestPath,
    StepCondition, Traversal, TraversalOptions, TraversalOrder, Uniqueness,
};
pub use index_access::IndexAccess;
pub use index_collect::IndexCollect;
pub use materialize::Materialize;
pub use window::{Window, WindowBound};

use crate::catalog::{CollectionReference, IndexField, IndexInfo};
use crate::expression::Expression;
use crate::index_search::{IndexBound, IndexSearch};
use crate::variable::VariableId;

/// Identifies a node within a plan and its subplans; also in explain and in the statistics of a profiled query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// One step of the pipeline.
#[derive(Debug, Clone)]
pub struct Node {
    /// Unique in the plan, subplans included.
    pub id: NodeId,
    /// What it does.
    pub kind: NodeKind,
    /// Clients are told that its next batch may be computed ahead (rule `async-prefetch`).
    pub prefetches: bool,
    /// Estimated cost of this node and all before it, in ArangoDB's unit (roughly: documents touched).
    pub estimated_cost: f64,
    /// Estimated number of rows that it produces over the whole run.
    pub estimated_items: u64,
}

/// What a node does. A node reads the variables set by the nodes before it (in a subquery: also those before the
/// subquery) and passes all of them on, except where it says otherwise.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// Produces one row without variables (in a subquery: the outer row). Always the first node, and only the first.
    Singleton,
    /// Produces nothing.
    NoResults,
    /// A row for each document of a collection.
    EnumerateCollection(Box<CollectionScan>),
    /// A row for each document that an index finds.
    Index(Box<IndexScan>),
    /// A row for each member of an array. Error 1563 ("collection or array expected as operand to FOR loop; you
    /// provided a value of type 'null'") if the value is not an array.
    EnumerateList(EnumerateList),
    /// A row for each path from a vertex.
    Traversal(Box<Traversal>),
    /// A row for each vertex of a shortest path between two vertices.
    ShortestPath(Box<ShortestPath>),
    /// A row for each of several paths between two vertices.
    EnumeratePaths(Box<EnumeratePaths>),
    /// Sets a variable.
    Calculation(Calculation),
    /// Runs a pipeline for each row and sets a variable to the array of what it returns.
    Subquery(Subquery),
    /// Keeps the rows in which a variable is true.
    Filter {
        /// Set by a calculation before.
        condition: VariableId,
    },
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
    /// Inserts, or updates or replaces what was found.
    Upsert(Box<Upsert>),
}

/// What a scan of documents produces; common to full scans and index scans.
///
/// A scan takes these steps for each document: sets the variables of `filter_projections`, evaluates `filter`, and
/// for documents that pass sets the variables of `projections`, or `out` if there are none and `produces_result`.
#[derive(Debug, Clone)]
pub struct DocumentSource {
    /// Where from.
    pub collection: CollectionReference,
    /// The document. Set only if `produces_result` is true and `projections` is empty, and while `filter` is evaluated
    /// if `filter_projections` is empty.
    pub out: VariableId,
    /// Attributes to fetch instead of the whole document, each with a variable of its own; empty for all.
    pub projections: Vec<Projection>,
    /// Condition evaluated within the scan. It reads the document through the variables of `filter_projections`, or
    /// through `out` if there are none; and variables of the outer row.
    pub filter: Option<Expression>,
    /// Attributes that only `filter` reads. Their variables are not used by other nodes.
    pub filter_projections: Vec<Projection>,
    /// False if nobody reads the document: rows are only counted.
    pub produces_result: bool,
    /// The rows are only counted: the scan answers each incoming row by exactly one row, in which this variable has the
    /// number of rows that there would be, 0 included (see rule `optimize-count`). No projections and no `out` then.
    pub count_into: Option<VariableId>,
    /// Whether writes of earlier rows of this query must be seen (the look-up of an UPSERT).
    pub read_own_writes: bool,
    /// Option `useCache`: index caches may be used.
    pub use_cache: bool,
    /// Option `maxProjections`: with more attributes than that, the whole document is fetched.
    pub max_projections: usize,
    /// Option `indexHint` and its relatives.
    pub hint: IndexHint,
    /// At most so many documents are wanted for each incoming row, after `filter`; `None` for all.
    pub limit: Option<u64>,
}

/// One attribute that a scan fetches.
#[derive(Debug, Clone)]
pub struct Projection {
    /// Attribute names from the document down; at least one.
    pub path: Vec<Box<str>>,
    /// Set to the value at `path`, null if there is none.
    pub out: VariableId,
    /// Where an index scan finds the value; always `Document` in a full scan.
    pub source: ProjectionSource,
}

/// Where the value of a projection is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProjectionSource {
    /// In the document, which has to be fetched.
    Document,
    /// In a field of the index entry (of the only index of the scan).
    IndexField {
        /// Position in the fields of the index.
        position: usize,
        /// So many names of the path lead to the field; the rest is looked up in the field's value.
        consumed: usize,
    },
    /// In a stored value of the index entry.
    StoredValue {
        /// Position in the stored values of the index.
        position: usize,
        /// As in `IndexField`.
        consumed: usize,
    },
    /// The `_key`, which every index entry has.
    Key,
    /// The `_id`, made of the collection's name and the `_key`.
    Id,
}

/// Options of a FOR that choose an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexHint {
    /// Names of indexes to try first, in this order.
    pub names: Vec<Box<str>>,
    /// `forceIndexHint`: error 1577 if none of `names` can be used.
    pub forced: bool,
    /// `disableIndex`: full scan.
    pub disabled: bool,
    /// `lookahead`: how many entries of a multi-dimensional index in a row may lie outside of what is searched for
    /// before the scan seeks the next that does not.
    pub lookahead: u64,
}

impl IndexHint {
    /// `lookahead` where the query says nothing.
    pub const DEFAULT_LOOKAHEAD: u64 = 1;
}

/// A row for each document of a collection.
#[derive(Debug, Clone)]
pub struct CollectionScan {
    /// What is fetched.
    pub source: DocumentSource,
    /// Only one document is needed, chosen at random (rule `remove-sort-rand-limit-1`).
    pub random: bool,
}

/// A row for each document that an index finds.
#[derive(Debug, Clone)]
pub struct IndexScan {
    /// What is fetched.
    pub source: DocumentSource,
    /// The indexes that `ranges` refer to, as the catalog had them when the plan was made. Never empty; several only
    /// for conditions like `d.a == 1 || d.b == 2`.
    pub indexes: Vec<IndexInfo>,
    /// What is looked up: a document found by any of them is produced once, however many of them find it. Evaluated
    /// anew for each incoming row. Never empty; a range without conditions is the whole index.
    pub ranges: Vec<IndexRange>,
    /// The ranges may overlap (or one of them may find a document several times, through `[*]`), so that the scan has
    /// to leave out documents that it has produced before for the same incoming row.
    pub deduplicate: bool,
    /// Direction: ascending order of the index's fields.
    pub ascending: bool,
    /// The order of the rows matters to a later node, which was therefore removed (SORT) or specialised (COLLECT).
    /// There is one index then, and with several ranges, or with `IN`, its entries must be visited in order.
    pub ordered: bool,
    /// The fields of the document that a removed SORT was by, for clients to see.
    pub sort_fields: Vec<IndexField>,
    /// Of each combination of looked-up values at most so many entries are wanted, the first in the direction of the scan
    /// (rule `push-limit-into-index`): a sort after it picks from them. There is one range then, and no filter.
    pub limit_each: Option<u64>,
    /// Its part in a merge join (rule `join-index-nodes`).
    pub join: JoinPart,
    /// All projections are found in the index entry.
    pub covers_projections: bool,
    /// All filter projections are found in the index entry.
    pub covers_filter: bool,
}

/// What an index scan is in a join of several index scans, which stand one behind the other. Clients see one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum JoinPart {
    /// Not part of one.
    #[default]
    None,
    /// It leads: its entries come in the order of the joined attribute.
    First,
    /// It is looked up by an attribute of a scan before it: mostly a little further on each time.
    Next,
}

/// One set of conditions on the leading fields of an index, all of which must hold.
#[derive(Debug, Clone, Default)]
pub struct IndexRange {
    /// Position in the scan's `indexes`.
    pub index: usize,
    /// Which of the index's fields `lookups` starts at. Always 0, except for the primary index (fields `_key`, `_id`)
    /// and the edge index (fields `_from`, `_to`), of which each field can be looked up by itself.
    pub first_field: usize,
    /// Conditions on one field each, starting at `first_field`.
    pub lookups: Vec<IndexLookup>,
    /// Lower bound of the field after the last of `lookups`.
    pub lower: Option<IndexBound>,
    /// Upper bound of the field after the last of `lookups`.
    pub upper: Option<IndexBound>,
    /// What is searched for in an index that is not sorted by its fields; without it (and always in other indexes) the
    /// entries that `lookups` and the bounds leave.
    pub search: Option<IndexSearch>,
}

impl IndexRange {
    /// Whether every entry of the index lies within.
    pub fn is_whole(&self) -> bool {
        self.lookups.is_empty() && self.lower.is_none() && self.upper.is_none() && self.search.is_none()
    }
}

/// Condition on one field of an index. The expressions read variables of the outer row only.
#[derive(Debug, Clone)]
pub enum IndexLookup {
    /// The field equals the value. For a field with `[*]`: one of its members does.
    Equal(Expression),
    /// The field equals a member of the array; a value that is no array has no member. Duplicates in the array count
    /// once.
    In(Expression),
}

/// A row for each member of an array.
#[derive(Debug, Clone)]
pub struct EnumerateList {
    /// The array.
    pub input: VariableId,
    /// Set to the member.
    pub out: VariableId,
    /// Condition evaluated within; reads `out` and variables of the outer row.
    pub filter: Option<Expression>,
    /// The input is an object: the loop is over its attributes, and sets these variables instead of `out` (rule
    /// `replace-entries-with-object-iteration`). There is no filter then.
    pub object: Option<ObjectMembers>,
}

/// Variables of a loop over the attributes of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectMembers {
    /// Set to the name of the attribute.
    pub key: VariableId,
    /// Set to its value.
    pub value: VariableId,
}

/// Sets a variable.
#[derive(Debug, Clone)]
pub struct Calculation {
    /// Set to the value.
    pub out: VariableId,
    /// Evaluated for each row.
    pub expression: Expression,
}

/// Runs a pipeline for each row.
#[derive(Debug, Clone)]
pub struct Subquery {
    /// Set to the array of values that the pipeline returns (empty if it has no Return).
    pub out: VariableId,
    /// From its Singleton to its last node.
    pub nodes: Vec<Node>,
    /// The pipeline runs only in rows in which this variable is true; in others `out` is an empty array. For
    /// subqueries in operands that are not always evaluated (`? :`, `&&`, `||`).
    pub run_if: Option<VariableId>,
    /// The pipeline reads no variable of the outer query, changes nothing and is deterministic: it can run once and
    /// its result can be used for all rows.
    pub is_constant: bool,
}

/// Sorts rows.
#[derive(Debug, Clone)]
pub struct Sort {
    /// From the most significant down; at least one.
    pub elements: Vec<SortElement>,
    /// By so many of the first elements the rows come in order already: only those that are equal in them are sorted
    /// (rule `use-index-for-sort`).
    pub grouped: usize,
    /// Rows that compare equal keep their order.
    pub stable: bool,
    /// Only the first so many rows are needed (rule `sort-limit`).
    pub limit: Option<u64>,
}

/// One criterion of a sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortElement {
    /// What is compared.
    pub input: VariableId,
    /// Smallest first.
    pub ascending: bool,
}

/// Skips and limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Rows to skip.
    pub offset: u64,
    /// Rows to pass on after that; `u64::MAX` for all.
    pub limit: u64,
    /// The rows beyond are counted for `stats.fullCount`: the last top-level LIMIT of a query with option `fullCount`.
    pub full_count: bool,
}

/// COLLECT and RETURN DISTINCT.
#[derive(Debug, Clone)]
pub struct Collect {
    /// Group keys in order; none for one group of all rows (which exists even without rows).
    pub groups: Vec<CollectGroup>,
    /// Aggregates of each group.
    pub aggregates: Vec<CollectAggregate>,
    /// What is gathered of each row of a group.
    pub into: Option<CollectInto>,
    /// Variables that are the same in all rows and remain usable after the grouping (set by a LET before the first
    /// FOR of the query): each output row has their value of any row of the group; null for a group without rows.
    pub kept: Vec<VariableId>,
    /// How.
    pub method: CollectMethod,
    /// It is the RETURN DISTINCT of a query, which may not be removed with its variable.
    pub is_distinct_command: bool,
    /// Option `disableIndex`.
    pub disable_index: bool,
    /// Method that the query asks for.
    pub requested_method: Option<CollectMethod>,
}

/// One key of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectGroup {
    /// Set to the key.
    pub out: VariableId,
    /// Read in each row.
    pub input: VariableId,
}

/// One aggregate of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectAggregate {
    /// Set to the result.
    pub out: VariableId,
    /// Read in each row; `None` for `Length`, which reads nothing.
    pub input: Option<VariableId>,
    /// How values are put together.
    pub function: AggregateFunction,
}

/// What COLLECT ... INTO gathers: an array with one member for each row of the group.
#[derive(Debug, Clone)]
pub struct CollectInto {
    /// Set to the array.
    pub out: VariableId,
    /// The members.
    pub content: IntoContent,
}

/// Members of the array of COLLECT ... INTO.
#[derive(Debug, Clone)]
pub enum IntoContent {
    /// `INTO x = expression`: the value of a variable.
    Variable(VariableId),
    /// An object of the named variables.
    Object(Vec<(Box<str>, VariableId)>),
}

/// How groups are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectMethod {
    /// A hash table of all groups; their order is not defined.
    Hash,
    /// The rows come sorted by the group keys (in any direction); one group at a time is held, and groups come in
    /// order.
    Sorted,
    /// No aggregate and nothing gathered: a row is passed on when its key is seen for the first time.
    Distinct,
    /// No key, one aggregate `Length`: counts rows.
    Count,
}

/// Aggregates of COLLECT and WINDOW.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AggregateFunction {
    /// `LENGTH`, `COUNT`: number of rows.
    Length,
    /// `MIN`: smallest value that is not null.
    Min,
    /// `MAX`.
    Max,
    /// `SUM`.
    Sum,
    /// `AVERAGE`, `AVG`.
    Average,
    /// `VARIANCE_POPULATION`, `VARIANCE`.
    VariancePopulation,
    /// `VARIANCE_SAMPLE`.
    VarianceSample,
    /// `STDDEV_POPULATION`, `STDDEV`.
    StddevPopulation,
    /// `STDDEV_SAMPLE`.
    StddevSample,
    /// `UNIQUE`: distinct values in no particular order.
    Unique,
    /// `SORTED_UNIQUE`: distinct values in order.
    SortedUnique,
    /// `COUNT_DISTINCT`, `COUNT_UNIQUE`.
    CountDistinct,
    /// `BIT_AND`.
    BitAnd,
    /// `BIT_OR`.
    BitOr,
    /// `BIT_XOR`.
    BitXor,
    /// `PUSH`: all values.
    Push,
}

/// The result of a query or subquery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Return {
    /// The value of each result row.
    pub input: VariableId,
}

/// Options of data-modification statements. Which apply to which statement: reference of AQL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModificationOptions {
    /// Failed documents are counted, not an error.
    pub ignore_errors: bool,
    /// Sync to disk before the query returns; `None` for the collection's setting.
    pub wait_for_sync: Option<bool>,
    /// Lock the collection against other writers.
    pub exclusive: bool,
    /// What an INSERT does when the document exists.
    pub overwrite_mode: OverwriteMode,
    /// False: an update with null removes the attribute.
    pub keep_null: bool,
    /// True: an update merges sub-objects.
    pub merge_objects: bool,
    /// False: `_rev` of the input must match.
    pub ignore_revs: bool,
    /// Accepted and passed on: index caches are refilled.
    pub refill_index_caches: Option<bool>,
    /// Attribute whose value must be higher than the stored one, otherwise nothing is written.
    pub version_attribute: Option<Box<str>>,
}

/// What an INSERT does when a document with its `_key` exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OverwriteMode {
    /// Error 1210.
    #[default]
    Conflict,
    /// Nothing.
    Ignore,
    /// Replaces it.
    Replace,
    /// Updates it.
    Update,
}

/// INSERT.
#[derive(Debug, Clone)]
pub struct Insert {
    /// Where.
    pub collection: CollectionReference,
    /// The document.
    pub input: VariableId,
    /// Set to the document before (null if there was none), if used.
    pub out_old: Option<VariableId>,
    /// Set to the document as stored, if used.
    pub out_new: Option<VariableId>,
    /// Its options.
    pub options: ModificationOptions,
}

/// UPDATE and REPLACE.
#[derive(Debug, Clone)]
pub struct Update {
    /// Where.
    pub collection: CollectionReference,
    /// REPLACE.
    pub replace: bool,
    /// The new document or the patch.
    pub input: VariableId,
    /// What names the document (a key, or an object with `_key` or `_id`); `None`: the input itself does.
    pub key: Option<VariableId>,
    /// Set to the document before, if used.
    pub out_old: Option<VariableId>,
    /// Set to the document after, if used.
    pub out_new: Option<VariableId>,
    /// Its options.
    pub options: ModificationOptions,
}

/// REMOVE.
#[derive(Debug, Clone)]
pub struct Remove {
    /// Where.
    pub collection: CollectionReference,
    /// What names the document.
    pub input: VariableId,
    /// Set to the removed document, if used.
    pub out_old: Option<VariableId>,
    /// Its options.
    pub options: ModificationOptions,
}

/// UPSERT. The nodes before it look the document up (a subquery with LIMIT 1) and compute both variants.
#[derive(Debug, Clone)]
pub struct Upsert {
    /// Where.
    pub collection: CollectionReference,
    /// The update part is a REPLACE.
    pub replace: bool,
    /// The document found, or null: then `insert` is inserted.
    pub found: VariableId,
    /// The document to insert.
    pub insert: VariableId,
    /// The patch or the new document for what was found.
    pub update: VariableId,
    /// Set to the document after, if used. (The document before is `found`.)
    pub out_new: Option<VariableId>,
    /// Option `readOwnWrites`: a later row must find what an earlier row of this query wrote, so rows pass the look-up
    /// one at a time.
    pub read_own_writes: bool,
    /// Its options.
    pub options: ModificationOptions,
}
