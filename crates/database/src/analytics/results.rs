//! The results that jobs have kept, as rows.

use std::sync::Arc;

use aql_value::{BlockBuilder, Interrupt, Rows, Value};
use errors::{Error, Result};
use graph_analytics::Table;
use velocypack::Builder;

use super::rows::{write_row, write_value};
use crate::session::Session;
use crate::state::analytics::{Job, Projection};

/// Rows of a result that are made in one step.
const ROWS_PER_STEP: usize = 1_000;

impl Session {
    /// Returns the rows of `PREGEL_RESULT()`: the key of each vertex and its results.
    ///
    /// Errors: 1202 for an unknown job, those of its result.
    pub(super) fn pregel_rows(
        &self,
        id: &str,
        with_id: bool,
        interrupt: &Interrupt,
    ) -> Result<Box<dyn Rows>> {
        let number = id.parse().map_err(|_| Error::bad_parameter(format!("'{id}' is no number of a job")))?;
        let job = self.analytics_job(number)?;
        let (projection, table) = job.result()?;
        Ok(Box::new(JobRows { job, projection, table, with_id, next: 0, interrupt: interrupt.clone() }))
    }

    /// Writes the rows of a job's result into `out`, as elements of an open array: `limit` of them
    /// from row `offset` on. Returns the number of all rows.
    ///
    /// Errors: those of [`Job`]'s result.
    pub fn write_analytics_rows(
        &self,
        id: u64,
        offset: usize,
        limit: usize,
        out: &mut Builder,
    ) -> Result<usize> {
        let (projection, table) = self.analytics_job(id)?.result()?;
        let end = table.len().min(offset.saturating_add(limit));
        for row in offset..end {
            self.check_interrupt()?;
            write_row(&table, &projection.loaded.vertices, row, out)?;
        }
        Ok(table.len())
    }
}

/// The rows of `PREGEL_RESULT()`.
struct JobRows {
    job: Arc<Job>,
    projection: Arc<Projection>,
    table: Arc<Table>,
    with_id: bool,
    next: usize,
    interrupt: Interrupt,
}

impl JobRows {
    fn write(&self, row: usize, out: &mut Builder) -> Result<()> {
        let vertices = &self.projection.loaded.vertices;
        out.open_object()?;
        if let Some((collection, key)) = vertices.get(row as u32).filter(|_| self.table.is_by_vertex()) {
            out.key("_key")?;
            out.add_str(key)?;
            if self.with_id {
                out.key("_id")?;
                out.add_str(&format!("{collection}/{key}"))?;
            }
        }
        for (column, attribute) in self.job.columns() {
            if let Some(values) = self.table.column(column) {
                out.key(attribute)?;
                write_value(values, vertices, row, out)?;
            }
        }
        Ok(out.close()?)
    }
}

impl Rows for JobRows {
    fn next_rows(&mut self, max: usize, out: &mut Vec<Value>) -> Result<()> {
        self.interrupt.check()?;
        let end = self.table.len().min(self.next + max.min(ROWS_PER_STEP));
        let mut block = BlockBuilder::new(end - self.next);
        for row in self.next..end {
            self.write(row, block.builder())?;
            block.end_value();
        }
        out.extend(block.finish());
        self.next = end;
        Ok(())
    }

    fn release(&mut self) {}
}
