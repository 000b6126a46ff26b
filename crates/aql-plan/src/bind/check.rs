//! The errors that ArangoDB's parser finds in a query's text besides its syntax.

use std::cell::Cell;
use std::sync::Arc;

use aql_syntax::ast::{ExpressionKind, Query};
use aql_syntax::{BindParameterKind, collect_bind_parameters, walk};
use aql_value::{Interrupt, MemoryAccount, Value};
use errors::{ErrorCode, Result};

use super::{BindInput, bind, function, index_function};
use crate::catalog::CollectionReference;
use crate::catalog::{CollectionInfo, GraphInfo, PlanCatalog};
use crate::parameters::{BindParameters, OpenParameters};

/// Checks a query that is parsed and not run. It needs neither bind parameters nor collections.
///
/// # Errors
/// 1540 and 1541 for a call of an unknown function or with a wrong number of arguments; 32 and
/// 1500. 1511 for a name that is introduced twice, unless an error that depends on values or
/// collections comes first.
pub fn check(query: &Query, memory: &MemoryAccount, interrupt: &Interrupt) -> Result<()> {
    for expression in walk::query_expressions(query) {
        // Users' functions are looked up when they are called.
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

/// The errors of binding to report. Any other may be due to missing values.
const TOLD: &[ErrorCode] =
    &[ErrorCode::QueryVariableRedeclared, ErrorCode::ResourceLimit, ErrorCode::QueryKilled];

/// A catalog with every graph and every collection. Each answer is a new collection.
#[derive(Default)]
struct AnyCollection {
    last_id: Cell<u64>,
}

impl PlanCatalog for AnyCollection {
    fn collection(&self, name: &str) -> Option<CollectionInfo> {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        Some(CollectionInfo {
            rules: None,
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
