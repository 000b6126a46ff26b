//! Text analysis: from a text to its tokens.
//!
//! An [`Analyzer`] is what ArangoDB calls by that name. Here are those that every database has, [`built_in`]:
//! `identity` and the `text_*` analyzers, one a language. Functions of AQL use them on texts (`TOKENS()`,
//! `NGRAM_MATCH()`).
//!
//! [`for_each_word`] and [`word_query`] are what fulltext indexes are made of.
//!
//! The steps of a `text_*` analyzer are the documented ones: words by Unicode's rules (by dictionary where a script
//! writes no spaces), then accents removed, then lower case, then stems by Snowball's algorithm for the language.

mod accent;
mod language;
mod piece;
mod text;
mod word;
pub mod word_query;

pub use word::{WORD_MAX_BYTES, for_each_word};

use language::Language;

/// Makes tokens of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Analyzer {
    /// The text as a whole is the only token.
    Identity,
    /// Words of a language, in lower case, without accents, reduced to their stems.
    Text(Language),
}

/// The analyzer with this name that every database has.
pub fn built_in(name: &str) -> Option<Analyzer> {
    if name == "identity" {
        return Some(Analyzer::Identity);
    }
    name.strip_prefix("text_").and_then(Language::from_code).map(Analyzer::Text)
}

impl Analyzer {
    /// Passes every token to `emit`, in order. Long texts are worked off in pieces, which take milliseconds, and
    /// `pause` is called before each. The first error of either ends it.
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
