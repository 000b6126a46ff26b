//! Conditions on the vertices and edges of paths.

use aql_plan::PathElement;
use aql_value::{Batch, Column, Program, Register, Value};
use errors::Result;

use crate::context::ExecutionContext;

/// A condition; see `aql_plan::StepCondition`.
pub(crate) struct StepProgram {
    pub(crate) element: PathElement,
    pub(crate) depth: Option<u64>,
    pub(crate) input: Register,
    pub(crate) program: Program,
}

/// All conditions of a node.
pub(crate) struct Conditions(Box<[StepProgram]>);

impl Conditions {
    pub(crate) fn new(programs: Vec<StepProgram>) -> Self {
        Self(programs.into())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the registers of outer rows that the conditions need.
    pub(crate) fn registers_read(&self) -> impl Iterator<Item = Register> {
        self.0.iter().flat_map(|condition| condition.program.registers_read()).copied()
    }

    /// Returns true if there is a condition on edges or on vertices.
    pub(crate) fn is_about(&self, element: PathElement) -> bool {
        self.0.iter().any(|condition| condition.element == element)
    }

    /// Returns true if there is a condition on the edges or vertices at a position of paths.
    pub(super) fn applies(&self, element: PathElement, position: u64) -> bool {
        self.0.iter().any(|condition| condition.applies(element, position))
    }

    /// Clears `is_kept` for elements that do not satisfy their conditions.
    ///
    /// Elements are given by their positions in their paths (`None`: there is no element) and their
    /// documents.
    pub(super) fn check(
        &self,
        element: PathElement,
        positions: &[Option<u64>],
        documents: &[Value],
        is_kept: &mut [bool],
        outer_row: &Batch,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        for condition in self.0.iter().filter(|condition| condition.element == element) {
            let mut asked: Vec<u32> = Vec::new();
            for (row, (position, is_kept)) in positions.iter().zip(is_kept.iter()).enumerate() {
                if *is_kept && position.is_some_and(|position| condition.applies(element, position)) {
                    asked.push(row as u32);
                }
            }
            if asked.is_empty() {
                continue;
            }
            let values = asked.iter().map(|row| documents.get(*row as usize).cloned().unwrap_or_default());
            let values = Column::from_values(values.collect());
            let mut batch = outer_row.repeat_row(0, asked.len());
            batch.set_column(condition.input, values);
            let passed = condition.program.evaluate_predicate(&batch, &mut context.evaluation())?;
            context.count_filtered(asked.len() - passed.len());
            let mut passed = passed.iter().peekable();
            for (row, asked) in asked.iter().enumerate() {
                if passed.next_if(|passed| **passed as usize == row).is_none()
                    && let Some(is_kept) = is_kept.get_mut(*asked as usize)
                {
                    *is_kept = false;
                }
            }
        }
        Ok(())
    }
}

impl StepProgram {
    fn applies(&self, element: PathElement, position: u64) -> bool {
        self.element == element && self.depth.is_none_or(|depth| depth == position)
    }
}
