//! Filters of changes: an expression over `operation`, `collection`, `document` and `before`.
//!
//! It is planned once, as the condition of a loop over changes, and runs once for a block of them.
//! It runs over a store without documents, so it cannot read any.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use aql_optimize::OptimizerOptions;
use aql_plan::{BindInput, BindParameters, EmptyCatalog, OpenParameters, Plan};
use aql_value::{Interrupt, MemoryAccount, Value};
use errors::{Error, Result};
use storage::Store;

use crate::embedded_aql::isolated::{self, EmptyStore};
use crate::embedded_aql::restricted::forbidden_function;

/// The bind parameter with the attribute `changes`. It is an object, because plans are made for
/// certain lengths of arrays, and for any object.
const CHANGES: &str = "__persea_changes";
/// The statements of the loop.
const STATEMENTS: usize = 8;
/// Maximum length of an expression in bytes.
const EXPRESSION_MAX_BYTES: usize = 64 << 10;
/// The time in which a filter is planned.
const PLANNING_MAX: Duration = Duration::from_secs(10);
/// The time that a filter may take for one block of changes.
const BLOCK_MAX: Duration = Duration::from_secs(10);
/// Bytes of memory that a filter may use.
const MEMORY_LIMIT_BYTES: u64 = 64 << 20;
/// Rows of one batch of results.
const BATCH_ROWS: usize = 1_000;

/// A filter of changes.
pub(crate) struct ChangeFilter {
    plan: Arc<Plan>,
    parameters: BindParameters,
    store: Arc<Store>,
}

impl ChangeFilter {
    /// Compiles an expression. `bind_vars` has the values of its bind parameters. It runs over
    /// `empty`.
    ///
    /// Errors: 10 for an expression that is wrong, too long or not allowed; those of bind
    /// parameters.
    pub(crate) fn compile(expression: &str, bind_vars: &Value, empty: &EmptyStore) -> Result<Self> {
        let wrong = |what: &str| Error::bad_parameter(format!("'filter': {what} in '{expression}'"));
        if expression.len() > EXPRESSION_MAX_BYTES {
            return Err(Error::bad_parameter(format!(
                "'filter' has {} bytes, at most {EXPRESSION_MAX_BYTES} are accepted",
                expression.len()
            )));
        }
        let text = format!(
            "LET {CHANGES} = @{CHANGES} FOR change IN {CHANGES}.changes LET operation = change.operation LET collection = change.collection \
             LET document = change.document LET before = change.before FILTER (\n{expression}\n) \
             RETURN change.position"
        );
        let query = aql_syntax::parse(&text, &aql_syntax::Limits::default())
            .map_err(|error| wrong(&error.message))?;
        if query.body.statements.len() != STATEMENTS {
            return Err(wrong("more than one expression"));
        }
        if let Some(name) = forbidden_function(&query, &[]) {
            return Err(wrong(&format!("function {name}() is not allowed")));
        }
        let mut parameters = BindParameters::from_value(bind_vars)?;
        parameters.set(CHANGES, Value::from_slice(velocypack::Slice::EMPTY_OBJECT));
        let plan = plan(&query, &parameters)?;
        Ok(ChangeFilter { plan: Arc::new(plan), parameters, store: empty.get()? })
    }

    /// Returns the positions of the changes that pass. `changes` is an object whose attribute
    /// `changes` is an array of objects with `position`, `operation`, `collection`, `document` and
    /// `before`.
    ///
    /// Errors: 32 and 1504 beyond the limits, those of the expression.
    pub(crate) fn passing(&self, changes: Value, interrupt: &Interrupt) -> Result<HashSet<u64>> {
        let memory = Arc::new(account());
        let mut parameters = self.parameters.clone();
        parameters.set(CHANGES, changes);
        let interrupt = Interrupt::with_max_runtime(BLOCK_MAX).part_of(interrupt);
        let mut execution = isolated::start(&self.plan, &self.store, &parameters, &memory, interrupt)?;
        let mut passing = HashSet::new();
        while let Some(batch) = execution.next_batch(BATCH_ROWS)? {
            passing.extend(
                batch
                    .iter()
                    .filter_map(|position| position.as_i64())
                    .filter_map(|position| u64::try_from(position).ok()),
            );
        }
        Ok(passing)
    }
}

fn plan(query: &aql_syntax::ast::Query, parameters: &BindParameters) -> Result<Plan> {
    let (memory, interrupt) = (Arc::new(account()), Interrupt::with_max_runtime(PLANNING_MAX));
    let mut input = BindInput::new(parameters, &EmptyCatalog, &memory, &interrupt);
    input.open = OpenParameters::of(query);
    if input.open.slot(CHANGES).is_none() {
        return Err(Error::internal("a filter without changes"));
    }
    let plan = aql_plan::build(aql_plan::bind(query, &input)?, false)?;
    if plan.is_modification || !plan.collections.is_empty() {
        return Err(Error::bad_parameter("the expression must not use collections"));
    }
    let mut options = OptimizerOptions::default();
    options.parameters = parameters.clone();
    let plans = aql_optimize::optimize(plan, &EmptyCatalog, &options, &memory, &interrupt)?;
    plans.into_best().ok_or_else(|| Error::internal("the optimizer made no plan"))
}

fn account() -> MemoryAccount {
    MemoryAccount::new(Some(MEMORY_LIMIT_BYTES), None)
}

#[cfg(test)]
mod tests {
    use velocypack::{Builder, Limits, Slice, json};

    use super::*;

    fn value(text: &str) -> Value {
        let mut builder = Builder::new();
        json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
        Value::from_builder(builder)
    }

    fn passing(filter: &str, bind_vars: &str) -> Vec<u64> {
        let changes = r#"{"changes": [{"position": 7, "operation": "insert", "collection": "c", "document": {"n": 1}, "before": null},
                          {"position": 9, "operation": "update", "collection": "c", "document": {"n": 2}, "before": {"n": 1}}]}"#;
        let filter = ChangeFilter::compile(filter, &value(bind_vars), &EmptyStore::default()).unwrap();
        let mut passing: Vec<u64> =
            filter.passing(value(changes), &Interrupt::new()).unwrap().into_iter().collect();
        passing.sort_unstable();
        passing
    }

    #[test]
    fn an_expression_selects_changes() {
        assert_eq!(passing("true", "null"), [7, 9]);
        assert_eq!(passing("document.n == @n", r#"{"n": 2}"#), [9]);
        assert_eq!(passing("operation IN ['insert', 'remove']", "{}"), [7]);
        assert_eq!(
            passing("before.n > 0 || LENGTH(FOR x IN 1..document.n FILTER x == 2 RETURN x) == 1", "{}"),
            [9]
        );
    }

    #[test]
    fn what_is_not_one_expression_is_refused() {
        for wrong in ["", "1) RETURN 1 //", "true) FILTER (true", "document.", "1 /*", "("] {
            let error =
                ChangeFilter::compile(wrong, &Value::from_slice(Slice::NULL), &EmptyStore::default()).err();
            assert_eq!(error.map(|error| error.number()), Some(10), "{wrong}");
        }
    }

    #[test]
    fn an_expression_that_never_ends_is_ended() {
        let filter =
            ChangeFilter::compile("SLEEP(1000)", &Value::from_slice(Slice::NULL), &EmptyStore::default())
                .unwrap();
        let interrupt = Interrupt::with_max_runtime(Duration::from_millis(50));
        filter.passing(value(r#"{"changes": [{"position": 1}]}"#), &interrupt).unwrap_err();
    }
}
