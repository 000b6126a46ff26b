//! The eligibility of queries for ArangoDB's plan cache. Our own cache takes more queries. A client
//! that asks for the cache with `usePlanCache` gets the answer that ArangoDB would give.
//!
//! Source: ArangoDB 3.12 documentation, "The execution plan cache for AQL queries".

use aql_syntax::ast::{DataSourceName, ExpressionKind, GraphName, GraphSource, Query, StatementKind};
use aql_syntax::walk;
use errors::{Error, ErrorCode, Result};

use crate::query_request::QueryOptions;

/// Checks that ArangoDB would cache a plan of the query. Errors: 1584.
pub(crate) fn check(query: &Query, options: &QueryOptions) -> Result<()> {
    if options.all_plans || !options.rules.is_empty() {
        return Err(not_eligible("it has the option 'allPlans' or 'optimizer.rules'"));
    }
    if walk::query_expressions(query)
        .any(|expression| matches!(expression.kind, ExpressionKind::BoundAttributeAccess(..)))
    {
        return Err(not_eligible("it has a bind parameter for the name of an attribute"));
    }
    walk::statements(&query.body).try_for_each(|statement| {
        let depth = match &statement.kind {
            StatementKind::Upsert(_) => return Err(not_eligible("it has an UPSERT")),
            StatementKind::Limit(limit) if limit.offset.iter().chain([&limit.count]).any(has_parameter) => {
                return Err(not_eligible("it has a bind parameter in LIMIT"));
            }
            StatementKind::Traversal(traversal) => traversal.depth.as_ref(),
            StatementKind::PathSearch(search) => search.depth.as_ref(),
            _ => None,
        };
        if depth.is_some_and(has_parameter) {
            return Err(not_eligible("it has a bind parameter for the depth of a traversal"));
        }
        match walk::statement_graph(statement) {
            Some(graph) if names_by_parameter(graph) => {
                Err(not_eligible("it has a bind parameter for a graph or an edge collection"))
            }
            _ => Ok(()),
        }
    })
}

pub(crate) fn not_eligible(why: &str) -> Error {
    let message = format!("query is not eligible for plan caching: {why}");
    Error::new(ErrorCode::QueryNotEligibleForPlanCaching, message).in_stage("optimizing plan")
}

fn has_parameter(expression: &aql_syntax::ast::Expression) -> bool {
    walk::expressions(expression).any(|part| matches!(part.kind, ExpressionKind::BindParameter(_)))
}

fn names_by_parameter(graph: &GraphSource) -> bool {
    match graph {
        GraphSource::Named(name, _) => !matches!(name, GraphName::Name(_)),
        GraphSource::EdgeCollections(collections) => {
            collections.iter().any(|edges| !matches!(edges.collection.name, DataSourceName::Name(_)))
        }
    }
}
