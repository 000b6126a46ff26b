//! Planning within the memory that queries have: what is made from a long text takes many times what the text does.

use std::sync::Arc;

use aql_plan::Plan;
use aql_syntax::ast::Query;
use aql_syntax::{Limits, parse_watched};
use aql_value::{Charge, Interrupt, MemoryAccount};

use crate::{Error, Result};

/// From so many bytes on, a text is charged for what is made from it. Shorter ones come to little.
const LONG_TEXT_BYTES: usize = 64 << 10;

/// How many copies there are of what is within a token: names and literals in the text, the tree and the bound query.
const COPIES_OF_TEXT: u64 = 3;

/// What the tree and the bound query take a token. Measured, with a third of it for arrays that had to grow: 41 bytes for
/// `[],[],...`, 67 for objects with names, texts and numbers, 61 to 76 for `1,1,...`, 115 for `{a:1,a:1,...}`.
const BYTES_PER_TOKEN: u64 = 80;

/// How many times the optimizer has a plan. Measured: three to four times for a condition of a million terms.
const COPIES_OF_PLAN: u64 = 3;

/// What a query's text takes until the query is planned, drawn from the query's account; given back on drop.
pub(super) struct PlanningMemory {
    charge: Charge,
    is_long: bool,
}

impl PlanningMemory {
    /// For this text; draws nothing yet.
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

    /// The query became this plan, which is to be optimized; the tree is gone. Error 32 for too much memory.
    pub(super) fn begin_optimizing(&mut self, plan: &Plan) -> Result<()> {
        self.charge.clear();
        self.grow(COPIES_OF_PLAN * plan.size_bytes() as u64)
    }

    fn grow(&mut self, bytes: u64) -> Result<()> {
        if self.is_long { self.charge.grow(bytes) } else { Ok(()) }
    }
}

/// Charges a query for its plan, until it is over. Error 32 for too much memory.
pub(super) fn charge_plan(text: &str, plan: &Plan, account: &MemoryAccount) -> Result<()> {
    if text.len() < LONG_TEXT_BYTES {
        return Ok(());
    }
    account.charge(plan.size_bytes() as u64)
}

fn while_parsing(error: Error) -> Error {
    error.in_stage("parsing")
}
