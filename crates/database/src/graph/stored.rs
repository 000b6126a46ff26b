//! The documents of `_graphs`, as they are written.

use catalog::{GRAPHS_COLLECTION, GraphDefinition, GraphOptions};
use errors::{Error, ErrorCode, Result};
use storage::{Collection, DOCUMENT_WAIT, Durability, StoredDocument, Transaction, WriteOptions};
use velocypack::{Builder, Slice};

use crate::documents::WriteMode;
use crate::graph::StoredGraph;
use crate::session::Session;

impl Session {
    /// Writes documents of graphs. Each change of another server since `work` began makes it run
    /// again, so it should read the definitions that its writes depend on.
    pub(super) fn write_graphs<T>(
        &self,
        durability: Durability,
        mut work: impl FnMut(&mut Transaction, &Collection) -> Result<T>,
    ) -> Result<T> {
        let mode = WriteMode { durability, wait: DOCUMENT_WAIT };
        self.write_definitions(GRAPHS_COLLECTION, mode, |transaction, graphs| {
            // The state of a transaction is that of its first read. Changes from then on conflict.
            transaction.view();
            work(transaction, graphs)
        })
    }
}

/// Stores the changed definition of a graph, and returns its document.
pub(super) fn store_changed(
    transaction: &mut Transaction,
    graphs: &Collection,
    graph: &GraphDefinition,
) -> Result<Option<StoredDocument>> {
    let document = document(graph, None)?;
    let options = WriteOptions { return_new: true, ..WriteOptions::default() };
    // Merged into the stored document, which may have further attributes.
    Ok(transaction.update(graphs, &graph.name, Slice::new(&document), &options)?.new)
}

pub(super) fn stored_graph(
    definition: GraphDefinition,
    document: Option<StoredDocument>,
) -> Result<StoredGraph> {
    let document =
        document.ok_or_else(|| Error::new(ErrorCode::Internal, "a stored graph was not returned"))?;
    Ok(StoredGraph { definition, document })
}

pub(super) fn document(graph: &GraphDefinition, options: Option<&GraphOptions>) -> Result<Vec<u8>> {
    let mut builder = Builder::with_capacity(512);
    builder.open_object()?;
    builder.key("_key")?;
    builder.add_str(&graph.name)?;
    graph.print(&mut builder)?;
    if let Some(options) = options {
        options.print(&mut builder)?;
    }
    builder.close()?;
    Ok(builder.into_vec())
}
