//! Lowering of WINDOW.

use aql_plan::{Window, WindowBound};
use errors::{Error, Result};

use super::{Lowering, Step};
use crate::operator::{Operator, WindowAggregate, WindowOperator, WindowParts};
use crate::sliding_aggregate::Reach;

impl Lowering<'_> {
    pub(super) fn window(&self, step: Step<'_>, node: &Window) -> Result<Box<dyn Operator>> {
        let mut aggregates = Vec::with_capacity(node.aggregates.len());
        for aggregate in &node.aggregates {
            aggregates.push(WindowAggregate {
                input: aggregate.input.map(|id| self.register(id)).transpose()?,
                out: self.register(aggregate.out)?,
                function: aggregate.function,
            });
        }
        let range = node.range.map(|id| self.register(id)).transpose()?;
        let reach = reach(&node.preceding, &node.following)?;
        let parts = WindowParts { range, reach, aggregates, carry: step.carry };
        Ok(Box::new(WindowOperator::new(step.input, parts)))
    }
}

fn reach(preceding: &WindowBound, following: &WindowBound) -> Result<Reach> {
    let rows = |bound: &WindowBound| match bound {
        WindowBound::Unbounded => Some(None),
        WindowBound::Rows(rows) => Some(Some(*rows)),
        _ => None,
    };
    if let (Some(preceding), Some(following)) = (rows(preceding), rows(following)) {
        return Ok(Reach::Rows { preceding, following });
    }
    match (preceding, following) {
        (WindowBound::Distance(preceding), WindowBound::Distance(following)) => {
            Ok(Reach::Distance { preceding: *preceding, following: *following })
        }
        (WindowBound::Duration(preceding), WindowBound::Duration(following)) => {
            Ok(Reach::Duration { preceding: preceding.clone(), following: following.clone() })
        }
        _ => Err(Error::internal("the bounds of a WINDOW are of different kinds")),
    }
}
