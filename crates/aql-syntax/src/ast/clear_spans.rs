//! Sets every span of a tree to zero. It recurses, because the depth of a tree is bounded.

use super::{
    Aggregate, Block, Collect, DataSource, Expansion, Expression, ExpressionKind, GraphSource, Identifier,
    ObjectKey, Pattern, PatternKind, Quantifier, Query, QuestionQuantifier, SortDirection, Span, Statement,
    StatementKind, Upsert, UpsertSearch,
};

pub(super) fn query(query: &mut Query) {
    query.with.iter_mut().for_each(data_source);
    block(&mut query.body);
    query.warnings.iter_mut().for_each(|warning| warning.span = Span::default());
}

fn block(block: &mut Block) {
    block.span = Span::default();
    block.statements.iter_mut().for_each(statement);
}

fn data_source(source: &mut DataSource) {
    source.span = Span::default();
}

fn identifier(identifier: &mut Identifier) {
    identifier.span = Span::default();
}

fn pattern(root: &mut Pattern) {
    root.span = Span::default();
    match &mut root.kind {
        PatternKind::Variable(variable) => identifier(variable),
        PatternKind::Array(elements) => elements.iter_mut().flatten().for_each(pattern),
        PatternKind::Object(members) => {
            for member in members {
                member.span = Span::default();
                pattern(&mut member.target);
            }
        }
    }
}

fn statement(statement: &mut Statement) {
    statement.span = Span::default();
    match &mut statement.kind {
        StatementKind::For(inner) => {
            pattern(&mut inner.target);
            expression(&mut inner.source);
            inner.search.iter_mut().chain(&mut inner.options).for_each(expression);
        }
        StatementKind::Traversal(inner) => {
            identifier(&mut inner.vertex);
            inner.edge.iter_mut().chain(&mut inner.path).for_each(identifier);
            inner.depth.iter_mut().chain(&mut inner.options).for_each(expression);
            expression(&mut inner.start);
            graph(&mut inner.graph);
            if let Some(prune) = &mut inner.prune {
                prune.variable.iter_mut().for_each(identifier);
                expression(&mut prune.condition);
            }
        }
        StatementKind::PathSearch(inner) => {
            identifier(&mut inner.output);
            inner.edge.iter_mut().for_each(identifier);
            inner.depth.iter_mut().chain(&mut inner.options).for_each(expression);
            expression(&mut inner.start);
            expression(&mut inner.target);
            graph(&mut inner.graph);
        }
        StatementKind::Let(inner) => {
            pattern(&mut inner.target);
            expression(&mut inner.value);
        }
        StatementKind::Filter(condition) => expression(condition),
        StatementKind::Sort(sort) => {
            for item in &mut sort.items {
                expression(&mut item.expression);
                if let SortDirection::Computed(direction) = &mut item.direction {
                    expression(direction);
                }
            }
        }
        StatementKind::Limit(limit) => {
            limit.offset.iter_mut().for_each(expression);
            expression(&mut limit.count);
        }
        StatementKind::Return(inner) => expression(&mut inner.value),
        StatementKind::Collect(inner) => collect(inner),
        StatementKind::Window(inner) => {
            inner.range.iter_mut().for_each(expression);
            expression(&mut inner.bounds);
            inner.aggregates.iter_mut().for_each(aggregate);
        }
        modification => self::modification(modification),
    }
}

fn modification(kind: &mut StatementKind) {
    match kind {
        StatementKind::Insert(insert) => {
            expression(&mut insert.document);
            data_source(&mut insert.collection);
            insert.options.iter_mut().for_each(expression);
        }
        StatementKind::Update(update) => {
            expression(&mut update.key);
            data_source(&mut update.collection);
            update.document.iter_mut().chain(&mut update.options).for_each(expression);
        }
        StatementKind::Remove(remove) => {
            expression(&mut remove.key);
            data_source(&mut remove.collection);
            remove.options.iter_mut().for_each(expression);
        }
        StatementKind::Upsert(inner) => upsert(inner),
        _ => {}
    }
}

fn upsert(upsert: &mut Upsert) {
    let (UpsertSearch::Example(search) | UpsertSearch::Filter(search)) = &mut upsert.search;
    expression(search);
    expression(&mut upsert.insert);
    expression(&mut upsert.update);
    data_source(&mut upsert.collection);
    upsert.options.iter_mut().for_each(expression);
}

fn collect(collect: &mut Collect) {
    for group in &mut collect.groups {
        identifier(&mut group.variable);
        expression(&mut group.expression);
    }
    collect.aggregates.iter_mut().for_each(aggregate);
    if let Some(into) = &mut collect.into {
        identifier(&mut into.variable);
        into.expression.iter_mut().for_each(expression);
        into.keep.iter_mut().for_each(identifier);
    }
    collect.count.iter_mut().for_each(identifier);
    collect.options.iter_mut().for_each(expression);
}

fn aggregate(aggregate: &mut Aggregate) {
    aggregate.span = Span::default();
    aggregate.function.span = Span::default();
    identifier(&mut aggregate.variable);
    aggregate.arguments.iter_mut().for_each(expression);
}

fn graph(graph: &mut GraphSource) {
    match graph {
        GraphSource::Named(_, span) => *span = Span::default(),
        GraphSource::EdgeCollections(edges) => {
            edges.iter_mut().for_each(|edge| data_source(&mut edge.collection));
        }
    }
}

fn expression(root: &mut Expression) {
    root.span = Span::default();
    match &mut root.kind {
        ExpressionKind::Null
        | ExpressionKind::Bool(_)
        | ExpressionKind::Int(_)
        | ExpressionKind::Double(_)
        | ExpressionKind::String(_)
        | ExpressionKind::Reference(_)
        | ExpressionKind::BindParameter(_)
        | ExpressionKind::DataSourceBindParameter(_)
        | ExpressionKind::Element => {}
        ExpressionKind::Array(elements) => elements.iter_mut().for_each(expression),
        ExpressionKind::Spread(operand) => expression(operand),
        ExpressionKind::Object(members) => {
            for member in members {
                member.span = Span::default();
                if let ObjectKey::Computed(key) = &mut member.key {
                    expression(key);
                }
                expression(&mut member.value);
            }
        }
        ExpressionKind::Unary(unary) => expression(&mut unary.operand),
        ExpressionKind::Binary(binary) => {
            expression(&mut binary.left);
            expression(&mut binary.right);
        }
        ExpressionKind::Logical(logical) => logical.operands.iter_mut().for_each(expression),
        ExpressionKind::Range(low, high) => [low, high].into_iter().for_each(|bound| expression(bound)),
        ExpressionKind::Ternary(ternary) => {
            expression(&mut ternary.condition);
            ternary.then.iter_mut().for_each(expression);
            expression(&mut ternary.otherwise);
        }
        ExpressionKind::ArrayComparison(comparison) => {
            quantifier(&mut comparison.quantifier);
            expression(&mut comparison.left);
            expression(&mut comparison.right);
        }
        ExpressionKind::FunctionCall(call) => {
            call.name.span = Span::default();
            call.arguments.iter_mut().for_each(expression);
        }
        ExpressionKind::Subquery(inner) => block(inner),
        ExpressionKind::AttributeAccess(base, _) | ExpressionKind::BoundAttributeAccess(base, _) => {
            expression(base);
        }
        ExpressionKind::IndexedAccess(base, index) => {
            expression(base);
            expression(index);
        }
        ExpressionKind::Expansion(inner) => expansion(inner),
        ExpressionKind::ArrayQuestion(question) => {
            expression(&mut question.base);
            match &mut question.quantifier {
                Some(QuestionQuantifier::Quantifier(inner)) => quantifier(inner),
                Some(QuestionQuantifier::Count(count)) => expression(count),
                None => {}
            }
            question.filter.iter_mut().for_each(expression);
        }
    }
}

fn quantifier(quantifier: &mut Quantifier) {
    if let Quantifier::AtLeast(count) = quantifier {
        expression(count);
    }
}

fn expansion(expansion: &mut Expansion) {
    expression(&mut expansion.base);
    if let Some(limit) = &mut expansion.limit {
        limit.offset.iter_mut().for_each(expression);
        expression(&mut limit.count);
    }
    expansion.filter.iter_mut().for_each(expression);
    expansion.result.iter_mut().chain(&mut expansion.projection).for_each(expression);
}
