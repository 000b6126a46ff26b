//! An AQL expression over one document, compiled to flat programs that need no query.
//!
//! The expression is `RETURN ...` over the bind parameter `@doc`. It is compiled as the body of
//! `FOR doc IN [null] RETURN ...`. The document is then a variable. Subqueries and expressions that
//! read the store are refused.

mod environment;
mod kept_state;

use std::sync::Arc;
use std::time::Duration;

use aql_plan::{BindInput, BindParameters, EmptyCatalog, Node, NodeKind, RegisterMap, compile};
use aql_syntax::collect_bind_parameters;
use aql_value::{
    Batch, Column, EvaluationContext, EvaluationState, Interrupt, MemoryAccount, Owner, Program, Register,
    ThreadMeter, Value, Warnings,
};
use errors::Result;

use self::environment::DocumentAlone;
pub(crate) use self::kept_state::KeptState;
use crate::embedded_aql::restricted::{self, forbidden_function};

/// The variable that stands for `@doc` in the compiled text. No attribute or function has this
/// name.
const DOCUMENT_VARIABLE: &str = "__persea_document";
/// Bytes of memory that one evaluation may use.
const MEMORY_LIMIT_BYTES: u64 = 64 << 20;
/// The time of an evaluation without an owner that could end it.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A compiled expression: programs that each compute into a register.
pub(crate) struct DocumentExpression {
    document: Register,
    steps: Vec<(Register, Program)>,
    result: Register,
}

impl DocumentExpression {
    /// Compiles an expression, which may use `parameters` beside `@doc`. Errors: what is wrong.
    pub(crate) fn compile(
        expression: &str,
        parameters: &[(&str, Value)],
    ) -> std::result::Result<Self, String> {
        let names: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
        let text = with_variable(expression, &names)?;
        let query =
            aql_syntax::parse(&text, &aql_syntax::Limits::default()).map_err(|error| error.message)?;
        let memory = MemoryAccount::new(Some(MEMORY_LIMIT_BYTES), None);
        let interrupt = Interrupt::with_max_runtime(TIME_LIMIT);
        let used = collect_bind_parameters(&query);
        let mut given = BindParameters::new();
        for (name, value) in parameters {
            if used.iter().any(|parameter| parameter.key == *name) {
                given.set(*name, value.clone());
            }
        }
        let input = BindInput::new(&given, &EmptyCatalog, &memory, &interrupt);
        let bound = aql_plan::bind(&query, &input).map_err(|error| error.message().to_owned())?;
        let plan = aql_plan::build(bound, false).map_err(|error| error.message().to_owned())?;
        let registers = RegisterMap::identity(&plan.variables, Arc::default());
        let mut nodes = plan.nodes.iter().skip_while(|node| !matches!(node.kind, NodeKind::EnumerateList(_)));
        let Some(Node { kind: NodeKind::EnumerateList(list), .. }) = nodes.next() else {
            return Err("no expression".to_owned());
        };
        let document = list.out.index();
        let (mut steps, mut result) = (Vec::new(), None);
        for node in nodes {
            match &node.kind {
                NodeKind::Calculation(calculation) => {
                    let program = compile(&calculation.expression, &registers)
                        .map_err(|error| error.message().to_owned())?;
                    steps.push((calculation.out.index(), program));
                }
                NodeKind::Return(value) => result = Some(value.input.index()),
                _ => return Err("only an expression without subqueries is allowed".to_owned()),
            }
        }
        Ok(DocumentExpression { document, steps, result: result.ok_or("no RETURN")? })
    }

    /// Computes the expression for each of `rows` documents.
    ///
    /// `owner` can end the computation, and pays for its memory. Without one it has a bound of its
    /// own. Errors: those of the expression and of the owner.
    pub(crate) fn evaluate(
        &self,
        documents: Column,
        rows: usize,
        state: &mut EvaluationState,
        warnings: &mut Warnings,
        owner: Option<&Owner>,
    ) -> Result<Column> {
        let parent = owner.map(|owner| Arc::clone(&owner.memory));
        let memory = Arc::new(MemoryAccount::new(Some(MEMORY_LIMIT_BYTES), parent));
        let _meter = ThreadMeter::enter(&memory);
        let interrupt = match owner {
            Some(owner) => owner.interrupt.clone(),
            None => Interrupt::with_max_runtime(TIME_LIMIT),
        };
        let mut context = EvaluationContext {
            warnings,
            state,
            memory: &memory,
            interrupt: &interrupt,
            environment: &DocumentAlone,
        };
        let mut batch = Batch::new(rows);
        batch.set_column(self.document, documents);
        for (register, program) in &self.steps {
            let column = program.evaluate(&batch, &mut context)?;
            batch.set_column(*register, column);
        }
        let result = batch.column(self.result).cloned();
        Ok(result.unwrap_or(Column::Constant(Value::Null)))
    }
}

/// Returns the text with `@doc` replaced by the variable, after a `FOR` that defines it.
fn with_variable(expression: &str, others: &[&str]) -> std::result::Result<String, String> {
    let query =
        aql_syntax::parse(expression, &aql_syntax::Limits::default()).map_err(|error| error.message)?;
    if let Some(name) = forbidden_function(&query, &[]) {
        return Err(format!("function {name}() is not allowed"));
    }
    let body = restricted::with_variable(expression, &query, "doc", DOCUMENT_VARIABLE, others)?;
    Ok(format!("FOR {DOCUMENT_VARIABLE} IN [null] {body}"))
}
