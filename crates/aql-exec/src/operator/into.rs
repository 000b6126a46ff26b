//! COLLECT ... INTO: the members gathered from the rows of each group.

use aql_value::{Batch, BlockBuilder, Charge, Interrupt, Register, Value};
use errors::Result;
use velocypack::Builder;

use crate::arrays::{append_array, array_of};

/// The member gathered from a row.
#[derive(Clone)]
pub(crate) enum IntoMembers {
    /// A value.
    Register(Register),
    /// An object of several.
    Object(Vec<(Box<str>, Register)>),
}

impl IntoMembers {
    /// Estimates the bytes of the member of a row.
    fn bytes(&self, batch: &Batch, row: u32) -> usize {
        let value_bytes = |register: Register| batch.value(register, row as usize).memory_bytes();
        match self {
            IntoMembers::Register(register) => value_bytes(*register),
            IntoMembers::Object(entries) => {
                entries.iter().map(|(name, register)| name.len() + value_bytes(*register)).sum()
            }
        }
    }
}

/// The members gathered so far, by group.
pub(super) struct IntoLists {
    members: IntoMembers,
    lists: Vec<Vec<Value>>,
}

impl IntoLists {
    pub(super) fn new(members: IntoMembers) -> Self {
        Self { members, lists: Vec::new() }
    }

    /// Returns lists of the same members, without groups.
    pub(super) fn emptied(&self) -> Self {
        Self::new(self.members.clone())
    }

    /// Extends the lists to `groups` groups.
    pub(super) fn grow(&mut self, groups: usize) {
        if self.lists.len() < groups {
            self.lists.resize_with(groups, Vec::new);
        }
    }

    /// Gathers rows: `rows[i]` belongs to `groups[i]`.
    pub(super) fn add(
        &mut self,
        batch: &Batch,
        rows: &[u32],
        groups: &[u32],
        charge: &mut Charge,
    ) -> Result<()> {
        let expected_bytes = rows.iter().map(|&row| self.members.bytes(batch, row)).sum::<usize>();
        charge.grow((expected_bytes + rows.len() * size_of::<Value>()) as u64)?;
        // In blocks that hold nothing else, so that gathered members keep no documents alive.
        let mut block = BlockBuilder::new(rows.len());
        block.builder().reserve(expected_bytes);
        for &row in rows {
            match &self.members {
                IntoMembers::Register(register) => block.push(&batch.value(*register, row as usize))?,
                IntoMembers::Object(entries) => {
                    let builder = block.builder();
                    builder.open_object()?;
                    for (name, register) in entries {
                        builder.key(name)?;
                        batch.value(*register, row as usize).append_to(builder)?;
                    }
                    builder.close_keeping_last()?;
                    block.end_value();
                }
            }
        }
        charge.grow(block.byte_len().saturating_sub(expected_bytes as u64))?;
        for (value, &group) in block.finish().into_iter().zip(groups) {
            if let Some(list) = self.lists.get_mut(group as usize) {
                list.push(value);
            }
        }
        Ok(())
    }

    /// Returns the array of a group; called once.
    pub(super) fn result(&mut self, group: usize, interrupt: &Interrupt) -> Result<Value> {
        array_of(&self.lists.get_mut(group).map(std::mem::take).unwrap_or_default(), interrupt)
    }

    /// Adds an array of the members of a group and drops them.
    pub(super) fn save(&mut self, group: usize, out: &mut Builder) -> Result<()> {
        append_array(&self.lists.get_mut(group).map(std::mem::take).unwrap_or_default(), out)
    }

    /// Appends saved members to those of a group.
    pub(super) fn merge(&mut self, group: usize, saved: &Value, charge: &mut Charge) -> Result<()> {
        let Some(list) = self.lists.get_mut(group) else { return Ok(()) };
        let before = list.len();
        list.extend(saved.elements());
        charge.grow((saved.memory_bytes() + (list.len() - before) * size_of::<Value>()) as u64)
    }

    /// Drops all groups but one, which becomes group 0.
    pub(super) fn keep_only(&mut self, group: usize) {
        let kept = self.lists.get_mut(group).map(std::mem::take);
        self.lists.clear();
        self.lists.extend(kept);
    }

    /// Drops all groups.
    pub(super) fn clear(&mut self) {
        self.lists.clear();
    }
}
