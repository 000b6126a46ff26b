//! A document of a snapshot.

/// A document that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    /// The place of its segment in the snapshot.
    pub segment: u32,
    /// Its number in the segment.
    pub document: u32,
}
