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
/// Wherever there are `options`, they are an object literal ([`ExpressionKind::Object`](super::ExpressionKind)).
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
    /// Whether a query may end with this statement: a `RETURN` or a data modification.
    pub fn can_end_query(&self) -> bool {
        matches!(self, StatementKind::Return(_)) || self.modifies()
    }

    /// Whether the statement is a `FOR` of any kind.
    pub fn iterates(&self) -> bool {
        matches!(self, StatementKind::For(_) | StatementKind::Traversal(_) | StatementKind::PathSearch(_))
    }

    /// Whether the statement writes documents.
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
    /// An array, or a [`Reference`](super::ExpressionKind::Reference) that may turn out to be a collection or View.
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
    /// Both ways.
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
    /// Where the edges are.
    pub graph: GraphSource,
    /// `PRUNE`
    pub prune: Option<Prune>,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// `PRUNE variable = condition`: do not go on behind a vertex for which the condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Prune {
    /// A variable that holds the condition's value.
    pub variable: Option<Identifier>,
    /// The condition.
    pub condition: Expression,
}

/// Where the edges of a traversal or path search are.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphSource {
    /// `GRAPH name`
    Named(GraphName, Span),
    /// A list of edge collections, at least one.
    EdgeCollections(Vec<EdgeCollection>),
}

/// How a graph is named.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphName {
    /// By an identifier or a string.
    Name(String),
    /// By `@name`.
    BindParameter(String),
    /// By `@@name`; this is `name`, and the key in the bind variables is `@name`.
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

/// Which paths a [`PathSearch`] finds.
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
    /// The keyword.
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
    /// Which paths.
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
    /// Where the edges are.
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
    /// Its direction; ascending when none was written.
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
    /// How many rows to skip.
    pub offset: Option<Expression>,
    /// How many rows to let pass.
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

/// `variable = function(arguments)` behind `AGGREGATE`. The parser has checked that the function aggregates.
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
    /// What is kept of each member; `None`: an object of the variables in scope.
    pub expression: Option<Expression>,
    /// Which variables that object has; empty: all. Without meaning when there is an `expression`.
    pub keep: Vec<Identifier>,
}

/// `WINDOW range WITH bounds AGGREGATE aggregates`.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The value by which rows are near each other; `None`: their position.
    pub range: Option<Expression>,
    /// An object literal with `preceding` and `following`.
    pub bounds: Expression,
    /// The aggregates of each row's window; at least one.
    pub aggregates: Vec<Aggregate>,
}

/// `RETURN DISTINCT value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Return {
    /// Whether equal values are returned once.
    pub distinct: bool,
    /// The value.
    pub value: Expression,
}

/// `INSERT document INTO collection`.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The document.
    pub document: Expression,
    /// Where it goes.
    pub collection: DataSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// Whether given attributes are merged into the stored document or take its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteMode {
    /// `UPDATE`
    Update,
    /// `REPLACE`
    Replace,
}

impl WriteMode {
    /// The keyword.
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
    /// What names the stored document; without `document`, also the new attributes.
    pub key: Expression,
    /// The new attributes.
    pub document: Option<Expression>,
    /// Where the document is.
    pub collection: DataSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// `REMOVE key IN collection`.
#[derive(Clone, Debug, PartialEq)]
pub struct Remove {
    /// What names the stored document.
    pub key: Expression,
    /// Where it is.
    pub collection: DataSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// `UPSERT search INSERT insert UPDATE update IN collection`.
#[derive(Clone, Debug, PartialEq)]
pub struct Upsert {
    /// How an existing document is found.
    pub search: UpsertSearch,
    /// The document that is inserted when none is found.
    pub insert: Expression,
    /// Whether the last part is `UPDATE` or `REPLACE`.
    pub mode: WriteMode,
    /// The attributes for a document that is found; may use `OLD`.
    pub update: Expression,
    /// Where the documents are.
    pub collection: DataSource,
    /// `OPTIONS`
    pub options: Option<Expression>,
}

/// How `UPSERT` finds an existing document.
#[derive(Clone, Debug, PartialEq)]
pub enum UpsertSearch {
    /// By an example: an object literal without computed names, or a bind parameter.
    Example(Expression),
    /// `FILTER condition`, in which `CURRENT` names the document.
    Filter(Expression),
}
