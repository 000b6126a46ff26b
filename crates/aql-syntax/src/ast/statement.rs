//! Statements.

use super::{DataSource, Expression, FunctionName, Identifier, Pattern, Span};

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Its form.
    pub kind: StatementKind,
    /// Its text.
    pub span: Span,
}

/// The form of a [`Statement`].
///
/// All `options` are object literals ([`ExpressionKind::Object`](super::ExpressionKind)).
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `FOR x IN source`
    For(For),
    /// `FOR v, e, p IN 1..2 OUTBOUND start GRAPH "g"`
    Traversal(Box<Traversal>),
    /// `FOR v IN OUTBOUND SHORTEST_PATH a TO b GRAPH "g"` and its relatives
    PathSearch(Box<PathSearch>),
    /// `LET x = value`
    Let(Let),
    /// `FILTER condition`
    Filter(Expression),
    /// `SORT a ASC, b DESC`
    Sort(Sort),
    /// `LIMIT 10, 5`
    Limit(Limit),
    /// `COLLECT x = a INTO g`
    Collect(Box<Collect>),
    /// `WINDOW { preceding: 1 } AGGREGATE s = SUM(x)`
    Window(Box<Window>),
    /// `RETURN value`
    Return(Return),
    /// `INSERT document INTO c`
    Insert(Insert),
    /// `UPDATE key WITH document IN c` or `REPLACE key WITH document IN c`
    Update(Box<Update>),
    /// `REMOVE key IN c`
    Remove(Remove),
    /// `UPSERT example INSERT a UPDATE b IN c`
    Upsert(Box<Upsert>),
}

impl StatementKind {
    /// Returns true if a query may end with this statement: a `RETURN` or a data modification.
    pub fn can_end_query(&self) -> bool {
        matches!(self, StatementKind::Return(_)) || self.modifies()
    }

    /// Returns true if the statement is a `FOR` of any kind.
    pub fn iterates(&self) -> bool {
        matches!(self, StatementKind::For(_) | StatementKind::Traversal(_) | StatementKind::PathSearch(_))
    }

    /// Returns true if the statement writes documents.
    pub fn modifies(&self) -> bool {
        matches!(
            self,
            StatementKind::Insert(_)
                | StatementKind::Update(_)
                | StatementKind::Remove(_)
                | StatementKind::Upsert(_)
        )
    }
}

/// `FOR target IN source SEARCH search OPTIONS options`.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The loop variable, or a destructuring pattern.
    pub target: Pattern,
    /// An array, or a [`Reference`](super::ExpressionKind::Reference) to a possible collection or
    /// View.
    pub source: Expression,
    /// The condition of `SEARCH`; only Views have one.
    pub search: Option<Expression>,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// The direction in which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From `_from` to `_to`.
    Outbound,
    /// From `_to` to `_from`.
    Inbound,
    /// Both directions.
    Any,
}

/// `FOR vertex, edge, path IN depth direction start graph PRUNE ... OPTIONS ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Traversal {
    /// The variable of the vertex that was reached.
    pub vertex: Identifier,
    /// The variable of the edge that led there.
    pub edge: Option<Identifier>,
    /// The variable of the whole path.
    pub path: Option<Identifier>,
    /// A number or a range; `None` is `1..1`.
    pub depth: Option<Expression>,
    /// The direction, unless an edge collection has its own.
    pub direction: Direction,
    /// The start vertex: its `_id`, or an object that has one.
    pub start: Expression,
    /// The source of the edges.
    pub graph: GraphSource,
    /// `PRUNE`
    pub prune: Option<Prune>,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// `PRUNE variable = condition`: stop at a vertex for which the condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Prune {
    /// A variable that holds the condition's value.
    pub variable: Option<Identifier>,
    /// The condition.
    pub condition: Expression,
}

/// The source of the edges of a traversal or path search.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphSource {
    /// `GRAPH name`
    Named(GraphName, Span),
    /// A list of edge collections, at least one.
    EdgeCollections(Vec<EdgeCollection>),
}

/// The form of a graph's name.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphName {
    /// An identifier or a string.
    Name(String),
    /// `@name`.
    BindParameter(String),
    /// `@@name`. The field holds `name`; the key in the bind variables is `@name`.
    DataSourceBindParameter(String),
}

/// One of the edge collections of a traversal or path search.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeCollection {
    /// A direction for this collection alone.
    pub direction: Option<Direction>,
    /// The collection.
    pub collection: DataSource,
}

/// The kind of paths that a [`PathSearch`] finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathSearchKind {
    /// `SHORTEST_PATH`: one path, vertex by vertex.
    ShortestPath,
    /// `K_SHORTEST_PATHS`: all paths, shortest first.
    KShortestPaths,
    /// `K_PATHS`: all paths of a length within `depth`, in no order.
    KPaths,
    /// `ALL_SHORTEST_PATHS`: every path of the shortest length.
    AllShortestPaths,
}

impl PathSearchKind {
    /// Returns the keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            PathSearchKind::ShortestPath => "SHORTEST_PATH",
            PathSearchKind::KShortestPaths => "K_SHORTEST_PATHS",
            PathSearchKind::KPaths => "K_PATHS",
            PathSearchKind::AllShortestPaths => "ALL_SHORTEST_PATHS",
        }
    }
}

/// `FOR output IN depth direction SHORTEST_PATH start TO target graph OPTIONS ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSearch {
    /// The kind of paths.
    pub kind: PathSearchKind,
    /// The variable of the vertex ([`PathSearchKind::ShortestPath`]) or of the path (all others).
    pub output: Identifier,
    /// The variable of the edge; only for [`PathSearchKind::ShortestPath`].
    pub edge: Option<Identifier>,
    /// A number or a range; only for [`PathSearchKind::KPaths`].
    pub depth: Option<Expression>,
    /// The direction, unless an edge collection has its own.
    pub direction: Direction,
    /// The start vertex.
    pub start: Expression,
    /// The target vertex.
    pub target: Expression,
    /// The source of the edges.
    pub graph: GraphSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// `LET target = value`. A `LET` with several declarations is parsed into several of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Let {
    /// The variable, or a destructuring pattern.
    pub target: Pattern,
    /// Its value.
    pub value: Expression,
}

/// `SORT items`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sort {
    /// The sort keys, most significant first; at least one.
    pub items: Vec<SortItem>,
}

/// One sort key.
#[derive(Clone, Debug, PartialEq)]
pub struct SortItem {
    /// The key.
    pub expression: Expression,
    /// The direction; ascending when none was written.
    pub direction: SortDirection,
}

/// The direction of a sort key.
#[derive(Clone, Debug, PartialEq)]
pub enum SortDirection {
    /// `ASC`, or nothing.
    Ascending,
    /// `DESC`
    Descending,
    /// A literal or a bind parameter, whose value the binder turns into a direction.
    Computed(Expression),
}

/// `LIMIT offset, count`.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Number of rows to skip.
    pub offset: Option<Expression>,
    /// Number of rows to return.
    pub count: Expression,
}

/// `variable = expression`, as in the groups of a `COLLECT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub variable: Identifier,
    /// Its value.
    pub expression: Expression,
}

/// `variable = function(arguments)` after `AGGREGATE`. The parser has checked that the function
/// aggregates.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The variable.
    pub variable: Identifier,
    /// The aggregate function.
    pub function: FunctionName,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// The text of the call.
    pub span: Span,
}

/// `COLLECT groups AGGREGATE aggregates INTO ... OPTIONS ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Collect {
    /// The group keys; empty: all rows are one group.
    pub groups: Vec<Assignment>,
    /// The aggregates of each group.
    pub aggregates: Vec<Aggregate>,
    /// `INTO`: the members of each group.
    pub into: Option<CollectInto>,
    /// `WITH COUNT INTO variable`; never together with `aggregates` or `into`.
    pub count: Option<Identifier>,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// `INTO variable = expression KEEP a, b`.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectInto {
    /// The variable that holds the array of the group's members.
    pub variable: Identifier,
    /// The value kept of each member; `None`: an object of the variables in scope.
    pub expression: Option<Expression>,
    /// The variables of that object; empty: all. Without meaning when there is an `expression`.
    pub keep: Vec<Identifier>,
}

/// `WINDOW range WITH bounds AGGREGATE aggregates`.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The value whose differences define the window; `None`: row positions define it.
    pub range: Option<Expression>,
    /// An object literal with `preceding` and `following`.
    pub bounds: Expression,
    /// The aggregates of each row's window; at least one.
    pub aggregates: Vec<Aggregate>,
}

/// `RETURN DISTINCT value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Return {
    /// True if equal values are returned once.
    pub distinct: bool,
    /// The value.
    pub value: Expression,
}

/// `INSERT document INTO collection`.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The document.
    pub document: Expression,
    /// The collection that receives it.
    pub collection: DataSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// The effect of the given attributes: merged into the stored document, or replacing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteMode {
    /// `UPDATE`
    Update,
    /// `REPLACE`
    Replace,
}

impl WriteMode {
    /// Returns the keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            WriteMode::Update => "UPDATE",
            WriteMode::Replace => "REPLACE",
        }
    }
}

/// `UPDATE key WITH document IN collection`, or the same with `REPLACE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// `UPDATE` or `REPLACE`.
    pub mode: WriteMode,
    /// The key of the stored document, or an object with it. Without `document` it also holds the
    /// new attributes.
    pub key: Expression,
    /// The new attributes.
    pub document: Option<Expression>,
    /// The collection of the document.
    pub collection: DataSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// `REMOVE key IN collection`.
#[derive(Clone, Debug, PartialEq)]
pub struct Remove {
    /// The key of the stored document, or an object with it.
    pub key: Expression,
    /// The collection of the document.
    pub collection: DataSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// `UPSERT search INSERT insert UPDATE update IN collection`.
#[derive(Clone, Debug, PartialEq)]
pub struct Upsert {
    /// The search for an existing document.
    pub search: UpsertSearch,
    /// The document that is inserted when none is found.
    pub insert: Expression,
    /// The mode of the last part: `UPDATE` or `REPLACE`.
    pub mode: WriteMode,
    /// The attributes for a document that is found; may use `OLD`.
    pub update: Expression,
    /// The collection of the documents.
    pub collection: DataSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// The ways in which `UPSERT` finds an existing document.
#[derive(Clone, Debug, PartialEq)]
pub enum UpsertSearch {
    /// An example: an object literal without computed names, or a bind parameter.
    Example(Expression),
    /// `FILTER condition`, in which `CURRENT` names the document.
    Filter(Expression),
}
