//! Work on many keys outside of transactions: removal of ranges, sizes, the oldest version that the
//! cluster keeps, and the collection of older ones.

pub(crate) mod drop_range;
pub(crate) mod garbage;
pub(crate) mod sizes;
pub(crate) mod upkeep;
