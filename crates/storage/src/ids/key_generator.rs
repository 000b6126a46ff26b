//! Generators of the `_key` of documents that come without one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use catalog::{CollectionId, KeyGeneratorType, KeyOptions};
use errors::{Error, ErrorCode, Result};

use crate::RevisionClock;
use crate::base::conflicts::repeat_on_conflict;
use crate::base::revision::of_member;
use crate::encoding::metadata::key_counter_key;
use crate::encoding::pack;
use crate::ids::id_sequence::IdSequence;
use crate::sharing::{Coordination, Members};

/// Added to the tick of a traditional key.
///
/// Such keys have ten digits until nine thousand million ticks are used, so the order of their
/// bytes, in which a scan returns documents, is the order in which they were generated.
const TRADITIONAL_BASE: u64 = 1_000_000_000;

/// Digits of a padded key.
const PADDED_DIGITS: usize = 16;

/// The key generator of one collection. Each commit stores its last value (see
/// [`crate::visibility::counters`]), so that it continues correctly after a crash.
///
/// On a store that several servers share, no two servers generate the same value: candidates come
/// from ids and revisions. Values that follow greater ones of clients have the server's number in
/// their low bits. Values that count come from a stored counter.
#[derive(Debug)]
pub(crate) struct KeyGenerator {
    options: KeyOptions,
    shared: Option<SharedKeys>,
    /// The greatest value that it has generated or a client has given.
    last: AtomicU64,
}

/// The part of a generator that several servers share.
#[derive(Debug)]
struct SharedKeys {
    members: Arc<Members>,
    collection: CollectionId,
    /// Held while a value of the stored counter is taken, so that threads of one server do not
    /// conflict.
    counting: Mutex<()>,
}

/// A key, and its numeric value if the generator counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GeneratedKey {
    pub(crate) key: String,
    pub(crate) value: u64,
}

/// Values that one user has reserved, so that its keys are adjacent even if others generate keys in
/// the meantime.
#[derive(Debug, Default)]
pub(crate) struct KeyBlock {
    next: u64,
    left: u64,
}

/// Values in a block: more than a typical load has documents. The rest of a block is never used.
const BLOCK_VALUES: u64 = 1 << 16;

impl KeyGenerator {
    /// Makes a generator whose values exceed `last`.
    pub(crate) fn new(options: KeyOptions, last: u64) -> Self {
        let last = match options.generator {
            KeyGeneratorType::Uuid => 0,
            _ => last.max(options.last_value),
        };
        KeyGenerator { options, shared: None, last: AtomicU64::new(last) }
    }

    /// Makes the generator one of a collection that several servers share, if there are some.
    pub(crate) fn shared_by(self, coordination: &Coordination, collection: CollectionId) -> Self {
        let shared = coordination.members().map(|members| {
            let (members, counting) = (Arc::clone(members), Mutex::default());
            SharedKeys { members, collection, counting }
        });
        KeyGenerator { shared, ..self }
    }

    /// Returns true if another server may have stored a document under a key that this generator
    /// is about to generate.
    pub(crate) fn may_collide(&self) -> bool {
        self.shared.is_some()
    }

    fn member(&self) -> Option<u8> {
        self.shared.as_ref().map(|shared| shared.members.own().number)
    }

    /// Returns the greatest value so far.
    pub(crate) fn last_value(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }

    /// Generates the next key.
    ///
    /// Errors: 1225 if no values are left, and those of the engine for a tick.
    pub(crate) fn generate(&self, ids: &IdSequence, clock: &RevisionClock) -> Result<GeneratedKey> {
        match self.options.generator {
            KeyGeneratorType::Traditional => {
                let value = self.exceed(traditional(ids)?)?;
                Ok(GeneratedKey { key: value.to_string(), value })
            }
            KeyGeneratorType::Padded => {
                let value = self.exceed(clock.next().0)?;
                Ok(GeneratedKey { key: format!("{value:016x}"), value })
            }
            KeyGeneratorType::Autoincrement => {
                let value = self.increment()?;
                Ok(GeneratedKey { key: value.to_string(), value })
            }
            KeyGeneratorType::Uuid => Ok(GeneratedKey { key: random_uuid()?, value: 0 }),
        }
    }

    /// Generates the next key of a block. A generator whose values must have no gaps uses no
    /// blocks, nor does one of random keys. Both do the same as [`KeyGenerator::generate`].
    ///
    /// Errors: as [`KeyGenerator::generate`].
    pub(crate) fn generate_in(
        &self,
        block: &mut KeyBlock,
        ids: &IdSequence,
        clock: &RevisionClock,
    ) -> Result<GeneratedKey> {
        let is_padded = match self.options.generator {
            KeyGeneratorType::Traditional => false,
            KeyGeneratorType::Padded => true,
            KeyGeneratorType::Autoincrement | KeyGeneratorType::Uuid => return self.generate(ids, clock),
        };
        if self.shared.is_some() {
            return self.generate(ids, clock);
        }
        if block.left == 0 {
            let candidate = if is_padded { clock.next().0 } else { traditional(ids)? };
            let last = self.advance(|last| candidate.max(last.checked_add(1)?).checked_add(BLOCK_VALUES - 1));
            // If too few values are left for a block, they are used one by one.
            let Ok(last) = last else { return self.generate(ids, clock) };
            *block = KeyBlock { next: last - (BLOCK_VALUES - 1), left: BLOCK_VALUES };
        }
        let value = block.next;
        *block = KeyBlock { next: value.saturating_add(1), left: block.left - 1 };
        let key = if is_padded { format!("{value:016x}") } else { value.to_string() };
        Ok(GeneratedKey { key, value })
    }

    /// Returns `candidate`, or one more than the last value if that is greater.
    fn exceed(&self, candidate: u64) -> Result<u64> {
        let member = self.member();
        self.advance(
            |last| if candidate > last { Some(candidate) } else { of_member(last.checked_add(1)?, member) },
        )
    }

    /// Returns the smallest `offset + n * increment` above the last value, and above 0.
    fn increment(&self) -> Result<u64> {
        if let Some(shared) = &self.shared {
            let value = shared.count(|stored| self.after(stored.max(self.last_value())))?;
            self.last.fetch_max(value, Ordering::Relaxed);
            return Ok(value);
        }
        self.advance(|last| self.after(last))
    }

    /// Returns the value that counts after another one.
    fn after(&self, last: u64) -> Option<u64> {
        let KeyOptions { offset, increment, .. } = self.options;
        if last < offset {
            return Some(offset);
        }
        let steps = ((last - offset) / increment).checked_add(1)?;
        offset.checked_add(steps.checked_mul(increment)?)
    }

    /// Records the greatest value that a document of the store has, so that later values exceed it.
    pub(crate) fn exceed_stored(&self, value: u64) {
        self.last.fetch_max(value, Ordering::Relaxed);
    }

    fn advance(&self, next: impl Fn(u64) -> Option<u64>) -> Result<u64> {
        let mut last = self.last.load(Ordering::Relaxed);
        loop {
            let value = next(last).ok_or_else(out_of_keys)?;
            match self.last.compare_exchange_weak(last, value, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(value),
                Err(present) => last = present,
            }
        }
    }

    /// Returns true if clients may give this key: a collection whose keys count has only numbers.
    pub(crate) fn accepts(&self, key: &str) -> bool {
        self.options.generator != KeyGeneratorType::Autoincrement
            || key.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Records a key that a client gave, so that it is not generated later. Returns its value, 0 if
    /// it has none.
    pub(crate) fn observe(&self, key: &str) -> u64 {
        let value = match self.options.generator {
            KeyGeneratorType::Traditional | KeyGeneratorType::Autoincrement => decimal(key),
            KeyGeneratorType::Padded => padded(key),
            KeyGeneratorType::Uuid => None,
        };
        let value = value.unwrap_or(0);
        if value > self.last_value() {
            self.last.fetch_max(value, Ordering::Relaxed);
        }
        value
    }
}

impl SharedKeys {
    /// Takes the value after that of the stored counter.
    fn count(&self, after: impl Fn(u64) -> Option<u64>) -> Result<u64> {
        let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key_counter_key(self.collection);
        repeat_on_conflict(|| {
            let mut transaction = self.members.engine().begin(kv::TransactionOptions::default())?;
            let stored = match transaction.get_many(&[&key])?.iter().next().flatten() {
                Some(record) => pack::read_numbers::<1>(record, "key counter")?[0],
                None => 0,
            };
            let value = after(stored).ok_or_else(out_of_keys)?;
            transaction.put(&key, &pack::numbers(&[value]))?;
            transaction.commit(kv::Durability::Buffered)?;
            Ok(value)
        })
    }
}

fn decimal(key: &str) -> Option<u64> {
    let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { key.parse().ok() } else { None }
}

fn padded(key: &str) -> Option<u64> {
    let is_padded = key.len() == PADDED_DIGITS && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_padded { u64::from_str_radix(key, 16).ok() } else { None }
}

fn out_of_keys() -> Error {
    Error::new(ErrorCode::OutOfKeys, "out of keys: the collection's key generator has no more values")
}

/// Generates a random UUID (version 4, RFC 9562) in its usual text form.
fn random_uuid() -> Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::internal(format!("cannot get random bytes from the operating system: {error}"))
    })?;
    let random = u128::from_be_bytes(bytes);
    let version_and_variant = (random & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let digits = format!("{version_and_variant:032x}");
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    Ok([part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-"))
}

/// Returns the next value of a traditional key.
fn traditional(ids: &IdSequence) -> Result<u64> {
    ids.next()?.checked_add(TRADITIONAL_BASE).ok_or_else(|| Error::of(ErrorCode::OutOfKeys))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generate(options: KeyOptions, last: u64, count: usize) -> Vec<String> {
        let ids = IdSequence::open(kv::MemoryEngine::new()).unwrap();
        let clock = RevisionClock::default();
        let generator = KeyGenerator::new(options, last);
        (0..count).map(|_| generator.generate(&ids, &clock).unwrap().key).collect()
    }

    fn autoincrement(offset: u64, increment: u64) -> KeyOptions {
        KeyOptions { generator: KeyGeneratorType::Autoincrement, offset, increment, ..KeyOptions::default() }
    }

    #[test]
    fn blocks_are_adjacent() {
        let ids = IdSequence::open(kv::MemoryEngine::new()).unwrap();
        let clock = RevisionClock::default();
        for kind in [KeyGeneratorType::Traditional, KeyGeneratorType::Padded] {
            let generator = KeyGenerator::new(KeyOptions { generator: kind, ..KeyOptions::default() }, 7);
            let (mut first, mut second) = (KeyBlock::default(), KeyBlock::default());
            let mut values = [Vec::new(), Vec::new()];
            for _ in 0..BLOCK_VALUES + 1 {
                for (block, values) in [&mut first, &mut second].into_iter().zip(&mut values) {
                    values.push(generator.generate_in(block, &ids, &clock).unwrap().value);
                }
            }
            let single = generator.generate(&ids, &clock).unwrap().value;
            let [first, second] = values;
            let whole = BLOCK_VALUES as usize;
            assert!(
                first[..whole].is_sorted()
                    && first[whole - 1] < second[0]
                    && second[whole - 1] < first[whole]
            );
            assert!(7 < first[0] && second[whole] < single);
        }
        let generator = KeyGenerator::new(KeyOptions::default(), u64::MAX - 2);
        let mut block = KeyBlock::default();
        assert_eq!(generator.generate_in(&mut block, &ids, &clock).unwrap().value, u64::MAX - 1);
        generator.generate_in(&mut block, &ids, &clock).unwrap();
        assert!(generator.generate_in(&mut block, &ids, &clock).is_err());
    }

    #[test]
    fn autoincrement_counts_as_documented() {
        assert_eq!(generate(autoincrement(0, 1), 0, 5), ["1", "2", "3", "4", "5"]);
        assert_eq!(generate(autoincrement(2, 5), 0, 5), ["2", "7", "12", "17", "22"]);
        assert_eq!(generate(autoincrement(2, 5), 12, 2), ["17", "22"]);
        assert_eq!(generate(autoincrement(2, 5), 13, 1), ["17"]);
    }

    #[test]
    fn numbers_can_be_used_up() {
        let ids = IdSequence::open(kv::MemoryEngine::new()).unwrap();
        let clock = RevisionClock::default();
        for generator in
            [KeyGeneratorType::Traditional, KeyGeneratorType::Autoincrement, KeyGeneratorType::Padded]
        {
            let options = KeyOptions { generator, ..KeyOptions::default() };
            let error = KeyGenerator::new(options, u64::MAX).generate(&ids, &clock).unwrap_err();
            assert_eq!(error.code(), ErrorCode::OutOfKeys);
        }
    }

    #[test]
    fn generated_keys_exceed_those_that_a_client_gave() {
        let ids = IdSequence::open(kv::MemoryEngine::new()).unwrap();
        let clock = RevisionClock::default();
        let generator = KeyGenerator::new(KeyOptions::default(), 0);
        assert_eq!(generator.observe("5000000000"), 5_000_000_000);
        assert_eq!(generator.observe("4000"), 4000);
        for other in ["abc", "-1", "1.5", "+9999999", "99999999999999999999999"] {
            assert_eq!(generator.observe(other), 0, "{other}");
        }
        assert_eq!(generator.generate(&ids, &clock).unwrap().key, "5000000001");
    }

    #[test]
    fn traditional_keys_ascend_as_text() {
        let keys = generate(KeyOptions::default(), 0, 20_000);
        assert!(keys.iter().all(|key| key.len() == 10));
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn padded_keys_ascend_as_text() {
        let options = KeyOptions { generator: KeyGeneratorType::Padded, ..KeyOptions::default() };
        let keys = generate(options, 0, 100);
        assert!(keys.iter().all(|key| key.len() == 16));
        assert!(keys.is_sorted());
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn uuids_have_the_standard_form() {
        let options = KeyOptions { generator: KeyGeneratorType::Uuid, ..KeyOptions::default() };
        let keys = generate(options, 0, 100);
        for key in &keys {
            let lengths: Vec<usize> = key.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{key}");
            assert_eq!(key.as_bytes()[14], b'4', "{key}");
            assert!(b"89ab".contains(&key.as_bytes()[19]), "{key}");
        }
        assert_ne!(keys[0], keys[1]);
    }
}
