//! Bound queries: statements with resolved names, before they become nodes of a plan.

use std::sync::Arc;

use aql_value::Warning;

use crate::catalog::{CollectionReference, ViewInfo};
use crate::expression::Expression;
use crate::node::{
    AggregateFunction, CollectMethod, EnumeratePaths, IndexHint, ModificationOptions, ShortestPath,
    Traversal, ViewOptions, Window,
};
use crate::parameters::OpenParameters;
use crate::plan::CollectionUse;
use crate::variable::{VariableId, Variables};

/// A query with all names resolved.
///
/// [`bind`](crate::bind()) makes it, and [`build`](crate::build()) makes a plan of it.
#[derive(Debug, Clone)]
pub struct Bound {
    pub(crate) statements: Vec<Statement>,
    pub(crate) variables: Variables,
    pub(crate) collections: Vec<CollectionUse>,
    pub(crate) is_modification: bool,
    /// The identifiers of collections whose rules are parts of the query.
    pub(crate) ruled: Vec<u64>,
    pub(crate) parameters: OpenParameters,
    pub(crate) warnings: Vec<Warning>,
}

impl Bound {
    /// Returns the collections that the query names, sorted by name.
    pub fn collections(&self) -> &[CollectionUse] {
        &self.collections
    }

    /// Returns true if the query changes data.
    pub fn is_modification(&self) -> bool {
        self.is_modification
    }
}

/// A statement. A subquery is a statement of its own before the statement that uses its
/// result.
///
/// `Vertex` sets the variable of a constant vertex where a graph search begins or ends.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    ForCollection(Box<ForCollection>),
    ForView(Box<ForView>),
    ForList {
        out: VariableId,
        list: Expression,
    },
    Traversal(Box<Traversal>),
    ShortestPath(Box<ShortestPath>),
    EnumeratePaths(Box<EnumeratePaths>),
    Window(Box<Window>),
    Let {
        out: VariableId,
        value: Expression,
    },
    Vertex {
        out: VariableId,
        value: Expression,
    },
    Subquery {
        out: VariableId,
        body: Vec<Statement>,
        run_if: Option<VariableId>,
    },
    Filter(Expression),
    /// A filter by the rules of a collection.
    Rule(Expression),
    Sort(Vec<SortKey>),
    Limit {
        offset: u64,
        limit: u64,
    },
    Collect(Box<CollectStatement>),
    Return {
        value: Expression,
        distinct: bool,
    },
    Insert(Box<InsertStatement>),
    Update(Box<UpdateStatement>),
    Remove(Box<RemoveStatement>),
    Upsert(Box<UpsertStatement>),
}

#[derive(Debug, Clone)]
pub(crate) struct ForCollection {
    pub(crate) out: VariableId,
    pub(crate) collection: CollectionReference,
    pub(crate) options: ForOptions,
}

#[derive(Debug, Clone)]
pub(crate) struct ForView {
    pub(crate) out: VariableId,
    pub(crate) view: Arc<ViewInfo>,
    pub(crate) condition: Option<Expression>,
    pub(crate) options: ViewOptions,
}

/// Options of a FOR over a collection.
#[derive(Debug, Clone)]
pub(crate) struct ForOptions {
    pub(crate) hint: IndexHint,
    pub(crate) use_cache: bool,
    pub(crate) max_projections: usize,
}

impl Default for ForOptions {
    fn default() -> Self {
        let hint = IndexHint { lookahead: IndexHint::DEFAULT_LOOKAHEAD, ..IndexHint::default() };
        Self { hint, use_cache: true, max_projections: 5 }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct SortKey {
    pub(crate) value: Expression,
    pub(crate) ascending: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct CollectStatement {
    pub(crate) groups: Vec<(VariableId, Expression)>,
    pub(crate) aggregates: Vec<(VariableId, AggregateFunction, Option<Expression>)>,
    pub(crate) into: Option<(VariableId, IntoExpression)>,
    /// Variables that remain visible, although the statement does not set them.
    pub(crate) kept: Vec<VariableId>,
    pub(crate) method: Option<CollectMethod>,
    pub(crate) disable_index: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum IntoExpression {
    Expression(Expression),
    Object(Vec<(Box<str>, VariableId)>),
}

#[derive(Debug, Clone)]
pub(crate) struct InsertStatement {
    pub(crate) collection: CollectionReference,
    pub(crate) document: Expression,
    pub(crate) old: Option<VariableId>,
    pub(crate) new: VariableId,
    pub(crate) options: ModificationOptions,
}

#[derive(Debug, Clone)]
pub(crate) struct UpdateStatement {
    pub(crate) collection: CollectionReference,
    pub(crate) replace: bool,
    pub(crate) key: Option<Expression>,
    pub(crate) document: Expression,
    pub(crate) old: VariableId,
    pub(crate) new: VariableId,
    pub(crate) options: ModificationOptions,
}

#[derive(Debug, Clone)]
pub(crate) struct RemoveStatement {
    pub(crate) collection: CollectionReference,
    pub(crate) key: Expression,
    pub(crate) old: VariableId,
    pub(crate) options: ModificationOptions,
}

#[derive(Debug, Clone)]
pub(crate) struct UpsertStatement {
    pub(crate) collection: CollectionReference,
    /// The document within the lookup.
    pub(crate) candidate: VariableId,
    /// The document as the user sees it.
    pub(crate) shown: VariableId,
    /// Statements of the lookup between its FOR and its LIMIT: filters on `candidate`, and the
    /// statements that they need.
    pub(crate) lookup: Vec<Statement>,
    pub(crate) lookup_options: ForOptions,
    pub(crate) insert: Expression,
    pub(crate) update: Expression,
    pub(crate) replace: bool,
    pub(crate) old: VariableId,
    pub(crate) new: VariableId,
    /// Statements that `insert` and `update` need. They may read `old`.
    pub(crate) before_write: Vec<Statement>,
    pub(crate) read_own_writes: bool,
    pub(crate) options: ModificationOptions,
}
