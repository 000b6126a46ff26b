//! The attributes of an object that is being built: sorted by name, each name once.

use std::cmp::Ordering;

use super::sort::{name_prefix, sort_by_name, sort_in_runs};
use crate::Result;
use crate::iterate::read_member;
use crate::names::read_name;

/// An attribute of an open object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    /// The first bytes of the name as a number, which decides most comparisons of names.
    name_prefix: u64,
    /// Offset in bytes from the start of its object.
    pub(super) offset: u32,
}

impl Member {
    #[inline]
    pub(super) fn new(name: &[u8], offset: u32) -> Self {
        Member { name_prefix: name_prefix(name), offset }
    }

    fn name<'o>(&self, object: &'o [u8]) -> &'o [u8] {
        name_at(object, self.offset)
    }
}

/// Largest number of members for insertion sort, which needs no calls.
const INSERTION_SORT_MAX: usize = 24;

/// Orders the members of an object by name, those of equal name by position.
#[inline]
///
/// Errors: [`Error::Interrupted`] if `is_ended` returns true.
pub(super) fn sort_members(
    object: &[u8],
    members: &mut [Member],
    is_ended: &mut dyn FnMut() -> bool,
) -> Result<()> {
    if members.len() > INSERTION_SORT_MAX {
        return sort_many(object, members, is_ended);
    }
    for sorted in 1..members.len() {
        let mut position = sorted;
        while let Some([left, right]) = position.checked_sub(1).and_then(|at| members.get(at..=position))
            && (left.name_prefix > right.name_prefix
                || (left.name_prefix == right.name_prefix && compare_members(object, left, right).is_gt()))
        {
            members.swap(position - 1, position);
            position -= 1;
        }
    }
    Ok(())
}

#[cold]
fn sort_many(object: &[u8], members: &mut [Member], is_ended: &mut dyn FnMut() -> bool) -> Result<()> {
    sort_in_runs(members, |member| (member.name_prefix, member.offset), is_ended)?;
    for alike in members.chunk_by_mut(|left, right| left.name_prefix == right.name_prefix) {
        if alike.len() > 1 {
            let mut offsets: Vec<u32> = alike.iter().map(|member| member.offset).collect();
            sort_by_name(&mut offsets, |offset| name_at(object, offset), is_ended)?;
            alike.iter_mut().zip(offsets).for_each(|(member, offset)| member.offset = offset);
        }
    }
    Ok(())
}

fn name_at(object: &[u8], offset: u32) -> &[u8] {
    object.get(offset as usize..).and_then(read_name).map_or(&[], |(name, _)| name)
}

fn compare_members(object: &[u8], left: &Member, right: &Member) -> Ordering {
    left.name_prefix
        .cmp(&right.name_prefix)
        .then_with(|| left.name(object).cmp(right.name(object)))
        .then_with(|| left.offset.cmp(&right.offset))
}

#[inline]
fn have_same_name(object: &[u8], left: &Member, right: &Member) -> bool {
    left.name_prefix == right.name_prefix && left.name(object) == right.name(object)
}

/// Returns the first name that two of the sorted members have.
#[inline]
pub(super) fn duplicate_name<'o>(object: &'o [u8], members: &[Member]) -> Option<&'o [u8]> {
    let mut pairs = members.array_windows();
    pairs.find(|[left, right]| have_same_name(object, left, right)).map(|[left, _]| left.name(object))
}

/// Removes duplicate attributes, except the first or the last of each name, from the object that
/// starts at `start`. Returns the remaining members at their new positions.
#[cold]
pub(super) fn keep_one(
    buffer: &mut Vec<u8>,
    start: usize,
    members: &[Member],
    keeps_first: bool,
) -> Vec<Member> {
    let object = buffer.split_off(start);
    let (mut kept, mut dropped) = (Vec::with_capacity(members.len()), Vec::new());
    for (index, member) in members.iter().enumerate() {
        let other = if keeps_first { index.checked_sub(1) } else { index.checked_add(1) };
        match other.and_then(|other| members.get(other)) {
            Some(other) if have_same_name(&object, member, other) => dropped.push(member.offset as usize),
            _ => kept.push(*member),
        }
    }
    dropped.sort_unstable();

    // Copies the bytes between the dropped members and records by how much the members after each
    // of them move.
    let mut copied = 0;
    let mut moves = Vec::with_capacity(dropped.len());
    let mut dropped_bytes = 0;
    for offset in dropped {
        let length = object.get(offset..).and_then(read_member).map_or(0, |member| member.encoded.len());
        buffer.extend_from_slice(object.get(copied..offset).unwrap_or(&[]));
        copied = offset + length;
        dropped_bytes += length;
        moves.push((offset, dropped_bytes));
    }
    buffer.extend_from_slice(object.get(copied..).unwrap_or(&[]));
    for member in &mut kept {
        let before = moves.partition_point(|(offset, _)| *offset < member.offset as usize);
        let bytes = before.checked_sub(1).and_then(|last| moves.get(last)).map_or(0, |&(_, bytes)| bytes);
        member.offset -= bytes as u32;
    }
    kept
}
