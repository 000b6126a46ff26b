//! Depths of traversals and path searches: integers known before the query runs.

use aql_syntax::ast::{self, ExpressionKind};
use errors::{Error, Result};

use crate::bind::Binder;
use crate::error;
use crate::expression::Expression;

impl Binder<'_> {
    /// Returns the least and the greatest depth: `1..1` if nothing is written, `n..n` for a number.
    pub(super) fn depths(&mut self, depth: Option<&ast::Expression>) -> Result<(u64, u64)> {
        let Some(depth) = depth else { return Ok((1, 1)) };
        // A range is examined before it is folded: a large one would become a large array.
        let (min, max) = match &depth.kind {
            ExpressionKind::Range(first, last) => (self.depth(first)?, self.depth(last)?),
            _ => {
                let depth = self.depth(depth)?;
                (depth, depth)
            }
        };
        if min > max { Err(invalid_depth()) } else { Ok((min, max)) }
    }

    fn depth(&mut self, depth: &ast::Expression) -> Result<u64> {
        let Expression::Constant(value) = self.expression(depth)? else { return Err(invalid_depth()) };
        let depth = value.as_i64().and_then(|depth| u64::try_from(depth).ok());
        depth.ok_or_else(invalid_depth)
    }
}

fn invalid_depth() -> Error {
    error::parse("invalid traversal depth").in_stage(error::INSTANTIATING)
}
