//! Depths of traversals and path searches: integers that are known before the query runs.

use crate::bind::Binder;
use crate::error;
use crate::expression::Expression;
use aql_syntax::ast::{self, ExpressionKind};
use aql_value::{Error, Result};

impl Binder<'_> {
    /// The least and the greatest depth: `1..1` if nothing is written, `n..n` for a number.
    pub(super) fn depths(&mut self, depth: Option<&ast::Expression>) -> Result<(u64, u64)> {
        let Some(depth) = depth else { return Ok((1, 1)) };
        // Looked at before it is folded, so that a large range does not become an array.
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
        // Exact in the range of depths that could ever be reached.
        let number = value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0);
        number.map(|number| number as u64).ok_or_else(invalid_depth)
    }
}

fn invalid_depth() -> Error {
    error::parse("invalid traversal depth").in_stage(error::INSTANTIATING)
}
