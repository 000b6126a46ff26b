//! Writes results of algorithms into attributes of the documents, batch by batch.

use aql_value::Interrupt;
use errors::{Error, ErrorCode, Result};
use graph_analytics::{Algorithm, Column};
use storage::{DOCUMENT_WAIT, Durability, OverwriteMode, WriteOptions};
use velocypack::Builder;

use super::rows::write_value;
use crate::documents::{WriteMode, WriteOperation};
use crate::session::Session;
use crate::state::analytics::Vertices;

/// Columns to be written.
pub(super) struct StoreRequest<'s> {
    pub(super) session: &'s Session,
    pub(super) interrupt: &'s Interrupt,
    pub(super) vertices: &'s Vertices,
    /// The name of each attribute, and its values by vertex.
    pub(super) columns: Vec<(&'s str, &'s Column)>,
    /// Documents that one transaction writes.
    pub(super) batch: usize,
    /// Is told the number of documents that a batch has written.
    pub(super) note: &'s dyn Fn(u64),
}

/// The outcome of writing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stored {
    /// The documents that were written.
    pub(super) written: u64,
    /// The vertices whose documents are gone.
    pub(super) missing: u64,
}

impl StoreRequest<'_> {
    /// The documents of a transaction where the caller does not say.
    pub(super) const BATCH: usize = 10_000;

    /// Writes the attributes. A document that was removed meanwhile is passed over.
    ///
    /// Errors: 11, 1004, 1203 before anything is written. Any later error says how many documents
    /// were written.
    pub(super) fn run(&self) -> Result<Stored> {
        for collection in self.vertices.collections() {
            self.session.writable_collection(collection)?;
        }
        let mut stored = Stored::default();
        let mut from = 0;
        while from < self.vertices.len() {
            let to = self.end_of_batch(from);
            self.write(from..to, &mut stored).map_err(|error| {
                let written = stored.written;
                let message = format!("{}; {written} documents were written before", error.message());
                error.with_message(message)
            })?;
            from = to;
        }
        Ok(stored)
    }

    /// Returns the end of a batch, whose vertices are all of one collection.
    fn end_of_batch(&self, from: usize) -> usize {
        let collection = |vertex: usize| self.vertices.get(vertex as u32).map(|(collection, _)| collection);
        let first = collection(from);
        let max = self.vertices.len().min(from.saturating_add(self.batch.max(1)));
        (from + 1..max).find(|vertex| collection(*vertex) != first).unwrap_or(max)
    }

    fn write(&self, vertices: std::ops::Range<usize>, stored: &mut Stored) -> Result<()> {
        self.interrupt.check()?;
        let Some((collection, _)) = self.vertices.get(vertices.start as u32) else { return Ok(()) };
        let mut bodies = Builder::new();
        bodies.open_array()?;
        for vertex in vertices {
            let Some((_, key)) = self.vertices.get(vertex as u32) else { continue };
            bodies.open_object()?;
            bodies.key("_key")?;
            bodies.add_str(key)?;
            for (name, column) in &self.columns {
                bodies.key(name)?;
                write_value(column, self.vertices, vertex, &mut bodies)?;
            }
            bodies.close()?;
        }
        bodies.close()?;
        let options = WriteOptions { keep_null: true, ..WriteOptions::default() };
        let mode = WriteMode { durability: Durability::Buffered, wait: DOCUMENT_WAIT };
        let update = WriteOperation::Update;
        let (_, outcomes) =
            self.session.write_documents(collection, update, bodies.as_slice(), &options, mode, true)?;
        stored.written += outcomes.written as u64;
        (self.note)(outcomes.written as u64);
        for outcome in outcomes.outcomes {
            match outcome {
                Err(error) if error.code() == ErrorCode::DocumentNotFound => stored.missing += 1,
                outcome => drop(outcome?),
            }
        }
        Ok(())
    }
}

/// Documents of a collection of their own, one for each vertex.
pub(super) struct Insertion<'s> {
    pub(super) session: &'s Session,
    pub(super) collection: &'s str,
    pub(super) vertices: &'s Vertices,
    /// The name of each attribute, and its values by vertex.
    pub(super) columns: Vec<(&'s str, &'s Column)>,
}

impl Insertion<'_> {
    /// Writes the documents of some vertices, and returns their number. A document that is there
    /// already gets the attributes.
    ///
    /// The key is that of the vertex; with vertices of several collections it is `collection:key`.
    ///
    /// Errors: the first of a document that cannot be written, 11, 1004, 1203.
    pub(super) fn write(&self, vertices: std::ops::Range<usize>) -> Result<u64> {
        let is_one = self.vertices.collections().len() == 1;
        let mut bodies = Builder::new();
        bodies.open_array()?;
        for vertex in vertices {
            let Some((collection, key)) = self.vertices.get(vertex as u32) else { continue };
            bodies.open_object()?;
            bodies.key("_key")?;
            if is_one {
                bodies.add_str(key)?
            } else {
                bodies.add_str(&format!("{collection}:{key}"))?
            }
            bodies.key("id")?;
            bodies.add_str(&format!("{collection}/{key}"))?;
            for (name, column) in &self.columns {
                bodies.key(name)?;
                write_value(column, self.vertices, vertex, &mut bodies)?;
            }
            bodies.close()?;
        }
        bodies.close()?;
        let options = WriteOptions {
            keep_null: true,
            overwrite_mode: OverwriteMode::Update,
            ..WriteOptions::default()
        };
        let mode = WriteMode { durability: Durability::Buffered, wait: DOCUMENT_WAIT };
        let (insert, bodies) = (WriteOperation::Insert, bodies.as_slice());
        let (_, outcomes) =
            self.session.write_documents(self.collection, insert, bodies, &options, mode, true)?;
        match outcomes.outcomes.into_iter().find_map(Result::err) {
            Some(error) => Err(error),
            None => Ok(outcomes.written as u64),
        }
    }
}

/// Returns the columns of an algorithm that become attributes, with their names.
///
/// One column gets the name that the caller gives; several get it as a prefix. Without it they keep
/// their own.
///
/// Errors: 10 for an algorithm whose rows are not about vertices, or an unknown column.
pub(super) fn attribute_names(
    algorithm: &Algorithm,
    attribute: Option<&str>,
    wanted: &[String],
) -> Result<Vec<(&'static str, String)>> {
    if !algorithm.is_by_vertex {
        return Err(Error::bad_parameter(format!(
            "the rows of '{}' are not about single vertices, so they cannot be attributes; use mode 'stream'",
            algorithm.name
        )));
    }
    if let Some(unknown) = wanted.iter().find(|name| !algorithm.columns.contains(&name.as_str())) {
        return Err(Error::bad_parameter(format!(
            "'{}' has no column '{unknown}'; it has: {}",
            algorithm.name,
            algorithm.columns.join(", ")
        )));
    }
    let is_wanted = |column: &&&str| wanted.is_empty() || wanted.iter().any(|name| name == **column);
    let columns: Vec<&'static str> = algorithm.columns.iter().filter(is_wanted).copied().collect();
    let is_one = columns.len() == 1;
    let name = |column: &str| match attribute {
        Some(attribute) if is_one => attribute.to_owned(),
        Some(attribute) => format!("{attribute}_{column}"),
        None => column.to_owned(),
    };
    Ok(columns.into_iter().map(|column| (column, name(column))).collect())
}
