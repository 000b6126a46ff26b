//! Admission of documents that are read among many others. A doorkeeper admits documents that were
//! read before; documents that are read once are not worth a place in the cache.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rapidhash::v3::rapidhash_v3;

/// Bits for each entry that the cache has room for.
const BITS_PER_ENTRY: u64 = 8;

/// One bit in this many may be set before the doorkeeper resets. By then it mistakes one new key in
/// this many for one that it has seen.
const BITS_PER_KEY: usize = 4;

/// Maximum number of words: 16 MiB, for 128 million keys.
const WORDS_MAX: u64 = 1 << 21;

/// A set of key hashes, one bit for each, that resets when it is full. A false positive costs only
/// the place of a document that is read once.
pub(super) struct Doorkeeper {
    words: OnceLock<Box<[AtomicU64]>>,
    words_count: usize,
    set: AtomicUsize,
}

impl Doorkeeper {
    /// Makes a doorkeeper for a cache with room for `entries`. It allocates memory on first use.
    pub(super) fn new(entries: u64) -> Self {
        let words = (entries.saturating_mul(BITS_PER_ENTRY) / 64).clamp(1, WORDS_MAX);
        Doorkeeper {
            words: OnceLock::new(),
            words_count: usize::try_from(words).unwrap_or(1),
            set: AtomicUsize::new(0),
        }
    }

    /// Adds a key. Returns true if it was added before.
    pub(super) fn note(&self, key: &[u8]) -> bool {
        let words = self.words.get_or_init(|| (0..self.words_count).map(|_| AtomicU64::new(0)).collect());
        let hash = rapidhash_v3(key);
        let bit = 1u64 << (hash >> 58);
        let Some(word) = words.get(hash as usize % self.words_count) else { return false };
        // Most keys of a range that is read again have their bits set already, and
        // need no write.
        if word.load(Ordering::Relaxed) & bit != 0 || word.fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            return true;
        }
        if self.set.fetch_add(1, Ordering::Relaxed) + 1 >= self.words_count * 64 / BITS_PER_KEY {
            self.set.store(0, Ordering::Relaxed);
            words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_new_once() {
        let doorkeeper = Doorkeeper::new(1 << 16);
        let news = (0..1000u32).filter(|key| !doorkeeper.note(&key.to_be_bytes())).count();
        assert!(news > 980, "{news}");
        assert!((0..1000u32).all(|key| doorkeeper.note(&key.to_be_bytes())));
    }

    #[test]
    fn keys_are_forgotten_when_there_are_too_many() {
        let doorkeeper = Doorkeeper::new(1000);
        let news = (0..1_000_000u32).filter(|key| !doorkeeper.note(&key.to_be_bytes())).count();
        // Up to a quarter of the bits are set, so about an eighth of the keys are false positives.
        assert!((800_000..950_000).contains(&news), "{news}");
    }

    #[test]
    fn there_may_be_room_for_nothing_or_for_more_than_anybody_has() {
        assert!(!Doorkeeper::new(0).note(b"a"));
        assert!(!Doorkeeper::new(u64::MAX).note(b"a"));
    }
}
