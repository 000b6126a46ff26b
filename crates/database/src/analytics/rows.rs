//! Results of algorithms as rows of a query, and as values of attributes.

use std::sync::Arc;

use aql_value::{BlockBuilder, Interrupt, Rows, Value};
use errors::Result;
use graph_analytics::{Column, NO_COUNT, NO_VERTEX, Statistic, Table};
use velocypack::Builder;

use crate::state::analytics::{LoadedGraph, Projection, Vertices};

/// The attribute of a row with the vertex that it is about.
const VERTEX: &str = "vertex";
/// Rows that are made in one step.
const STEP: usize = 1_000;

/// The vertices that a result names.
#[derive(Debug)]
pub(crate) enum Named {
    /// Those of a graph that was loaded for this result.
    Loaded(Arc<LoadedGraph>),
    /// Those of a projection.
    Projection(Arc<Projection>),
}

impl Named {
    pub(crate) fn loaded(&self) -> &LoadedGraph {
        match self {
            Named::Loaded(loaded) => loaded,
            Named::Projection(projection) => &projection.loaded,
        }
    }

    pub(crate) fn vertices(&self) -> &Vertices {
        &self.loaded().vertices
    }
}

/// Rows that a function writes one after the other.
pub(crate) struct MadeRows<W> {
    rows: usize,
    next: usize,
    interrupt: Interrupt,
    write: W,
}

impl<W: FnMut(usize, &mut Builder) -> Result<()> + Send> MadeRows<W> {
    /// Makes `rows` rows; `write` gets the number of each.
    pub(crate) fn new(rows: usize, interrupt: Interrupt, write: W) -> Self {
        MadeRows { rows, next: 0, interrupt, write }
    }
}

impl<W: FnMut(usize, &mut Builder) -> Result<()> + Send> Rows for MadeRows<W> {
    fn next_rows(&mut self, max: usize, out: &mut Vec<Value>) -> Result<()> {
        self.interrupt.check()?;
        let end = self.rows.min(self.next + max.min(STEP));
        let mut block = BlockBuilder::new(end - self.next);
        for row in self.next..end {
            (self.write)(row, block.builder())?;
            block.end_value();
        }
        out.extend(block.finish());
        self.next = end;
        Ok(())
    }

    fn release(&mut self) {}
}

/// One row that is already made.
pub(crate) struct OneRow(pub(crate) Option<Value>);

impl Rows for OneRow {
    fn next_rows(&mut self, max: usize, out: &mut Vec<Value>) -> Result<()> {
        if max > 0 {
            out.extend(self.0.take());
        }
        Ok(())
    }

    fn release(&mut self) {}
}

/// Writes a row as an object.
pub(crate) fn write_row(table: &Table, vertices: &Vertices, row: usize, out: &mut Builder) -> Result<()> {
    out.open_object()?;
    if table.is_by_vertex() {
        out.key(VERTEX)?;
        write_vertex(vertices, row as u32, out)?;
    }
    for (name, column) in table.columns() {
        out.key(name)?;
        write_value(column, vertices, row, out)?;
    }
    Ok(out.close()?)
}

/// Writes the value of a row. A value that the column does not have is null.
pub(crate) fn write_value(column: &Column, vertices: &Vertices, row: usize, out: &mut Builder) -> Result<()> {
    match column {
        Column::Number(values) => write_number(values.get(row).copied().unwrap_or(f64::NAN), out),
        Column::Count(values) => match values.get(row) {
            Some(count) if *count != NO_COUNT => Ok(out.add_u64(*count)?),
            _ => Ok(out.add_null()?),
        },
        Column::Flag(values) => Ok(out.add_bool(values.get(row).copied().unwrap_or_default())?),
        Column::Vertex(values) => write_vertex(vertices, values.get(row).copied().unwrap_or(NO_VERTEX), out),
        Column::Vertices(lists) => {
            out.open_array()?;
            lists.get(row).iter().try_for_each(|vertex| write_vertex(vertices, *vertex, out))?;
            Ok(out.close()?)
        }
        Column::Label(labels) => {
            let code = labels.codes.get(row).copied().unwrap_or(u32::MAX);
            write_text(&labels.texts, code, out)
        }
        Column::LabelSets(lists, texts) => {
            out.open_array()?;
            lists.get(row).iter().try_for_each(|code| write_text(texts, *code, out))?;
            Ok(out.close()?)
        }
    }
}

/// Writes the members of an object with the statistics of a result.
pub(crate) fn write_statistics(statistics: &[(&'static str, Statistic)], out: &mut Builder) -> Result<()> {
    for (name, statistic) in statistics {
        out.key(name)?;
        match statistic {
            Statistic::Count(count) => out.add_u64(*count)?,
            Statistic::Number(number) => write_number(*number, out)?,
            Statistic::Flag(flag) => out.add_bool(*flag)?,
        }
    }
    Ok(())
}

/// Writes a number. JSON has no infinity, so an unreachable vertex has no distance.
fn write_number(number: f64, out: &mut Builder) -> Result<()> {
    if number.is_finite() {
        out.add_f64(number)?
    } else {
        out.add_null()?
    }
    Ok(())
}

fn write_vertex(vertices: &Vertices, vertex: u32, out: &mut Builder) -> Result<()> {
    match vertices.get(vertex) {
        Some((collection, key)) => Ok(out.add_str(&format!("{collection}/{key}"))?),
        None => Ok(out.add_null()?),
    }
}

fn write_text(texts: &[String], code: u32, out: &mut Builder) -> Result<()> {
    match texts.get(code as usize) {
        Some(text) => out.add_str(text)?,
        None => out.add_null()?,
    }
    Ok(())
}
