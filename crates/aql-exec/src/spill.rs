//! Spilling: rows and groups that do not fit in memory, in temporary files sorted by a key.

use std::sync::Arc;

use aql_value::{Batch, Charge, Column, ElementCursor, Interrupt, Register, Value};
use errors::{Error, ErrorCode, Result};
use storage::{SortedPairs, Sorter};
use velocypack::{Block, Builder};

use crate::context::ExecutionContext;

/// Steps between two checks of the interrupt.
const STEPS_PER_CHECK: usize = 1024;
/// Smallest and largest memory for sorting spilled pairs, in bytes.
///
/// The bound keeps a sort short, so that an interrupted query ends soon.
const SORTER_BYTES: (u64, u64) = (64 << 10, 8 << 20);

/// A writer that spills pairs of a key and a value.
pub(crate) struct SpillWriter {
    sorter: Sorter,
    interrupt: Interrupt,
    steps: usize,
    /// The memory in which pairs are sorted or merged.
    memory: Charge,
    files: Option<Charge>,
}

impl SpillWriter {
    /// Creates a writer. Errors: 32 if there is not enough memory to sort in.
    pub(crate) fn new(context: &ExecutionContext) -> Result<Self> {
        let options = &context.spill;
        let budget = (options.threshold_bytes / 4).clamp(SORTER_BYTES.0, SORTER_BYTES.1);
        let mut memory = context.new_charge();
        memory.grow(budget)?;
        let interrupt = context.interrupt.clone();
        let check = move || interrupt.check();
        let folder = options.folder.clone().unwrap_or_else(|| std::env::temp_dir().into());
        Ok(Self {
            sorter: Sorter::new(folder, budget as usize).with_check(Box::new(check)),
            interrupt: context.interrupt.clone(),
            steps: 0,
            memory,
            files: options.capacity.clone().map(Charge::new),
        })
    }

    /// Adds a pair. Errors: 1500 if the query is killed, 1104 if the disk is full, 32 if files may
    /// not grow.
    pub(crate) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_PER_CHECK) {
            self.interrupt.check()?;
        }
        if let Some(files) = &mut self.files {
            files.grow((key.len() + value.len()) as u64).map_err(|_| {
                let message = "disk capacity limit for intermediate results exceeded";
                Error::new(ErrorCode::ResourceLimit, message)
            })?;
        }
        self.sorter.add(key, value)
    }

    /// Returns all pairs in the order of their keys; those with equal keys in the order of arrival.
    pub(crate) fn finish(self) -> Result<SpillReader> {
        let pairs = self.sorter.finish()?;
        Ok(SpillReader {
            pairs,
            last_key: Vec::new(),
            interrupt: self.interrupt,
            steps: 0,
            _memory: self.memory,
            _files: self.files,
        })
    }
}

/// A reader of spilled pairs in the order of their keys.
pub(crate) struct SpillReader {
    pairs: SortedPairs,
    /// The key of the last pair, kept in debug builds only.
    last_key: Vec<u8>,
    interrupt: Interrupt,
    steps: usize,
    _memory: Charge,
    _files: Option<Charge>,
}

impl SpillReader {
    /// Returns the next key and value.
    pub(crate) fn next_pair(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_PER_CHECK) {
            self.interrupt.check()?;
        }
        let pair = self.pairs.next_pair()?;
        if cfg!(debug_assertions)
            && let Some((key, _)) = pair
        {
            debug_assert!(*self.last_key <= *key, "spilled pairs do not ascend by their keys");
            self.last_key.clear();
            self.last_key.extend_from_slice(key);
        }
        Ok(pair)
    }
}

/// A writer that spills the values of some registers of rows.
pub(crate) struct RowWriter {
    writer: SpillWriter,
    registers: Box<[Register]>,
    builder: Builder,
}

impl RowWriter {
    pub(crate) fn new(context: &ExecutionContext, registers: &[Register]) -> Result<Self> {
        Ok(Self { writer: SpillWriter::new(context)?, registers: registers.into(), builder: Builder::new() })
    }

    /// Adds a row of a batch under a key.
    pub(crate) fn add(&mut self, key: &[u8], batch: &Batch, row: usize) -> Result<()> {
        self.builder.clear();
        self.builder.open_array()?;
        for &register in &self.registers {
            batch.value(register, row).append_to(&mut self.builder)?;
        }
        self.builder.close()?;
        self.writer.add(key, self.builder.as_bytes())
    }

    /// Returns all rows in the order of their keys, with the written registers set.
    pub(crate) fn finish(self) -> Result<RowReader> {
        let Self { writer, registers, .. } = self;
        Ok(RowReader { pairs: writer.finish()?, registers, last_key: None })
    }
}

/// A reader of spilled rows in the order of their keys.
pub(crate) struct RowReader {
    pairs: SpillReader,
    registers: Box<[Register]>,
    /// The key of the last row, if only the first row of each key is needed.
    last_key: Option<Vec<u8>>,
}

impl RowReader {
    /// Keeps only the first of the rows with equal keys, and renames their registers.
    pub(crate) fn distinct(self, registers: &[Register]) -> Self {
        Self { registers: registers.into(), last_key: Some(Vec::new()), ..self }
    }

    /// Returns the next rows: at least one, at most `max_rows`, and none more after `max_bytes`
    /// bytes.
    pub(crate) fn next_batch(&mut self, max_rows: usize, max_bytes: usize) -> Result<Option<Batch>> {
        let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
        while offsets.len() < max_rows && bytes.len() < max_bytes {
            let Some((key, row)) = self.pairs.next_pair()? else { break };
            if let Some(last) = &mut self.last_key {
                // No key is empty, so the first one is new.
                if last == key {
                    continue;
                }
                last.clear();
                last.extend_from_slice(key);
            }
            let offset = u32::try_from(bytes.len());
            offsets.push(offset.map_err(|_| Error::internal("spilled rows of more than 4 GiB"))?);
            bytes.extend_from_slice(row);
        }
        if offsets.is_empty() {
            return Ok(None);
        }
        let block = Arc::new(Block::new(bytes));
        let mut columns: Vec<Vec<Value>> = vec![Vec::with_capacity(offsets.len()); self.registers.len()];
        for &offset in &offsets {
            let mut values = ElementCursor::new(Value::in_block(&block, offset));
            columns.iter_mut().for_each(|column| column.push(values.next().unwrap_or_default()));
        }
        let mut batch = Batch::new(offsets.len());
        for (register, column) in self.registers.iter().zip(columns) {
            batch.set_column(*register, Column::from_values(column));
        }
        Ok(Some(batch))
    }
}
