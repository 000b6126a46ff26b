//! The interpreter: runs one instruction after the other, each over all lanes.

use std::sync::Arc;

use errors::Result;

use super::frame::Frame;
use super::portions::Charged;
use super::slots::{Slots, Work, map, map_pair, map_shared};
use super::{Instruction, Program, Slot, UnaryOperator, arithmetic, construct, text};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::function::Function;
use crate::value::Value;

/// The calls of a function between two checks; functions themselves check only in long calls.
///
/// An argument of more than `LONG_ARGUMENT_BYTES` has a check of its own.
const CALLS_PER_CHECK: usize = 64;
const LONG_ARGUMENT_BYTES: usize = 16 << 10;

impl Program {
    /// Returns the program's result by lane.
    pub(super) fn run(&self, frame: &Frame<'_>, context: &mut EvaluationContext<'_>) -> Result<Column> {
        let lanes = frame.lanes();
        if self.lane_bytes.portion() >= lanes {
            return self.run_in_one_pass(frame, context);
        }
        let mut values = Vec::with_capacity(lanes);
        while values.len() < lanes {
            let end = lanes.min(values.len().saturating_add(self.lane_bytes.portion()));
            let portion: Arc<[u32]> = (values.len() as u32..end as u32).collect();
            let column = self.run_in_one_pass(&frame.narrow(&portion), context)?;
            values.extend((0..portion.len()).map(|lane| column.get(lane).clone()));
        }
        Ok(Column::from_values(values))
    }

    fn run_in_one_pass(&self, frame: &Frame<'_>, context: &mut EvaluationContext<'_>) -> Result<Column> {
        let columns = Vec::with_capacity(self.instructions.len());
        let mut slots = Slots { columns, charged: Charged::default() };
        let mut work = Work::new(context.interrupt);
        let done: Result<()> = self.instructions.iter().try_for_each(|instruction| {
            work.add(frame.lanes())?;
            let column = instruction.run(frame, &slots, context)?;
            slots.columns.push(column);
            Ok(())
        });
        self.lane_bytes.note(slots.charged.give_back(context.memory), frame.lanes());
        done?;
        slots.get(self.result).cloned()
    }
}

impl Instruction {
    fn run(&self, frame: &Frame<'_>, slots: &Slots, context: &mut EvaluationContext<'_>) -> Result<Column> {
        let lanes = frame.lanes();
        match self {
            Self::Load(register) => Ok(frame.load(*register)),
            Self::Constant(value) => Ok(Column::Constant(value.clone())),
            Self::Attribute { base, path } => {
                Ok(map_shared(slots.get(*base)?, lanes, |value| value.get_path(path)))
            }
            Self::Index { base, index } => {
                map_pair(slots.get(*base)?, slots.get(*index)?, lanes, |base, index| {
                    Ok(index_into(base, index))
                })
            }
            Self::Unary { operator, operand } => {
                map(slots.get(*operand)?, lanes, |value| Ok(apply_unary(*operator, value)))
            }
            Self::Arithmetic { operator, left, right } => {
                map_pair(slots.get(*left)?, slots.get(*right)?, lanes, |left, right| {
                    arithmetic::apply(*operator, left, right, context)
                })
            }
            Self::Compare { operator, left, right } => {
                map_pair(slots.get(*left)?, slots.get(*right)?, lanes, |left, right| {
                    Ok(Value::Bool(operator.test(left, right)))
                })
            }
            Self::In { needle, haystack, negated } => haystack.run(*needle, *negated, slots, lanes, context),
            Self::ArrayCompare { quantifier, operator, left, right } => {
                quantifier.run_compare(*operator, (*left, *right), slots, lanes, context)
            }
            Self::Like { text, pattern, case_insensitive, negated } => text::run_like(
                slots.get(*text)?,
                pattern,
                *case_insensitive,
                *negated,
                (slots, lanes),
                context,
            ),
            Self::Regex { text, pattern, negated } => {
                text::run_regex(slots.get(*text)?, pattern, *negated, (slots, lanes), context)
            }
            Self::Range { low, high } => construct::run_range((*low, *high), slots, lanes, context),
            Self::Array(elements) => construct::run_array(elements, slots, lanes, context),
            Self::Object(members) => construct::run_object(members, slots, lanes, context),
            Self::Call { function, arguments } => run_call(function, arguments, slots, lanes, context),
            Self::Choose { condition, then, otherwise } => {
                super::logic::run_choose(slots.get(*condition)?, then.as_ref(), otherwise, frame, context)
            }
            Self::And { first, rest } => {
                super::logic::run_chain(slots.get(*first)?, rest, true, frame, context)
            }
            Self::Or { first, rest } => {
                super::logic::run_chain(slots.get(*first)?, rest, false, frame, context)
            }
            Self::Expansion(expansion) => expansion.run(frame, slots, context),
            Self::ArrayQuestion(question) => question.run(frame, slots, context),
        }
    }
}

fn apply_unary(operator: UnaryOperator, operand: &Value) -> Value {
    match operator {
        UnaryOperator::Not => Value::Bool(!operand.is_truthy()),
        UnaryOperator::Plus => operand.to_number(),
        UnaryOperator::Minus => arithmetic::negate(operand),
    }
}

/// Computes `base[index]`: a number indexes an array, a string an object, and numeric text either.
fn index_into(base: &Value, index: &Value) -> Value {
    if base.is_object() && (index.is_string() || index.is_number()) {
        return base.get(&index.cast_string());
    }
    if !base.is_array() {
        return Value::Null;
    }
    match index {
        Value::Int(position) => base.at(*position),
        Value::Double(position) => base.at(position.floor() as i64),
        // The index is beyond the end of every array.
        Value::UInt(_) => Value::Null,
        other => other.as_str().and_then(|text| text.trim().parse().ok()).map_or(Value::Null, |n| base.at(n)),
    }
}

fn run_call(
    function: &'static Function,
    arguments: &[Slot],
    slots: &Slots,
    lanes: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Column> {
    let columns = arguments.iter().map(|slot| slots.get(*slot)).collect::<Result<Vec<_>>>()?;
    if function.deterministic && columns.iter().all(|column| column.as_constant().is_some()) {
        let arguments: Vec<Value> = columns.iter().map(|column| column.get(0).clone()).collect();
        let result = (function.call)(&arguments, context)?;
        slots.charged.charge(&result, context.memory)?;
        return Ok(Column::Constant(result));
    }
    if let Some(call) = function.call_batch {
        let results = call(&columns, lanes, context)?;
        results.iter().try_for_each(|result| slots.charged.charge(result, context.memory))?;
        return Ok(Column::from_values(results));
    }
    // One argument list serves all lanes; constant arguments are set once.
    let mut values: Vec<Value> = columns.iter().map(|column| column.get(0).clone()).collect();
    let changing: Vec<usize> =
        (0..columns.len()).filter(|&n| columns.get(n).is_some_and(|c| c.as_constant().is_none())).collect();
    let mut results = Vec::with_capacity(lanes);
    for lane in 0..lanes {
        let mut is_long = lane % CALLS_PER_CHECK == CALLS_PER_CHECK - 1;
        for &position in &changing {
            if let (Some(value), Some(column)) = (values.get_mut(position), columns.get(position)) {
                value.clone_from(column.get(lane));
                is_long |= value.memory_bytes() > LONG_ARGUMENT_BYTES;
            }
        }
        if is_long {
            context.interrupt.check()?;
        }
        let result = (function.call)(&values, context)?;
        slots.charged.charge(&result, context.memory)?;
        results.push(result);
    }
    Ok(Column::from_values(results))
}
