//! Compressed bodies.

use std::io::{self, Read, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::GzEncoder;

/// A body that is being decompressed.
pub(crate) enum Decoder<R> {
    Plain(R),
    Gzip(Box<MultiGzDecoder<R>>),
    Deflate(Box<ZlibDecoder<R>>),
}

impl<R: Read> Decoder<R> {
    /// Returns a decoder for a `content-encoding`; `None` if it is unknown.
    pub(crate) fn new(encoding: Option<&str>, reader: R) -> Option<Self> {
        match encoding.unwrap_or("identity") {
            "identity" | "" => Some(Decoder::Plain(reader)),
            "gzip" | "x-gzip" => Some(Decoder::Gzip(Box::new(MultiGzDecoder::new(reader)))),
            "deflate" => Some(Decoder::Deflate(Box::new(ZlibDecoder::new(reader)))),
            _ => None,
        }
    }

    /// Returns the body as it arrives.
    pub(crate) fn inner_mut(&mut self) -> &mut R {
        match self {
            Decoder::Plain(reader) => reader,
            Decoder::Gzip(decoder) => decoder.get_mut(),
            Decoder::Deflate(decoder) => decoder.get_mut(),
        }
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Plain(reader) => reader.read(buffer),
            Decoder::Gzip(decoder) => decoder.read(buffer),
            Decoder::Deflate(decoder) => decoder.read(buffer),
        }
    }
}

/// Decompresses a whole body; `None` if it would have more than `max_bytes`.
pub(crate) fn decoded(encoding: &str, body: &Bytes, max_bytes: usize) -> io::Result<Option<Bytes>> {
    let decoder = Decoder::new(Some(encoding), body.as_ref())
        .ok_or_else(|| io::Error::other(format!("unknown content-encoding {encoding:?}")))?;
    let mut plain = Vec::with_capacity(body.len().saturating_mul(4).min(max_bytes));
    decoder.take((max_bytes as u64).saturating_add(1)).read_to_end(&mut plain)?;
    Ok((plain.len() <= max_bytes).then(|| Bytes::from(plain)))
}

/// Compresses a body with gzip at its fastest level.
pub(crate) fn gzipped(body: &[u8]) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 3), Compression::fast());
    encoder.write_all(body)?;
    encoder.finish().map(Bytes::from)
}
