//! The steps of the `text_*` analyzers.

use crate::accent::without_accents;
use crate::language::Language;
use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};

/// Longest word that is reduced to its stem; what is longer is no word of a language, and stays as it is.
const MAX_STEMMED_BYTES: usize = 1024;

/// Passes the tokens of a text to `emit`.
pub(crate) fn for_each_token<E>(
    language: Language,
    text: &str,
    mut emit: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let stemmer = language.stemmer();
    let mut start = 0;
    let words = WordSegmenter::new_auto(WordBreakInvariantOptions::default());
    for (end, word_type) in words.segment_str(text).iter_with_word_type() {
        let word = text.get(start..end).unwrap_or_default();
        start = end;
        // Blanks and punctuation are segments, too.
        if !word_type.is_word_like() {
            continue;
        }
        let folded = without_accents(word).to_lowercase();
        match &stemmer {
            Some(stemmer) if folded.len() <= MAX_STEMMED_BYTES => emit(&stemmer.stem(&folded))?,
            _ => emit(&folded)?,
        }
    }
    Ok(())
}
