//! Short bodies that unpack to long ones.

use std::io::{self, Write};

use flate2::{Compress, Compression, Crc, FlushCompress};

/// Bytes of the pieces that long texts are made of.
const PIECE_BYTES: usize = 1 << 20;

/// A text of `before`, some repetitions of `unit`, and `after`.
#[derive(Clone, Debug)]
pub(crate) struct Repeated {
    before: Vec<u8>,
    /// Many repetitions together.
    piece: Vec<u8>,
    pieces: usize,
    after: Vec<u8>,
}

impl Repeated {
    /// About `bytes` long: repetitions are not cut.
    pub(crate) fn new(before: &str, unit: &str, after: &str, bytes: usize) -> Self {
        let piece = unit.repeat((PIECE_BYTES / unit.len()).max(1)).into_bytes();
        let pieces = (bytes / piece.len()).max(1);
        Repeated { before: before.into(), piece, pieces, after: after.into() }
    }

    /// Returns the number of bytes that it unpacks to.
    pub(crate) fn plain_bytes(&self) -> usize {
        self.before.len() + self.piece.len() * self.pieces + self.after.len()
    }

    /// Calls `write` with the text's pieces.
    pub(crate) fn write(&self, mut write: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        write(&self.before)?;
        for _ in 0..self.pieces {
            write(&self.piece)?;
        }
        write(&self.after)
    }

    /// Returns it packed as raw deflate. Each piece is a block that refers to nothing before it, so
    /// that it is packed once.
    pub(crate) fn raw_deflate(&self) -> Vec<u8> {
        let mut packed = block(&self.before, FlushCompress::Full);
        packed.extend(block(&self.piece, FlushCompress::Full).repeat(self.pieces));
        packed.extend(block(&self.after, FlushCompress::Finish));
        packed
    }

    /// Returns it packed as deflate with zlib's header (RFC 1950).
    pub(crate) fn zlib(&self) -> Vec<u8> {
        let mut sum = Adler::default();
        // Errors: none, the closure has none.
        let _ = self.write(|piece| {
            sum.update(piece);
            Ok(())
        });
        let mut packed = vec![0x78, 0xda];
        packed.extend(self.raw_deflate());
        packed.extend(sum.value().to_be_bytes());
        packed
    }

    /// Returns it packed as one member of gzip (RFC 1952).
    pub(crate) fn gzip(&self) -> Vec<u8> {
        let mut crc = Crc::new();
        // Errors: none, the closure has none.
        let _ = self.write(|piece| {
            crc.update(piece);
            Ok(())
        });
        let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
        packed.extend(self.raw_deflate());
        packed.extend(crc.sum().to_le_bytes());
        packed.extend((self.plain_bytes() as u32).to_le_bytes());
        packed
    }

    /// Returns it packed as many members of gzip, which stand for one text together.
    pub(crate) fn gzip_members(&self) -> Vec<u8> {
        let member = |text: &[u8]| Repeated { before: text.to_vec(), pieces: 0, ..Repeated::empty() }.gzip();
        let mut packed = member(&self.before);
        packed.extend(member(&self.piece).repeat(self.pieces));
        packed.extend(member(&self.after));
        packed
    }

    /// Returns it packed as one frame of zstd. Errors: those of the library.
    pub(crate) fn zstd(&self) -> io::Result<Vec<u8>> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1)?;
        self.write(|piece| encoder.write_all(piece))?;
        encoder.finish()
    }

    fn empty() -> Self {
        Repeated { before: Vec::new(), piece: Vec::new(), pieces: 0, after: Vec::new() }
    }
}

/// The check sum of RFC 1950.
struct Adler {
    low: u32,
    high: u32,
}

impl Default for Adler {
    fn default() -> Self {
        Adler { low: 1, high: 0 }
    }
}

impl Adler {
    fn update(&mut self, bytes: &[u8]) {
        // As many as can be summed up before an overflow.
        for some in bytes.chunks(5_552) {
            for byte in some {
                self.low += u32::from(*byte);
                self.high += self.low;
            }
            self.low %= 65_521;
            self.high %= 65_521;
        }
    }

    fn value(&self) -> u32 {
        self.high << 16 | self.low
    }
}

/// Returns a gzip of a gzip of ... of a text, `depth` times.
pub(crate) fn nested_gzip(text: &Repeated, depth: usize) -> Vec<u8> {
    (1..depth).fold(text.gzip(), |packed, _| Repeated { before: packed, ..Repeated::empty() }.gzip())
}

fn block(text: &[u8], flush: FlushCompress) -> Vec<u8> {
    let mut packed = Vec::with_capacity(text.len() + 1_024);
    // Errors: none; the output has room for a text that cannot be packed.
    let _ = Compress::new(Compression::best(), false).compress_vec(text, &mut packed, flush);
    packed
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::{MultiGzDecoder, ZlibDecoder};

    use super::*;

    fn unpacked(packed: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        MultiGzDecoder::new(packed).read_to_end(&mut plain).unwrap();
        plain
    }

    #[test]
    fn what_is_packed_unpacks() {
        let text = Repeated::new("[", "1,", "1]", 3 << 20);
        let mut plain = Vec::new();
        text.write(|piece| plain.write_all(piece)).unwrap();
        assert_eq!(plain.len(), text.plain_bytes());
        assert_eq!(unpacked(&text.gzip()), plain);
        assert_eq!(unpacked(&text.gzip_members()), plain);
        let mut from_zlib = Vec::new();
        ZlibDecoder::new(&*text.zlib()).read_to_end(&mut from_zlib).unwrap();
        assert_eq!(from_zlib, plain);
        assert_eq!(zstd::decode_all(&*text.zstd().unwrap()).unwrap(), plain);
        assert_eq!(unpacked(&unpacked(&nested_gzip(&text, 2))), plain);
    }
}
