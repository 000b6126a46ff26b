//! The attributes of documents as a sample of them shows: types, frequencies and examples.

use std::collections::BTreeMap;

use velocypack::{Kind, Slice, json};

use crate::writer::{Array, Object};

/// The most attributes that are kept; further ones are counted only.
const ATTRIBUTES_MAX: usize = 200;

/// The deepest nesting of attributes that is described.
const DEPTH_MAX: usize = 4;

/// The elements of an array that are looked at.
const ELEMENTS_MAX: usize = 10;

/// The most examples of an attribute.
const EXAMPLES_MAX: usize = 3;

/// Bytes of the longest example.
const EXAMPLE_MAX_BYTES: usize = 60;

/// Bytes of the longest path.
const PATH_MAX_BYTES: usize = 256;

/// The attributes of a sample of documents.
#[derive(Debug, Default)]
pub struct Inference {
    documents: u64,
    attributes: BTreeMap<String, Attribute>,
    /// The order in which the attributes were seen first.
    order: Vec<String>,
    is_cut: bool,
}

#[derive(Debug, Default)]
struct Attribute {
    /// The documents that have it.
    present: u64,
    /// The number of the last document that has it.
    last: u64,
    types: BTreeMap<&'static str, u64>,
    /// Distinct values, as JSON.
    examples: Vec<Vec<u8>>,
    /// The lengths of arrays of numbers: the shortest and the longest.
    lengths: Option<(usize, usize)>,
}

impl Inference {
    /// Adds a document to the sample.
    pub fn add(&mut self, document: Slice<'_>) {
        self.documents += 1;
        self.add_members("", document, 0);
    }

    /// Returns the number of documents in the sample.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    fn add_members(&mut self, path: &str, object: Slice<'_>, depth: usize) {
        for (name, value) in object.entries() {
            // Every document has them.
            if depth == 0 && matches!(name, "_key" | "_id" | "_rev") {
                continue;
            }
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            self.add_value(&path, value, depth);
        }
    }

    fn add_value(&mut self, path: &str, value: Slice<'_>, depth: usize) {
        let documents = self.documents;
        let Some(attribute) = self.attribute(path) else { return };
        if attribute.last != documents {
            (attribute.last, attribute.present) = (documents, attribute.present + 1);
        }
        *attribute.types.entry(type_of(value)).or_default() += 1;
        match value.kind() {
            Kind::Object if depth + 1 < DEPTH_MAX => self.add_members(path, value, depth + 1),
            Kind::Array if value.at(0).is_some_and(Slice::is_number) => {
                let (min, max) = attribute.lengths.unwrap_or((usize::MAX, 0));
                attribute.lengths = Some((min.min(value.len()), max.max(value.len())));
            }
            Kind::Array if depth + 1 < DEPTH_MAX => {
                let path = format!("{path}[*]");
                for element in value.elements().take(ELEMENTS_MAX) {
                    self.add_value(&path, element, depth + 1);
                }
            }
            Kind::Object | Kind::Array | Kind::Null => {}
            _ => attribute.add_example(value),
        }
    }

    /// Returns an attribute, unless there are too many.
    fn attribute(&mut self, path: &str) -> Option<&mut Attribute> {
        if !self.attributes.contains_key(path) {
            if self.attributes.len() >= ATTRIBUTES_MAX || path.len() > PATH_MAX_BYTES {
                self.is_cut = true;
                return None;
            }
            self.order.push(path.to_owned());
        }
        Some(self.attributes.entry(path.to_owned()).or_default())
    }

    /// Adds the attributes to an object: `sampled`, `attributes`, and `attributes_cut` if there are
    /// more than are described.
    pub fn print(&self, object: &mut Object<'_>) {
        object.number("sampled", self.documents);
        object.list("attributes", |array| {
            for path in &self.order {
                if let Some(attribute) = self.attributes.get(path) {
                    array.object(|object| attribute.print(path, self.documents, object));
                }
            }
        });
        if self.is_cut {
            object.bool("attributes_cut", true);
        }
    }
}

impl Attribute {
    fn add_example(&mut self, value: Slice<'_>) {
        if self.examples.len() >= EXAMPLES_MAX {
            return;
        }
        let mut example = Vec::new();
        match value.as_str().filter(|text| text.len() > EXAMPLE_MAX_BYTES) {
            Some(text) => {
                let shown = text.get(..text.floor_char_boundary(EXAMPLE_MAX_BYTES)).unwrap_or_default();
                json::write_str(&format!("{shown}..."), &mut example);
            }
            None => json::write(value, None, &mut example),
        }
        if !self.examples.contains(&example) {
            self.examples.push(example);
        }
    }

    fn print(&self, path: &str, documents: u64, object: &mut Object<'_>) {
        object.text("path", path);
        match self.types.len() {
            1 => self.types.keys().for_each(|name| {
                object.text("type", name);
            }),
            _ => {
                object.child("types", |object| {
                    for (name, count) in &self.types {
                        object.number(name, *count);
                    }
                });
            }
        }
        // An attribute that each document has needs no number.
        if self.present < documents {
            object.double("frequency", (self.present as f64 / documents as f64 * 100.0).round() / 100.0);
        }
        if let Some((min, max)) = self.lengths {
            object.number("min_length", min as u64).number("max_length", max as u64);
        }
        if !self.examples.is_empty() {
            let examples = Array::whole(|array| {
                for example in &self.examples {
                    array.raw(example);
                }
            });
            object.raw("examples", &examples);
        }
    }
}

fn type_of(value: Slice<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Bool => "bool",
        Kind::Int | Kind::UInt => "integer",
        Kind::Double => "number",
        Kind::String => "string",
        Kind::Array if value.at(0).is_some_and(Slice::is_number) => "array of numbers",
        Kind::Array => "array",
        Kind::Object => "object",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use velocypack::{Builder, Limits};

    use super::*;

    fn inferred(documents: &[&str]) -> String {
        let mut inference = Inference::default();
        for document in documents {
            let mut builder = Builder::new();
            json::parse(document.as_bytes(), &Limits::default(), &mut builder).unwrap();
            inference.add(builder.as_slice());
        }
        String::from_utf8(Object::whole(|object| inference.print(object))).unwrap()
    }

    #[test]
    fn attributes_have_types_frequencies_and_examples() {
        let text = inferred(&[
            r#"{"_key":"1","name":"a","age":3,"address":{"city":"x"},"tags":["u","v"]}"#,
            r#"{"_key":"2","name":"a","age":"old","v":[1,2,3]}"#,
        ]);
        let expected = concat!(
            r#"{"sampled":2,"attributes":["#,
            r#"{"path":"name","type":"string","examples":["a"]},"#,
            r#"{"path":"age","types":{"integer":1,"string":1},"examples":[3,"old"]},"#,
            r#"{"path":"address","type":"object","frequency":0.5},"#,
            r#"{"path":"address.city","type":"string","frequency":0.5,"examples":["x"]},"#,
            r#"{"path":"tags","type":"array","frequency":0.5},"#,
            r#"{"path":"tags[*]","type":"string","frequency":0.5,"examples":["u","v"]},"#,
            r#"{"path":"v","type":"array of numbers","frequency":0.5,"min_length":3,"max_length":3}]}"#,
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn attributes_examples_and_depth_are_bounded() {
        let wide: Vec<String> = (0..1_000).map(|number| format!(r#""a{number}":1"#)).collect();
        let text = inferred(&[&format!("{{{}}}", wide.join(","))]);
        assert_eq!(text.matches(r#""path""#).count(), ATTRIBUTES_MAX);
        assert!(text.contains(r#""attributes_cut":true"#));
        let deep = format!("{}1{}", r#"{"a":"#.repeat(50), "}".repeat(50));
        assert_eq!(inferred(&[&deep]).matches(r#""path""#).count(), DEPTH_MAX);
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(10_000));
        assert!(inferred(&[&long]).len() < 200);
    }
}
