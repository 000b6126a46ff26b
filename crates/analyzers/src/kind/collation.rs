//! `collation`: a term whose byte order is the alphabetic order of a language.

use std::sync::Arc;

use errors::{Error, Result};
use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale as LanguageTag;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::locale::Locale;
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

#[derive(Debug)]
struct Collation {
    locale: Locale,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    Ok(Arc::new(Collation { locale: Locale::parse(properties.required_text("locale")?) }))
}

impl Kind for Collation {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("locale")?;
        out.add_str(&self.locale.to_string())
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        // An unknown locale has the root collation, as in ICU.
        let tag = LanguageTag::try_from_str(&self.locale.to_bcp47()).ok();
        let preferences = tag.as_ref().map(CollatorPreferences::from).unwrap_or_default();
        let mut options = CollatorOptions::default();
        options.strength = Some(Strength::Tertiary);
        let collator = CollatorBorrowed::try_new(preferences, options)
            .or_else(|_| CollatorBorrowed::try_new(CollatorPreferences::default(), options));
        Ok(Box::new(Opened { collator: collator.map_err(Error::internal)? }))
    }
}

struct Opened {
    collator: CollatorBorrowed<'static>,
}

impl Tokenizer for Opened {
    /// The term is the sort key with each byte as a character.
    ///
    /// `TOKENS()` returns it, so it must be UTF-8. This form keeps the order of the bytes.
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let mut key = Vec::new();
        let Ok(()) = self.collator.write_sort_key_to(text, &mut key);
        let term: String = key.into_iter().map(char::from).collect();
        sink.token(Token::new(term.as_bytes(), 0, 0, text.len()))
    }
}
