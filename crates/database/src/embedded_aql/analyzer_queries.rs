//! The queries of analyzers of type `aql`.
//!
//! A query is planned once, with the text as an open parameter, and runs for each text. It runs
//! over a store without documents, so it cannot read any.

use std::sync::Arc;
use std::time::Duration;

use analyzers::{CompiledQuery, QueryCompiler, QueryProperties, ReturnType, Row};
use aql_exec::Execution;
use aql_optimize::OptimizerOptions;
use aql_plan::{BindInput, BindParameters, EmptyCatalog, OpenParameters, Plan};
use aql_syntax::ast::Query;
use aql_value::{Interrupt, MemoryAccount, Value};
use errors::{Error, Result};
use storage::Store;

use crate::embedded_aql::isolated::{self, EmptyStore};
use crate::embedded_aql::restricted::{forbidden_function, with_variable};

/// The bind parameter that is the text.
const PARAMETER: &str = "param";

/// The variable that stands for the parameter in the planned text. No attribute or function has
/// this name.
const VARIABLE: &str = "__persea_text";

/// The time in which a query is planned.
const PLANNING_MAX: Duration = Duration::from_secs(10);

/// Functions of analyzers, which a query of one must not call.
const FORBIDDEN: [&str; 12] = [
    "ANALYZER",
    "BM25",
    "BOOST",
    "EXISTS",
    "MINHASH_MATCH",
    "MIN_MATCH",
    "NGRAM_MATCH",
    "OFFSET_INFO",
    "PHRASE",
    "STARTS_WITH",
    "TFIDF",
    "TOKENS",
];

/// The compiler of queries.
#[derive(Default)]
pub(crate) struct AnalyzerQueries {
    empty: EmptyStore,
}

impl QueryCompiler for AnalyzerQueries {
    fn compile(&self, properties: &QueryProperties) -> Result<Arc<dyn CompiledQuery>> {
        let plan = plan(properties).map_err(|error| {
            let message = format!("property 'queryString' of an analyzer: {}", error.message());
            Error::bad_parameter(message)
        })?;
        Ok(Arc::new(Compiled {
            plan: Arc::new(plan),
            properties: properties.clone(),
            store: self.empty.get()?,
        }))
    }
}

fn plan(properties: &QueryProperties) -> Result<Plan> {
    let text = properties.text.as_str();
    let limits = aql_syntax::Limits::default();
    let parse = |text: &str| -> Result<Query> {
        aql_syntax::parse(text, &limits).map_err(|error| Error::bad_parameter(error.message))
    };
    let query = parse(text)?;
    if let Some(name) = forbidden_function(&query, &FORBIDDEN) {
        return Err(Error::bad_parameter(format!("function {name}() is not allowed")));
    }
    let body = with_variable(text, &query, PARAMETER, VARIABLE, &[]).map_err(Error::bad_parameter)?;
    let query = parse(&format!("LET {VARIABLE} = @{PARAMETER} {body}"))?;
    let (memory, interrupt) = (account(properties), Interrupt::with_max_runtime(PLANNING_MAX));
    let parameters = parameters("");
    let mut input = BindInput::new(&parameters, &EmptyCatalog, &memory, &interrupt);
    input.open = OpenParameters::of(&query);
    if input.open.is_empty() {
        return Err(Error::bad_parameter(format!("'@{PARAMETER}' is used where only a constant is allowed")));
    }
    let plan = aql_plan::build(aql_plan::bind(&query, &input)?, false)?;
    if plan.is_modification || !plan.collections.is_empty() {
        return Err(Error::bad_parameter("the query must not use collections"));
    }
    let mut options = OptimizerOptions::default();
    options.parameters = parameters;
    let plans = aql_optimize::optimize(plan, &EmptyCatalog, &options, &memory, &interrupt)?;
    plans.into_best().ok_or_else(|| Error::internal("the optimizer made no plan"))
}

fn account(properties: &QueryProperties) -> Arc<MemoryAccount> {
    Arc::new(MemoryAccount::new(Some(properties.memory_limit_bytes), None))
}

fn parameters(text: &str) -> BindParameters {
    let mut parameters = BindParameters::new();
    parameters.set(PARAMETER, Value::from_str(text));
    parameters
}

struct Compiled {
    plan: Arc<Plan>,
    properties: QueryProperties,
    store: Arc<Store>,
}

impl Compiled {
    fn start(&self, text: &str, memory: &Arc<MemoryAccount>, interrupt: &Interrupt) -> Result<Execution> {
        isolated::start(&self.plan, &self.store, &parameters(text), memory, interrupt.clone())
    }
}

impl CompiledQuery for Compiled {
    fn run(
        &self,
        text: &str,
        interrupt: &Interrupt,
        each: &mut dyn FnMut(Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let memory = account(&self.properties);
        interrupt.check()?;
        let mut execution = self.start(text, &memory, interrupt)?;
        let rows = usize::try_from(self.properties.batch_size).unwrap_or(usize::MAX);
        while let Some(batch) = execution.next_batch(rows)? {
            for row in batch.iter() {
                if row.is_null() {
                    each(Row::Null)?;
                    continue;
                }
                match self.properties.return_type {
                    ReturnType::Text => each(Row::Text(&row.text(&memory, interrupt)?))?,
                    ReturnType::Number => each(Row::Number(row.to_f64()))?,
                    ReturnType::Bool => each(Row::Bool(row.to_bool()))?,
                }
            }
            interrupt.check()?;
        }
        Ok(())
    }
}
