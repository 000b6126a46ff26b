//! Entries of fulltext indexes: the documents that a query over words finds.

use super::entries::EntrySink;
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use crate::data::storage_error;
use analyzers::word_query::{Combination, Part, parse};
use aql_value::{Charge, Result, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use storage::{BlockLimits, Index, Snapshot};

/// Entries read in one step.
const BLOCK_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };
/// What a document in a set takes besides its key.
const FOUND_BYTES: usize = 40;

type Keys = BTreeSet<Box<str>>;

/// The documents are put together when the first is asked for.
pub(super) struct FulltextSource {
    snapshot: Snapshot,
    index: Arc<Index>,
    /// None for a query that is none: it finds nothing.
    parts: Vec<Part>,
    found: Option<std::collections::btree_set::IntoIter<Box<str>>>,
    /// For the memory of `found`.
    charge: Option<Charge>,
}

impl FulltextSource {
    pub(super) fn new(index: &Arc<Index>, query: &Value, lookup: &Lookup<'_>) -> Self {
        let parts = query.as_str().and_then(parse).unwrap_or_default();
        let (snapshot, index) = (lookup.snapshot.clone(), Arc::clone(index));
        Self { snapshot, index, parts, found: None, charge: None }
    }

    /// The documents of all parts, put together from the left to the right.
    fn find(&self, context: &mut ExecutionContext, charge: &mut Charge) -> Result<Keys> {
        let mut found = Keys::new();
        for (position, part) in self.parts.iter().enumerate() {
            let is_first = position == 0;
            // Nothing can be cut or taken away from nothing.
            if found.is_empty() && part.combination != Combination::Or && !is_first {
                continue;
            }
            let mut own = Keys::new();
            self.read(part, context, |key| {
                let is_wanted = match part.combination {
                    Combination::And => is_first || found.contains(key),
                    Combination::Or => !found.contains(key),
                    Combination::Not => found.contains(key),
                };
                if is_wanted && !own.contains(key) {
                    charge.grow((FOUND_BYTES + key.len()) as u64)?;
                    own.insert(key.into());
                }
                Ok(())
            })?;
            match part.combination {
                Combination::And => found = own,
                Combination::Or => found.append(&mut own),
                Combination::Not if is_first => {}
                Combination::Not => found.retain(|key| !own.contains(key)),
            }
        }
        Ok(found)
    }

    fn read(
        &self,
        part: &Part,
        context: &mut ExecutionContext,
        mut note: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let scan = self.snapshot.word_scan(&self.index, &part.word, part.is_prefix);
        let mut scan = scan.map_err(|error| storage_error(&error))?;
        context.statistics.cursors_created += 1;
        while let Some(entries) = scan.next_block(BLOCK_LIMITS).map_err(|error| storage_error(&error))? {
            context.interrupt.check()?;
            context.statistics.scanned_index += entries.len() as u64;
            for key in entries.keys() {
                note(key.map_err(|error| storage_error(&error))?)?;
            }
        }
        Ok(())
    }
}

impl EntrySource for FulltextSource {
    fn read(&mut self, sink: &mut EntrySink<'_>, context: &mut ExecutionContext, _: usize) -> Result<bool> {
        if self.found.is_none() {
            let mut charge = context.new_charge();
            self.found = Some(self.find(context, &mut charge)?.into_iter());
            self.charge = Some(charge);
        }
        let Some(found) = &mut self.found else { return Ok(false) };
        while sink.room() > 0 {
            let Some(key) = found.next() else { return Ok(false) };
            sink.push(&key, || Value::Null, Value::Null);
        }
        Ok(true)
    }

    fn release(&mut self) {}
}
