//! The agreement of inverted indexes in one `search-alias` view.
//!
//! A query on the view names fields without an analyzer, so each field must have one meaning.

use std::collections::BTreeMap;

use super::{FieldDefaults, InvertedField, InvertedOptions};

/// The settings of a field that all indexes of a view must agree on.
#[derive(Debug, PartialEq, Eq)]
struct Meaning {
    /// The full name of the analyzer.
    analyzer: String,
    search_field: bool,
    /// True if the settings also hold for all attributes below.
    includes_all: bool,
}

/// The fields of an index by their paths. The empty path stands for all attributes.
type Meanings = BTreeMap<Vec<String>, Meaning>;

impl InvertedOptions {
    /// Returns the reason for which two indexes cannot be in one view; `None` if they can.
    pub fn conflict_in_view(&self, other: &InvertedOptions) -> Option<String> {
        if self.primary_sort.fields != other.primary_sort.fields {
            return Some("their 'primarySort' differs".to_owned());
        }
        let columns = |options: &InvertedOptions| -> Vec<_> {
            options.stored_values.iter().map(|column| column.fields.clone()).collect()
        };
        if columns(self) != columns(other) {
            return Some("their 'storedValues' differ".to_owned());
        }
        let (own, others) = (self.meanings(), other.meanings());
        let path = disagreement(&own, &others).or_else(|| disagreement(&others, &own))?;
        Some(format!("'analyzer' or 'searchField' of the field '{path}' differ"))
    }

    fn meanings(&self) -> Meanings {
        let mut meanings = Meanings::new();
        if self.defaults.include_all_fields {
            meanings.insert(Vec::new(), self.meaning(&self.defaults));
        }
        self.push_meanings(&self.fields, &self.defaults, &[], &mut meanings);
        meanings
    }

    fn meaning(&self, settings: &FieldDefaults) -> Meaning {
        let analyzer = self.analyzers.get(&settings.analyzer);
        let analyzer = analyzer.map_or(settings.analyzer.as_str(), |definition| definition.name());
        Meaning {
            analyzer: analyzer.to_owned(),
            search_field: settings.search_field,
            includes_all: settings.include_all_fields,
        }
    }

    fn push_meanings(
        &self,
        fields: &[InvertedField],
        around: &FieldDefaults,
        above: &[String],
        meanings: &mut Meanings,
    ) {
        for field in fields {
            let settings = field.defaults(around);
            let mut path = above.to_vec();
            path.extend(field.path.names.iter().cloned());
            if field.nested.is_empty() {
                meanings.insert(path, self.meaning(&settings));
            } else {
                // A field with nested ones is separate from a field without.
                path.push("nested".to_owned());
                self.push_meanings(&field.nested, &settings, &path, meanings);
            }
        }
    }
}

/// Returns the first field of `own` that means something else in `others`.
fn disagreement(own: &Meanings, others: &Meanings) -> Option<String> {
    own.iter().find_map(|(path, meaning)| {
        let other = covering(others, path)?;
        let agrees = other.analyzer == meaning.analyzer && other.search_field == meaning.search_field;
        (!agrees).then(|| path.join("."))
    })
}

/// Returns the settings that hold at a path: its own, or those of the nearest field above that
/// includes it.
fn covering<'m>(meanings: &'m Meanings, path: &[String]) -> Option<&'m Meaning> {
    let own = meanings.get(path);
    let above = || {
        (0..path.len()).rev().find_map(|length| {
            let meaning = meanings.get(path.get(..length)?)?;
            meaning.includes_all.then_some(meaning)
        })
    };
    own.or_else(above)
}

#[cfg(test)]
mod tests {
    use velocypack::Slice;

    use crate::index::IndexProperties;
    use crate::testing::value;

    fn conflict(first: &str, second: &str) -> Option<String> {
        let open = |text: &str| {
            let text = format!(r#"{{"type": "inverted", {text}}}"#);
            let mut index = IndexProperties::parse(Slice::new(&value(&text))).unwrap();
            index.find_analyzers(&|name| panic!("'{name}' is built in")).unwrap();
            index
        };
        let (first, second) = (open(first), open(second));
        first.as_inverted().unwrap().conflict_in_view(second.as_inverted().unwrap())
    }

    #[test]
    fn fields_of_one_view_have_one_meaning() {
        for (first, second) in [
            (r#""fields": ["a"]"#, r#""fields": ["b"], "analyzer": "text_en""#),
            (r#""fields": ["a"]"#, r#""fields": [{"name": "a", "analyzer": "identity"}]"#),
            (r#""includeAllFields": true"#, r#""fields": ["a", "b.c"]"#),
            (
                r#""fields": [{"name": "a", "includeAllFields": true}]"#,
                r#""fields": [{"name": "b", "analyzer": "text_en"}]"#,
            ),
        ] {
            assert_eq!(conflict(first, second), None, "{first} {second}");
        }
        for (first, second) in [
            (r#""fields": ["a"]"#, r#""fields": [{"name": "a", "analyzer": "text_en"}]"#),
            (r#""fields": ["a"]"#, r#""fields": ["a"], "searchField": true"#),
            (r#""includeAllFields": true"#, r#""fields": [{"name": "a.b", "analyzer": "text_en"}]"#),
            (
                r#""fields": [{"name": "a", "includeAllFields": true}]"#,
                r#""fields": [{"name": "a.b", "analyzer": "text_en"}]"#,
            ),
            (
                r#""fields": [{"name": "a", "nested": ["b"]}]"#,
                r#""fields": [{"name": "a", "nested": [{"name": "b", "analyzer": "text_en"}]}]"#,
            ),
            (
                r#""fields": ["a"], "primarySort": {"fields": [{"field": "a", "direction": "asc"}]}"#,
                r#""fields": ["a"]"#,
            ),
            (r#""fields": ["a"], "storedValues": ["x"]"#, r#""fields": ["a"]"#),
        ] {
            assert!(conflict(first, second).is_some(), "{first} {second}");
            assert!(conflict(second, first).is_some(), "{second} {first}");
        }
    }
}
