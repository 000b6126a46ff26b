//! Rows to the record batches of an Arrow IPC stream.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, StructArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::SchemaRef;
use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::column::{RowSchema, Rows, VALUE_COLUMN};
use crate::sink::StructSink;

/// An Arrow IPC stream that is being written.
pub struct StreamEncoder {
    schema: RowSchema,
    arrow: SchemaRef,
    sink: StructSink,
    writer: StreamWriter<Vec<u8>>,
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
        Ok(StreamEncoder { schema, arrow, sink, writer, rows: 0 })
    }

    /// Writes the rows of an array as one record batch. They must not have `_id` markers.
    ///
    /// Errors: 400 for a row that does not fit the schema. The stream cannot continue then.
    pub fn write(&mut self, rows: Slice<'_>) -> Result<()> {
        let mut scratch = Builder::new();
        for row in rows.elements() {
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
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let (_, columns, _) = array.into_parts();
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.arrow), columns, &options)
            .map_err(Error::internal)?;
        self.writer.write(&batch).map_err(Error::internal)
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
