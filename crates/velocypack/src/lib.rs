//! VelocyPack values: the one format on disk, in the executor and on the wire.
//!
//! - [`Slice`]: a borrowed value, read in place; nothing is decoded before it is needed.
//! - [`Builder`]: appends values to one growing buffer.
//! - [`document`], [`merge`], [`to_wire`]: stored documents made, patched and sent.
//! - [`validate`], [`normalize`]: the checks of bytes from outside.
//! - [`json`]: text in and out, without a tree in between. [`ValueWriter`]: values in either form.
//! - [`order`]: AQL's total order, its equality, hash and sort keys.
//!
//! The format is described in VelocyPack's public specification, version 1. Two things are our own:
//! the `_id` marker ([`ID_MARKER`]), and that objects made here always carry a sorted index table.

mod error;
mod format;
mod kind;
mod limits;
mod number;
mod container;
mod encode;
mod names;
mod slice;
mod block;
mod iterate;
mod validate;
mod wire;
mod builder;
mod merge;
mod value_writer;
pub mod json;
mod normalize;
mod document;
pub mod order;
#[cfg(test)]
mod testing;

pub use block::Block;
pub use builder::{Builder, Duplicates};
pub use document::{document, resolve_id};
pub use error::{Error, Result};
pub use format::ID_MARKER;
pub use iterate::{Elements, Entries, SortedEntries};
pub use kind::Kind;
pub use limits::Limits;
pub use merge::{MergeOptions, merge};
pub use normalize::normalize;
pub use number::Number;
pub use slice::Slice;
pub use validate::validate;
pub use value_writer::ValueWriter;
pub use wire::to_wire;
