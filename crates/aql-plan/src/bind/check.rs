//! What ArangoDB's parser finds in a query's text besides its syntax.

use super::{BindInput, BindParameters, OpenParameters, bind, function, index_function};
use crate::catalog::CollectionReference;
use crate::catalog::{CollectionInfo, GraphInfo, PlanCatalog};
use aql_syntax::ast::{ExpressionKind, Query};
use aql_syntax::{BindParameterKind, collect_bind_parameters, walk};
use aql_value::{ErrorCode, Interrupt, MemoryAccount, Result, Value};
use std::cell::Cell;
use std::sync::Arc;

/// Checks a query that is parsed and not run: neither its bind parameters nor the collections have to be there.
///
/// # Errors
/// 1540 and 1541 for calls of functions that are not there, or with a wrong number of arguments; 1511 for a name that is
/// introduced twice, unless something else stands before it that cannot be told without values or collections; 32 and
/// 1500.
pub fn check(query: &Query, memory: &MemoryAccount, interrupt: &Interrupt) -> Result<()> {
    for expression in walk::query_expressions(query) {
        // Users' functions are looked for when they are called.
        if let ExpressionKind::FunctionCall(call) = &expression.kind
            && !call.name.is_namespaced()
            && index_function::check_call(call)?.is_none()
        {
            function::check_call(call)?;
        }
    }
    let mut parameters = BindParameters::new();
    for parameter in collect_bind_parameters(query) {
        let value = match parameter.kind {
            BindParameterKind::DataSource => Value::from_str(&parameter.key),
            _ => Value::Null,
        };
        parameters.set(parameter.key, value);
    }
    let catalog = AnyCollection::default();
    let mut input = BindInput::new(&parameters, &catalog, memory, interrupt);
    input.open = OpenParameters::of(query);
    input.max_collections = usize::MAX;
    match bind(query, &input) {
        Err(error) if TOLD.contains(&error.code()) => Err(error),
        _ => Ok(()),
    }
}

/// What is told of binding; anything else may be for want of values.
const TOLD: &[ErrorCode] =
    &[ErrorCode::QueryVariableRedeclared, ErrorCode::ResourceLimit, ErrorCode::QueryKilled];

/// Has every collection, each time as a new one, and every graph.
#[derive(Default)]
struct AnyCollection {
    last_id: Cell<u64>,
}

impl PlanCatalog for AnyCollection {
    fn collection(&self, name: &str) -> Option<CollectionInfo> {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        Some(CollectionInfo {
            reference: CollectionReference { id, name: name.into() },
            is_edge: true,
            indexes: Arc::default(),
            count_estimate: 0,
        })
    }

    fn graph(&self, name: &str) -> Option<GraphInfo> {
        Some(GraphInfo { name: name.into(), edge_definitions: Vec::new(), orphan_collections: Vec::new() })
    }
}
