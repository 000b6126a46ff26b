//! gzip in members that can be found without unpacking them.
//!
//! A gzip file may have many members, one behind the other; whatever reads gzip reads them as one file (RFC 1952). So
//! each batch of a dump is packed by the thread that fetched it, and the members are put one behind the other. Each
//! says in an extra field (`PS`, 8 bytes, little-endian) how long it is: who knows that reads member after member and
//! has many threads unpack them; who does not passes over it.

use libdeflater::{CompressionLvl, Compressor, Crc, Decompressor};

/// Bytes in front of the packed data: ten of every member, two for the length of the extra field, and the field.
pub(crate) const HEADER_BYTES: usize = 24;
/// Checksum and length behind the packed data.
const TRAILER_BYTES: usize = 8;
const MAGIC: [u8; 4] = [0x1f, 0x8b, 8, 4];
/// Length of the extra field, its name, and the length of its content.
const EXTRA: [u8; 6] = [12, 0, b'P', b'S', 8, 0];
/// The level at which packing is no more work than the rest of a dump. Small documents of JSON, in processor time:
/// 480 MB/s to 0.155 of their size; level 2 makes 310 MB/s to 0.135 (and zlib-rs 540 MB/s to 0.22 at level 1, 325
/// MB/s to 0.15 at level 2).
const LEVEL: i32 = 1;
/// A member that unpacks to more was not written by us.
pub(crate) const PLAIN_MAX_BYTES: usize = 256 << 20;

/// Packs one batch after the other, in the same memory.
pub(crate) struct Packer {
    compressor: Compressor,
    out: Vec<u8>,
}

impl Packer {
    pub(crate) fn new() -> Self {
        let level = CompressionLvl::new(LEVEL).unwrap_or_default();
        Packer { compressor: Compressor::new(level), out: Vec::new() }
    }

    /// Bytes as one member.
    pub(crate) fn pack(&mut self, plain: &[u8]) -> Result<&[u8], String> {
        let Packer { compressor, out } = self;
        out.clear();
        out.extend_from_slice(&MAGIC);
        // No time, no hint, Unix.
        out.extend_from_slice(&[0, 0, 0, 0, 0, 3]);
        out.extend_from_slice(&EXTRA);
        out.extend_from_slice(&[0; 8]);
        out.resize(HEADER_BYTES + compressor.deflate_compress_bound(plain.len()), 0);
        let room = out.get_mut(HEADER_BYTES..).unwrap_or_default();
        let packed =
            compressor.deflate_compress(plain, room).map_err(|error| format!("packing failed: {error}"))?;
        out.truncate(HEADER_BYTES + packed);
        let mut sum = Crc::new();
        sum.update(plain);
        out.extend_from_slice(&sum.sum().to_le_bytes());
        // Modulo 2^32, as the format has it.
        out.extend_from_slice(&(plain.len() as u32).to_le_bytes());
        let length = (out.len() as u64).to_le_bytes();
        if let Some(place) = out.get_mut(HEADER_BYTES - 8..HEADER_BYTES) {
            place.copy_from_slice(&length);
        }
        Ok(out)
    }
}

/// The length of the member that begins with these bytes; `None` if it does not say it.
pub(crate) fn member_bytes(header: &[u8]) -> Option<u64> {
    let is_ours = header.get(..4)? == MAGIC && header.get(10..16)? == EXTRA;
    let length = u64::from_le_bytes(header.get(16..HEADER_BYTES)?.try_into().ok()?);
    (is_ours && length >= (HEADER_BYTES + TRAILER_BYTES) as u64).then_some(length)
}

/// Unpacks a member of ours.
pub(crate) fn unpack(member: &[u8]) -> Result<Vec<u8>, String> {
    let damaged = || "a packed block is damaged".to_owned();
    let (rest, length) = member.split_last_chunk().ok_or_else(damaged)?;
    let (rest, sum) = rest.split_last_chunk().ok_or_else(damaged)?;
    let packed = rest.get(HEADER_BYTES..).ok_or_else(damaged)?;
    let (sum, length) = (u32::from_le_bytes(*sum), u32::from_le_bytes(*length) as usize);
    if length > PLAIN_MAX_BYTES {
        return Err(format!("a packed block claims to have {length} bytes"));
    }
    let mut plain = vec![0; length];
    let unpacked = Decompressor::new().deflate_decompress(packed, &mut plain);
    let mut found = Crc::new();
    found.update(&plain);
    let is_whole = unpacked.is_ok_and(|unpacked| unpacked == length) && found.sum() == sum;
    if is_whole { Ok(plain) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn text(lines: usize) -> Vec<u8> {
        (0..lines)
            .flat_map(|n| format!("{{\"_key\":\"{n}\",\"x\":\"{}\"}}\n", n * 7919).into_bytes())
            .collect()
    }

    #[test]
    fn members_are_found_and_unpacked() {
        let mut file = Vec::new();
        let mut packer = Packer::new();
        for lines in [0, 1, 1000, 100_000] {
            file.extend_from_slice(packer.pack(&text(lines)).unwrap());
        }
        let mut rest = file.as_slice();
        for lines in [0, 1, 1000, 100_000] {
            let length = usize::try_from(member_bytes(rest).unwrap()).unwrap();
            assert!(unpack(&rest[..length]).unwrap() == text(lines));
            rest = &rest[length..];
        }
        assert!(rest.is_empty());
        // Anybody else reads it as one file.
        let mut all = Vec::new();
        flate2::read::MultiGzDecoder::new(file.as_slice()).read_to_end(&mut all).unwrap();
        assert!(all == [text(0), text(1), text(1000), text(100_000)].concat());
    }

    #[test]
    fn damage_is_found() {
        let member = Packer::new().pack(&text(1000)).unwrap().to_vec();
        for at in [HEADER_BYTES + 10, member.len() - 6, member.len() - 1] {
            let mut broken = member.clone();
            broken[at] ^= 0x55;
            assert!(unpack(&broken).is_err(), "{at}");
        }
        assert!(unpack(&member[..member.len() - 9]).is_err());
        assert!(unpack(&member[..5]).is_err());
        assert_eq!(member_bytes(&[0x1f, 0x8b, 8, 0, 0, 0]), None);
    }
}
