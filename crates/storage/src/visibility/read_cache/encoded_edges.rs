//! All edges of a vertex in one piece of memory.
//!
//! `number of edges (4 bytes) · for each edge: length of its _key (1 byte) · length of the other
//! vertex (2 bytes) · _key · other vertex`, numbers in little-endian order.

/// Edges of one vertex in one direction, in order of their keys.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EncodedEdges<'a>(&'a [u8]);

const COUNT_BYTES: usize = 4;
const LENGTHS_BYTES: usize = 3;

impl<'a> EncodedEdges<'a> {
    /// Wraps bytes that [`EncodedEdges::encode`] has written.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        EncodedEdges(bytes)
    }

    /// Replaces the contents of `bytes` with edges, each given as its key and the other vertex.
    pub(crate) fn encode<'e>(
        edges: impl ExactSizeIterator<Item = (&'e [u8], &'e [u8])>,
        bytes: &mut Vec<u8>,
    ) {
        bytes.clear();
        bytes.extend_from_slice(&u32::try_from(edges.len()).unwrap_or(u32::MAX).to_le_bytes());
        for (key, other) in edges {
            // Keys have at most 254 bytes, identifiers at most 511.
            bytes.push(u8::try_from(key.len()).unwrap_or(u8::MAX));
            bytes.extend_from_slice(&u16::try_from(other.len()).unwrap_or(u16::MAX).to_le_bytes());
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(other);
        }
    }

    /// Returns the number of edges.
    pub(crate) fn len(self) -> usize {
        let count = self.0.first_chunk::<COUNT_BYTES>();
        count.map_or(0, |count| u32::from_le_bytes(*count) as usize)
    }

    /// Iterates over the edges: the key and the other vertex of each.
    pub(crate) fn iter(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let mut rest = self.0.get(COUNT_BYTES..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (&[key_bytes, low, high], behind) = rest.split_first_chunk::<LENGTHS_BYTES>()?;
            let (key, behind) = behind.split_at_checked(usize::from(key_bytes))?;
            let (other, behind) = behind.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
            rest = behind;
            Some((key, other))
        })
    }
}
