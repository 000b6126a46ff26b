//! The edge index: two entries an edge, one at each of its vertices.

use velocypack::Slice;

use super::entries::Entries;
use super::{Index, Method};
use crate::encoding::edge;
use crate::scan::EdgeDirection;
use crate::{Error, Result};

pub(super) struct Edge;

impl Method for Edge {
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let vertex = |name| document.get(name).and_then(Slice::as_str);
        let (Some(from), Some(to)) = (vertex("_from"), vertex("_to")) else {
            return Err(Error::corrupt("an edge without '_from' or '_to'"));
        };
        let object = index.definition().object_id;
        for (direction, own, other) in
            [(EdgeDirection::Outbound, from, to), (EdgeDirection::Inbound, to, from)]
        {
            entries.add(|bytes| edge::append_key(object, direction, own, key, bytes));
            entries.set_value(|bytes| bytes.extend_from_slice(other.as_bytes()));
        }
        Ok(())
    }

    fn is_estimated(&self, _index: &Index) -> bool {
        true
    }
}
