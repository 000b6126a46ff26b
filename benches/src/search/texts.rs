//! The texts, and searches that are made of their words.

use std::collections::BTreeMap;
use std::path::Path;

use super::Wanted;
use crate::Failure;

/// The shortest word of a search.
const WORD_MIN: usize = 3;

/// The texts of a file.
pub(super) struct Texts {
    lines: Vec<String>,
    /// Words with the number of texts that have them, the most frequent first.
    words: Vec<(String, usize)>,
    word_count: usize,
}

impl Texts {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let is_plain = |line: &&str| {
            let plain = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b',');
            !line.trim().is_empty() && line.bytes().all(plain)
        };
        let lines: Vec<String> = text.lines().map(str::trim).filter(is_plain).map(str::to_owned).collect();
        if lines.is_empty() {
            return Err(format!("{} has no plain texts", file.display()).into());
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut word_count = 0;
        for line in &lines {
            let mut own = words(line);
            word_count += own.len();
            own.sort_unstable();
            own.dedup();
            own.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
        }
        let mut words: Vec<(String, usize)> = counts.into_iter().collect();
        words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(Texts { lines, words, word_count })
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.lines.iter().map(String::len).sum()
    }

    pub(super) fn words(&self) -> usize {
        self.word_count
    }

    /// Returns this many texts, the first ones again after the last.
    pub(super) fn lines(&self, count: u64) -> impl Iterator<Item = &str> + Clone {
        self.lines.iter().cycle().map(String::as_str).take(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Returns searches of each kind. Their words are frequent and rare ones.
    pub(super) fn searches(&self, count: usize) -> Vec<(&'static str, Vec<Wanted>)> {
        let known: Vec<&str> =
            self.words.iter().map(|(word, _)| &**word).filter(|word| word.len() >= WORD_MIN).collect();
        // Ranks grow by a constant factor, from the most frequent word to the rarest.
        let rank = |number: usize| {
            let share = number as f64 / count as f64;
            ((known.len() as f64).powf(share) as usize).min(known.len().saturating_sub(1))
        };
        let ranked = (0..count).filter_map(|number| known.get(rank(number))).map(|word| (*word).to_owned());
        let neighbours = |number: usize, length: usize| -> Option<Vec<String>> {
            // A prime number of steps visits all parts of the texts.
            let line = self.lines.get(number * 7919 % self.lines.len())?;
            let words = words(line);
            let start = number % words.len().checked_sub(length)?.max(1);
            words.get(start..start + length).map(<[String]>::to_vec)
        };
        let both = (0..count).filter_map(|number| match neighbours(number, 3)?.as_slice() {
            [first, _, last] => Some(Wanted::Both(first.clone(), last.clone())),
            _ => None,
        });
        let phrases = (0..count).filter_map(|number| neighbours(number, 2).map(Wanted::Phrase));
        vec![
            ("one word", ranked.map(Wanted::Word).collect()),
            ("two words", both.collect()),
            ("phrase", phrases.collect()),
        ]
    }
}

fn words(line: &str) -> Vec<String> {
    let parts = line.split([' ', ',']).filter(|part| !part.is_empty());
    parts.map(str::to_ascii_lowercase).collect()
}
