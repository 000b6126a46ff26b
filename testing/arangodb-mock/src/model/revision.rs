//! Revisions of documents.

use std::time::{SystemTime, UNIX_EPOCH};

/// The digits of a revision, by their value.
///
/// Source: the documentation's revisions, such as `_XUJFD3C---`, count in this order.
const DIGITS: &[u8; 64] = b"-_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The bits of a revision below those of the milliseconds.
const COUNTER_BITS: u32 = 20;

/// The clock that makes revisions: milliseconds and a counter, and never goes back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    last: u64,
}

impl Clock {
    /// Returns the next revision.
    pub(crate) fn next(&mut self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let now = u64::try_from(now).unwrap_or(0) << COUNTER_BITS;
        self.last = now.max(self.last + 1);
        encode(self.last)
    }
}

fn encode(mut number: u64) -> String {
    let mut digits: Vec<u8> = Vec::new();
    while number > 0 {
        let digit = usize::try_from(number & 63).unwrap_or(0);
        digits.extend(DIGITS.get(digit));
        number >>= 6;
    }
    digits.iter().rev().map(|digit| char::from(*digit)).collect()
}
