//! Work on many keys outside of transactions: removal of ranges, sizes, and the oldest version that
//! the cluster keeps.

pub(crate) mod drop_range;
pub(crate) mod sizes;
pub(crate) mod upkeep;
