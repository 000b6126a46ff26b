//! `norm`: the text as a whole, with another case and without accents.

use std::sync::Arc;

use errors::Result;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::fold::{Case, Folding};
use crate::locale::Locale;
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

#[derive(Debug)]
struct Norm {
    locale: Locale,
    case: Case,
    accent: bool,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    Ok(Arc::new(Norm {
        locale: Locale::parse(properties.required_text("locale")?).without_keywords(),
        case: Case::read(properties, Case::Unchanged)?,
        accent: properties.boolean("accent", true)?,
    }))
}

impl Kind for Norm {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("locale")?;
        out.add_str(&self.locale.to_string())?;
        self.case.print(out)?;
        out.key("accent")?;
        out.add_bool(self.accent)
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(Opened { folding: Folding::new(self.case, self.accent, &self.locale) }))
    }
}

struct Opened {
    folding: Folding,
}

impl Tokenizer for Opened {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let mut room = String::new();
        let term = self.folding.apply(text, &mut room);
        sink.token(Token::new(term.as_bytes(), 0, 0, text.len()))
    }
}
