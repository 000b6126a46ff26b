//! The tables of a plain store: a memory-mapped file of LMDB.

mod environment;
mod keys;
mod samples;
mod reader;
mod writer;

pub(crate) use environment::Environment;
pub(crate) use reader::{Reader, Readers};
pub(crate) use writer::Writer;
