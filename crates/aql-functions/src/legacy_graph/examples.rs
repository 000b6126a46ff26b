//! What vertices or edges are asked for: by identifiers, or by attributes that they have.

use aql_value::Value;
use std::collections::HashSet;

/// Documents match if they match one of the examples; all do if there is none.
#[derive(Default)]
pub(super) struct Examples {
    ids: HashSet<String>,
    objects: Vec<Vec<Attribute>>,
    /// An example without attributes, or none at all.
    match_all: bool,
}

/// An attribute and its value.
struct Attribute {
    name: String,
    /// The names of a chain `a.b`; empty without a dot.
    path: Vec<Box<str>>,
    expected: Value,
}

impl Examples {
    /// Examples that all documents match.
    pub(super) fn all() -> Self {
        Self { match_all: true, ..Self::default() }
    }

    /// An identifier, an object of attributes, or an array of them; null and an empty array are no examples. `None` for
    /// anything else.
    pub(super) fn parse(value: &Value) -> Option<Self> {
        let mut examples = Self { match_all: value.is_empty() && !value.is_string(), ..Self::default() };
        if value.is_array() {
            for example in value.elements() {
                examples.add(&example)?;
            }
        } else if !value.is_null() {
            examples.add(value)?;
        }
        Some(examples)
    }

    fn add(&mut self, example: &Value) -> Option<()> {
        if let Some(id) = example.as_str() {
            self.ids.insert(id.to_owned());
        } else if example.is_object() {
            self.match_all |= example.is_empty();
            let attributes = example.entries().map(|(name, expected)| Attribute::new(name, expected));
            self.objects.push(attributes.collect());
        } else {
            return None;
        }
        Some(())
    }

    /// Whether all documents match.
    pub(super) fn match_all(&self) -> bool {
        self.match_all
    }

    /// Whether a document matches.
    pub(super) fn matches(&self, id: &str, document: &Value) -> bool {
        self.match_all
            || self.ids.contains(id)
            || self.objects.iter().any(|object| object.iter().all(|attribute| attribute.is_in(document)))
    }

    /// The only identifiers that can match, sorted; `None` if they cannot be told from the examples.
    pub(super) fn possible_ids(&self) -> Option<Vec<String>> {
        if self.match_all {
            return None;
        }
        let mut ids: Vec<String> = self.ids.iter().cloned().collect();
        for object in &self.objects {
            let id = object.iter().find(|attribute| attribute.name == "_id")?;
            ids.push(id.expected.as_str()?.to_owned());
        }
        ids.sort_unstable();
        ids.dedup();
        Some(ids)
    }
}

impl Attribute {
    fn new(name: &str, expected: Value) -> Self {
        let chain = name.contains('.').then(|| name.split('.').map(Into::into).collect());
        Self { name: name.to_owned(), path: chain.unwrap_or_default(), expected }
    }

    fn is_in(&self, document: &Value) -> bool {
        document.get(&self.name).equal(&self.expected)
            || (!self.path.is_empty() && document.get_path(&self.path).equal(&self.expected))
    }
}
