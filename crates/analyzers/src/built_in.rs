//! The analyzers that every database has.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use errors::Result;
use velocypack::{Builder, Slice};

use crate::analyzer::Analyzer;
use crate::definition::Definition;
use crate::features::Features;
use crate::query::NoQueries;

/// The name of the analyzer that takes a text as a whole.
pub const IDENTITY: &str = "identity";

/// The languages of the `text_*` analyzers.
const LANGUAGES: [&str; 12] = ["de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ru", "sv", "zh"];

static BUILT_IN: LazyLock<BTreeMap<String, Arc<Analyzer>>> = LazyLock::new(|| {
    let texts = LANGUAGES.iter().map(|language| text(language));
    // The definitions are constant and right: a test opens each.
    let opened =
        std::iter::once(identity()).chain(texts).filter_map(|definition| definition?.open(&NoQueries).ok());
    opened.map(|analyzer| (analyzer.definition().name().to_owned(), analyzer)).collect()
});

/// Returns the analyzer with this name that every database has: `identity` or `text_*`.
pub fn built_in(name: &str) -> Option<&'static Arc<Analyzer>> {
    BUILT_IN.get(name)
}

/// Returns the analyzers that every database has, by name.
pub fn built_ins() -> impl Iterator<Item = &'static Arc<Analyzer>> {
    BUILT_IN.values()
}

fn identity() -> Option<Definition> {
    let features = Features { frequency: true, norm: true, ..Features::NONE };
    Definition::new(IDENTITY, "identity", Slice::NONE, features).ok()
}

/// Returns the analyzer of a language. Source: ArangoDB's documentation, its recorded replies.
fn text(language: &str) -> Option<Definition> {
    let features = Features { frequency: true, norm: true, position: true, offset: false };
    let properties = text_properties(language).ok()?;
    Definition::new(&format!("text_{language}"), "text", properties.as_slice(), features).ok()
}

fn text_properties(language: &str) -> Result<Builder> {
    let mut out = Builder::new();
    out.open_object()?;
    out.key("locale")?;
    out.add_str(language)?;
    out.key("stopwords")?;
    out.open_array()?;
    out.close()?;
    out.key("stemming")?;
    // There are no endings in Chinese.
    out.add_bool(language != "zh")?;
    out.close()?;
    Ok(out)
}
