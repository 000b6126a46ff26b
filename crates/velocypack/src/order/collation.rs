//! The string order: Unicode's root collation.
//!
//! ICU4X is the authority. A table serves printable ASCII, which most strings are. It is derived
//! once from ICU's own sort keys and reproduces them bit for bit.

use std::cmp::Ordering;
use std::sync::LazyLock;

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::preferences::CollationCaseFirst;
use icu_collator::{CollatorBorrowed, CollatorPreferences};

/// The collation: root, three levels, and upper case before lower case.
///
/// ArangoDB sets this order unless `--icu-language` names a language.
static COLLATOR: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| {
    let mut preferences = CollatorPreferences::default();
    preferences.case_first = Some(CollationCaseFirst::Upper);
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Tertiary);
    // The data is compiled in, so loading it cannot fail at run time.
    #[allow(clippy::expect_used)]
    CollatorBorrowed::try_new(preferences, options).expect("the root collation is compiled in")
});

static ASCII: LazyLock<AsciiTable> = LazyLock::new(AsciiTable::derive);

/// Compares two strings in AQL's order; only identical ones are equal.
#[inline]
pub fn compare_strings(left: &str, right: &str) -> Ordering {
    compare_bytes(left.as_bytes(), right.as_bytes())
}

/// Compares two strings like [`compare_strings`], for text that is not checked to be UTF-8.
#[inline]
pub(super) fn compare_bytes(left: &[u8], right: &[u8]) -> Ordering {
    ASCII.compare(left, right).unwrap_or_else(|| compare_by_icu(left, right))
}

#[cold]
pub(super) fn compare_by_icu(left: &[u8], right: &[u8]) -> Ordering {
    if left == right {
        return Ordering::Equal;
    }
    COLLATOR
        .compare_utf8(left, right)
        .then_with(|| is_printable_ascii(right).cmp(&is_printable_ascii(left)))
        .then_with(|| left.cmp(right))
}

fn is_printable_ascii(text: &[u8]) -> bool {
    text.iter().all(|byte| (0x20..0x7F).contains(byte))
}

/// Appends the collation key of a text; true when the text is printable ASCII.
#[inline]
pub(super) fn push_collation_key(text: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    if ASCII.push_key(text, out) {
        return true;
    }
    out.truncate(start);
    push_icu_key(text, out);
    is_printable_ascii(text)
}

pub(super) fn push_icu_key(text: &[u8], out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let Ok(()) = COLLATOR.write_sort_key_utf8_to(text, out);
}

#[cfg(test)]
pub(super) fn ascii_table_is_complete() -> bool {
    (0x20..0x7F).all(|byte| ASCII.weight(byte).rank != 0)
}

/// The end of the weights of a level in a sort key.
const LEVEL_SEPARATOR: u8 = 0x01;
/// The byte between primary weights after an omitted first byte, if the next weight is smaller.
const COMPRESSION_LOW: u8 = 0x03;
/// The byte between primary weights after an omitted first byte, if the next weight is greater.
const COMPRESSION_HIGH: u8 = 0xFF;
/// Number of consecutive common weights that take one byte.
const COMMON_RUN: usize = 0x21;
/// One common secondary weight; each further one in a row adds 1.
const COMMON_SECONDARY: u8 = 0x05;
/// One common tertiary weight, when upper case is first; each further one in a row adds 1.
const COMMON_TERTIARY: u8 = 0x85;
/// The value added for a full run of common weights.
const FULL_RUN: u8 = 0x20;

/// Bytes of the primary weight of one character: a byte that ends compression, the first byte and
/// the tail.
const WEIGHT_MAX: usize = 5;
/// Number of characters whose weights are gathered before they are appended.
const KEY_CHUNK: usize = 24;

/// The weights of one character in ICU's keys.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// Position of the primary weight among those of the table, from 1; 0 for characters not in it.
    rank: u8,
    /// The first byte of the primary weight; then the number of the bytes that follow, and those.
    lead: u8,
    tail_length: u8,
    tail: [u8; 3],
    /// True if the first byte is omitted when it repeats.
    compressible: bool,
    /// Tertiary weight, or 0 for the common one.
    tertiary: u8,
}

/// The weights of the printable characters of ASCII.
struct AsciiTable {
    weights: [Weight; 256],
}

impl AsciiTable {
    /// Derives the weights from ICU's keys of single and doubled characters.
    ///
    /// If a later ICU's keys have another form, the table stays empty, and every string goes to
    /// ICU.
    fn derive() -> Self {
        let mut table = AsciiTable { weights: [Weight::default(); 256] };
        let mut primaries = Vec::new();
        for byte in 0x20..0x7F {
            let Some(weight) = derive_weight(byte) else { return AsciiTable::empty() };
            primaries.push((weight.lead, weight.tail));
            table.weights[usize::from(byte)] = weight;
        }
        primaries.sort_unstable();
        primaries.dedup();
        for weight in &mut table.weights[0x20..0x7F] {
            let position = primaries.partition_point(|primary| *primary < (weight.lead, weight.tail));
            weight.rank = position as u8 + 1;
        }
        if table.agrees_with_icu() { table } else { AsciiTable::empty() }
    }

    fn empty() -> Self {
        AsciiTable { weights: [Weight::default(); 256] }
    }

    /// Compares the table's keys with ICU's for critical texts.
    ///
    /// The texts have every pair of neighbours among the printable characters for which compression
    /// can change, and runs of common weights of critical lengths.
    fn agrees_with_icu(&self) -> bool {
        let printable: Vec<u8> = (0x20..0x7F).collect();
        let samples = [b" a1-A_Zz9.b".to_vec(), vec![b'a'; COMMON_RUN], vec![b'A'; 100], printable];
        samples.iter().all(|sample| {
            let (mut ours, mut icu) = (Vec::new(), Vec::new());
            push_icu_key(sample, &mut icu);
            self.push_key(sample, &mut ours) && ours == icu
        })
    }

    #[inline]
    fn weight(&self, byte: u8) -> &Weight {
        &self.weights[usize::from(byte)]
    }

    /// Appends the collation key of printable ASCII. For other texts it returns false and may leave
    /// some bytes appended.
    #[inline]
    fn push_key(&self, text: &[u8], out: &mut Vec<u8>) -> bool {
        out.reserve(2 * text.len() + 8);
        let mut previous_lead = 0;
        let mut has_case = false;
        for chunk in text.chunks(KEY_CHUNK) {
            if !self.push_primaries(chunk, &mut previous_lead, &mut has_case, out) {
                return false;
            }
        }
        out.push(LEVEL_SEPARATOR);
        push_common_run(text.len(), COMMON_SECONDARY, out);
        out.push(LEVEL_SEPARATOR);
        if has_case {
            self.push_tertiaries(text, out);
        } else {
            push_common_run(text.len(), COMMON_TERTIARY, out);
        }
        true
    }

    /// Appends the primary weights of at most [`KEY_CHUNK`] characters.
    #[inline]
    fn push_primaries(
        &self,
        chunk: &[u8],
        previous_lead: &mut u8,
        has_case: &mut bool,
        out: &mut Vec<u8>,
    ) -> bool {
        // Filled without a capacity check for each byte, and with room for one weight too many.
        let mut weights = [0u8; KEY_CHUNK * WEIGHT_MAX + WEIGHT_MAX];
        let mut length = 0;
        for &byte in chunk {
            let weight = self.weight(byte);
            if weight.rank == 0 {
                return false;
            }
            *has_case |= weight.tertiary != 0;
            if !weight.compressible || weight.lead != *previous_lead {
                if *previous_lead != 0 {
                    let is_less = weight.lead < *previous_lead;
                    weights[length] = if is_less { COMPRESSION_LOW } else { COMPRESSION_HIGH };
                    length += 1;
                }
                weights[length] = weight.lead;
                length += 1;
                *previous_lead = if weight.compressible { weight.lead } else { 0 };
            }
            if let Some(tail) = weights[length..].first_chunk_mut() {
                *tail = weight.tail;
            }
            length += usize::from(weight.tail_length);
        }
        out.extend_from_slice(&weights[..length]);
        true
    }

    fn push_tertiaries(&self, text: &[u8], out: &mut Vec<u8>) {
        let mut common = 0;
        for &byte in text {
            let tertiary = self.weight(byte).tertiary;
            if tertiary == 0 {
                common += 1;
            } else {
                push_common_run(common, COMMON_TERTIARY, out);
                out.push(tertiary);
                common = 0;
            }
        }
        push_common_run(common, COMMON_TERTIARY, out);
    }

    /// Compares as far as characters of the table decide, or returns `None` if others could decide.
    ///
    /// A difference in primary weights between two characters is final if no mark that follows can
    /// change their weights. No character of ASCII is such a mark.
    #[inline]
    fn compare(&self, left: &[u8], right: &[u8]) -> Option<Ordering> {
        let mut position = self.common_words(left, right)?;
        let mut cases = Ordering::Equal;
        loop {
            match (left.get(position), right.get(position)) {
                (Some(&left_byte), Some(&right_byte)) => {
                    let (left_weight, right_weight) = (self.weight(left_byte), self.weight(right_byte));
                    if left_weight.rank == 0 || right_weight.rank == 0 {
                        return None;
                    }
                    if left_weight.rank != right_weight.rank {
                        let is_final = is_ascii_at(left, position + 1) && is_ascii_at(right, position + 1);
                        return is_final.then(|| left_weight.rank.cmp(&right_weight.rank));
                    }
                    if cases == Ordering::Equal {
                        cases = left_weight.case_order().cmp(&right_weight.case_order());
                    }
                }
                (None, None) => return Some(cases),
                (Some(&byte), None) => return self.longer(byte, left, position).then_some(Ordering::Greater),
                (None, Some(&byte)) => return self.longer(byte, right, position).then_some(Ordering::Less),
            }
            position += 1;
        }
    }

    /// Returns true if the additional character of the longer text has a primary weight.
    #[inline]
    fn longer(&self, byte: u8, text: &[u8], position: usize) -> bool {
        self.weight(byte).rank != 0 && is_ascii_at(text, position + 1)
    }

    /// Returns the length of the common prefix in whole words of 8 bytes, or `None` if it is not
    /// printable ASCII.
    #[inline]
    fn common_words(&self, left: &[u8], right: &[u8]) -> Option<usize> {
        let mut position = 0;
        let (mut left, mut right) = (left, right);
        while let (Some((left_word, left_rest)), Some((right_word, right_rest))) =
            (left.split_first_chunk::<8>(), right.split_first_chunk::<8>())
        {
            if left_word != right_word {
                break;
            }
            if left_word.iter().any(|&byte| self.weight(byte).rank == 0) {
                return None;
            }
            position += 8;
            (left, right) = (left_rest, right_rest);
        }
        Some(position)
    }
}

impl Weight {
    /// Returns a number that orders characters of the same primary weight.
    ///
    /// The common tertiary weight is above the others.
    #[inline]
    fn case_order(&self) -> u8 {
        if self.tertiary == 0 { COMMON_TERTIARY } else { self.tertiary }
    }
}

#[inline]
fn is_ascii_at(text: &[u8], position: usize) -> bool {
    text.get(position).is_none_or(u8::is_ascii)
}

/// Appends `count` common weights in ICU's compressed form.
#[inline]
fn push_common_run(count: usize, one: u8, out: &mut Vec<u8>) {
    let Some(mut more) = count.checked_sub(1) else { return };
    while more >= COMMON_RUN {
        out.push(one + FULL_RUN);
        more -= COMMON_RUN;
    }
    out.push(one + more as u8);
}

/// Returns the weights of one character, or `None` if ICU's keys lack the form that the table
/// reproduces.
fn derive_weight(byte: u8) -> Option<Weight> {
    let (mut single, mut double) = (Vec::new(), Vec::new());
    push_icu_key(&[byte], &mut single);
    push_icu_key(&[byte, byte], &mut double);
    let mut levels = single.split(|&byte| byte == LEVEL_SEPARATOR);
    let (primary, secondary, tertiary) = (levels.next()?, levels.next()?, levels.next()?);
    let (&lead, tail) = primary.split_first()?;
    if levels.next().is_some() || secondary != [COMMON_SECONDARY] || tail.len() > 3 {
        return None;
    }
    let tertiary = match tertiary {
        [COMMON_TERTIARY] => 0,
        [other] if *other < COMMON_TERTIARY => *other,
        _ => return None,
    };
    let doubled = double.split(|&byte| byte == LEVEL_SEPARATOR).next()?;
    let compressible = match doubled.strip_prefix(primary)? {
        rest if rest == tail => true,
        rest if rest == primary => false,
        _ => return None,
    };
    let mut padded = [0; 3];
    padded.get_mut(..tail.len())?.copy_from_slice(tail);
    Some(Weight { rank: 0, lead, tail_length: tail.len() as u8, tail: padded, compressible, tertiary })
}
