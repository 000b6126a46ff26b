//! AND, OR and `? :`. Lazy operands are nested programs, run on the rows that need them.

use std::sync::Arc;

use errors::Result;

use super::Program;
use super::frame::Frame;
use super::slots::Work;
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::value::Value;

/// Computes AND (`go_on_if` true) or OR (false).
///
/// Each lane takes the first operand whose truth differs from `go_on_if`, or the last one. Operand
/// n is evaluated only in lanes in which all operands before it agree with `go_on_if`.
pub(super) fn run_chain(
    first: &Column,
    rest: &[Program],
    go_on_if: bool,
    frame: &Frame<'_>,
    context: &mut EvaluationContext<'_>,
) -> Result<Column> {
    let mut open = lanes_where(first, frame.lanes(), go_on_if);
    if open.is_empty() {
        return Ok(first.clone());
    }
    let mut result = Merge::new(first, frame.lanes());
    let mut work = Work::new(context.interrupt);
    for program in rest {
        work.add(open.len())?;
        let narrowed = frame.narrow(&open);
        let column = program.run(&narrowed, context)?;
        result.put(&open, &column);
        let still: Vec<u32> = lanes_where(&column, open.len(), go_on_if)
            .iter()
            .filter_map(|&lane| open.get(lane as usize).copied())
            .collect();
        if still.is_empty() {
            break;
        }
        open = still.into();
    }
    Ok(result.finish())
}

/// Computes `condition ? then : otherwise`.
pub(super) fn run_choose(
    condition: &Column,
    then: Option<&Program>,
    otherwise: &Program,
    frame: &Frame<'_>,
    context: &mut EvaluationContext<'_>,
) -> Result<Column> {
    if let Some(value) = condition.as_constant() {
        return match (value.is_truthy(), then) {
            (true, None) => Ok(condition.clone()),
            (true, Some(then)) => then.run(frame, context),
            (false, _) => otherwise.run(frame, context),
        };
    }
    let mut result = Merge::new(condition, frame.lanes());
    for (truth, program) in [(true, then), (false, Some(otherwise))] {
        let Some(program) = program else { continue };
        let lanes = lanes_where(condition, frame.lanes(), truth);
        if !lanes.is_empty() {
            let column = program.run(&frame.narrow(&lanes), context)?;
            result.put(&lanes, &column);
        }
    }
    Ok(result.finish())
}

/// Returns the lanes in which the column's truth is `truth`, ascending.
fn lanes_where(column: &Column, lanes: usize, truth: bool) -> Arc<[u32]> {
    match column.as_constant() {
        Some(value) if value.is_truthy() != truth => Arc::from([]),
        Some(_) => (0..lanes as u32).collect(),
        None => (0..lanes as u32).filter(|&lane| column.get(lane as usize).is_truthy() == truth).collect(),
    }
}

/// A column some of whose lanes other columns replace.
struct Merge {
    column: Column,
    /// The values, made when lanes are first replaced, unless all of them are.
    values: Vec<Value>,
    lanes: usize,
}

impl Merge {
    fn new(column: &Column, lanes: usize) -> Self {
        Self { column: column.clone(), values: Vec::new(), lanes }
    }

    /// Replaces lane `lanes[i]` by lane `i` of `replacement`.
    fn put(&mut self, lanes: &[u32], replacement: &Column) {
        if lanes.len() == self.lanes {
            self.column = replacement.clone();
            self.values.clear();
            return;
        }
        if self.values.is_empty() {
            self.values.extend((0..self.lanes).map(|lane| self.column.get(lane).clone()));
        }
        for (from, &to) in lanes.iter().enumerate() {
            if let Some(value) = self.values.get_mut(to as usize) {
                value.clone_from(replacement.get(from));
            }
        }
    }

    fn finish(self) -> Column {
        if self.values.is_empty() { self.column } else { Column::from_values(self.values) }
    }
}
