//! Compression of replies and decompression of requests.
//!
//! A request may be compressed with `gzip`, `deflate` (with zlib's header, or without it as some
//! clients send it) or `zstd`. A reply is compressed with `gzip` or `deflate` if the client accepts
//! it and the reply reaches `--http.compress-response-threshold`. A stream is compressed with any
//! of the three if the client accepts it.

use std::io::{Read, Write};

use bytes::Bytes;
use errors::{Error, ErrorCode, Result};
use flate2::Compression;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue};

use super::stream::ChunkSource;
use super::zstd;

/// An encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// RFC 1952.
    Gzip,
    /// RFC 1950, which HTTP calls "deflate".
    Deflate,
    /// RFC 8878.
    Zstd,
}

impl Encoding {
    /// Returns the header `content-encoding` of a body.
    pub fn header(self) -> HeaderValue {
        match self {
            Encoding::Gzip => HeaderValue::from_static("gzip"),
            Encoding::Deflate => HeaderValue::from_static("deflate"),
            Encoding::Zstd => HeaderValue::from_static("zstd"),
        }
    }

    /// Returns the encoding of a reply that the client accepts; gzip before deflate.
    pub fn accepted(headers: &HeaderMap) -> Option<Self> {
        Self::first_accepted(headers, &[(Encoding::Gzip, "gzip"), (Encoding::Deflate, "deflate")])
    }

    /// Returns the best encoding of a long stream that the client accepts.
    pub fn accepted_for_stream(headers: &HeaderMap) -> Option<Self> {
        Self::first_accepted(headers, &[(Encoding::Zstd, "zstd")]).or_else(|| Self::accepted(headers))
    }

    fn first_accepted(headers: &HeaderMap, encodings: &[(Self, &str)]) -> Option<Self> {
        let found = encodings.iter().find(|(_, name)| accepts(headers, name));
        found.map(|(encoding, _)| *encoding)
    }
}

/// Returns true if `accept-encoding` names an encoding with a quality other than 0.
pub fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()).any(|list| {
        list.split(',').any(|item| {
            let (name, quality) = item.split_once(';').unwrap_or((item, "q=1"));
            let quality =
                quality.trim().strip_prefix("q=").and_then(|quality| quality.trim().parse::<f32>().ok());
            name.trim().eq_ignore_ascii_case(encoding) && quality != Some(0.0)
        })
    })
}

/// The usual upper bound of a body's length as a multiple of its compressed length.
const LIKELY_COMPRESSION: usize = 12;

/// The minimum length that is expected of a decompressed body.
const LIKELY_MIN_BYTES: usize = 64 << 10;

/// Returns the bounds by which a compressed body is unpacked, one after another.
///
/// Few bodies state their length. The others get the room that most bodies need, and if that is
/// too little, the largest that is allowed.
pub(crate) fn bounds_to_try(body: &[u8], max_bytes: usize) -> impl Iterator<Item = usize> {
    let likely = gzip_members::plain_bytes(body)
        .unwrap_or_else(|| body.len().saturating_mul(LIKELY_COMPRESSION))
        .max(LIKELY_MIN_BYTES);
    let (first, last) = (likely.min(max_bytes), max_bytes);
    std::iter::once(first).chain((first < last).then_some(last))
}

/// Decompresses a request's body if it is compressed.
///
/// Errors: 400 if it is damaged or has an unknown encoding, 413 if it would be longer than
/// `max_bytes`.
pub(crate) fn decompress(headers: &HeaderMap, body: Bytes, max_bytes: usize) -> Result<Bytes> {
    let Some(encoding) = headers.get(CONTENT_ENCODING) else { return Ok(body) };
    let encoding = encoding.to_str().unwrap_or_default().trim().to_ascii_lowercase();
    match encoding.as_str() {
        "" | "identity" => Ok(body),
        _ if body.is_empty() => Ok(body),
        // A gzip member of our dumps records its length, so it is unpacked in one step.
        "gzip" | "x-gzip" if gzip_members::plain_bytes(&body).is_some() => unpack(&body, max_bytes),
        "gzip" | "x-gzip" => read_bounded(MultiGzDecoder::new(&*body), max_bytes),
        "deflate" if has_zlib_header(&body) => read_bounded(ZlibDecoder::new(&*body), max_bytes),
        "deflate" => read_bounded(DeflateDecoder::new(&*body), max_bytes),
        "zstd" => bounded(zstd::decompress(&body, max_bytes), max_bytes),
        other => {
            let message =
                format!("content-encoding '{other}' is not supported, only gzip, deflate and zstd are");
            Err(Error::new(ErrorCode::HttpBadParameter, message).with_status(415))
        }
    }
}

fn unpack(member: &[u8], max_bytes: usize) -> Result<Bytes> {
    match gzip_members::unpack(member, max_bytes) {
        Err(gzip_members::Error::TooLong { .. }) => Err(too_long(max_bytes)),
        unpacked => bounded(unpacked.map_err(std::io::Error::other), max_bytes),
    }
}

/// Returns true for a header by RFC 1950: method 8, and a checksum over the first two bytes.
fn has_zlib_header(body: &[u8]) -> bool {
    match body {
        [method, flags, ..] => method & 15 == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0,
        _ => false,
    }
}

fn read_bounded(reader: impl Read, max_bytes: usize) -> Result<Bytes> {
    let mut out = Vec::new();
    let limit = max_bytes as u64 + 1;
    bounded(reader.take(limit).read_to_end(&mut out).map(|_| out), max_bytes)
}

fn bounded(decompressed: std::io::Result<Vec<u8>>, max_bytes: usize) -> Result<Bytes> {
    let out = decompressed.map_err(|error| {
        Error::new(ErrorCode::HttpBadParameter, format!("the request body cannot be decompressed: {error}"))
    })?;
    if out.len() > max_bytes { Err(too_long(max_bytes)) } else { Ok(out.into()) }
}

fn too_long(max_bytes: usize) -> Error {
    let message = format!("the decompressed request body is longer than the limit of {max_bytes} bytes");
    Error::new(ErrorCode::HttpBadParameter, message).with_status(413)
}

/// Compresses a whole body.
pub(crate) fn compress(encoding: Encoding, body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(encoding, Vec::with_capacity(body.len() / 3 + 64))?;
    compressor.write_all(body)?;
    compressor.finish()
}

/// A compressor that writes into a vector.
enum Compressor {
    Gzip(GzEncoder<Vec<u8>>),
    Deflate(ZlibEncoder<Vec<u8>>),
    Zstd(zstd::Compressor),
}

impl Compressor {
    fn new(encoding: Encoding, out: Vec<u8>) -> std::io::Result<Self> {
        Ok(match encoding {
            Encoding::Gzip => Compressor::Gzip(GzEncoder::new(out, Compression::fast())),
            Encoding::Deflate => Compressor::Deflate(ZlibEncoder::new(out, Compression::fast())),
            Encoding::Zstd => Compressor::Zstd(zstd::Compressor::new()?),
        })
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Compressor::Gzip(encoder) => encoder.write_all(bytes),
            Compressor::Deflate(encoder) => encoder.write_all(bytes),
            Compressor::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    /// Returns the compressed bytes so far, and removes them.
    fn take(&mut self) -> Vec<u8> {
        match self {
            Compressor::Gzip(encoder) => std::mem::take(encoder.get_mut()),
            Compressor::Deflate(encoder) => std::mem::take(encoder.get_mut()),
            Compressor::Zstd(encoder) => encoder.take(),
        }
    }

    fn finish(self) -> std::io::Result<Vec<u8>> {
        match self {
            Compressor::Gzip(encoder) => encoder.finish(),
            Compressor::Deflate(encoder) => encoder.finish(),
            Compressor::Zstd(encoder) => encoder.finish(),
        }
    }
}

/// A stream whose chunks are compressed as one.
pub(crate) struct Compressed {
    source: Box<dyn ChunkSource>,
    compressor: Option<Compressor>,
}

impl Compressed {
    pub(crate) fn new(source: Box<dyn ChunkSource>, encoding: Encoding) -> Result<Self> {
        let compressor = Compressor::new(encoding, Vec::new()).map_err(Error::internal)?;
        Ok(Compressed { source, compressor: Some(compressor) })
    }
}

impl ChunkSource for Compressed {
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        while let Some(compressor) = &mut self.compressor {
            match self.source.next_chunk()? {
                Some(chunk) => {
                    compressor.write_all(&chunk).map_err(Error::internal)?;
                    let out = compressor.take();
                    if !out.is_empty() {
                        return Ok(Some(out));
                    }
                }
                None => {
                    let last = self.compressor.take().map(Compressor::finish).transpose();
                    return last.map_err(Error::internal);
                }
            }
        }
        Ok(None)
    }

    fn release(&mut self) {
        self.source.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(encoding: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static(encoding))])
    }

    #[test]
    fn what_is_compressed_is_decompressed() {
        let body = b"some text that repeats, some text that repeats".repeat(100);
        let encodings = [(Encoding::Gzip, "gzip"), (Encoding::Deflate, "deflate"), (Encoding::Zstd, "zstd")];
        for (encoding, name) in encodings {
            let compressed = compress(encoding, &body).unwrap();
            assert!(compressed.len() < body.len() / 2);
            assert_eq!(decompress(&headers(name), compressed.into(), 1 << 20).unwrap(), body);
        }
    }

    #[test]
    fn what_a_dump_has_packed_is_unpacked() {
        let body = b"{\"_key\":\"1\"}\n".repeat(1000);
        let member = gzip_members::Packer::default().pack(&body).unwrap().to_vec();
        assert_eq!(decompress(&headers("gzip"), member.clone().into(), 1 << 20).unwrap(), body);
        let status = |member: Vec<u8>, max_bytes| {
            decompress(&headers("gzip"), member.into(), max_bytes).unwrap_err().status()
        };
        assert_eq!(status(member.clone(), body.len() - 1), 413);
        let mut damaged = member.clone();
        damaged[30] ^= 0xff;
        assert_eq!(status(damaged, 1 << 20), 400);
        // Two such members are ordinary gzip.
        let two = [member.clone(), member].concat();
        assert_eq!(decompress(&headers("gzip"), two.into(), 1 << 20).unwrap().len(), 2 * body.len());
    }

    #[test]
    fn deflate_without_a_header_is_understood() {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"[1,2,3]").unwrap();
        let compressed = encoder.finish().unwrap();
        assert_eq!(decompress(&headers("deflate"), compressed.into(), 100).unwrap(), "[1,2,3]");
    }

    #[test]
    fn a_body_that_would_be_too_long_is_refused() {
        for (encoding, name) in [(Encoding::Gzip, "gzip"), (Encoding::Zstd, "zstd")] {
            let compressed = compress(encoding, &vec![0; 1 << 20]).unwrap();
            let error = decompress(&headers(name), compressed.into(), 1_000).unwrap_err();
            assert_eq!(error.status(), 413);
        }
    }

    #[test]
    fn damage_and_unknown_encodings_are_errors() {
        assert_eq!(decompress(&headers("gzip"), Bytes::from_static(b"no"), 99).unwrap_err().status(), 400);
        assert_eq!(decompress(&headers("br"), Bytes::from_static(b"no"), 99).unwrap_err().status(), 415);
        assert_eq!(decompress(&headers("identity"), Bytes::from_static(b"yes"), 99).unwrap(), "yes");
    }

    #[test]
    fn the_client_chooses() {
        let accept = |list| {
            Encoding::accepted(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(list))]))
        };
        assert_eq!(accept("deflate, gzip;q=0.5"), Some(Encoding::Gzip));
        assert_eq!(accept("gzip;q=0, deflate"), Some(Encoding::Deflate));
        assert_eq!(accept("br"), None);
        assert_eq!(accept("zstd"), None);
        let stream = |list| {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(list))]);
            Encoding::accepted_for_stream(&headers)
        };
        assert_eq!(stream("gzip, zstd"), Some(Encoding::Zstd));
        assert_eq!(stream("zstd;q=0, deflate"), Some(Encoding::Deflate));
        assert_eq!(stream("*"), None);
    }
}
