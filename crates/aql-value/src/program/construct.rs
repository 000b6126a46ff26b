//! Ranges, array literals and object literals. The values of one instruction share blocks.

use errors::{Error, ErrorCode, Result};
use velocypack::Duplicates;

use super::slots::Slots;
use super::{MemberName, Slot};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::value::{BoundedBlock, Value};

/// The maximum number of members of a range (`a..b`) or `RANGE()` as an array: ArangoDB's limit.
pub const MAX_RANGE_ELEMENTS: u64 = 10_000_000;

/// Computes `low..high` for every lane.
pub(super) fn run_range(
    (low, high): (Slot, Slot),
    slots: &Slots,
    lanes: usize,
    context: &EvaluationContext<'_>,
) -> Result<Column> {
    let (low, high) = (slots.get(low)?, slots.get(high)?);
    let constant = [low, high].iter().all(|column| column.as_constant().is_some());
    build(lanes, constant, slots, context, |lane, block| {
        append_range(low.get(lane).to_i64(), high.get(lane).to_i64(), block)
    })
}

/// The members of a range between two checks of the account, and the most bytes of one.
const MEMBERS_AT_ONCE: u64 = 4096;
const MEMBER_BYTES: usize = 9;

fn append_range(low: i64, high: i64, block: &mut BoundedBlock<'_>) -> Result<()> {
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
        if count % MEMBERS_AT_ONCE == 0 {
            block.make_room((members - count).min(MEMBERS_AT_ONCE) as usize * MEMBER_BYTES)?;
        }
        block.builder().add_i64(member)?;
        // The last step may leave the range of integers, but its result is not used.
        member = member.wrapping_add(step);
    }
    block.close_array()
}

/// Computes `[a, b, ...]` for every lane.
pub(super) fn run_array(
    elements: &[Slot],
    slots: &Slots,
    lanes: usize,
    context: &EvaluationContext<'_>,
) -> Result<Column> {
    let columns = elements.iter().map(|slot| slots.get(*slot)).collect::<Result<Vec<_>>>()?;
    let constant = columns.iter().all(|column| column.as_constant().is_some());
    build(lanes, constant, slots, context, |lane, block| {
        block.make_room(columns.iter().map(|column| column.get(lane).memory_bytes()).sum())?;
        block.builder().open_array()?;
        columns.iter().try_for_each(|column| block.append(column.get(lane)))?;
        block.close_array()
    })
}

/// Computes `{a: b, [c]: d, ...}` for every lane. The first of members with the same name counts.
pub(super) fn run_object(
    members: &[(MemberName, Slot)],
    slots: &Slots,
    lanes: usize,
    context: &EvaluationContext<'_>,
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
    build(lanes, constant, slots, context, |lane, block| {
        block.make_room(columns.iter().map(|(_, column)| column.get(lane).memory_bytes()).sum())?;
        block.builder().open_object()?;
        for (name, column) in &columns {
            match name {
                Name::Fixed(name) => block.key(name)?,
                Name::Computed(names) => {
                    block.key(&names.get(lane).text(context.memory, context.interrupt)?)?
                }
            }
            block.append(column.get(lane))?;
        }
        block.close_object_with(Duplicates::KeepFirst)
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

/// The lanes between two checks of the interrupt.
const LANES_PER_CHECK: usize = 256;

/// Calls `append` to add one value for every lane (only one, if it is the same for all).
fn build(
    lanes: usize,
    constant: bool,
    slots: &Slots,
    context: &EvaluationContext<'_>,
    mut append: impl FnMut(usize, &mut BoundedBlock<'_>) -> Result<()>,
) -> Result<Column> {
    let lanes = if constant { lanes.min(1) } else { lanes };
    let mut block = BoundedBlock::new(lanes, context.memory, context.interrupt);
    for lane in 0..lanes {
        append(lane, &mut block)?;
        block.end_value();
        if lane % LANES_PER_CHECK == LANES_PER_CHECK - 1 {
            context.interrupt.check()?;
        }
    }
    Ok(column_of(block, constant, slots))
}

/// Returns the column of a block's values, whose bytes the evaluation owns from now on.
pub(super) fn column_of(block: BoundedBlock<'_>, constant: bool, slots: &Slots) -> Column {
    let (mut values, charged_bytes) = block.finish();
    slots.charged.take_over(charged_bytes);
    match values.pop() {
        Some(value) if constant => Column::Constant(value),
        Some(value) => {
            values.push(value);
            Column::from_values(values)
        }
        None => Column::Constant(Value::Null),
    }
}
