//! The row of a run that gives no rows of its result.

use std::time::Duration;

use aql_value::{BlockBuilder, Rows};
use errors::Result;
use graph_analytics::{Algorithm, Table};

use super::rows::{Named, OneRow, write_statistics};

/// A result with the time that it took.
pub(super) struct Computed {
    pub(super) table: Table,
    pub(super) compute_time: Duration,
}

/// Returns a row with the size of the graph, the statistics of the result, and the times. `written`
/// are the documents that were written, and those that are gone.
pub(super) fn one_row(
    algorithm: &Algorithm,
    named: &Named,
    computed: &Computed,
    written: Option<(u64, u64)>,
) -> Result<Box<dyn Rows>> {
    let loaded = named.loaded();
    let mut block = BlockBuilder::new(1);
    let out = block.builder();
    out.open_object()?;
    out.key("algorithm")?;
    out.add_str(algorithm.name)?;
    for (name, count) in [
        ("vertices", loaded.vertices.len() as u64),
        ("edges", loaded.graph.edge_count()),
        ("danglingEdges", loaded.dangling_edges),
        ("rows", computed.table.len() as u64),
    ] {
        out.key(name)?;
        out.add_u64(count)?;
    }
    write_statistics(computed.table.statistics(), out)?;
    if let Some((written, missing)) = written {
        out.key("written")?;
        out.add_u64(written)?;
        out.key("missing")?;
        out.add_u64(missing)?;
    }
    let load_time = match named {
        Named::Loaded(loaded) => loaded.load_time,
        Named::Projection(_) => Duration::ZERO,
    };
    for (name, time) in [("loadSeconds", load_time), ("computeSeconds", computed.compute_time)] {
        out.key(name)?;
        out.add_f64(time.as_secs_f64())?;
    }
    out.close()?;
    block.end_value();
    Ok(Box::new(OneRow(block.finish().pop())))
}
