//! Planning of AQL queries: from the syntax tree to a plan that can be executed.
//!
//! The stages, each named by its verb:
//! - [`bind()`]: names become variables, functions and collections; bind parameters become values;
//!   scopes are checked; constant expressions are folded.
//! - [`build()`]: statements become the nodes of a linear pipeline.
//! - The optimizer (crate `aql-optimize`) rewrites the plan. [`print()`] shows it as text, and
//!   crate `aql-explain` as clients see it.
//! - [`compile()`]: an expression becomes a program over batches.

mod catalog;
mod error;
mod variable;
mod variable_set;
mod parameters;
mod expression;
mod compile;
mod fold;
mod index_search;
mod search_condition;
mod node;
mod dataflow;
mod plan;
mod memory_size;
mod invariants;
mod hash_join;
mod bind;
mod build;
mod print;
#[cfg(test)]
#[path = "../tests/it/common/small_catalog.rs"]
mod small_catalog;

// Tests share files with other crates, which know this one by its name.
#[cfg(test)]
extern crate self as aql_plan;

pub use crate::catalog::{
    CollectionInfo, CollectionReference, ConstantRange, EdgeDefinitionInfo, EmptyCatalog, GraphInfo,
    IndexField, IndexInfo, MaskedAttributes, PlanCatalog, TextField, TextIndexInfo, UserRules, ViewColumn,
    ViewIndexInfo, ViewInfo, ViewSortField,
};
pub use ::catalog::index::{Capabilities, Metric, SearchShape};
pub use ::catalog::{IndexId, ViewKind};
pub use bind::{BindInput, Bound, DEFAULT_MAX_COLLECTIONS, bind, check};
pub use build::{MAX_NODES, build};
pub use compile::{RegisterMap, compile};
pub use dataflow::{for_each_node, reads_of_pipeline};
pub use expression::{
    ArithmeticOperator, ArrayCompare, ArrayQuestion, CompareOperator, ElementOperator, Expansion, Expression,
    Identity, MemberName, ObjectMember, Parameter, Quantifier, UnaryOperator, called, combine,
    is_user_function,
};
pub use fold::Folder;
pub use hash_join::{JoinPath, join_equality};
pub use index_search::{FieldBounds, GeoSearch, IndexBound, IndexSearch, search_identity};
pub use node::{
    AggregateFunction, Calculation, Collect, CollectAggregate, CollectGroup, CollectInto, CollectMethod,
    CollectionScan, ConditionOptimization, Coverage, CoveredCondition, DocumentSource, EdgeAccess,
    EdgeDirection, EdgeIndexHint, EdgeLookup, EnumerateList, EnumeratePaths, EnumeratePathsKind,
    EnumerateView, Filter, GraphAccess, HintedSearch, IndexAccess, IndexCollect, IndexHint, IndexLookup,
    IndexRange, IndexScan, Insert, IntoContent, JoinPart, Limit, Materialize, ModificationOptions,
    NearVector, Node, NodeId, NodeKind, ObjectMembers, OverwriteMode, PathElement, PathOutput,
    PathSearchOptions, Projection, ProjectionSource, Prune, Remove, Return, ShortestPath, Sort, SortElement,
    StepCondition, Subquery, Traversal, TraversalOptions, TraversalOrder, Uniqueness, Update, Upsert,
    ViewHighlight, ViewOptions, ViewOrder, ViewScore, ViewScorer, Window, WindowBound,
};
pub use parameters::{BindParameters, OpenParameters, ParameterShape};
pub use plan::{Access, CollectionUse, Plan};
pub use print::print;
pub use search_condition::{
    GeoOperand, GeoTest, SearchCondition, SearchField, SearchFunction, SearchQuantifier, SearchStep,
};
pub use variable::{Variable, VariableId, Variables};
pub use variable_set::VariableSet;
