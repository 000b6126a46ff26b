//! Binding: names become variables, functions and collections, and bind parameters become values.
//! Names in wrong places are errors. Constant expressions are folded on the way.
//!
//! Subqueries leave the expressions that contain them. They become statements of their own before
//! the statement that uses them. They run only in rows that would evaluate the operand.

mod bound;
mod check;
mod collect;
mod data_source;
mod expansion;
mod expansion_loop;
mod expression;
mod function;
mod graph;
mod index_function;
mod modification;
mod options;
mod pattern;
mod rules;
mod scope;
mod spread;
mod statement;
mod subquery;
mod upsert;
mod view;
mod window;

use std::collections::HashMap;

use aql_syntax::ast::{Block, DataSource, DataSourceName, Query};
use aql_value::{EvaluationState, Interrupt, MemoryAccount, Value, Warnings};
use errors::{Error, ErrorCode, Result};

use crate::catalog::CollectionReference;
use crate::catalog::PlanCatalog;
use crate::error;
use crate::expression::Expression;
use crate::fold::Folder;
use crate::parameters::{BindParameters, OpenParameters};
use crate::variable::{VariableId, Variables};
use data_source::DataSources;
use rules::{MaskedDocument, RuleContext};
use scope::Scopes;

pub use bound::Bound;
pub(crate) use bound::{
    CollectStatement, ForCollection, ForOptions, ForView, InsertStatement, IntoExpression, RemoveStatement,
    SortKey, Statement, UpdateStatement, UpsertStatement,
};
pub use check::check;

/// The inputs of binding besides the query.
pub struct BindInput<'a> {
    /// Values of bind parameters.
    pub parameters: &'a BindParameters,
    /// Parameters that stay open: their values do not become part of the plan. They are those of
    /// [`OpenParameters::of`] the same query, or fewer.
    pub open: OpenParameters,
    /// The database.
    pub catalog: &'a dyn PlanCatalog,
    /// Charged with the values that folding of constants builds.
    pub memory: &'a MemoryAccount,
    /// Ends long folding of constants.
    pub interrupt: &'a Interrupt,
    /// Maximum number of collections that a query may name; ArangoDB's default is 2,048.
    pub max_collections: usize,
    /// Maximum number of warnings to keep (option `maxWarningCount`).
    pub max_warnings: usize,
    /// Option `failOnWarning`: a warning is an error.
    pub fail_on_warning: bool,
}

/// The default for the most collections that a query may name (ArangoDB's limit).
pub const DEFAULT_MAX_COLLECTIONS: usize = 2048;

impl<'a> BindInput<'a> {
    /// Creates an input without open parameters and with ArangoDB's default limits.
    pub fn new(
        parameters: &'a BindParameters,
        catalog: &'a dyn PlanCatalog,
        memory: &'a MemoryAccount,
        interrupt: &'a Interrupt,
    ) -> Self {
        Self {
            parameters,
            open: OpenParameters::none(),
            catalog,
            memory,
            interrupt,
            max_collections: DEFAULT_MAX_COLLECTIONS,
            max_warnings: Warnings::DEFAULT_MAX,
            fail_on_warning: false,
        }
    }
}

/// Binds a query.
///
/// # Errors
/// ArangoDB's numbers and messages: 10, 1203, 1208, 1218, 1501, 1504, 1511, 1512, 1522, 1540, 1541,
/// 1550 to 1553, 1568, 1574, 1575, 1579, 1582, 1595, 1924, 1926, 1939, 1940, 1948. 9 for a feature
/// of AQL that this server lacks. Errors of folding constants.
pub fn bind(query: &Query, input: &BindInput<'_>) -> Result<Bound> {
    input.parameters.check(query)?;
    let mut binder = Binder {
        parameters: input.parameters,
        open: &input.open,
        sources: DataSources::new(input.catalog, input.max_collections),
        with: Vec::new(),
        variables: Variables::default(),
        scopes: Scopes::default(),
        constants: HashMap::new(),
        output: Vec::new(),
        guard: None,
        elements: Vec::new(),
        candidate: None,
        warnings: Warnings::new(input.max_warnings, input.fail_on_warning),
        state: EvaluationState::new(),
        memory: input.memory,
        interrupt: input.interrupt,
        introduced: Vec::new(),
        expressions: 0,
        is_modification: false,
        rule: None,
        masked: HashMap::new(),
        ruled: Vec::new(),
    };
    for warning in &query.warnings {
        binder.warnings.register(warning.code, warning.message.clone())?;
    }
    for source in &query.with {
        let name = binder.data_source_name(source)?.to_owned();
        let collection = binder.sources.name(&name)?;
        if !collection.is_edge && !binder.with.contains(&collection.reference) {
            binder.with.push(collection.reference);
        }
    }
    let statements = binder.block(&query.body)?;
    // Last: an unknown collection is the more important error.
    input.parameters.check_superfluous(query)?;
    Ok(Bound {
        statements,
        variables: binder.variables,
        collections: binder.sources.into_uses(),
        is_modification: binder.is_modification,
        ruled: binder.ruled,
        parameters: input.open.clone(),
        warnings: binder.warnings.list().to_vec(),
    })
}

/// The state of binding one query.
struct Binder<'a> {
    parameters: &'a BindParameters,
    open: &'a OpenParameters,
    sources: DataSources<'a>,
    /// Collections of documents that WITH names.
    with: Vec<CollectionReference>,
    variables: Variables,
    scopes: Scopes,
    /// Values of the variables that LET sets to a constant.
    constants: HashMap<VariableId, Value>,
    /// Bound statements of the level being bound.
    output: Vec<Statement>,
    /// The variable that must be true for a row to evaluate the expression being bound.
    guard: Option<VariableId>,
    /// Names that the COLLECT being bound introduces. Its expressions cannot read them.
    introduced: Vec<Box<str>>,
    /// Enclosing expansions within the current expression of the level, the innermost last.
    elements: Vec<Element>,
    /// The document that the FILTER of an enclosing UPSERT tests.
    candidate: Option<VariableId>,
    warnings: Warnings,
    state: EvaluationState,
    memory: &'a MemoryAccount,
    interrupt: &'a Interrupt,
    /// The number of expressions bound so far.
    expressions: usize,
    is_modification: bool,
    /// The rule that is being bound.
    rule: Option<RuleContext>,
    /// The variables of documents with masked attributes.
    masked: HashMap<VariableId, MaskedDocument>,
    /// The identifiers of the collections whose rules have become parts of the query.
    ruled: Vec<u64>,
}

/// The element of an enclosing expansion, by the way in which an expression refers to it.
enum Element {
    /// `CURRENT`: within the brackets.
    Current(VariableId),
    /// The base of the accesses after the brackets.
    Result(Expression),
    /// `CURRENT`, where the expansion is a loop: a variable of its rows, which subqueries can read
    /// too.
    RowCurrent(VariableId),
    /// The base of the accesses after the brackets, where the expansion is a loop.
    RowResult(VariableId),
    /// The start of a subquery, which runs before the elements outside of it exist.
    Barrier,
}

impl Binder<'_> {
    /// Binds the statements of a (sub)query in a level of their own.
    fn block(&mut self, block: &Block) -> Result<Vec<Statement>> {
        let outer = std::mem::take(&mut self.output);
        self.scopes.enter_level();
        for statement in &block.statements {
            self.interrupt.check()?;
            self.statement(statement)?;
        }
        self.scopes.leave_level();
        Ok(std::mem::replace(&mut self.output, outer))
    }

    /// Returns the name of a collection or View, or the value of its bind parameter.
    fn data_source_name<'n>(&self, source: &'n DataSource) -> Result<&'n str>
    where
        Self: 'n,
    {
        match &source.name {
            DataSourceName::Name(name) => Ok(name),
            DataSourceName::BindParameter(name) => self.parameters.data_source(name),
            DataSourceName::ValueParameter(name) => match self.parameters.value(name)?.as_str() {
                None => Err(error::parameter_type(name)),
                Some("") => Err(Error::of(ErrorCode::IllegalName)),
                Some(name) => Ok(name),
            },
        }
    }

    fn fold(&mut self, expression: Expression) -> Result<Expression> {
        let mut folder = Folder {
            warnings: &mut self.warnings,
            state: &mut self.state,
            memory: self.memory,
            interrupt: self.interrupt,
        };
        folder.fold(expression)
    }

    /// Sets a new variable to the expression before the current statement. A variable is returned
    /// as it is.
    fn materialize(&mut self, expression: Expression) -> VariableId {
        if let Some(id) = expression.as_variable() {
            return id;
        }
        let out = self.variables.add_temporary();
        self.output.push(Statement::Let { out, value: expression });
        out
    }
}
