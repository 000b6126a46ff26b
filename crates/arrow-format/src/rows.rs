//! Record batches as documents.

use arrow_array::RecordBatch;
use errors::{Error, Result};
use velocypack::{Builder, Slice};

use crate::cells::{Cells, close_object, write_cells};

/// Reader of the rows of one record batch, as objects in VelocyPack.
///
/// Cells that are null, and doubles that JSON does not have, leave their attribute out. Dates and
/// times become texts of ISO 8601 with milliseconds, and decimals the nearest double.
pub struct RowReader<'a> {
    columns: Vec<(&'a str, Cells<'a>)>,
    rows: usize,
    next: usize,
    document: Builder,
}

impl std::fmt::Debug for RowReader<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("RowReader").field("rows", &self.rows).field("next", &self.next).finish()
    }
}

impl<'a> RowReader<'a> {
    /// Opens the columns of a batch. Errors: 400 for a type that documents cannot hold.
    pub fn new(batch: &'a RecordBatch) -> Result<Self> {
        let fields = batch.schema_ref().fields().iter();
        let columns = fields
            .zip(batch.columns())
            .map(|(field, column)| Ok((field.name().as_str(), Cells::open(field, column.as_ref(), 0)?)));
        let columns = columns.collect::<Result<_>>()?;
        Ok(RowReader { columns, rows: batch.num_rows(), next: 0, document: Builder::new() })
    }

    /// Returns the next document, or `None` at the end.
    ///
    /// Errors: 400 for a value that a document cannot hold, or two columns of one name.
    pub fn next_document(&mut self) -> Result<Option<Slice<'_>>> {
        if self.next >= self.rows {
            return Ok(None);
        }
        let row = self.next;
        self.next += 1;
        self.document.clear();
        let written = self.document.open_object().map_err(Error::from).and_then(|()| {
            write_cells(&self.columns, row, &mut self.document)?;
            close_object(&mut self.document)
        });
        written.map_err(|error| {
            let message = format!("row {} of the batch: {}", row + 1, error.message());
            error.with_message(message)
        })?;
        Ok(Some(self.document.as_slice()))
    }
}
