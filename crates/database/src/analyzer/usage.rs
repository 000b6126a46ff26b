//! The places that use an analyzer.

use analyzers::Definition;
use catalog::AnalyzerName;
use storage::Index;
use velocypack::Slice;

use crate::session::Session;
use errors::Result;

impl Session {
    /// Returns the name of a view of the database, or of an index of any, that uses an analyzer.
    pub(super) fn user_of_analyzer(&self, definition: &Definition) -> Result<Option<String>> {
        let catalog = self.catalog();
        let collections = catalog.databases().flat_map(|database| database.collections());
        for collection in collections {
            let uses = |index: &Index| {
                let analyzers = index.definition().properties.analyzers();
                analyzers.is_some_and(|analyzers| analyzers.uses(definition.name()))
            };
            if let Some(index) = collection.indexes().iter().find(|index| uses(index)) {
                let (index, collection) = (index.name(), collection.name());
                return Ok(Some(format!("index '{index}' of collection '{collection}'")));
            }
        }
        let views = self.kept_views(self.database_in(&catalog)?)?;
        let local = AnalyzerName::parse(definition.name()).local;
        let is_name = |name: &str| name == definition.name() || name == local;
        let user = Slice::new(&views).elements().find(|view| names_analyzer(*view, &is_name));
        let name = user.and_then(|view| view.get("name")).and_then(Slice::as_str);
        Ok(name.map(|name| format!("view '{name}'")))
    }
}

/// Returns true if the definition of a view or an index names the analyzer: in `analyzers` or
/// `analyzer`, at any depth.
fn names_analyzer(definition: Slice<'_>, is_name: &impl Fn(&str) -> bool) -> bool {
    let is_it = |value: Slice<'_>| value.as_str().is_some_and(is_name);
    definition.entries().any(|(attribute, value)| match attribute {
        "analyzers" => value.elements().any(is_it),
        "analyzer" => is_it(value),
        _ => names_analyzer(value, is_name),
    }) || definition.elements().any(|element| names_analyzer(element, is_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use velocypack::{Builder, Limits, json};

    #[test]
    fn names_are_found_at_any_depth() {
        let named = |text: &str| {
            let mut builder = Builder::new();
            json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
            names_analyzer(builder.as_slice(), &|name| name == "own")
        };
        assert!(named(r#"{"links": {"c": {"analyzers": ["other", "own"]}}}"#));
        assert!(named(r#"{"links": {"c": {"fields": {"a": {"fields": {"b": {"analyzers": ["own"]}}}}}}}"#));
        assert!(named(r#"{"fields": [{"name": "a", "analyzer": "own"}]}"#));
        assert!(!named(r#"{"links": {"own": {"analyzers": ["other"]}}, "name": "own"}"#));
    }
}
