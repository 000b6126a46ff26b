//! The languages of the analyzers.

use rust_stemmers::{Algorithm, Stemmer};

/// A language that an analyzer supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `zh`
    Chinese,
    /// `nl`
    Dutch,
    /// `en`
    English,
    /// `fi`
    Finnish,
    /// `fr`
    French,
    /// `de`
    German,
    /// `it`
    Italian,
    /// `no`
    Norwegian,
    /// `pt`
    Portuguese,
    /// `ru`
    Russian,
    /// `es`
    Spanish,
    /// `sv`
    Swedish,
}

impl Language {
    /// Returns the language with this code of two letters.
    pub fn from_code(code: &str) -> Option<Self> {
        Some(match code {
            "de" => Self::German,
            "en" => Self::English,
            "es" => Self::Spanish,
            "fi" => Self::Finnish,
            "fr" => Self::French,
            "it" => Self::Italian,
            "nl" => Self::Dutch,
            "no" => Self::Norwegian,
            "pt" => Self::Portuguese,
            "ru" => Self::Russian,
            "sv" => Self::Swedish,
            "zh" => Self::Chinese,
            _ => return None,
        })
    }

    /// Returns the stemmer of the language; `None` for a language whose words have no endings.
    pub(crate) fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Self::Chinese => return None,
            Self::Dutch => Algorithm::Dutch,
            Self::English => Algorithm::English,
            Self::Finnish => Algorithm::Finnish,
            Self::French => Algorithm::French,
            Self::German => Algorithm::German,
            Self::Italian => Algorithm::Italian,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Russian => Algorithm::Russian,
            Self::Spanish => Algorithm::Spanish,
            Self::Swedish => Algorithm::Swedish,
        };
        Some(Stemmer::create(algorithm))
    }
}
