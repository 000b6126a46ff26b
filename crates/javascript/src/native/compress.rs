//! Compression, for files that services serve.

use std::io::Write;

use errors::Error;
use flate2::Compression;
use flate2::write::GzEncoder;
use rquickjs::Value;

use super::{Call, NativeResult, Table};

pub(super) const TABLE: Table = &[("gzip", gzip)];

/// `gzip(bytes)`: the bytes as a gzip member.
fn gzip<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&call.bytes(0)?).map_err(Error::internal)?;
    call.give_bytes(encoder.finish().map_err(Error::internal)?)
}
