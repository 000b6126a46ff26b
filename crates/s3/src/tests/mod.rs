//! The client against a storage in memory, and signatures against Amazon's published examples.

mod options;
mod signature;
mod storage;
