//! The edge index: two entries for each edge, one at each of its vertices.

pub(crate) mod encoding;
mod reader;
mod scan;
mod walk;

use std::sync::Arc;

use errors::{Error, Result};
use velocypack::Slice;

use crate::index::bounds::IndexRange;
use crate::index::entries::Entries;
use crate::index::scan::{EntryScan, ScanOptions, ScanSource};
use crate::index::{Index, IndexMethod};
use crate::visibility::read_cache::CacheKey;
use scan::VerticesScan;

pub use encoding::EdgeDirection;
pub use reader::{EdgeReader, VertexEdges};
pub use scan::{EdgeEntries, EdgeEntry, EdgeScan};
pub use walk::{EdgeEndPairs, EdgeWalk};

pub(super) struct Edge;

impl IndexMethod for Edge {
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let vertex = |name| document.get(name).and_then(Slice::as_str);
        let (Some(from), Some(to)) = (vertex("_from"), vertex("_to")) else {
            return Err(Error::corrupt("an edge without '_from' or '_to'"));
        };
        let object = index.definition().object_id;
        for (direction, own, other) in
            [(EdgeDirection::Outbound, from, to), (EdgeDirection::Inbound, to, from)]
        {
            entries.add(|bytes| encoding::append_key(object, direction, own, key, bytes));
            entries.set_value(|bytes| bytes.extend_from_slice(other.as_bytes()));
        }
        Ok(())
    }

    fn is_estimated(&self, _index: &Index) -> bool {
        true
    }

    fn cache_key(&self, _index: &Index) -> Option<CacheKey> {
        Some(encoding::prefix_of_entry)
    }

    fn open(
        &self,
        index: &Arc<Index>,
        source: ScanSource,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        let mut pending: Vec<_> =
            ranges.iter().map(|range| (direction(range), vertices(range, options.ascending))).collect();
        pending.reverse();
        let (index, wants_covered) = (Arc::clone(index), options.wants_covered);
        Ok(Box::new(VerticesScan { source, index, pending, scan: None, wants_covered }))
    }
}

/// Returns the direction of a search: field 0 is `_from`, field 1 is `_to`.
fn direction(range: &IndexRange) -> EdgeDirection {
    if range.first_field == 0 { EdgeDirection::Outbound } else { EdgeDirection::Inbound }
}

/// Returns the identifiers of the vertices in the order of the lookup. A value that is not a text
/// names no vertex.
fn vertices(range: &IndexRange, ascending: bool) -> Vec<String> {
    let values = range.equal.first().map(Vec::as_slice).unwrap_or_default();
    let mut vertices: Vec<String> =
        values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect();
    if !ascending {
        vertices.reverse();
    }
    vertices
}
