//! Document revisions: a hybrid logical clock and its text form.
//!
//! A revision is 64 bits: milliseconds since 1970 in the upper 44, a counter in the lower 20. Its
//! text is the number in base 64, most significant digit first, without leading zeros, in the
//! alphabet `-_A-Za-z0-9`.
//!
//! Source of the text form: the documented examples of AQL's `DECODE_REV` (`_YU0HOEG---` is
//! 2019-03-11T16:15:05.314Z, count 0).

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Digits by value.
const ALPHABET: &[u8; 64] = b"-_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Number of bits of the counter.
const COUNT_BITS: u32 = 20;
/// Mask of the counter's bits.
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
/// Maximum number of digits of a revision: 64 bits in steps of 6.
pub const REVISION_TEXT_MAX_BYTES: usize = 11;
/// The most that a revision from elsewhere (a dump, a client) may be ahead of our time and still
/// move the clock. So a wrong date cannot use up the clock.
const RECEIVE_AHEAD_MAX_MS: u64 = 3_600_000;

/// A document's revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl Revision {
    /// Returns the time in milliseconds since 1970.
    pub fn time_ms(self) -> u64 {
        self.0 >> COUNT_BITS
    }

    /// Returns the counter within the millisecond.
    pub fn count(self) -> u64 {
        self.0 & COUNT_MASK
    }

    /// Returns the text form.
    pub fn to_text(self) -> RevisionText {
        let mut digits = [b'-'; REVISION_TEXT_MAX_BYTES];
        let mut rest = self.0;
        let mut start = REVISION_TEXT_MAX_BYTES;
        for (position, digit) in digits.iter_mut().enumerate().rev() {
            // The index is below 64.
            #[allow(clippy::indexing_slicing)]
            let character = ALPHABET[(rest & 63) as usize];
            *digit = character;
            start = position;
            rest >>= 6;
            if rest == 0 {
                break;
            }
        }
        RevisionText { digits, start }
    }

    /// Parses the text form. Returns `None` for an empty text, other characters, or more than 64
    /// bits.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > REVISION_TEXT_MAX_BYTES {
            return None;
        }
        let mut value: u64 = 0;
        for byte in text.bytes() {
            if value >> 58 != 0 {
                return None;
            }
            value = (value << 6) | digit_value(byte)?;
        }
        Some(Revision(value))
    }
}

fn digit_value(byte: u8) -> Option<u64> {
    let value = match byte {
        b'-' => 0,
        b'_' => 1,
        b'A'..=b'Z' => byte - b'A' + 2,
        b'a'..=b'z' => byte - b'a' + 28,
        b'0'..=b'9' => byte - b'0' + 54,
        _ => return None,
    };
    Some(u64::from(value))
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_text().as_str())
    }
}

/// A revision's text, without an allocation.
#[derive(Clone, Copy, Debug)]
pub struct RevisionText {
    digits: [u8; REVISION_TEXT_MAX_BYTES],
    start: usize,
}

impl RevisionText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        let used = self.digits.get(self.start..).unwrap_or_default();
        std::str::from_utf8(used).unwrap_or_default()
    }
}

/// Bits of the counter that hold the number of a server among those that share a store.
const MEMBER_BITS: u32 = 8;

/// A clock that issues revisions, each greater than all before.
#[derive(Debug, Default)]
pub struct RevisionClock {
    last: AtomicU64,
    /// The low bits of all revisions, for a server that shares its store.
    member: Option<u8>,
}

/// Returns the least number from `least` on whose low 8 bits are the number of a server, if there
/// is a server; `None` beyond 64 bits.
pub(crate) fn of_member(least: u64, member: Option<u8>) -> Option<u64> {
    let Some(member) = member.map(u64::from) else { return Some(least) };
    let rounded = (least >> MEMBER_BITS << MEMBER_BITS) | member;
    if rounded >= least { Some(rounded) } else { rounded.checked_add(1 << MEMBER_BITS) }
}

impl RevisionClock {
    /// Starts a clock whose revisions are greater than `last`, the last stored one, and than all of
    /// this millisecond. An earlier process may have issued those without storing them.
    pub fn starting_after(last: Revision) -> Self {
        let end_of_now = (now_ms() << COUNT_BITS) | COUNT_MASK;
        RevisionClock { last: AtomicU64::new(last.0.max(end_of_now)), member: None }
    }

    /// Makes the clock one of a server that shares its store: no other server's clock issues the
    /// same revisions.
    pub(crate) fn of_member(self, member: Option<u8>) -> Self {
        RevisionClock { member, ..self }
    }

    /// Advances the clock past the revision of a document that is about to be replaced, which may
    /// be of another server.
    pub(crate) fn replace(&self, old: Revision) {
        if self.member.is_some() {
            self.receive(old);
        }
    }

    /// Issues the next revision: the current time, or one more than the last revision.
    pub fn next(&self) -> Revision {
        let now = now_ms() << COUNT_BITS;
        let mut last = self.last.load(Ordering::Relaxed);
        loop {
            let next = now.max(last.saturating_add(1));
            let next = of_member(next, self.member).unwrap_or(next);
            match self.last.compare_exchange_weak(last, next, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Revision(next),
                Err(present) => last = present,
            }
        }
    }

    /// Advances the clock past a revision from elsewhere. Ignores a revision that is more than an
    /// hour ahead of this machine's time.
    pub fn receive(&self, revision: Revision) {
        // Nearly all revisions in a dump are old, and then the time does not matter.
        if revision.0 <= self.last.load(Ordering::Relaxed) {
            return;
        }
        if revision.time_ms() <= now_ms().saturating_add(RECEIVE_AHEAD_MAX_MS) {
            self.last.fetch_max(revision.0, Ordering::Relaxed);
        }
    }
}

/// Returns milliseconds since 1970, within 44 bits.
fn now_ms() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(0) & ((1 << 44) - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_documented_example() {
        let revision = Revision::parse("_YU0HOEG---").unwrap();
        // 2019-03-11T16:15:05.314Z
        assert_eq!(revision.time_ms(), 1_552_320_905_314);
        assert_eq!(revision.count(), 0);
        assert_eq!(revision.to_string(), "_YU0HOEG---");
    }

    #[test]
    fn a_revision_seen_in_a_dump() {
        let revision = Revision::parse("_cPlZM_e---").unwrap();
        assert_eq!(revision.to_string(), "_cPlZM_e---");
        // A day in 2021.
        assert!(
            (1_609_459_200_000..1_640_995_200_000).contains(&revision.time_ms()),
            "{}",
            revision.time_ms()
        );
    }

    #[test]
    fn other_texts_are_not_revisions() {
        for text in ["", " ", "ä", "a b", "_YU0HOEG----", "O----------", "99999999999"] {
            assert_eq!(Revision::parse(text), None, "{text}");
        }
        assert_eq!(Revision::parse("-"), Some(Revision(0)));
        assert_eq!(Revision(0).to_string(), "-");
        assert_eq!(Revision(u64::MAX).to_string(), "N9999999999");
    }

    #[test]
    fn the_clock_only_goes_forward() {
        let clock = RevisionClock::default();
        let mut last = clock.next();
        assert!(last.time_ms() > 1_600_000_000_000);
        for _ in 0..10_000 {
            let next = clock.next();
            assert!(next > last);
            last = next;
        }
        let ahead = Revision(last.0 + (1000 << COUNT_BITS));
        clock.receive(ahead);
        assert!(clock.next() > ahead);
        let far_ahead = Revision(u64::MAX - 5);
        clock.receive(far_ahead);
        assert!(clock.next() < far_ahead);
        assert!(RevisionClock::starting_after(far_ahead).next() > far_ahead);
    }

    #[test]
    fn clocks_of_servers_issue_different_revisions() {
        let clocks = [0, 7, 254].map(|member| RevisionClock::default().of_member(Some(member)));
        let mut seen = std::collections::HashSet::new();
        for _ in 0..3000 {
            for clock in &clocks {
                let revision = clock.next();
                assert!(seen.insert(revision));
                assert_eq!(Some((revision.0 & 255) as u8), clock.member);
            }
        }
        let old = Revision(clocks[2].next().0 + (50 << COUNT_BITS));
        clocks[0].replace(old);
        assert!(clocks[0].next() > old);
        assert_eq!(of_member(u64::MAX, Some(3)), None);
    }

    #[test]
    fn a_new_clock_does_not_repeat_the_millisecond_of_the_old_one() {
        for _ in 0..100 {
            let old = RevisionClock::default();
            let last = (0..10).map(|_| old.next()).last().unwrap();
            assert!(RevisionClock::starting_after(Revision(0)).next() > last);
        }
    }

    proptest! {
        #[test]
        fn text_and_number_agree(value: u64) {
            let text = Revision(value).to_text();
            prop_assert_eq!(Revision::parse(text.as_str()), Some(Revision(value)));
        }
    }
}
