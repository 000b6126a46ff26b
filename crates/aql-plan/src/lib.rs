//! Planning of AQL queries: from the syntax tree to a plan that can be executed.
//!
//! The stages, each named by its verb:
//! - [`bind`]: names become variables, functions and collections; bind parameters become values; scopes are checked;
//!   constant expressions are folded.
//! - [`build`]: statements become the nodes of a linear pipeline.
//! - [`optimize`]: rules rewrite the plan, each in its own file, under the names that ArangoDB has for them.
//! - [`explain`]: the plan as clients see it. [`compile`]: an expression as a program over batches.

mod bind;
mod build;
mod catalog;
mod compile;
mod error;
mod explain;
mod expression;
mod fold;
mod hash_join;
mod index_search;
mod node;
mod optimize;
mod plan;
mod print;
mod size;
mod usage;
mod variable;
mod variable_set;

pub use crate::catalog::{
    CollectionInfo, CollectionReference, ConstantRange, EdgeDefinitionInfo, EmptyCatalog, GraphInfo,
    IndexField, IndexInfo, PlanCatalog,
};
pub use ::catalog::index::{Capabilities, SearchShape};
pub use bind::{
    BindInput, BindParameters, Bound, DEFAULT_MAX_COLLECTIONS, OpenParameters, ParameterShape, bind, check,
};
pub use build::{MAX_NODES, build};
pub use compile::{RegisterMap, compile};
pub use explain::{ExplainStatistics, explain, explain_result, explain_syntax, trace};
pub use expression::{
    ArithmeticOperator, ArrayCompare, ArrayQuestion, CompareOperator, ElementOperator, Expansion, Expression,
    MemberName, ObjectMember, Parameter, Quantifier, UnaryOperator,
};
pub use hash_join::{JoinPath, join_equality};
pub use index_search::{FieldBounds, GeoSearch, IndexBound, IndexSearch};
pub use node::{
    AggregateFunction, Calculation, Collect, CollectAggregate, CollectGroup, CollectInto, CollectMethod,
    CollectionScan, CoveredCondition, DocumentSource, EdgeAccess, EdgeDirection, EdgeIndexHint, EdgeLookup,
    EnumerateList, EnumeratePaths, EnumeratePathsKind, GraphAccess, IndexAccess, IndexCollect, IndexHint,
    IndexLookup, IndexRange, IndexScan, Insert, IntoContent, JoinPart, Limit, Materialize,
    ModificationOptions, Node, NodeId, NodeKind, ObjectMembers, OverwriteMode, PathElement, PathOutput,
    PathSearchOptions, Projection, ProjectionSource, Prune, Remove, Return, ShortestPath, Sort, SortElement,
    StepCondition, Subquery, Traversal, TraversalOptions, TraversalOrder, Uniqueness, Update, Upsert, Window,
    WindowBound,
};
pub use optimize::{Optimized, OptimizerOptions, OptimizerStatistics, RuleInfo, optimize, rules};
pub use plan::{Access, CollectionUse, Plan};
pub use print::print;
pub use variable::{Variable, VariableId, Variables};
pub use variable_set::VariableSet;
