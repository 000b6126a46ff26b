//! Bytes of numbers, Raft's types and messages. Little-endian, without alignment.
//!
//! Everything that is read has a bound, so that a few bytes cannot ask for much memory.

pub(crate) mod reader;
pub(crate) mod writer;
pub(crate) mod state;
pub(crate) mod raft;
pub(crate) mod message;
