//! The results that jobs have kept, as rows.

use aql_value::{Interrupt, Rows};
use errors::{Error, Result};
use graph_analytics::Table;
use velocypack::Builder;

use super::rows::{MadeRows, write_value};
use crate::session::Session;
use crate::state::analytics::{Job, Vertices};

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
        let rows = table.len();
        let write = move |row: usize, out: &mut Builder| {
            write_result(&job, &table, &projection.loaded.vertices, with_id, row, out)
        };
        Ok(Box::new(MadeRows::new(rows, interrupt.clone(), write)))
    }
}

/// Writes a row of `PREGEL_RESULT()` as an object.
fn write_result(
    job: &Job,
    table: &Table,
    vertices: &Vertices,
    with_id: bool,
    row: usize,
    out: &mut Builder,
) -> Result<()> {
    out.open_object()?;
    if let Some((collection, key)) = vertices.get(row as u32).filter(|_| table.is_by_vertex()) {
        out.key("_key")?;
        out.add_str(key)?;
        if with_id {
            out.key("_id")?;
            out.add_str(&format!("{collection}/{key}"))?;
        }
    }
    for (column, attribute) in job.columns() {
        if let Some(values) = table.column(column) {
            out.key(attribute)?;
            write_value(values, vertices, row, out)?;
        }
    }
    Ok(out.close()?)
}
