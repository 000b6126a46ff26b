//! AES-256 in XTS mode (IEEE 1619): sectors that are overwritten in place.
//!
//! The sector's number is the tweak. The same bytes at another place, or other bytes at the same
//! place, have nothing in common. A sector that is half written has old and new blocks of 16 bytes,
//! as a plain one would.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes256, Block};

use crate::secret::SECRET_BYTES;

/// The length of a sector.
pub const SECTOR_BYTES: usize = 4 << 10;

/// The length of both keys: one for data, one for tweaks.
pub(crate) const KEYS_BYTES: usize = 2 * SECRET_BYTES;

/// The blocks whose tweaks are computed together.
const BLOCKS_AT_ONCE: usize = 32;

/// The polynomial of the field of tweaks.
const POLYNOMIAL: u128 = 0x87;

/// The cipher of the sectors of one file.
#[derive(Clone)]
pub struct SectorCipher {
    /// An expanded key takes half a kilobyte.
    data: Box<Aes256>,
    tweaks: Box<Aes256>,
}

impl SectorCipher {
    /// Returns the cipher of two keys, one after the other. They must differ.
    pub fn new(keys: &[u8; KEYS_BYTES]) -> Self {
        let (data, tweaks) = keys.split_at(SECRET_BYTES);
        let cipher =
            |key: &[u8]| Box::new(Aes256::new(key.first_chunk::<SECRET_BYTES>().unwrap_or(&[0; 32]).into()));
        SectorCipher { data: cipher(data), tweaks: cipher(tweaks) }
    }

    /// Encrypts the sector with a number.
    pub fn encrypt(&self, number: u64, sector: &mut [u8; SECTOR_BYTES]) {
        self.apply(number, sector, |blocks| self.data.encrypt_blocks(blocks));
    }

    /// Decrypts the sector with a number.
    pub fn decrypt(&self, number: u64, sector: &mut [u8; SECTOR_BYTES]) {
        self.apply(number, sector, |blocks| self.data.decrypt_blocks(blocks));
    }

    /// Applies a function between two additions of the tweaks. `bytes` has whole blocks.
    fn apply(&self, number: u64, bytes: &mut [u8], function: impl Fn(&mut [Block])) {
        let mut first = Block::from(u128::from(number).to_le_bytes());
        self.tweaks.encrypt_block(&mut first);
        let mut next = u128::from_le_bytes(first.into());
        let (blocks, _) = Block::slice_as_chunks_mut(bytes);
        let mut tweaks = [0_u128; BLOCKS_AT_ONCE];
        for blocks in blocks.chunks_mut(BLOCKS_AT_ONCE) {
            for tweak in &mut tweaks {
                *tweak = next;
                next = (next << 1) ^ (if next >> 127 == 1 { POLYNOMIAL } else { 0 });
            }
            add(blocks, &tweaks);
            function(blocks);
            add(blocks, &tweaks);
        }
    }
}

fn add(blocks: &mut [Block], tweaks: &[u128; BLOCKS_AT_ONCE]) {
    for (block, tweak) in blocks.iter_mut().zip(tweaks) {
        let sum = u128::from_le_bytes((*block).into()) ^ tweak;
        *block = Block::from(sum.to_le_bytes());
    }
}

impl std::fmt::Debug for SectorCipher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SectorCipher")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 2] = [
        "2718281828459045235360287471352662497757247093699959574966967627",
        "3141592653589793238462643383279502884197169399375105820974944592",
    ];

    fn cipher() -> SectorCipher {
        let digits = KEYS.concat();
        SectorCipher::new(&std::array::from_fn(|at| {
            u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()
        }))
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Source: IEEE 1619-2007, annex B, vectors 10, 11, 12 and 14: 512 bytes that count from 0.
    #[test]
    fn sectors_are_those_of_the_standard() {
        let cipher = cipher();
        for (number, begin, end) in [
            (
                0xff,
                "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b",
                "773dad38014bd2092fa755c824bb5e54c4f36ffda9fcea70b9c6e693e148c151",
            ),
            (
                0xffff,
                "77a31251618a15e6b92d1d66dffe7b50b50bad552305ba0217a610688eff7e11",
                "54fbff89eeaeea791f4a7ab1f9868294a4f9e27b42af8100cb9d59cef9645803",
            ),
            (
                0xffffff,
                "e387aaa58ba483afa7e8eb469778317ecf4cf573aa9d4eac23f2cdf914e4e200",
                "ed242c8900dd1fa965bc950dfce09b132263a1eef52dd6888c309f5a7d712826",
            ),
            (
                0xffffffffff,
                "64497e5a831e4a932c09be3e5393376daa599548b816031d224bbf50a818ed23",
                "6975be5e0b4efce51cd3e70c25a1fbbbd609d273ad5b0d59631c531f6a0a57b9",
            ),
        ] {
            let text: Vec<u8> = (0..512_u32).map(|byte| byte as u8).collect();
            let mut sector = text.clone();
            cipher.apply(number, &mut sector, |blocks| cipher.data.encrypt_blocks(blocks));
            assert_eq!((hex(&sector[..32]), hex(&sector[480..])), (begin.to_owned(), end.to_owned()));
            cipher.apply(number, &mut sector, |blocks| cipher.data.decrypt_blocks(blocks));
            assert_eq!(sector, text);
        }
    }

    #[test]
    fn a_sector_depends_on_its_number_and_a_block_on_its_place() {
        let cipher = cipher();
        let encrypted = |number, text: u8| {
            let mut sector = [text; SECTOR_BYTES];
            cipher.encrypt(number, &mut sector);
            sector
        };
        let first = encrypted(7, 0);
        let mut blocks: Vec<&[u8]> = first.chunks(16).collect();
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), SECTOR_BYTES / 16);
        assert_ne!(first, encrypted(8, 0));
        let mut changed = [0; SECTOR_BYTES];
        changed[100] = 1;
        cipher.encrypt(7, &mut changed);
        let differing = (0..256).filter(|at| first[16 * at..16 * at + 16] != changed[16 * at..16 * at + 16]);
        assert_eq!(differing.collect::<Vec<_>>(), [6]);
        cipher.decrypt(7, &mut changed);
        assert_eq!((changed[99], changed[100], changed[101]), (0, 1, 0));
    }
}
