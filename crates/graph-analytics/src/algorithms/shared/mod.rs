//! Parts that several algorithms share.

pub(super) mod random;
pub(super) mod reach;
pub(super) mod simple;
pub(super) mod bit_search;
