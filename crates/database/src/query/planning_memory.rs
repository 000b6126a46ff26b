//! Planning within the memory of queries: the structures of a long text take many times its size.

use std::sync::Arc;

use aql_plan::Plan;
use aql_syntax::ast::Query;
use aql_syntax::{Limits, parse_watched};
use aql_value::{Charge, Interrupt, MemoryAccount};
use errors::{Error, Result};

/// Bytes of text from which planning is charged. The structures of shorter texts are small.
const LONG_TEXT_BYTES: usize = 64 << 10;

/// Copies of the contents of tokens: names and literals in the text, the tree and the bound query.
const COPIES_OF_TEXT: u64 = 3;

/// Bytes of the tree and the bound query per token.
///
/// Measured, with a third of it for arrays that had to grow: 41 bytes for `[],[],...`, 67 for
/// objects with names, texts and numbers, 61 to 76 for `1,1,...`, 115 for `{a:1,a:1,...}`.
const BYTES_PER_TOKEN: u64 = 80;

/// Copies of a plan in the optimizer. Measured: three to four for a condition of a million terms.
const COPIES_OF_PLAN: u64 = 3;

/// The memory of a query's text until the query is planned.
///
/// It is charged to the query's account and returned on drop.
pub(super) struct PlanningMemory {
    charge: Charge,
    is_long: bool,
}

impl PlanningMemory {
    /// Returns the accounting of this text, without a charge yet.
    pub(super) fn new(text: &str, account: &Arc<MemoryAccount>) -> Self {
        PlanningMemory { charge: Charge::new(Arc::clone(account)), is_long: text.len() >= LONG_TEXT_BYTES }
    }

    /// Parses the text.
    ///
    /// Errors: those of parsing, 32 for too much memory, 1500 for a query that was ended.
    pub(super) fn parse(&mut self, text: &str, interrupt: &Interrupt) -> Result<Query> {
        self.grow(COPIES_OF_TEXT * text.len() as u64).map_err(while_parsing)?;
        let mut charged_tokens = 0;
        let mut watch = |tokens: usize| {
            let more = (tokens - charged_tokens) as u64;
            charged_tokens = tokens;
            interrupt.check().and_then(|()| self.grow(BYTES_PER_TOKEN * more))
        };
        parse_watched(text, &Limits::default(), &mut watch).map_err(|error| while_parsing(error.into()))
    }

    /// Replaces the charge of the tree by that of the plan that is to be optimized.
    ///
    /// Errors: 32 for too much memory.
    pub(super) fn begin_optimizing(&mut self, plan: &Plan) -> Result<()> {
        self.charge.clear();
        self.grow(COPIES_OF_PLAN * plan.size_bytes() as u64)
    }

    fn grow(&mut self, bytes: u64) -> Result<()> {
        if self.is_long { self.charge.grow(bytes) } else { Ok(()) }
    }
}

/// Charges a query for its plan until it ends. Errors: 32 for too much memory.
pub(super) fn charge_plan(text: &str, plan: &Plan, account: &MemoryAccount) -> Result<()> {
    if text.len() < LONG_TEXT_BYTES {
        return Ok(());
    }
    account.charge(plan.size_bytes() as u64)
}

fn while_parsing(error: Error) -> Error {
    error.in_stage("parsing")
}
