//! Words as fulltext indexes store them: in lower case, neither stemmed nor without accents.

use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};

use crate::piece::pieces;

/// Maximum size in bytes of a word; a longer one is cut.
pub const WORD_MAX_BYTES: usize = 256;

/// Passes every word of a text with at least `min_characters` to `emit`, in order.
///
/// It calls `pause` before each piece of a long text. The first error of either callback ends it.
pub fn for_each_word<E>(
    text: &str,
    min_characters: usize,
    mut pause: impl FnMut() -> Result<(), E>,
    mut emit: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let segmenter = WordSegmenter::new_auto(WordBreakInvariantOptions::default());
    for piece in pieces(text) {
        pause()?;
        let mut start = 0;
        for (end, word_type) in segmenter.segment_str(piece).iter_with_word_type() {
            let word = piece.get(start..end).unwrap_or_default();
            start = end;
            // Blanks and punctuation are segments too.
            if word_type.is_word_like() && word.chars().count() >= min_characters {
                emit(&normalized(word))?;
            }
        }
    }
    Ok(())
}

/// Returns a word in the form in which words are compared.
pub(crate) fn normalized(word: &str) -> String {
    let mut word = word.to_lowercase();
    word.truncate(word.floor_char_boundary(WORD_MAX_BYTES));
    word
}
