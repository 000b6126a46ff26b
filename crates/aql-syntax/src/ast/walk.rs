//! Walks through a tree.
//!
//! The functions that list direct children take a closure. Those that visit all descendants are
//! iterators with their own stack and do not recurse.

use super::{
    Aggregate, Block, Collect, DataSource, Expression, ExpressionKind, GraphSource, SortDirection, Statement,
    StatementKind, Update, Upsert, UpsertSearch,
};

pub use super::expression::{Child, children};

/// Calls `visit` with every expression directly in a statement, in the order of the
/// text.
///
/// It does not visit the children of those expressions.
pub fn statement_expressions<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Expression)) {
    match &statement.kind {
        StatementKind::For(inner) => {
            visit(&inner.source);
            inner.search.iter().chain(&inner.options).for_each(visit);
        }
        StatementKind::Traversal(inner) => {
            inner.depth.iter().for_each(&mut *visit);
            visit(&inner.start);
            inner.prune.iter().for_each(|prune| visit(&prune.condition));
            inner.options.iter().for_each(visit);
        }
        StatementKind::PathSearch(inner) => {
            inner.depth.iter().chain([&inner.start, &inner.target]).chain(&inner.options).for_each(visit);
        }
        StatementKind::Let(inner) => visit(&inner.value),
        StatementKind::Filter(condition) => visit(condition),
        StatementKind::Sort(sort) => {
            for item in &sort.items {
                visit(&item.expression);
                if let SortDirection::Computed(direction) = &item.direction {
                    visit(direction);
                }
            }
        }
        StatementKind::Limit(limit) => limit.offset.iter().chain([&limit.count]).for_each(visit),
        StatementKind::Collect(collect) => collect_expressions(collect, visit),
        StatementKind::Window(window) => {
            window.range.iter().chain([&window.bounds]).for_each(&mut *visit);
            aggregate_expressions(&window.aggregates, visit);
        }
        StatementKind::Return(inner) => visit(&inner.value),
        StatementKind::Insert(insert) => {
            [&insert.document].into_iter().chain(&insert.options).for_each(visit)
        }
        StatementKind::Update(update) => update_expressions(update, visit),
        StatementKind::Remove(remove) => [&remove.key].into_iter().chain(&remove.options).for_each(visit),
        StatementKind::Upsert(upsert) => upsert_expressions(upsert, visit),
    }
}

fn collect_expressions<'a>(collect: &'a Collect, visit: &mut dyn FnMut(&'a Expression)) {
    collect.groups.iter().for_each(|group| visit(&group.expression));
    aggregate_expressions(&collect.aggregates, visit);
    if let Some(into) = &collect.into {
        into.expression.iter().for_each(&mut *visit);
    }
    collect.options.iter().for_each(visit);
}

fn aggregate_expressions<'a>(aggregates: &'a [Aggregate], visit: &mut dyn FnMut(&'a Expression)) {
    aggregates.iter().flat_map(|aggregate| &aggregate.arguments).for_each(visit);
}

fn update_expressions<'a>(update: &'a Update, visit: &mut dyn FnMut(&'a Expression)) {
    [&update.key].into_iter().chain(&update.document).chain(&update.options).for_each(visit);
}

fn upsert_expressions<'a>(upsert: &'a Upsert, visit: &mut dyn FnMut(&'a Expression)) {
    let (UpsertSearch::Example(search) | UpsertSearch::Filter(search)) = &upsert.search;
    [search, &upsert.insert, &upsert.update].into_iter().chain(&upsert.options).for_each(visit);
}

/// Calls `visit` with every collection in a statement where only a collection is possible.
///
/// These are the target of a modification and the edge collections of a traversal. The source of a
/// `FOR` is an expression and not among them.
pub fn statement_data_sources<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a DataSource)) {
    match &statement.kind {
        StatementKind::Insert(insert) => visit(&insert.collection),
        StatementKind::Update(update) => visit(&update.collection),
        StatementKind::Remove(remove) => visit(&remove.collection),
        StatementKind::Upsert(upsert) => visit(&upsert.collection),
        _ => {
            if let Some(GraphSource::EdgeCollections(edges)) = statement_graph(statement) {
                edges.iter().for_each(|edge| visit(&edge.collection));
            }
        }
    }
}

/// Returns the source of the edges of a traversal or path search; `None` for any other statement.
pub fn statement_graph(statement: &Statement) -> Option<&GraphSource> {
    match &statement.kind {
        StatementKind::Traversal(traversal) => Some(&traversal.graph),
        StatementKind::PathSearch(search) => Some(&search.graph),
        _ => None,
    }
}

/// Returns an expression and its descendants, parents before children, subqueries included.
pub fn expressions(root: &Expression) -> Expressions<'_> {
    Expressions { stack: vec![root], children: Vec::new() }
}

/// Returns all expressions of a query, parents before children, subqueries included.
pub fn query_expressions(query: &crate::ast::Query) -> Expressions<'_> {
    block_expressions(&query.body)
}

/// Returns all expressions of a block, parents before children, subqueries included.
pub fn block_expressions(block: &Block) -> Expressions<'_> {
    let mut stack = Vec::new();
    for statement in &block.statements {
        statement_expressions(statement, &mut |expression| stack.push(expression));
    }
    stack.reverse();
    Expressions { stack, children: Vec::new() }
}

/// An iterator over an expression and its descendants; see [`expressions`].
#[derive(Debug)]
pub struct Expressions<'a> {
    stack: Vec<&'a Expression>,
    children: Vec<&'a Expression>,
}

impl<'a> Iterator for Expressions<'a> {
    type Item = &'a Expression;

    fn next(&mut self) -> Option<&'a Expression> {
        let next = self.stack.pop()?;
        let found = &mut self.children;
        children(&next.kind, &mut |child| match child {
            Child::Expression(expression) => found.push(expression),
            Child::Block(block) => {
                for statement in &block.statements {
                    statement_expressions(statement, &mut |expression| found.push(expression));
                }
            }
        });
        self.stack.extend(self.children.drain(..).rev());
        Some(next)
    }
}

/// Returns all statements of a block and its subqueries.
///
/// A statement comes before those of the subqueries in it.
pub fn statements(block: &Block) -> impl Iterator<Item = &Statement> {
    let nested = block_expressions(block).filter_map(|expression| match &expression.kind {
        ExpressionKind::Subquery(block) => Some(&block.statements),
        _ => None,
    });
    block.statements.iter().chain(nested.flatten())
}
