//! The documents, the schema, and what a document has in each field.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use owner::Interrupt;
use search::{Analysis, FieldRef, Schema, Step};
use velocypack::{Builder, Limits, Number, json};

/// A document: texts in all kinds of fields.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    /// `t`, a text.
    pub(crate) text: Option<String>,
    /// `s.x`, any value, a text with the analyzer identity.
    pub(crate) value: Option<Primitive>,
    /// `l`, a list whose elements count as values.
    pub(crate) list: Vec<Primitive>,
    /// `e`, objects whose `k` is expanded.
    pub(crate) expanded: Vec<Primitive>,
    /// `n`, nested documents with `k` and `v`, and nested documents `m` with `w` in these.
    pub(crate) nested: Option<Vec<Nested>>,
}

/// A nested document: `k`, `v`, and `w` of each in `m`.
pub(crate) type Nested = (String, i64, Vec<i64>);

/// A value that is neither array nor object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Primitive {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
}

/// The fields that queries name.
pub(crate) const TEXT: &[Step<'_>] = &[Step::Attribute("t")];
pub(crate) const VALUE: &[Step<'_>] = &[Step::Attribute("s"), Step::Attribute("x")];
pub(crate) const LIST: &[Step<'_>] = &[Step::Attribute("l")];
pub(crate) const TRACKED: &[Step<'_>] = &[Step::Attribute("p"), Step::Element(1)];
pub(crate) const EXPANDED: &[Step<'_>] = &[Step::Attribute("e"), Step::Attribute("k")];
pub(crate) const NESTED: &[Step<'_>] = &[Step::Attribute("n")];
pub(crate) const NESTED_TEXT: &[Step<'_>] = &[Step::Attribute("n"), Step::Nested, Step::Attribute("k")];
pub(crate) const NESTED_NUMBER: &[Step<'_>] = &[Step::Attribute("n"), Step::Nested, Step::Attribute("v")];
pub(crate) const NESTED_TWICE: &[Step<'_>] = &[Step::Attribute("n"), Step::Nested, Step::Attribute("m")];
pub(crate) const NESTED_TWICE_NUMBER: &[Step<'_>] =
    &[Step::Attribute("n"), Step::Nested, Step::Attribute("m"), Step::Nested, Step::Attribute("w")];

/// Returns the schema of the test's index.
pub(crate) fn schema() -> Schema {
    let definition = r#"{"fields": [
        {"name": "t", "analyzer": "text_en"},
        "s.x",
        {"name": "l", "analyzer": "text_en", "searchField": true},
        {"name": "p", "searchField": true, "trackListPositions": true, "features": []},
        "e[*].k",
        {"name": "n", "nested": ["k", "v", {"name": "m", "nested": ["w"]}]}
        ],
        "primarySort": {"fields": [{"field": "s.x", "direction": "desc"}, {"field": "t", "direction": "asc"}]},
        "storedValues": [{"fields": ["missing"]}, {"fields": ["l", "s.x"]}]
    }"#;
    let mut builder = Builder::new();
    json::parse(definition.as_bytes(), &Limits::default(), &mut builder).unwrap();
    Schema::parse(builder.as_slice(), &|name| Ok(analysis(name))).unwrap()
}

/// Returns a built-in analyzer.
pub(crate) fn analysis(name: &str) -> Analysis {
    Analysis::of(analyzers::built_in(name).unwrap())
}

/// Returns a field of the schema.
pub(crate) fn field(steps: &[Step<'_>]) -> FieldRef {
    let path = path(steps);
    schema().field(steps).unwrap_or_else(|| FieldRef { path, analysis: analysis("identity").into() })
}

/// Returns the path of these steps.
pub(crate) fn path(steps: &[Step<'_>]) -> search::Path {
    steps.iter().fold(search::Path::root(), |path, step| match step {
        Step::Attribute(name) => path.attribute(name),
        Step::Element(index) => path.element(*index),
        Step::Nested => path.nested(),
    })
}

impl Primitive {
    fn write(&self, builder: &mut Builder) {
        match self {
            Primitive::Null => builder.add_null(),
            Primitive::Bool(value) => builder.add_bool(*value),
            Primitive::Number(value) => builder.add_f64(*value),
            Primitive::Text(text) => builder.add_str(text),
        }
        .unwrap();
    }
}

impl Document {
    pub(crate) fn to_velocypack(&self) -> Builder {
        let mut builder = Builder::new();
        builder.open_object().unwrap();
        if let Some(text) = &self.text {
            builder.key("t").unwrap();
            builder.add_str(text).unwrap();
        }
        if let Some(value) = &self.value {
            builder.key("s").unwrap();
            builder.open_object().unwrap();
            builder.key("x").unwrap();
            value.write(&mut builder);
            builder.close().unwrap();
        }
        for name in ["l", "p"] {
            builder.key(name).unwrap();
            builder.open_array().unwrap();
            self.list.iter().for_each(|value| value.write(&mut builder));
            builder.close().unwrap();
        }
        self.write_objects(&mut builder);
        builder.close().unwrap();
        builder
    }

    fn write_objects(&self, builder: &mut Builder) {
        builder.key("e").unwrap();
        builder.open_array().unwrap();
        for value in &self.expanded {
            builder.open_object().unwrap();
            builder.key("k").unwrap();
            value.write(builder);
            builder.close().unwrap();
        }
        builder.close().unwrap();
        let Some(nested) = &self.nested else { return };
        builder.key("n").unwrap();
        builder.open_array().unwrap();
        for (k, v, m) in nested {
            builder.open_object().unwrap();
            builder.key("k").unwrap();
            builder.add_str(k).unwrap();
            builder.key("v").unwrap();
            builder.add_number(Number::Int(*v)).unwrap();
            builder.key("m").unwrap();
            builder.open_array().unwrap();
            for w in m {
                builder.open_object().unwrap();
                builder.key("w").unwrap();
                builder.add_i64(*w).unwrap();
                builder.close().unwrap();
            }
            builder.close().unwrap();
            builder.close().unwrap();
        }
        builder.close().unwrap();
    }

    /// Returns what the document has in each field.
    pub(crate) fn indexed(&self) -> Indexed {
        let mut root = Indexed::default();
        // A field of an inverted index without a value equals null, but is not present.
        match &self.text {
            Some(text) => root.add(TEXT, &Primitive::Text(text.clone())),
            None => root.field(TEXT).values.push(Primitive::Null),
        }
        match &self.value {
            Some(value) => root.add(VALUE, value),
            None => root.field(VALUE).values.push(Primitive::Null),
        }
        root.field(LIST).present.insert("any".to_owned());
        root.field(&TRACKED[..1]).present.insert("any".to_owned());
        self.list.iter().for_each(|value| root.add(LIST, value));
        if let Some(value) = self.list.get(1) {
            root.add(TRACKED, value);
        }
        self.expanded.iter().for_each(|value| root.add(EXPANDED, value));
        let Some(nested) = &self.nested else { return root };
        root.field(NESTED).present.extend(["any".to_owned(), "nested".to_owned()]);
        for (k, v, m) in nested {
            let mut child = Indexed::default();
            child.add(NESTED_TEXT, &Primitive::Text(k.clone()));
            child.add(NESTED_NUMBER, &Primitive::Number(*v as f64));
            child.field(NESTED_TWICE).present.extend(["any".to_owned(), "nested".to_owned()]);
            for w in m {
                let mut grandchild = Indexed::default();
                grandchild.add(NESTED_TWICE_NUMBER, &Primitive::Number(*w as f64));
                child.nested.push((path(NESTED_TWICE), grandchild));
            }
            root.nested.push((path(NESTED), child));
        }
        root
    }
}

/// The tokens, values and kinds that a document or nested document has in each field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indexed {
    pub(crate) fields: BTreeMap<search::Path, Field>,
    pub(crate) nested: Vec<(search::Path, Indexed)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Field {
    pub(crate) tokens: Vec<(String, u32)>,
    pub(crate) values: Vec<Primitive>,
    pub(crate) present: BTreeSet<String>,
}

impl Indexed {
    fn field(&mut self, steps: &[Step<'_>]) -> &mut Field {
        self.fields.entry(path(steps)).or_default()
    }

    fn add(&mut self, steps: &[Step<'_>], value: &Primitive) {
        let analysis = field(steps).analysis;
        let field = self.field(steps);
        let kind = match value {
            Primitive::Null => "null",
            Primitive::Bool(_) => "bool",
            Primitive::Number(_) => "numeric",
            Primitive::Text(_) => "string",
        };
        field.present.extend(["any".to_owned(), kind.to_owned()]);
        let Primitive::Text(text) = value else {
            field.values.push(value.clone());
            return;
        };
        field.present.insert(format!("analyzer {}", analysis.name));
        let base = field.tokens.last().map_or(0, |(_, position)| position + 101);
        let _ = analysis.tokens(text.as_str(), &Interrupt::new(), &mut |token, position| {
            field.tokens.push((token.to_owned(), base + position))
        });
    }
}

/// The documents of each segment, with a mark for those that live.
#[derive(Clone, Default)]
pub(crate) struct Model {
    pub(crate) segments: Vec<Vec<Entry>>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) revision: u64,
    pub(crate) document: Document,
    pub(crate) indexed: Indexed,
    pub(crate) lives: bool,
}

impl Model {
    pub(crate) fn write(&mut self, documents: BTreeMap<String, Document>) {
        let entry = |(revision, (key, document)): (usize, (String, Document))| Entry {
            key,
            revision: revision as u64,
            indexed: document.indexed(),
            document,
            lives: true,
        };
        self.segments.push(documents.into_iter().enumerate().map(entry).collect());
    }

    pub(crate) fn delete(&mut self, keys: &[String]) {
        for entry in self.segments.iter_mut().flatten() {
            entry.lives &= !keys.contains(&entry.key);
        }
    }

    pub(crate) fn merge(&mut self, range: Range<usize>) {
        let merged: Vec<Entry> = self.segments.drain(range).flatten().filter(|entry| entry.lives).collect();
        if !merged.is_empty() {
            self.segments.push(merged);
        }
    }

    fn living(&self, key: &str) -> Option<&Entry> {
        self.segments.iter().flatten().find(|entry| entry.lives && entry.key == key)
    }

    pub(crate) fn revision(&self, key: &str) -> Option<u64> {
        self.living(key).map(|entry| entry.revision)
    }

    pub(crate) fn document(&self, key: &str) -> &Document {
        &self.living(key).unwrap().document
    }
}
