//! Arrow: rows in VelocyPack as record batches of an IPC stream, and record batches as documents.
//!
//! - [`RowSchema`]: the columns of a stream, inferred from rows ([`Inference`]) or named by the
//!   client ([`RowSchema::parse`]).
//! - [`StreamEncoder`]: rows to record batches of a stream.
//! - [`StreamDecoder`]: a stream from outside to record batches, within bounds.
//! - [`RowReader`]: a record batch to documents.
//!
//! The format is described in Arrow's columnar format, version 1.5, and its list of canonical
//! extension types (`arrow.json`).

mod column;
mod schema_text;
mod infer;
mod sink;
mod encode;
mod frames;
mod decode;
mod temporal;
mod cells;
mod rows;

pub use column::{Column, ColumnType, MAX_COLUMNS, MAX_DEPTH, RowSchema};

pub use decode::{StreamDecoder, panics_are_errors};
pub use encode::StreamEncoder;
pub use infer::Inference;
pub use rows::RowReader;
