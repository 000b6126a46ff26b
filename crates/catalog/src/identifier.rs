//! Identifiers: numbers taken from the server's tick and never used twice.

use std::fmt;
use std::str::FromStr;

macro_rules! identifier {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map($name)
            }
        }
    };
}

identifier!(
    /// The number of a database. The system database has 1.
    DatabaseId
);
identifier!(
    /// The number of a collection; clients see it as decimal text.
    CollectionId
);
identifier!(
    /// The number of an index within its collection: 0 is the primary index, 1 the edge index,
    /// others are ticks.
    IndexId
);
identifier!(
    /// The number of a view; clients see it as decimal text.
    ViewId
);
identifier!(
    /// The prefix of keys in the engine: the documents of a collection, or the entries of an index.
    ///
    /// Truncation assigns new ones to a collection.
    ObjectId
);

impl IndexId {
    /// The primary index, which is the documents themselves by `_key`.
    pub const PRIMARY: IndexId = IndexId(0);
    /// The index of an edge collection by `_from` and by `_to`.
    pub const EDGE: IndexId = IndexId(1);
    /// The greatest number that only the server gives. ArangoDB's cluster gives edge indexes 2.
    pub const LARGEST_RESERVED: IndexId = IndexId(2);
}
