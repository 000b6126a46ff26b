//! A hash join for a nested scan with an equality that no index supports.
//!
//! From the third incoming row on, a hash table of the collection replaces the scan. Rows come as
//! from the nested scan: for each incoming row in the order of the collection. If the table would
//! take too much memory, the nested scan continues.

use aql_value::{Batch, BlockBuilder, Column, Program, Register, Value};
use errors::{ErrorCode, Result};
use storage::{BlockLimits, DocumentScanSpec, Documents};

use super::document_source::{FoundDocuments, Source};
use super::join_table::JoinTable;
use super::outer_rows::OuterRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

/// Maximum size in bytes of the table. A limit on the query's memory lowers it to a quarter of that
/// limit.
const MAX_TABLE_BYTES: u64 = 512 << 20;
/// Nested scans before a table is built: most loops have one row or none.
const SCANS_BEFORE: u64 = 2;
/// Comparisons between two checks of the interrupt.
const COMPARISONS_PER_CHECK: usize = 4096;

/// One equality of the join.
pub(crate) struct JoinKey {
    /// Path of the attribute in the documents of the scan.
    pub(crate) path: Box<[Box<str>]>,
    /// The other side of the equality, in terms of the incoming row.
    pub(crate) probe: Program,
}

/// The parts of the filter of a scan.
pub(crate) struct JoinCondition {
    /// Equalities of attributes with expressions over the incoming row; at least one.
    pub(crate) keys: Vec<JoinKey>,
    /// The part that depends only on the document.
    pub(crate) build: Option<Program>,
    /// The remaining part.
    pub(crate) residual: Option<Program>,
}

pub(crate) struct HashJoin {
    condition: JoinCondition,
    table: Option<JoinTable>,
    /// True if the table would be too large.
    is_given_up: bool,
    scans: u64,
    /// The probes' values for the current outer batch.
    probes: Option<Vec<Column>>,
    /// The next candidate for the current incoming row; `None` if the row is not started.
    candidate: Option<u32>,
}

impl HashJoin {
    pub(crate) fn new(condition: JoinCondition) -> Self {
        let (table, probes, candidate) = (None, None, None);
        Self { condition, table, is_given_up: false, scans: 0, probes, candidate }
    }

    /// Starts another batch of incoming rows.
    pub(super) fn begin_batch(&mut self) {
        self.probes = None;
        self.candidate = None;
    }

    /// Returns true if the table serves the current incoming row.
    ///
    /// Call it once for each row that would start a scan.
    pub(super) fn is_ready(&mut self, source: &Source, context: &mut ExecutionContext) -> Result<bool> {
        if self.table.is_none() && !self.is_given_up {
            self.scans += 1;
            if self.scans > SCANS_BEFORE {
                self.table = self.build(source, context)?;
                self.is_given_up = self.table.is_none();
            }
        }
        Ok(self.table.is_some())
    }

    /// Builds the table from the collection; `None` if it would be too large.
    fn build(&self, source: &Source, context: &mut ExecutionContext) -> Result<Option<JoinTable>> {
        let limit =
            context.memory.limit_bytes().map_or(MAX_TABLE_BYTES, |limit| (limit / 4).min(MAX_TABLE_BYTES));
        let snapshot = context.data.snapshot(false);
        let spec = DocumentScanSpec { sequential: true, repeated: true, ..DocumentScanSpec::default() };
        let mut scan = snapshot.scan(&source.collection, &spec)?;
        let full = context.full;
        let limits = BlockLimits { rows: BatchLimits::FULL_ROWS.max(full.rows), bytes: full.bytes };
        let keeps_documents = self.keeps_documents(source);
        let width = if keeps_documents { 1 } else { source.projections.len() };
        let mut table = JoinTable::new(self.condition.keys.len(), width, context.new_charge());
        while let Some(documents) = scan.next_block(limits)? {
            context.interrupt.check()?;
            context.statistics.scanned_full += documents.len() as u64;
            match self.add(&documents, source, keeps_documents, &mut table, context) {
                Ok(()) if table.bytes() <= limit => {}
                Ok(()) => return Ok(None),
                Err(error) if error.code() == ErrorCode::ResourceLimit => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(table))
    }

    /// Returns true if rows need the whole document.
    fn keeps_documents(&self, source: &Source) -> bool {
        self.condition.residual.is_some() || (source.produces_result && source.projections.is_empty())
    }

    fn add(
        &self,
        documents: &Documents,
        source: &Source,
        keeps_documents: bool,
        table: &mut JoinTable,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let found = FoundDocuments::Stored(documents);
        let mut batch = Batch::new(documents.len());
        if let Some(filter) = &self.condition.build {
            batch.set_column(source.out, found.column());
            context.filter(filter, &mut batch)?;
        }
        let mut values = Vec::new();
        if keeps_documents {
            // Whole documents are packed together, so that filtered ones do not keep the others
            // alive.
            let mut packed = BlockBuilder::new(batch.selected_len());
            for row in batch.selected() {
                packed.push(&found.document(row))?;
            }
            table.grow(packed.byte_len())?;
            values = packed.finish();
        }
        let mut values = values.into_iter();
        for row in batch.selected() {
            let keys = self.condition.keys.iter().map(|key| found.get_path(row, &key.path));
            if keeps_documents {
                table.insert(keys, values.next())?;
            } else {
                table.insert(keys, source.projections.iter().map(|one| found.get_path(row, &one.path)))?;
            }
        }
        Ok(())
    }

    /// Returns rows for the current and further incoming rows, up to the limits. The batch may be
    /// empty.
    pub(super) fn next_rows(
        &mut self,
        outer: &mut OuterRows,
        source: &Source,
        context: &mut ExecutionContext,
        limits: BatchLimits,
    ) -> Result<Batch> {
        let probes = self.take_probes(outer, context)?;
        let (mut rows, mut found) = (Vec::new(), Vec::new());
        while rows.len() < limits.rows && outer.remaining() > 0 {
            if self.matches_of_row(&probes, outer.row(), limits.rows, &mut rows, &mut found, context)? {
                break;
            }
            outer.advance();
        }
        self.probes = Some(probes);
        self.produce(outer.gather(rows), &found, source, context)
    }

    /// Returns one row for the current incoming row: with the number of rows that it would get.
    pub(super) fn count_row(
        &mut self,
        outer: &OuterRows,
        source: &Source,
        register: Register,
        context: &mut ExecutionContext,
    ) -> Result<Batch> {
        let probes = self.take_probes(outer, context)?;
        let (row, mut count) = (outer.row(), 0);
        loop {
            let (mut rows, mut found) = (Vec::new(), Vec::new());
            let should_continue =
                self.matches_of_row(&probes, row, context.full.rows, &mut rows, &mut found, context)?;
            count += match &self.condition.residual {
                None => rows.len(),
                Some(_) => self.produce(outer.gather(rows), &found, source, context)?.selected_len(),
            };
            if !should_continue {
                break;
            }
        }
        self.probes = Some(probes);
        let mut batch = outer.gather(vec![row as u32]);
        batch.set_column(register, Column::Constant(Value::from_u64(count as u64)));
        Ok(batch)
    }

    fn take_probes(&mut self, outer: &OuterRows, context: &mut ExecutionContext) -> Result<Vec<Column>> {
        if let Some(probes) = self.probes.take() {
            return Ok(probes);
        }
        let Some(batch) = outer.batch() else { return Ok(Vec::new()) };
        self.condition.keys.iter().map(|key| context.evaluate(&key.probe, batch)).collect()
    }

    /// Adds matches of an incoming row until there are `limit` rows. Returns true if there may be
    /// more.
    fn matches_of_row(
        &mut self,
        probes: &[Column],
        row: usize,
        limit: usize,
        rows: &mut Vec<u32>,
        found: &mut Vec<u32>,
        context: &mut ExecutionContext,
    ) -> Result<bool> {
        let Some(table) = &self.table else { return Ok(false) };
        let keys: Vec<&Value> = probes.iter().map(|column| column.get(row)).collect();
        let mut next = self.candidate.take().or_else(|| table.first(&keys));
        context.interrupt.check()?;
        let mut comparisons = 0;
        while let Some(entry) = next {
            if rows.len() >= limit {
                self.candidate = next;
                return Ok(true);
            }
            if table.is_match(entry, &keys) {
                rows.push(row as u32);
                found.push(entry);
            }
            next = table.next(entry);
            comparisons += 1;
            if comparisons % COMPARISONS_PER_CHECK == 0 {
                context.interrupt.check()?;
            }
        }
        Ok(false)
    }

    /// Makes rows of matches: applies the residual filter and sets the registers of the source.
    fn produce(
        &self,
        mut batch: Batch,
        found: &[u32],
        source: &Source,
        context: &mut ExecutionContext,
    ) -> Result<Batch> {
        let Some(table) = &self.table else { return Ok(batch) };
        if !self.keeps_documents(source) {
            for (position, projection) in source.projections.iter().enumerate() {
                batch.set_column(projection.out, table.column(position, found));
            }
            return Ok(batch);
        }
        let documents = table.column(0, found);
        batch.set_column(source.out, documents.clone());
        if let Some(residual) = &self.condition.residual {
            context.filter(residual, &mut batch)?;
        }
        if source.count_into.is_none() {
            source.project_documents(&mut batch, &FoundDocuments::Values(documents));
        }
        Ok(batch)
    }
}
