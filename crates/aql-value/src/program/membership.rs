//! IN and NOT IN.

use errors::Result;

use super::searched_lists::SearchedLists;
use super::slots::{Slots, map, map_pair};
use super::{CompareOperator, Haystack, Slot};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::value::Value;

/// Computes `needle IN low..high`: true for an integer between the ends, in either order.
fn is_in_range(needle: &Value, low: &Value, high: &Value) -> bool {
    let (low, high) = (low.to_i64(), high.to_i64());
    needle.as_i64().is_some_and(|needle| (low.min(high)..=low.max(high)).contains(&needle))
}

impl Haystack {
    pub(super) fn run(
        &self,
        needle: Slot,
        negated: bool,
        slots: &Slots,
        lanes: usize,
        context: &mut EvaluationContext<'_>,
    ) -> Result<Column> {
        let needles = slots.get(needle)?;
        let answer = |found: Option<bool>| Value::Bool(found.is_some_and(|found| found != negated));
        let haystacks = match self {
            Self::Constant(set) => {
                set.prepare(context.memory, context.interrupt)?;
                return map(needles, lanes, |needle| Ok(answer(set.contains(needle))));
            }
            Self::Range { low, high } => {
                let (low, high) = (slots.get(*low)?, slots.get(*high)?);
                let Some((low, high)) = low.as_constant().zip(high.as_constant()) else {
                    let found = |lane| is_in_range(needles.get(lane), low.get(lane), high.get(lane));
                    return Ok(Column::from_values(
                        (0..lanes).map(|lane| answer(Some(found(lane)))).collect(),
                    ));
                };
                return map(needles, lanes, |needle| Ok(answer(Some(is_in_range(needle, low, high)))));
            }
            Self::Slot(slot) => slots.get(*slot)?,
        };
        let mut searched = SearchedLists::begin(context);
        if let Some(haystack) = haystacks.as_constant() {
            searched.expect(haystack, lanes);
        }
        map_pair(needles, haystacks, lanes, |needle, haystack| Ok(answer(searched.find(haystack, needle)?)))
    }
}

impl CompareOperator {
    /// Returns true if the operator holds between two values.
    pub fn test(self, left: &Value, right: &Value) -> bool {
        match self {
            // Equality needs no collation.
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            _ => self.holds(left.compare(right)),
        }
    }
}
