//! Stemmers: Snowball's algorithms by language.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes of the longest word that is stemmed. A longer one is not a word of a language and stays as
/// it is.
const MAX_STEMMED_BYTES: usize = 1024;

/// The stemmer of a language.
///
/// Stored tokens must not change with a library's version. So each language keeps the library that
/// it began with.
pub(crate) enum Stemmer {
    /// The algorithms of Snowball 1, which are those that ArangoDB's documented tokens show.
    First(rust_stemmers::Stemmer),
    /// The algorithms that Snowball has added, and Greek, whose first form can panic.
    Later(frostem::Stemmer),
}

impl Stemmer {
    /// Returns the stemmer of the language with this ISO 639 code, if it has one.
    pub(crate) fn of(language: &str) -> Option<Self> {
        first(language)
            .map(|algorithm| Self::First(rust_stemmers::Stemmer::create(algorithm)))
            .or_else(|| later(language).map(|algorithm| Self::Later(frostem::Stemmer::new(algorithm))))
    }

    /// Returns the stem of a word, or the word if the algorithm panics.
    pub(crate) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if word.len() > MAX_STEMMED_BYTES {
            return Cow::Borrowed(word);
        }
        // Nothing that a panic leaves half done outlives the call.
        let stem = catch_unwind(AssertUnwindSafe(|| match self {
            Self::First(stemmer) => stemmer.stem(word),
            Self::Later(stemmer) => stemmer.stem(word),
        }));
        stem.unwrap_or(Cow::Borrowed(word))
    }
}

fn first(language: &str) -> Option<rust_stemmers::Algorithm> {
    use rust_stemmers::Algorithm;
    Some(match language {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nl" => Algorithm::Dutch,
        "no" | "nb" | "nn" => Algorithm::Norwegian,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

fn later(language: &str) -> Option<frostem::Algorithm> {
    use frostem::Algorithm;
    Some(match language {
        "ca" => Algorithm::Catalan,
        "el" => Algorithm::Greek,
        "eu" => Algorithm::Basque,
        "ga" => Algorithm::Irish,
        "hi" => Algorithm::Hindi,
        "hy" => Algorithm::Armenian,
        "id" => Algorithm::Indonesian,
        "lt" => Algorithm::Lithuanian,
        "ne" => Algorithm::Nepali,
        "sr" => Algorithm::Serbian,
        "yi" => Algorithm::Yiddish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The languages that ArangoDB's documentation lists.
    const LANGUAGES: [&str; 28] = [
        "ar", "hy", "eu", "ca", "da", "nl", "en", "fi", "fr", "de", "el", "hi", "hu", "id", "ga", "it", "lt",
        "ne", "no", "pt", "ro", "ru", "sr", "es", "sv", "ta", "tr", "yi",
    ];

    #[test]
    fn every_documented_language_has_one() {
        for language in LANGUAGES {
            assert!(Stemmer::of(language).is_some(), "{language}");
        }
        assert!(Stemmer::of("zh").is_none() && Stemmer::of("").is_none());
    }

    #[test]
    fn later_languages() {
        for (language, word, stem) in [("id", "membangunkan", "bangun"), ("ca", "cançons", "canço")] {
            let stemmer = Stemmer::of(language).unwrap();
            assert_ne!(stemmer.stem(word), word, "{language}: {stem}");
        }
    }

    proptest! {
        #[test]
        fn any_word_has_a_stem(word in "\\PC{0,30}", language in 0..LANGUAGES.len()) {
            Stemmer::of(LANGUAGES[language]).unwrap().stem(&word);
        }
    }
}
