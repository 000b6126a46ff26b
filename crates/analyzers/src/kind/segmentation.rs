//! `segmentation`: words by the rules of Unicode Standard Annex 29, of any language.

use std::sync::Arc;

use errors::Result;
use unicode_segmentation::UnicodeSegmentation;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::fold::{Case, Folding};
use crate::locale::Locale;
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

/// Segments between two pauses.
const SEGMENTS_PER_PAUSE: usize = 1024;

/// The segments that are tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    /// All.
    All,
    /// Those with a letter or a digit.
    Alpha,
    /// Those with anything but blanks.
    Graphic,
}

#[derive(Debug, Clone)]
struct Segmentation {
    kept: Break,
    case: Case,
}

const BREAKS: [(&str, Break); 3] =
    [("all", Break::All), ("alpha", Break::Alpha), ("graphic", Break::Graphic)];

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    Ok(Arc::new(Segmentation {
        kept: properties.choice("break", &BREAKS)?.unwrap_or(Break::Alpha),
        case: Case::read(properties, Case::Lower)?,
    }))
}

impl Kind for Segmentation {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        self.case.print(out)?;
        out.key("break")?;
        let name = BREAKS.iter().find(|(_, kept)| *kept == self.kept).map_or("", |(name, _)| name);
        out.add_str(name)
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        let folding = Folding::new(self.case, true, &Locale::parse(""));
        Ok(Box::new(Opened { kept: self.kept, folding }))
    }
}

struct Opened {
    kept: Break,
    folding: Folding,
}

impl Tokenizer for Opened {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        let (mut position, mut room) = (0, String::new());
        for (round, (start, segment)) in text.split_word_bound_indices().enumerate() {
            if round % SEGMENTS_PER_PAUSE == 0 {
                sink.pause()?;
            }
            if self.kept.keeps(segment) {
                let term = self.folding.apply(segment, &mut room);
                sink.token(Token::new(term.as_bytes(), position, start, start + segment.len()))?;
                position += 1;
            }
        }
        Ok(())
    }
}

impl Break {
    fn keeps(self, segment: &str) -> bool {
        match self {
            Self::All => true,
            Self::Alpha => segment.chars().any(char::is_alphanumeric),
            Self::Graphic => !segment.chars().all(is_blank),
        }
    }
}

/// Returns true for the documented blanks, which have no line breaks of ASCII among them.
fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\t' | ' ' | '\u{85}' | '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}
