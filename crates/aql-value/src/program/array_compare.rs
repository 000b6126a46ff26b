//! `left ALL|ANY|NONE|AT LEAST (n) operator right`, and the quantifiers it shares with `[? ...]`.

use errors::Result;

use super::constant_set::contains;
use super::slots::{Slots, Work};
use super::{ArrayOperator, Quantifier, Slot};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::value::Value;

/// The work of a comparison, in elements of a search.
const LANE_WORK: usize = 8;

/// The numbers of matching elements that satisfy a quantifier in one row, from `least` to `most`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    least: u64,
    most: u64,
}

impl Bounds {
    /// Returns true if `matching` elements satisfy the quantifier.
    pub(super) fn satisfied_by(self, matching: u64) -> bool {
        (self.least..=self.most).contains(&matching)
    }

    /// Returns true if the result does not depend on the `remaining` elements.
    pub(super) fn is_decided(self, matching: u64, remaining: u64) -> bool {
        matching > self.most
            || matching.saturating_add(remaining) < self.least
            || (matching >= self.least && matching.saturating_add(remaining) <= self.most)
    }
}

impl Quantifier {
    /// Returns the bounds for an array of `len` elements in a lane.
    pub(super) fn bounds(self, len: u64, slots: &Slots, lane: usize) -> Result<Bounds> {
        let count = |slot: Slot| -> Result<u64> { Ok(slots.get(slot)?.get(lane).to_i64().max(0) as u64) };
        Ok(match self {
            Self::All => Bounds { least: len, most: len },
            Self::Any => Bounds { least: 1, most: u64::MAX },
            Self::None => Bounds { least: 0, most: 0 },
            Self::AtLeast(slot) => Bounds { least: count(slot)?, most: u64::MAX },
            Self::Exactly(slot) => match slots.get(slot)?.get(lane) {
                // A computed range, such as a bind parameter [2, 3].
                range if range.is_array() => Bounds {
                    least: range.at(0).to_i64().max(0) as u64,
                    most: range.at(-1).to_i64().max(0) as u64,
                },
                _ => Bounds { least: count(slot)?, most: count(slot)? },
            },
            Self::Between(least, most) => Bounds { least: count(least)?, most: count(most)? },
        })
    }

    /// Computes `operands.0 self operator operands.1` for every lane.
    pub(super) fn run_compare(
        self,
        operator: ArrayOperator,
        operands: (Slot, Slot),
        slots: &Slots,
        lanes: usize,
        context: &mut EvaluationContext<'_>,
    ) -> Result<Column> {
        let (left, right) = (slots.get(operands.0)?, slots.get(operands.1)?);
        let constant =
            left.as_constant().is_some() && right.as_constant().is_some() && self.is_constant(slots)?;
        let lanes = if constant { lanes.min(1) } else { lanes };
        let mut answers = Vec::with_capacity(lanes);
        let mut work = Work::new(context.interrupt);
        for lane in 0..lanes {
            let (left, right) = (left.get(lane), right.get(lane));
            let compared = if operator.is_membership() { 1 + right.len() } else { LANE_WORK };
            // If the right side is not an array, IN and NOT IN are both false.
            let is_comparable = left.is_array() && (right.is_array() || !operator.is_membership());
            let holds = is_comparable && {
                let bounds = self.bounds(left.len() as u64, slots, lane)?;
                bounds.satisfied_by_elements(left, |element| {
                    work.add(compared)?;
                    Ok(operator.test(element, right))
                })?
            };
            answers.push(Value::Bool(holds));
        }
        Ok(match answers.first() {
            Some(answer) if constant => Column::Constant(answer.clone()),
            _ => Column::from_values(answers),
        })
    }

    fn is_constant(self, slots: &Slots) -> Result<bool> {
        Ok(match self {
            Self::All | Self::Any | Self::None => true,
            Self::AtLeast(slot) | Self::Exactly(slot) => slots.get(slot)?.as_constant().is_some(),
            Self::Between(least, most) => {
                slots.get(least)?.as_constant().is_some() && slots.get(most)?.as_constant().is_some()
            }
        })
    }
}

impl Bounds {
    fn satisfied_by_elements(
        self,
        array: &Value,
        mut test: impl FnMut(&Value) -> Result<bool>,
    ) -> Result<bool> {
        let mut matching = 0;
        let mut remaining = array.len() as u64;
        for element in array.elements() {
            if self.is_decided(matching, remaining) {
                break;
            }
            remaining -= 1;
            matching += u64::from(test(&element)?);
        }
        // After an early decision, the count so far and the final one give the same result.
        Ok(self.satisfied_by(matching))
    }
}

impl ArrayOperator {
    fn is_membership(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }

    fn test(self, element: &Value, right: &Value) -> bool {
        match self {
            Self::Compare(operator) => operator.test(element, right),
            Self::In => contains(right, element) == Some(true),
            Self::NotIn => contains(right, element) == Some(false),
        }
    }
}
