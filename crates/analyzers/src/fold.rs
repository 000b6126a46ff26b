//! Case conversion and accent removal.

use errors::Result;
use icu_properties::{CodePointMapData, props::GeneralCategory};
use unicode_normalization::UnicodeNormalization;
use velocypack::Builder;

use crate::locale::Locale;
use crate::properties::Properties;

/// The case that letters are converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Unchanged,
}

impl Case {
    /// Reads the property `case`.
    pub(crate) fn read(properties: &Properties<'_>, default: Self) -> Result<Self> {
        let choices = [("lower", Self::Lower), ("upper", Self::Upper), ("none", Self::Unchanged)];
        Ok(properties.choice("case", &choices)?.unwrap_or(default))
    }

    pub(crate) fn print(self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("case")?;
        let name = match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Unchanged => "none",
        };
        out.add_str(name)
    }
}

/// The normalization of words: accents are removed first, then the case is converted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Folding {
    case: Case,
    keeps_accents: bool,
    /// True for Turkish and Azeri, in which `ı` is the small letter of `I`.
    has_dotless_i: bool,
}

impl Folding {
    pub(crate) fn new(case: Case, keeps_accents: bool, locale: &Locale) -> Self {
        let has_dotless_i = matches!(locale.language.as_str(), "tr" | "az");
        Self { case, keeps_accents, has_dotless_i }
    }

    /// Returns the normal form of a text, which is in `room` unless the text has it already.
    pub(crate) fn apply<'a>(&self, text: &'a str, room: &'a mut String) -> &'a str {
        if text.is_ascii() && !self.has_dotless_i {
            return self.apply_to_ascii(text, room);
        }
        room.clear();
        if self.keeps_accents {
            room.push_str(text);
        } else {
            let categories = CodePointMapData::<GeneralCategory>::new();
            let is_base = |character: &char| categories.get(*character) != GeneralCategory::NonspacingMark;
            room.extend(text.nfd().filter(is_base).nfc());
        }
        if self.has_dotless_i {
            self.convert_i(room);
        }
        match self.case {
            Case::Lower => *room = room.to_lowercase(),
            Case::Upper => *room = room.to_uppercase(),
            Case::Unchanged => {}
        }
        room
    }

    fn apply_to_ascii<'a>(&self, text: &'a str, room: &'a mut String) -> &'a str {
        let is_changed = match self.case {
            Case::Lower => text.bytes().any(|byte| byte.is_ascii_uppercase()),
            Case::Upper => text.bytes().any(|byte| byte.is_ascii_lowercase()),
            Case::Unchanged => false,
        };
        if !is_changed {
            return text;
        }
        room.clear();
        room.push_str(text);
        match self.case {
            Case::Lower => room.make_ascii_lowercase(),
            _ => room.make_ascii_uppercase(),
        }
        room
    }

    fn convert_i(&self, text: &mut String) {
        match self.case {
            Case::Lower => *text = text.replace("I\u{307}", "i").replace('İ', "i").replace('I', "ı"),
            Case::Upper => *text = text.replace('i', "İ"),
            Case::Unchanged => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turkish_has_an_i_without_a_dot() {
        let fold = |case, language: &str, text: &str| {
            Folding::new(case, true, &Locale::parse(language)).apply(text, &mut String::new()).to_owned()
        };
        assert_eq!(fold(Case::Lower, "tr_TR", "DIŞ İZMİR"), "dış izmir");
        assert_eq!(fold(Case::Upper, "az", "izmir"), "İZMİR");
        assert_eq!(fold(Case::Lower, "en", "DIS"), "dis");
        assert_eq!(fold(Case::Upper, "de", "straße"), "STRASSE");
    }
}
