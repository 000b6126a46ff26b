//! The bind parameters that a plan may leave open, so that it can run again with other values.
//!
//! A parameter is open if no decision of the planner depends on its value, beyond its
//! [`ParameterShape`](super::ParameterShape). It is compared with an attribute or a variable, or it
//! is (part of) a document, a key or a result. Everything else (LIMIT, options, names, operands of
//! arithmetic, arguments of functions) is folded into the plan as a constant. One such occurrence
//! closes the parameter.

use std::collections::HashMap;
use std::sync::Arc;

use aql_syntax::ast::{
    self, BinaryOperator, Expression, ExpressionKind, ObjectKey, Query, StatementKind, UpsertSearch,
};
use aql_syntax::walk;
use aql_value::Value;
use errors::Result;

use super::BindParameters;

/// Names of the parameters that are open in a plan, sorted. The position of a name is its slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenParameters {
    names: Arc<[Box<str>]>,
}

impl OpenParameters {
    /// Returns no parameters: every value becomes part of the plan.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns the parameters that may be open in a query. Depends on the query's text alone.
    pub fn of(query: &Query) -> Self {
        let mut found = Found::default();
        for expression in walk::query_expressions(query) {
            match &expression.kind {
                ExpressionKind::BindParameter(name) => found.count(name, 1),
                ExpressionKind::BoundAttributeAccess(_, name) => found.count(name, 1),
                ExpressionKind::Object(members) => {
                    for member in members {
                        if let ObjectKey::BindParameter(name) = &member.key {
                            found.count(name, 1);
                        }
                    }
                }
                _ => {}
            }
        }
        query.with.iter().for_each(|source| found.data_source(source));
        let needs_constants = walk::statements(&query.body).any(reads_variable_as_constant);
        for statement in walk::statements(&query.body) {
            if let Some(ast::GraphSource::Named(ast::GraphName::BindParameter(name), _)) =
                walk::statement_graph(statement)
            {
                found.count(name, 1);
            }
            walk::statement_data_sources(statement, &mut |source| found.data_source(source));
            if !(needs_constants && matches!(statement.kind, StatementKind::Let(_))) {
                found.statement(&statement.kind);
            }
        }
        // The count of a parameter is 0 if each of its occurrences may be open.
        let mut names: Vec<Box<str>> =
            found.closed.into_iter().filter(|(_, count)| *count == 0).map(|(name, _)| name.into()).collect();
        names.sort_unstable();
        Self { names: names.into() }
    }

    /// Returns the names by slot.
    pub fn names(&self) -> &[Box<str>] {
        &self.names
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the slot of a parameter, if it is open.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.names.binary_search_by(|own| (**own).cmp(name)).ok()
    }

    /// Returns the values by slot.
    ///
    /// Errors: 1551 if one is missing.
    pub fn values(&self, parameters: &BindParameters) -> Result<Arc<[Value]>> {
        self.names.iter().map(|name| parameters.value(name).cloned()).collect()
    }
}

/// The number of occurrences of each parameter that close it.
#[derive(Default)]
struct Found<'a> {
    closed: HashMap<&'a str, i64>,
}

impl<'a> Found<'a> {
    fn count(&mut self, name: &'a str, change: i64) {
        *self.closed.entry(name).or_default() += change;
    }

    fn data_source(&mut self, source: &'a ast::DataSource) {
        if let ast::DataSourceName::ValueParameter(name) = &source.name {
            self.count(name, 1);
        }
    }

    /// Examines the expressions of a statement in which parameters may be open, which excludes
    /// OPTIONS, LIMIT and the like. Subqueries are statements of their own.
    fn statement(&mut self, statement: &'a StatementKind) {
        match statement {
            StatementKind::For(statement) => {
                self.document(&statement.source);
                statement.search.iter().for_each(|condition| self.condition(condition));
            }
            StatementKind::Let(statement) => self.document(&statement.value),
            StatementKind::Filter(condition) => self.condition(condition),
            StatementKind::Sort(sort) => {
                sort.items.iter().for_each(|item| self.condition(&item.expression));
            }
            StatementKind::Collect(collect) => {
                collect.groups.iter().for_each(|group| self.condition(&group.expression));
                let arguments = collect.aggregates.iter().flat_map(|aggregate| &aggregate.arguments);
                arguments.for_each(|argument| self.condition(argument));
            }
            StatementKind::Return(statement) => self.document(&statement.value),
            StatementKind::Insert(statement) => self.document(&statement.document),
            StatementKind::Update(statement) => {
                self.document(&statement.key);
                statement.document.iter().for_each(|document| self.document(document));
            }
            StatementKind::Remove(statement) => self.document(&statement.key),
            StatementKind::Upsert(statement) => {
                match &statement.search {
                    // The names in an example must be known, so an example that is a parameter is
                    // closed.
                    UpsertSearch::Example(Expression { kind: ExpressionKind::BindParameter(_), .. }) => {}
                    UpsertSearch::Example(example) => self.document(example),
                    UpsertSearch::Filter(condition) => self.condition(condition),
                }
                self.document(&statement.insert);
                self.document(&statement.update);
            }
            StatementKind::Traversal(traversal) => {
                self.document(&traversal.start);
                traversal.prune.iter().for_each(|prune| self.condition(&prune.condition));
            }
            StatementKind::PathSearch(search) => {
                [&search.start, &search.target].into_iter().for_each(|vertex| self.document(vertex));
            }
            StatementKind::Limit(_) | StatementKind::Window(_) => {}
        }
    }

    /// Examines a value that the query only stores or returns: a parameter, or literals with
    /// parameters as members.
    fn document(&mut self, expression: &'a Expression) {
        match &expression.kind {
            ExpressionKind::BindParameter(name) => self.count(name, -1),
            ExpressionKind::Array(members) => members.iter().for_each(|member| self.document(member)),
            ExpressionKind::Object(members) => {
                for member in members {
                    if let ObjectKey::Computed(key) = &member.key {
                        self.condition(key);
                    }
                    self.document(&member.value);
                }
            }
            _ => self.condition(expression),
        }
    }

    /// Looks for comparisons of parameters with attributes. The parser bounds the depth.
    fn condition(&mut self, expression: &'a Expression) {
        match &expression.kind {
            ExpressionKind::Binary(binary) => {
                let is_comparison = matches!(binary.operator, BinaryOperator::Comparison(_));
                let sides = [(&binary.left, &binary.right), (&binary.right, &binary.left)];
                for (side, other) in sides {
                    match &side.kind {
                        ExpressionKind::BindParameter(name) if is_comparison && is_path(other) => {
                            self.count(name, -1);
                        }
                        _ => self.condition(side),
                    }
                }
            }
            ExpressionKind::FunctionCall(call) => {
                let function = aql_functions::lookup(call.name.normalized());
                let (names, values) = match function.filter(|function| function.reads_documents) {
                    // With fewer arguments, the last one names no collection.
                    Some(function) => {
                        let values_from = call.arguments.len().saturating_sub(1);
                        call.arguments.split_at(values_from.min(function.collection_arguments))
                    }
                    None => call.arguments.split_at(call.arguments.len()),
                };
                names.iter().for_each(|argument| self.condition(argument));
                values.iter().for_each(|argument| self.document(argument));
            }
            kind => walk::children(kind, &mut |child| {
                if let walk::Child::Expression(child) = child {
                    self.condition(child);
                }
            }),
        }
    }
}

/// Returns true if a variable replaces a constant: in OPTIONS, LIMIT, a depth or bounds
/// of WINDOW.
///
/// A LET may have set it to a parameter, and the plan depends on the value of this parameter.
fn reads_variable_as_constant(statement: &ast::Statement) -> bool {
    let options = match &statement.kind {
        StatementKind::Limit(limit) => return limit.offset.iter().chain([&limit.count]).any(reads_variable),
        StatementKind::Traversal(traversal) if traversal.depth.iter().any(reads_variable) => return true,
        StatementKind::PathSearch(search) if search.depth.iter().any(reads_variable) => return true,
        StatementKind::Traversal(traversal) => &traversal.options,
        StatementKind::PathSearch(search) => &search.options,
        StatementKind::For(statement) => &statement.options,
        StatementKind::Collect(collect) => &collect.options,
        StatementKind::Insert(insert) => &insert.options,
        StatementKind::Update(update) => &update.options,
        StatementKind::Remove(remove) => &remove.options,
        StatementKind::Upsert(upsert) => &upsert.options,
        StatementKind::Window(window) => return reads_variable(&window.bounds),
        StatementKind::Let(_)
        | StatementKind::Filter(_)
        | StatementKind::Sort(_)
        | StatementKind::Return(_) => return false,
    };
    options.iter().any(reads_variable)
}

fn reads_variable(expression: &Expression) -> bool {
    walk::expressions(expression).any(|part| matches!(part.kind, ExpressionKind::Reference(_)))
}

/// Returns true if the expression reads a variable or an attribute of one, which is unknown before
/// the query runs.
fn is_path(expression: &Expression) -> bool {
    let mut expression = expression;
    loop {
        match &expression.kind {
            ExpressionKind::Reference(_) => return true,
            ExpressionKind::AttributeAccess(base, _) | ExpressionKind::BoundAttributeAccess(base, _) => {
                expression = base;
            }
            ExpressionKind::IndexedAccess(base, index) if matches!(index.kind, ExpressionKind::String(_)) => {
                expression = base;
            }
            _ => return false,
        }
    }
}
