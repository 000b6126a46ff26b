//! The bind parameters that a query declares.

use std::collections::BTreeMap;

use crate::ast::walk;
use crate::ast::{
    DataSource, DataSourceName, ExpressionKind, GraphName, GraphSource, ObjectKey, Query, Span,
};

/// A bind parameter of a query, listed once for all its occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindParameter {
    /// The key in the bind variables: `name` for `@name`, `@name` for `@@name`.
    pub key: String,
    /// The kind of its value: a value, or the name of a collection.
    pub kind: BindParameterKind,
    /// The first place where it occurs, in the order of the tree walk.
    pub span: Span,
}

/// The meaning of the value of a bind parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindParameterKind {
    /// `@name`: a value, an attribute name, or a graph's name.
    Value,
    /// `@@name`: the name of a collection or View.
    DataSource,
}

/// Returns every bind parameter that the query declares, sorted by key.
pub fn collect_bind_parameters(query: &Query) -> Vec<BindParameter> {
    let mut found = Found::default();
    query.with.iter().for_each(|source| found.data_source(source));
    for statement in walk::statements(&query.body) {
        walk::statement_data_sources(statement, &mut |source| found.data_source(source));
        if let Some(GraphSource::Named(name, span)) = walk::statement_graph(statement) {
            match name {
                GraphName::Name(_) => {}
                GraphName::BindParameter(name) => found.value(name, *span),
                GraphName::DataSourceBindParameter(name) => found.source(name, *span),
            }
        }
    }
    for expression in walk::query_expressions(query) {
        match &expression.kind {
            ExpressionKind::BindParameter(name) | ExpressionKind::BoundAttributeAccess(_, name) => {
                found.value(name, expression.span);
            }
            ExpressionKind::DataSourceBindParameter(name) => found.source(name, expression.span),
            ExpressionKind::Object(members) => {
                for member in members {
                    if let ObjectKey::BindParameter(name) = &member.key {
                        found.value(name, member.span);
                    }
                }
            }
            _ => {}
        }
    }
    found.parameters.into_values().collect()
}

#[derive(Default)]
struct Found {
    parameters: BTreeMap<String, BindParameter>,
}

impl Found {
    fn value(&mut self, name: &str, span: Span) {
        self.add(name.to_owned(), BindParameterKind::Value, span);
    }

    fn source(&mut self, name: &str, span: Span) {
        self.add(format!("@{name}"), BindParameterKind::DataSource, span);
    }

    fn data_source(&mut self, source: &DataSource) {
        match &source.name {
            DataSourceName::Name(_) => {}
            DataSourceName::BindParameter(name) => self.source(name, source.span),
            DataSourceName::ValueParameter(name) => self.value(name, source.span),
        }
    }

    fn add(&mut self, key: String, kind: BindParameterKind, span: Span) {
        self.parameters.entry(key.clone()).or_insert(BindParameter { key, kind, span });
    }
}
