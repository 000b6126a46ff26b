//! Accent removal.

use icu_properties::{CodePointMapData, props::GeneralCategory};
use unicode_normalization::UnicodeNormalization;

/// Returns the text without accents: decomposed, without nonspacing marks, and composed again.
pub(crate) fn without_accents(text: &str) -> String {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let is_base = |character: &char| categories.get(*character) != GeneralCategory::NonspacingMark;
    text.nfd().filter(is_base).nfc().collect()
}
