//! The steps of the `text_*` analyzers.

use crate::accent::without_accents;
use crate::language::Language;
use crate::piece::pieces;
use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};

/// Bytes of the longest word that is stemmed. A longer one is no word of a language and stays as it
/// is.
const MAX_STEMMED_BYTES: usize = 1024;

/// Passes the tokens of a text to `emit`, and calls `pause` before each piece of the text.
pub(crate) fn for_each_token<E>(
    language: Language,
    text: &str,
    mut pause: impl FnMut() -> Result<(), E>,
    mut emit: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let stemmer = language.stemmer();
    let segmenter = WordSegmenter::new_auto(WordBreakInvariantOptions::default());
    for piece in pieces(text) {
        pause()?;
        let mut start = 0;
        for (end, word_type) in segmenter.segment_str(piece).iter_with_word_type() {
            let word = piece.get(start..end).unwrap_or_default();
            start = end;
            // Blanks and punctuation are segments too.
            if !word_type.is_word_like() {
                continue;
            }
            let folded = without_accents(word).to_lowercase();
            match &stemmer {
                Some(stemmer) if folded.len() <= MAX_STEMMED_BYTES => emit(&stemmer.stem(&folded))?,
                _ => emit(&folded)?,
            }
        }
    }
    Ok(())
}
