//! Reads the vertices of a graph.

use std::sync::Arc;

use aql_value::{Charge, MemoryAccount};
use errors::{Error, Result};
use graph_analytics::Column;
use rayon::prelude::*;
use storage::{Collection, DocumentScanSpec, KeyBound};

use super::attributes::{AttributeColumn, AttributeSpec};
use super::{BLOCK, LoadRequest, ranges};
use crate::state::analytics::Vertices;

/// A part of a collection's vertices: their keys, one after the other, and their attributes.
struct Part {
    keys: Vec<u8>,
    ends: Vec<u32>,
    columns: Vec<AttributeColumn>,
}

/// Vertices that are listed one after the other, each once.
pub(crate) struct VertexList {
    pub(crate) vertices: Vertices,
    columns: Vec<AttributeColumn>,
    /// The memory of the attributes while they grow.
    charge: Charge,
    max: u64,
}

impl VertexList {
    pub(crate) fn new(attributes: &[AttributeSpec], memory: &Arc<MemoryAccount>, max: u64) -> Self {
        VertexList {
            vertices: Vertices::new(Arc::clone(memory)),
            columns: attributes.iter().map(|spec| AttributeColumn::new(spec.kind)).collect(),
            charge: Charge::new(Arc::clone(memory)),
            max,
        }
    }

    /// Checks the number of vertices. Errors: 10 for too many.
    fn check_count(&self, more: usize) -> Result<()> {
        let count = self.vertices.len() as u64 + more as u64;
        if count <= self.max {
            return Ok(());
        }
        let max = self.max;
        Err(Error::bad_parameter(format!(
            "the graph has {count} vertices or more; at most {max} are accepted"
        )))
    }

    /// Adds a vertex with its attributes, unless it is there already.
    ///
    /// Errors: 10 for too many vertices, 32 beyond the limit of memory.
    pub(crate) fn add(
        &mut self,
        (collection, key): (&str, &str),
        attributes: &[AttributeSpec],
        document: velocypack::Slice<'_>,
    ) -> Result<()> {
        self.check_count(1)?;
        let number = self.vertices.collection(collection)?;
        self.vertices.reserve(1, key.len())?;
        if self.vertices.add(number, key) {
            for (column, spec) in self.columns.iter_mut().zip(attributes) {
                column.push(spec, (collection, key), document)?;
            }
        }
        Ok(())
    }

    /// Adds vertices of one collection that are not there yet.
    fn take(&mut self, collection: u16, part: Part) -> Result<()> {
        self.check_count(part.ends.len())?;
        self.vertices.reserve(part.ends.len(), part.keys.len())?;
        let mut start = 0;
        for end in part.ends {
            let key = part.keys.get(start..end as usize).and_then(|key| std::str::from_utf8(key).ok());
            self.vertices.add(collection, key.ok_or_else(|| Error::corrupt("a key is no text"))?);
            start = end as usize;
        }
        for (column, more) in self.columns.iter_mut().zip(part.columns) {
            self.charge.grow(more.bytes())?;
            column.append(more)?;
        }
        Ok(())
    }

    /// Returns the vertices, and a column for each attribute.
    pub(crate) fn finish(self) -> (Vertices, Vec<Column>) {
        (self.vertices, self.columns.into_iter().map(AttributeColumn::finish).collect())
    }
}

impl LoadRequest<'_> {
    pub(super) fn load_vertices(&self) -> Result<(Vertices, Vec<Column>)> {
        let mut list = VertexList::new(self.attributes, &self.memory, self.vertices_max);
        for collection in &self.vertices {
            list.check_count(usize::try_from(self.snapshot.count(collection)?).unwrap_or(usize::MAX))?;
            let bounds = ranges(self.store.split_points(collection, self.parts())?);
            let number = list.vertices.collection(collection.name())?;
            let parts: Result<Vec<Part>> =
                bounds.into_par_iter().map(|(from, to)| self.read_vertices(collection, from, to)).collect();
            parts?.into_iter().try_for_each(|part| list.take(number, part))?;
        }
        Ok(list.finish())
    }

    /// Reads the vertices with keys from `from`, included, to `to`, excluded.
    fn read_vertices(
        &self,
        collection: &Collection,
        from: Option<String>,
        to: Option<String>,
    ) -> Result<Part> {
        let spec = DocumentScanSpec {
            from_key: from.map(|key| KeyBound { key, inclusive: true }),
            to_key: to.map(|key| KeyBound { key, inclusive: false }),
            sequential: true,
            keys_only: self.attributes.is_empty(),
            ..DocumentScanSpec::default()
        };
        let columns = self.attributes.iter().map(|spec| AttributeColumn::new(spec.kind)).collect();
        let mut part = Part { keys: Vec::new(), ends: Vec::new(), columns };
        let mut charge = Charge::new(Arc::clone(&self.memory));
        let mut scan = self.snapshot.scan(collection, &spec)?;
        loop {
            self.work.check()?;
            let block = match spec.keys_only {
                true => scan.next_keys(BLOCK)?.map(|keys| keys.iter().try_for_each(|key| part.add(key))),
                false => scan.next_block(BLOCK)?.map(|documents| {
                    documents.iter().try_for_each(|document| {
                        let key = document.get("_key").and_then(velocypack::Slice::as_str);
                        let key = key.ok_or_else(|| Error::corrupt("a document has no key"))?;
                        part.add(key)?;
                        let place = (collection.name(), key);
                        let mut columns = part.columns.iter_mut().zip(self.attributes);
                        columns.try_for_each(|(column, spec)| column.push(spec, place, document))
                    })
                }),
            };
            let is_end = block.transpose()?.is_none();
            charge.grow(part.bytes().saturating_sub(charge.bytes()))?;
            if is_end {
                return Ok(part);
            }
        }
    }
}

impl Part {
    fn add(&mut self, key: &str) -> Result<()> {
        self.keys.extend_from_slice(key.as_bytes());
        let end = u32::try_from(self.keys.len());
        self.ends
            .push(end.map_err(|_| Error::bad_parameter("the keys of the vertices take more than 4 GiB"))?);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let columns: u64 = self.columns.iter().map(AttributeColumn::bytes).sum();
        (self.keys.len() + self.ends.len() * size_of::<u32>()) as u64 + columns
    }
}
