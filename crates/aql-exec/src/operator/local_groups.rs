//! The groups of a hash COLLECT on one thread, and their merge.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aql_value::{Batch, Charge, ElementCursor, Interrupt, Register, Value};
use errors::Result;
use velocypack::{Block, Builder};

use super::group_spill::{GroupReader, GroupWriter};
use super::group_table::GroupTable;
use super::groups::{GroupKey, GroupOutput, Groups};
use super::parallel::LocalState;
use crate::context::ExecutionContext;

/// The groups that threads of one query have spilled together.
pub(super) type SpilledGroups = Arc<Mutex<Option<GroupWriter>>>;

/// The groups of the rows that one thread has read.
pub(super) struct LocalGroups {
    registers: Box<[Register]>,
    table: GroupTable,
    groups: Groups,
    charge: Charge,
    rows: u64,
    /// The place of the first row of each group: the morsel, and the number of the group in its
    /// thread.
    first_rows: Vec<(u32, u32)>,
    /// The groups in the order of their first rows; `None`: the order of their numbers.
    order: Option<Vec<u32>>,
    spilled: SpilledGroups,
    /// The first row, if values of the rows are kept.
    first_row: Option<Batch>,
    keeps_row: bool,
}

/// Groups between two checks of the interrupt.
const GROUPS_PER_CHECK: usize = 1024;

/// Smallest number of rows for each group with which merging takes less time than another thread
/// saves.
const ROWS_PER_GROUP: u64 = 8;

impl LocalGroups {
    pub(super) fn new(keys: &[GroupKey], groups: Groups, context: &ExecutionContext) -> Self {
        Self {
            registers: keys.iter().map(|key| key.input).collect(),
            table: GroupTable::new(keys.len()),
            groups,
            charge: context.new_charge(),
            rows: 0,
            first_rows: Vec::new(),
            order: None,
            spilled: SpilledGroups::default(),
            first_row: None,
            keeps_row: false,
        }
    }

    /// Returns the groups that were spilled.
    pub(super) fn spilled(&self) -> SpilledGroups {
        Arc::clone(&self.spilled)
    }

    /// Lets the thread spill into the files of another one.
    pub(super) fn spilling_into(self, spilled: &SpilledGroups) -> Self {
        Self { spilled: Arc::clone(spilled), ..self }
    }

    /// Returns true if the groups are few for their rows, so that merging them takes little time.
    pub(super) fn pays_to_divide(&self) -> bool {
        self.table.len() as u64 * ROWS_PER_GROUP <= self.rows && self.writer().is_none()
    }

    /// Lets the groups keep the first row, for [`LocalGroups::first_row`].
    pub(super) fn keeping_row(self, keeps_row: bool) -> Self {
        Self { keeps_row, ..self }
    }

    /// Returns the first row.
    pub(super) fn first_row(&self) -> Option<&Batch> {
        self.first_row.as_ref()
    }

    fn writer(&self) -> MutexGuard<'_, Option<GroupWriter>> {
        self.spilled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spill(&mut self, context: &ExecutionContext) -> Result<()> {
        let mut writer = self.spilled.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = match &mut *writer {
            Some(writer) => writer,
            None => writer.insert(GroupWriter::new(context)?),
        };
        writer.add(&mut self.table, &mut self.groups)?;
        self.first_rows.clear();
        self.charge.clear();
        Ok(())
    }

    /// Spills the rest of all groups if some have spilled. Returns their reader then.
    pub(super) fn finish_spilled<'a>(
        &mut self,
        others: impl Iterator<Item = &'a mut LocalGroups>,
        context: &ExecutionContext,
    ) -> Result<Option<GroupReader>> {
        if self.writer().is_none() {
            return Ok(None);
        }
        self.spill(context)?;
        for other in others {
            other.spill(context)?;
        }
        let writer = self.writer().take();
        writer.map(|writer| writer.finish(context.new_charge())).transpose()
    }

    /// Merges the groups of another thread.
    pub(super) fn merge(&mut self, mut other: LocalGroups, interrupt: &Interrupt) -> Result<()> {
        let mut saved = Builder::new();
        // Without keys there is a group even without rows, which would count as one of null values.
        let groups = if other.rows == 0 { 0 } else { other.len() };
        for group in 0..groups {
            if group.is_multiple_of(GROUPS_PER_CHECK) {
                interrupt.check()?;
            }
            let own = self.group_like(&other, group)?;
            saved.clear();
            saved.open_array()?;
            other.groups.save(group, &mut saved)?;
            saved.close()?;
            let state = Value::in_block(&Arc::new(Block::new(saved.as_bytes().to_vec())), 0);
            self.groups.merge(own, &mut ElementCursor::new(state), &mut self.charge)?;
        }
        self.rows += other.rows;
        Ok(())
    }

    /// Returns the own group with the keys of a group of another thread.
    fn group_like(&mut self, other: &LocalGroups, group: usize) -> Result<usize> {
        if self.registers.is_empty() {
            self.groups.grow(1, &mut self.charge)?;
            return Ok(0);
        }
        let first = other.first_rows.get(group).copied().unwrap_or_default();
        let own = self.table.group_of_keys(&other.table, group, &mut self.charge)? as usize;
        match self.first_rows.get_mut(own) {
            None => {
                self.first_rows.push(first);
                self.groups.grow(self.table.len(), &mut self.charge)?;
            }
            Some(own_first) if first < *own_first => {
                *own_first = first;
                // Of equal keys that are written in another way, the first one counts.
                self.table.replace_keys(own, &other.table, group);
            }
            Some(_) => {}
        }
        self.order = Some(Vec::new());
        Ok(own)
    }

    /// Puts merged groups in the order of their first rows, once all rows are there.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.groups.grow(self.len(), &mut self.charge)?;
        if let Some(order) = &mut self.order {
            order.extend(0..self.table.len() as u32);
            order.sort_unstable_by_key(|group| self.first_rows.get(*group as usize));
        }
        Ok(())
    }

    /// Returns the number of groups. Without keys there is one group, even without rows.
    pub(super) fn len(&self) -> usize {
        if self.registers.is_empty() { 1 } else { self.table.len() }
    }

    /// Returns the rows of some groups, by their place in the order.
    pub(super) fn batch(
        &mut self,
        output: &GroupOutput,
        places: Range<usize>,
        interrupt: &Interrupt,
    ) -> Result<Batch> {
        let Some(order) = &self.order else {
            let keys = self.table.keys(&places);
            return output.batch(keys, places, &mut self.groups, interrupt);
        };
        let groups = order.get(places).unwrap_or_default().iter().map(|group| *group as usize);
        output.batch(self.table.keys(&groups), groups, &mut self.groups, interrupt)
    }
}

impl LocalState for LocalGroups {
    fn add(&mut self, batch: &Batch, morsel: u32, context: &mut ExecutionContext) -> Result<()> {
        if self.keeps_row && self.first_row.is_none() {
            let mut first = batch.clone();
            first.slice(0, 1);
            self.first_row = Some(first);
        }
        let rows: Vec<u32> = batch.selected().map(|row| row as u32).collect();
        self.rows += rows.len() as u64;
        let mut groups = Vec::with_capacity(rows.len());
        if self.registers.is_empty() {
            groups.resize(rows.len(), 0);
        } else {
            for &row in &rows {
                groups.push(self.table.group_of(batch, row as usize, &self.registers, &mut self.charge)?);
            }
            let new = self.first_rows.len()..self.table.len();
            self.first_rows.extend(new.map(|group| (morsel, group as u32)));
        }
        self.groups.grow(self.len(), &mut self.charge)?;
        self.groups.add(batch, &rows, &groups, &mut self.charge)?;
        // A single group must be in memory anyway.
        if !self.registers.is_empty() && context.spill.is_due(self.charge.bytes(), self.table.len()) {
            self.spill(context)?;
        }
        Ok(())
    }
}
