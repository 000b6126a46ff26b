//! `stem`: the stem of the text as a whole.

use std::sync::Arc;

use errors::Result;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::locale::Locale;
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::stemmer::Stemmer;
use crate::token::{Input, Sink, Token};

#[derive(Debug)]
struct Stem {
    locale: Locale,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    let locale = Locale::parse(properties.required_text("locale")?).language_only();
    Ok(Arc::new(Stem { locale }))
}

impl Kind for Stem {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("locale")?;
        out.add_str(&self.locale.to_string())
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(Opened { stemmer: Stemmer::of(&self.locale.language) }))
    }
}

struct Opened {
    stemmer: Option<Stemmer>,
}

impl Tokenizer for Opened {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let stem = self.stemmer.as_ref().map(|stemmer| stemmer.stem(text));
        let term = stem.as_deref().unwrap_or(text);
        sink.token(Token::new(term.as_bytes(), 0, 0, text.len()))
    }
}
