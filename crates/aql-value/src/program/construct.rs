//! Ranges, array literals and object literals. The values of one instruction share blocks.

use super::slots::Slots;
use super::{MemberName, Slot};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::value::{BlockBuilder, Value};
use errors::{Error, ErrorCode, Result};

/// The greatest number of members of a range (`a..b`) or `RANGE()` as an array: ArangoDB's limit.
pub const MAX_RANGE_ELEMENTS: u64 = 10_000_000;

/// Computes `low..high` for every lane.
pub(super) fn run_range(
    low: &Column,
    high: &Column,
    lanes: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Column> {
    build(
        lanes,
        [low, high].iter().all(|column| column.as_constant().is_some()),
        context,
        |lane, block, context| append_range(low.get(lane).to_i64(), high.get(lane).to_i64(), block, context),
    )
}

fn append_range(
    low: i64,
    high: i64,
    block: &mut BlockBuilder,
    context: &mut EvaluationContext<'_>,
) -> Result<()> {
    let members = u64::from(low.abs_diff(high) != u64::MAX).saturating_add(low.abs_diff(high));
    if members > MAX_RANGE_ELEMENTS {
        return Err(Error::new(
            ErrorCode::QueryNumberOutOfRange,
            format!("number out of range: {low}..{high} has more than {MAX_RANGE_ELEMENTS} members"),
        ));
    }
    let step = if low <= high { 1 } else { -1 };
    block.builder().open_array()?;
    let mut member = low;
    for count in 0..members {
        block.builder().add_i64(member)?;
        // The last step may leave the range of integers, but its result is not used.
        member = member.wrapping_add(step);
        if count % (1 << 20) == (1 << 20) - 1 {
            context.interrupt.check()?;
            block.check_memory(context.memory)?;
        }
    }
    block.builder().close()?;
    Ok(())
}

/// Computes `[a, b, ...]` for every lane.
pub(super) fn run_array(
    elements: &[Slot],
    slots: &Slots,
    lanes: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Column> {
    let columns = elements.iter().map(|slot| slots.get(*slot)).collect::<Result<Vec<_>>>()?;
    let constant = columns.iter().all(|column| column.as_constant().is_some());
    build(lanes, constant, context, |lane, block, _| {
        let builder = block.builder();
        builder.open_array()?;
        columns.iter().try_for_each(|column| column.get(lane).append_to(builder))?;
        Ok(builder.close()?)
    })
}

/// Computes `{a: b, [c]: d, ...}` for every lane. The last of members with the same name counts.
pub(super) fn run_object(
    members: &[(MemberName, Slot)],
    slots: &Slots,
    lanes: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Column> {
    let mut columns = Vec::with_capacity(members.len());
    for (name, slot) in members {
        let name = match name {
            MemberName::Fixed(name) => Name::Fixed(name),
            MemberName::Computed(slot) => Name::Computed(slots.get(*slot)?),
        };
        columns.push((name, slots.get(*slot)?));
    }
    let constant = columns.iter().all(|(name, column)| name.is_constant() && column.as_constant().is_some());
    build(lanes, constant, context, |lane, block, _| {
        let builder = block.builder();
        builder.open_object()?;
        for (name, column) in &columns {
            match name {
                Name::Fixed(name) => builder.key(name)?,
                Name::Computed(names) => builder.key(&names.get(lane).cast_string())?,
            }
            column.get(lane).append_to(builder)?;
        }
        Ok(builder.close_keeping_last()?)
    })
}

/// A member's name: the same in all lanes, or one for each lane.
enum Name<'a> {
    Fixed(&'a str),
    Computed(&'a Column),
}

impl Name<'_> {
    fn is_constant(&self) -> bool {
        match self {
            Self::Fixed(_) => true,
            Self::Computed(column) => column.as_constant().is_some(),
        }
    }
}

/// Calls `append` to add one value for every lane (only one, if it is the same for all).
pub(super) fn build(
    lanes: usize,
    constant: bool,
    context: &mut EvaluationContext<'_>,
    mut append: impl FnMut(usize, &mut BlockBuilder, &mut EvaluationContext<'_>) -> Result<()>,
) -> Result<Column> {
    let lanes = if constant { lanes.min(1) } else { lanes };
    let mut block = BlockBuilder::new(lanes);
    for lane in 0..lanes {
        append(lane, &mut block, context)?;
        block.end_value();
        if lane % 256 == 255 {
            context.interrupt.check()?;
            block.check_memory(context.memory)?;
        }
    }
    block.check_memory(context.memory)?;
    let mut values = block.finish();
    Ok(match values.pop() {
        Some(value) if constant => Column::Constant(value),
        Some(value) => {
            values.push(value);
            Column::from_values(values)
        }
        None => Column::Constant(Value::Null),
    })
}
