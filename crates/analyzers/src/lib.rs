//! Text analysis: from a text to its tokens.
//!
//! An [`Analyzer`] has the meaning that ArangoDB gives to this word. This crate has those of every
//! database, [`built_in`]: `identity` and the `text_*` analyzers, one a language. Functions of AQL
//! apply them to texts (`TOKENS()`, `NGRAM_MATCH()`).
//!
//! Fulltext indexes are built on [`for_each_word`] and [`word_query`].
//!
//! A `text_*` analyzer follows the documented steps. It splits words by Unicode's rules, or by
//! dictionary where a script writes no spaces. Then it removes accents, converts to lower case and
//! stems words by Snowball's algorithm for the language.

mod accent;
mod language;
mod piece;
mod text;
mod word;
pub mod word_query;

pub use word::{WORD_MAX_BYTES, for_each_word};

use language::Language;

/// A function from a text to its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Analyzer {
    /// The text as a whole is the only token.
    Identity,
    /// The words of a language, in lower case, without accents, reduced to their stems.
    Text(Language),
}

/// Returns the built-in analyzer with this name, which every database has.
pub fn built_in(name: &str) -> Option<Analyzer> {
    if name == "identity" {
        return Some(Analyzer::Identity);
    }
    name.strip_prefix("text_").and_then(Language::from_code).map(Analyzer::Text)
}

impl Analyzer {
    /// Passes every token to `emit`, in order.
    ///
    /// It splits long texts into pieces, which take milliseconds, and calls `pause` before each.
    /// The first error of either callback ends it.
    pub fn for_each_token<E>(
        self,
        text: &str,
        pause: impl FnMut() -> Result<(), E>,
        mut emit: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Identity => emit(text),
            Self::Text(language) => text::for_each_token(language, text, pause, emit),
        }
    }
}

#[cfg(test)]
mod tests;
