//! Rows to the record batches of an Arrow IPC stream.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, StructArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::SchemaRef;
use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::column::{RowSchema, Rows, VALUE_COLUMN};
use crate::sink::StructSink;

/// Maximum number of cells of a record batch. Rows of few attributes have cells in all columns.
const MAX_BATCH_CELLS: usize = 1 << 20;
/// Memory that a cell takes besides its text, in bytes.
const CELL_BYTES: usize = 16;
/// Memory that a byte of a row takes at most: a small number in a list becomes one of 64 bits.
const ROW_BYTE_BYTES: usize = 8;

/// An Arrow IPC stream that is being written.
pub struct StreamEncoder {
    schema: RowSchema,
    arrow: SchemaRef,
    sink: StructSink,
    writer: StreamWriter<Vec<u8>>,
    /// Maximum number of rows of a record batch.
    batch_rows: usize,
    /// Rows that were written.
    rows: u64,
}

impl std::fmt::Debug for StreamEncoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("StreamEncoder").field("schema", &self.schema).field("rows", &self.rows).finish()
    }
}

impl StreamEncoder {
    /// Begins a stream of these columns.
    pub fn new(schema: RowSchema) -> Result<Self> {
        let arrow = Arc::new(schema.to_arrow());
        let writer = StreamWriter::try_new(Vec::new(), &arrow).map_err(Error::internal)?;
        let sink = StructSink::new(&schema.columns, schema.rows == Rows::Named);
        let batch_rows = (MAX_BATCH_CELLS / schema.cells().max(1)).max(1);
        Ok(StreamEncoder { schema, arrow, sink, writer, batch_rows, rows: 0 })
    }

    /// Returns an upper bound of the memory that the next record batch takes, besides its bytes.
    pub fn batch_memory_bytes(&self, rows: Slice<'_>) -> usize {
        let cells = rows.len().min(self.batch_rows).saturating_mul(self.schema.cells());
        rows.byte_len().saturating_mul(ROW_BYTE_BYTES).saturating_add(cells.saturating_mul(CELL_BYTES))
    }

    /// Writes the rows of an array from the place `from` as one record batch, and returns the place
    /// of the first row that has no room in it. The rows must not have `_id` markers.
    ///
    /// Errors: 400 for a row that does not fit the schema. The stream cannot continue then.
    pub fn write(&mut self, rows: Slice<'_>, from: usize) -> Result<usize> {
        let mut scratch = Builder::new();
        let end = rows.len().min(from.saturating_add(self.batch_rows));
        for place in from..end {
            let row = rows.at(place).unwrap_or(Slice::NONE);
            self.rows += 1;
            let pushed = if self.is_value(row) {
                scratch.clear();
                scratch.open_object()?;
                scratch.key(VALUE_COLUMN)?;
                scratch.add_slice(row)?;
                scratch.close()?;
                self.sink.push(scratch.as_slice())
            } else {
                self.sink.push(row)
            };
            pushed.map_err(|misfit| {
                let message = format!(
                    "row {} does not fit the Arrow schema: {}; name its type with the parameter `schema`, or \
                     make it JSON text with the parameter `json`",
                    self.rows,
                    misfit.message()
                );
                Error::new(ErrorCode::HttpBadParameter, message)
            })?;
        }
        let array: StructArray = self.sink.take().map_err(Error::internal)?;
        let options = RecordBatchOptions::new().with_row_count(Some(end.saturating_sub(from)));
        let (_, columns, _) = array.into_parts();
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.arrow), columns, &options)
            .map_err(Error::internal)?;
        self.writer.write(&batch).map_err(Error::internal)?;
        Ok(end)
    }

    /// Ends the stream.
    pub fn finish(&mut self) -> Result<()> {
        self.writer.finish().map_err(Error::internal)
    }

    /// Takes the bytes that were written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.writer.get_mut())
    }

    /// Returns true if a row is the cell of the column `value`, rather than an object of cells.
    fn is_value(&self, row: Slice<'_>) -> bool {
        match self.schema.rows {
            Rows::Objects => false,
            Rows::Values => true,
            Rows::Named => {
                let is_alone = self.schema.columns.len() == 1;
                let is_value = self.schema.columns.first().is_some_and(|column| column.name == VALUE_COLUMN);
                !row.is_object() && is_alone && is_value
            }
        }
    }
}
