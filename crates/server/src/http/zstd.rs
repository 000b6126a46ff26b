//! Zstandard (RFC 8878): streams are compressed and decompressed step by step in the library's own
//! context.

use std::io;

use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::{CCtx, CParameter, DCtx, InBuffer, OutBuffer};

/// At least as fast as gzip's fastest level, with a smaller result.
const LEVEL: i32 = 1;
/// Bytes by which the output grows, as the library recommends.
const STEP_BYTES: usize = 128 << 10;

/// A compressor that writes into a vector.
pub(super) struct Compressor {
    context: CCtx<'static>,
    out: Vec<u8>,
}

impl Compressor {
    pub(super) fn new() -> io::Result<Self> {
        let mut context = CCtx::try_create().ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        context.set_parameter(CParameter::CompressionLevel(LEVEL)).map_err(failed)?;
        Ok(Compressor { context, out: Vec::new() })
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut input = InBuffer::around(bytes);
        while input.pos() < bytes.len() {
            self.step(&mut input, ZSTD_EndDirective::ZSTD_e_continue)?;
        }
        Ok(())
    }

    /// Returns the compressed bytes so far, and removes them.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    pub(super) fn finish(mut self) -> io::Result<Vec<u8>> {
        let mut nothing = InBuffer::around(&[]);
        while self.step(&mut nothing, ZSTD_EndDirective::ZSTD_e_end)? > 0 {}
        Ok(self.out)
    }

    /// Compresses a part of the input. Returns a lower bound of the bytes that wait to be written.
    fn step(&mut self, input: &mut InBuffer<'_>, directive: ZSTD_EndDirective) -> io::Result<usize> {
        let context = &mut self.context;
        append(&mut self.out, |output| context.compress_stream2(output, input, directive))
    }
}

/// Decompresses a body, up to the first byte beyond `max_bytes`.
pub(super) fn decompress(body: &[u8], max_bytes: usize) -> io::Result<Vec<u8>> {
    let mut context = DCtx::try_create().ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
    let mut input = InBuffer::around(body);
    let mut out = Vec::new();
    loop {
        let (read, written) = (input.pos(), out.len());
        let wanted = append(&mut out, |output| context.decompress_stream(output, &mut input))?;
        let is_done = wanted == 0 && input.pos() == body.len();
        if is_done || out.len() > max_bytes {
            return Ok(out);
        }
        if (read, written) == (input.pos(), out.len()) {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
    }
}

/// Lets `write` append up to [`STEP_BYTES`] to a vector.
fn append(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut OutBuffer<'_, [u8]>) -> Result<usize, usize>,
) -> io::Result<usize> {
    let start = out.len();
    out.resize(start + STEP_BYTES, 0);
    let mut output = OutBuffer::around(out.get_mut(start..).unwrap_or_default());
    let answer = write(&mut output);
    let written = output.pos();
    out.truncate(start + written);
    answer.map_err(failed)
}

fn failed(code: usize) -> io::Error {
    io::Error::other(zstd_safe::get_error_name(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut compressor = Compressor::new().unwrap();
        let mut out = Vec::new();
        for part in bytes.chunks(100_000) {
            compressor.write_all(part).unwrap();
            out.append(&mut compressor.take());
        }
        out.append(&mut compressor.finish().unwrap());
        out
    }

    #[test]
    fn what_was_compressed_comes_back() {
        for size in [0, 1, 1_000, 1_000_000] {
            let bytes: Vec<u8> = (0..size).map(|n: u32| (n.wrapping_mul(n) >> 7) as u8).collect();
            assert_eq!(decompress(&compressed(&bytes), size as usize).unwrap(), bytes);
        }
    }

    #[test]
    fn a_bomb_ends_soon_after_the_limit() {
        let bomb = compressed(&vec![0; 10_000_000]);
        assert!(bomb.len() < 10_000);
        let out = decompress(&bomb, 1_000).unwrap();
        assert!(out.len() > 1_000 && out.len() <= 1_000 + STEP_BYTES);
    }

    #[test]
    fn damage_is_an_error() {
        let whole = compressed(b"some text that is compressed");
        assert!(decompress(&whole[..whole.len() - 3], 1_000).is_err());
        assert!(decompress(b"no such format", 1_000).is_err());
        assert!(decompress(&[whole.as_slice(), b"junk behind it"].concat(), 1_000).is_err());
    }
}
