//! Locales in ICU's form: `language[_Script][_COUNTRY][_VARIANT][@key=value;...]`.

use std::fmt::{Display, Formatter};

/// A locale. Every text is one: an unknown language has no stemmer and the root collation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Locale {
    /// In lower case.
    pub language: String,
    /// Four letters, or empty.
    script: String,
    /// In upper case, or empty.
    country: String,
    /// In upper case, or empty.
    variant: String,
    /// Keywords in lower case with their values.
    keywords: Vec<(String, String)>,
}

/// The values of the keyword `collation` in the names that BCP 47 gives them.
const COLLATIONS: [(&str, &str); 4] =
    [("dictionary", "dict"), ("gb2312han", "gb2312"), ("phonebook", "phonebk"), ("traditional", "trad")];

impl Locale {
    /// Reads a locale. An encoding (`de_DE.UTF-8`) is ignored.
    pub(crate) fn parse(text: &str) -> Self {
        let (name, keywords) = text.split_once('@').unwrap_or((text, ""));
        let name = name.split('.').next().unwrap_or_default();
        let mut parts = name.split(['_', '-']).peekable();
        let language = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_script = |part: &&str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
        let script = parts.next_if(is_script).map(capitalized).unwrap_or_default();
        let country = parts.next().unwrap_or_default().to_ascii_uppercase();
        let variant = parts.collect::<Vec<_>>().join("_").to_ascii_uppercase();
        let pairs = keywords.split(';').filter_map(|pair| pair.split_once('='));
        let keywords =
            pairs.map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim().to_owned())).collect();
        Self { language, script, country, variant, keywords }
    }

    /// Returns the locale with its language only.
    pub(crate) fn language_only(self) -> Self {
        let empty = String::new;
        Self { script: empty(), country: empty(), variant: empty(), keywords: Vec::new(), ..self }
    }

    /// Returns the locale without keywords.
    pub(crate) fn without_keywords(self) -> Self {
        Self { keywords: Vec::new(), ..self }
    }

    /// Returns the locale in the syntax of BCP 47, with its order of words (`-u-co-...`).
    pub(crate) fn to_bcp47(&self) -> String {
        let mut tag = self.language.clone();
        for part in [&self.script, &self.country].into_iter().filter(|part| !part.is_empty()) {
            tag.push('-');
            tag.push_str(part);
        }
        let given = self.keywords.iter().find(|(key, _)| key == "collation").map(|(_, value)| value.as_str());
        let variant = matches!(self.variant.as_str(), "PHONEBOOK" | "TRADITIONAL" | "PINYIN" | "STROKE")
            .then(|| self.variant.to_ascii_lowercase());
        if let Some(order) = given.or(variant.as_deref()) {
            let order = order.to_ascii_lowercase();
            let known = COLLATIONS.iter().find(|(name, _)| *name == order);
            tag.push_str("-u-co-");
            tag.push_str(known.map_or(order.as_str(), |(_, short)| short));
        }
        tag
    }
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
}

impl Display for Locale {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.language)?;
        if !self.script.is_empty() {
            write!(formatter, "_{}", self.script)?;
        }
        if !self.country.is_empty() || !self.variant.is_empty() {
            write!(formatter, "_{}", self.country)?;
        }
        if !self.variant.is_empty() {
            write!(formatter, "_{}", self.variant)?;
        }
        for (number, (key, value)) in self.keywords.iter().enumerate() {
            write!(formatter, "{}{key}={value}", if number == 0 { '@' } else { ';' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (given, printed, tag) in [
            ("en", "en", "en"),
            ("EN_us.utf-8", "en_US", "en-US"),
            ("es__TRADITIONAL", "es__TRADITIONAL", "es-u-co-trad"),
            ("fr@collation=phonebook", "fr@collation=phonebook", "fr-u-co-phonebk"),
            ("zh-hans-cn", "zh_Hans_CN", "zh-Hans-CN"),
            ("", "", ""),
        ] {
            let locale = Locale::parse(given);
            assert_eq!((locale.to_string().as_str(), locale.to_bcp47().as_str()), (printed, tag), "{given}");
            assert_eq!(Locale::parse(&locale.to_string()), locale, "{given}");
        }
        assert_eq!(Locale::parse("de_DE@collation=phonebook").language_only().to_string(), "de");
    }
}
