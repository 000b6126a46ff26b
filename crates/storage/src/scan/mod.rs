//! Scans over documents. Each returns blocks, and holds no iterator after `release`.

mod ahead;
mod document;

pub use document::{DocumentKeys, DocumentScan, DocumentScanSpec, KeyBound};
pub use kv::BlockLimits;
