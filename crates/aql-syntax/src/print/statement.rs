//! Prints statements.

use super::Printer;
use crate::ast::{
    Aggregate, Assignment, Collect, DataSource, Direction, EdgeCollection, ElementOperator, Expression,
    ExpressionKind, For, GraphName, GraphSource, Identifier, Let, Limit, ObjectPatternMember, PathSearch,
    Pattern, PatternKind, SortDirection, SortItem, Statement, StatementKind, Traversal, Update, Upsert,
    UpsertSearch, Window, walk,
};

impl Printer {
    pub(super) fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::For(inner) => self.for_statement(inner),
            StatementKind::Traversal(traversal) => self.traversal(traversal),
            StatementKind::PathSearch(search) => self.path_search(search),
            StatementKind::Let(inner) => self.let_statement(inner),
            StatementKind::Filter(condition) => self.clause("FILTER ", Some(condition)),
            StatementKind::Sort(sort) => {
                self.text("SORT ");
                self.list(&sort.items, ", ", Self::sort_item);
            }
            StatementKind::Limit(limit) => self.limit(limit),
            StatementKind::Collect(collect) => self.collect(collect),
            StatementKind::Window(window) => self.window(window),
            StatementKind::Return(inner) => {
                self.text(if inner.distinct { "RETURN DISTINCT " } else { "RETURN " });
                self.any_expression(&inner.value);
            }
            StatementKind::Insert(insert) => {
                self.clause("INSERT ", Some(&insert.document));
                self.target(" INTO ", &insert.collection, insert.options.as_ref());
            }
            StatementKind::Update(update) => self.update(update),
            StatementKind::Remove(remove) => {
                self.clause("REMOVE ", Some(&remove.key));
                self.target(" IN ", &remove.collection, remove.options.as_ref());
            }
            StatementKind::Upsert(upsert) => self.upsert(upsert),
        }
    }

    fn for_statement(&mut self, inner: &For) {
        self.text("FOR ");
        self.pattern(&inner.target);
        self.text(" IN ");
        self.source_or_depth(&inner.source);
        self.clause(" SEARCH ", inner.search.as_ref());
        self.options(inner.options.as_ref());
    }

    /// Prints what follows `FOR ... IN`.
    ///
    /// There, `ANY` before `LIKE (` would be read as a direction.
    fn source_or_depth(&mut self, expression: &Expression) {
        let matches_elements = |expression: &Expression| match &expression.kind {
            ExpressionKind::ArrayComparison(comparison) => {
                matches!(comparison.operator, ElementOperator::Match(_))
            }
            _ => false,
        };
        if walk::expressions(expression).any(matches_elements) {
            self.text("(");
            self.any_expression(expression);
            self.text(")");
        } else {
            self.any_expression(expression);
        }
    }

    /// Prints what follows the variables of a graph statement, up to the direction.
    fn depth(&mut self, depth: Option<&Expression>) {
        self.text(" IN ");
        if let Some(depth) = depth {
            self.source_or_depth(depth);
            self.text(" ");
        }
    }

    fn traversal(&mut self, traversal: &Traversal) {
        self.text("FOR ");
        self.identifier(&traversal.vertex);
        for variable in traversal.edge.iter().chain(&traversal.path) {
            self.text(", ");
            self.identifier(variable);
        }
        self.depth(traversal.depth.as_ref());
        self.text(direction_keyword(traversal.direction));
        self.clause(" ", Some(&traversal.start));
        self.graph(&traversal.graph);
        if let Some(prune) = &traversal.prune {
            self.text(" PRUNE ");
            if let Some(variable) = &prune.variable {
                self.identifier(variable);
                self.text(" = ");
            }
            self.any_expression(&prune.condition);
        }
        self.options(traversal.options.as_ref());
    }

    fn path_search(&mut self, search: &PathSearch) {
        self.text("FOR ");
        self.identifier(&search.output);
        if let Some(edge) = &search.edge {
            self.text(", ");
            self.identifier(edge);
        }
        self.depth(search.depth.as_ref());
        self.text(direction_keyword(search.direction));
        self.text(" ");
        self.text(search.kind.keyword());
        self.clause(" ", Some(&search.start));
        self.clause(" TO ", Some(&search.target));
        self.graph(&search.graph);
        self.options(search.options.as_ref());
    }

    fn graph(&mut self, graph: &GraphSource) {
        match graph {
            GraphSource::Named(name, _) => {
                self.text(" GRAPH ");
                match name {
                    GraphName::Name(name) => self.string(name),
                    GraphName::BindParameter(name) => self.text(&format!("@{name}")),
                    GraphName::DataSourceBindParameter(name) => self.text(&format!("@@{name}")),
                }
            }
            GraphSource::EdgeCollections(edges) => {
                self.text(" ");
                self.list(edges, ", ", Self::edge_collection);
            }
        }
    }

    fn edge_collection(&mut self, edge: &EdgeCollection) {
        if let Some(direction) = edge.direction {
            self.text(direction_keyword(direction));
            self.text(" ");
        }
        self.data_source(&edge.collection);
    }

    fn let_statement(&mut self, inner: &Let) {
        self.text("LET ");
        self.pattern(&inner.target);
        self.clause(" = ", Some(&inner.value));
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Variable(variable) => self.identifier(variable),
            PatternKind::Array(elements) => {
                self.text("[");
                self.list(elements, ", ", |printer, element| {
                    element.iter().for_each(|element| printer.pattern(element));
                });
                // A trailing comma ends the last element, so a skipped one needs a comma of its
                // own.
                if elements.last().is_some_and(Option::is_none) {
                    self.text(",");
                }
                self.text("]");
            }
            PatternKind::Object(members) => {
                self.text("{");
                self.list(members, ", ", Self::pattern_member);
                self.text("}");
            }
        }
    }

    fn pattern_member(&mut self, member: &ObjectPatternMember) {
        let same = member.target.as_variable().is_some_and(|variable| variable.name == member.attribute);
        if !same {
            self.name(&member.attribute);
            self.text(": ");
        }
        self.pattern(&member.target);
    }

    fn identifier(&mut self, identifier: &Identifier) {
        self.name(&identifier.name);
    }

    fn sort_item(&mut self, item: &SortItem) {
        self.any_expression(&item.expression);
        match &item.direction {
            SortDirection::Ascending => {}
            SortDirection::Descending => self.text(" DESC"),
            SortDirection::Computed(direction) => self.clause(" ", Some(direction)),
        }
    }

    fn limit(&mut self, limit: &Limit) {
        self.text("LIMIT ");
        if let Some(offset) = &limit.offset {
            self.any_expression(offset);
            self.text(", ");
        }
        self.any_expression(&limit.count);
    }

    fn collect(&mut self, collect: &Collect) {
        self.text("COLLECT");
        if !collect.groups.is_empty() {
            self.text(" ");
            self.list(&collect.groups, ", ", Self::assignment);
        }
        self.aggregates(&collect.aggregates);
        if let Some(into) = &collect.into {
            self.text(" INTO ");
            self.identifier(&into.variable);
            self.clause(" = ", into.expression.as_ref());
            if !into.keep.is_empty() {
                self.text(" KEEP ");
                self.list(&into.keep, ", ", Self::identifier);
            }
        }
        if let Some(count) = &collect.count {
            self.text(" WITH COUNT INTO ");
            self.identifier(count);
        }
        self.options(collect.options.as_ref());
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.identifier(&assignment.variable);
        self.clause(" = ", Some(&assignment.expression));
    }

    fn aggregates(&mut self, aggregates: &[Aggregate]) {
        if aggregates.is_empty() {
            return;
        }
        self.text(" AGGREGATE ");
        self.list(aggregates, ", ", |printer, aggregate| {
            printer.identifier(&aggregate.variable);
            printer.text(" = ");
            printer.function_name(&aggregate.function);
            printer.text("(");
            printer.list(&aggregate.arguments, ", ", Self::any_expression);
            printer.text(")");
        });
    }

    fn window(&mut self, window: &Window) {
        self.text("WINDOW ");
        if let Some(range) = &window.range {
            self.any_expression(range);
            self.text(" WITH ");
        }
        self.any_expression(&window.bounds);
        self.aggregates(&window.aggregates);
    }

    fn update(&mut self, update: &Update) {
        self.text(update.mode.keyword());
        self.clause(" ", Some(&update.key));
        self.clause(" WITH ", update.document.as_ref());
        self.target(" IN ", &update.collection, update.options.as_ref());
    }

    fn upsert(&mut self, upsert: &Upsert) {
        match &upsert.search {
            UpsertSearch::Example(example) => self.clause("UPSERT ", Some(example)),
            UpsertSearch::Filter(condition) => self.clause("UPSERT FILTER ", Some(condition)),
        }
        self.clause(" INSERT ", Some(&upsert.insert));
        self.text(" ");
        self.text(upsert.mode.keyword());
        self.clause(" ", Some(&upsert.update));
        self.target(" IN ", &upsert.collection, upsert.options.as_ref());
    }

    fn target(&mut self, preposition: &str, collection: &DataSource, options: Option<&Expression>) {
        self.text(preposition);
        self.data_source(collection);
        self.options(options);
    }

    fn options(&mut self, options: Option<&Expression>) {
        self.clause(" OPTIONS ", options);
    }
}

fn direction_keyword(direction: Direction) -> &'static str {
    match direction {
        Direction::Outbound => "OUTBOUND",
        Direction::Inbound => "INBOUND",
        Direction::Any => "ANY",
    }
}
