//! Attributes of vertices as columns: numbers, texts of which many are equal, or lists of texts.

use std::collections::HashMap;

use errors::{Error, Result};
use graph_analytics::{Column, Labels, Lists};
use velocypack::Slice;

/// The number of a label that is missing.
const NO_LABEL: u32 = u32::MAX;

/// An attribute that is loaded with the vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttributeSpec {
    /// Its name; dots separate the steps into objects.
    pub(crate) name: String,
    pub(crate) kind: AttributeKind,
}

/// The values that an attribute has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AttributeKind {
    /// Numbers if all values are numbers or missing; lists of texts if one is an array; or texts.
    #[default]
    Any,
    /// Numbers, also in texts; everything else becomes 0.
    Number,
    /// Numbers; everything else is no value.
    Numeric,
    /// Integers: numbers are rounded, and everything else becomes 0.
    Integer,
    /// Integers from 0; negative ones become 0 too.
    Unsigned,
    /// Truth values; everything else becomes false.
    Bool,
    /// Texts; everything else becomes its JSON, and a missing value the empty text.
    Text,
}

/// The name of the attribute with the collection of a vertex, as in ArangoDB's engine.
const COLLECTION_NAME: &str = "@collectionname";

/// The types that a client may name.
const TYPES: &[(&str, AttributeKind)] = &[
    ("JSON", AttributeKind::Any),
    ("Bool", AttributeKind::Bool),
    ("String", AttributeKind::Text),
    ("U64", AttributeKind::Unsigned),
    ("I64", AttributeKind::Integer),
    ("F64", AttributeKind::Number),
    ("Numeric", AttributeKind::Numeric),
];

impl AttributeSpec {
    pub(crate) fn of(name: &str) -> Self {
        AttributeSpec { name: name.to_owned(), kind: AttributeKind::Any }
    }

    /// Reads a name, or an object `{name, data_type}`.
    ///
    /// Errors: 10 for anything else.
    pub(crate) fn parse(attribute: Slice<'_>) -> Result<Self> {
        if let Some(name) = attribute.as_str() {
            return Ok(AttributeSpec::of(name));
        }
        let name = attribute.get("name").and_then(Slice::as_str);
        let name =
            name.ok_or_else(|| Error::bad_parameter("an attribute must be a name, or have a text 'name'"))?;
        let Some(wanted) = attribute.get("data_type").filter(|wanted| !wanted.is_null()) else {
            return Ok(AttributeSpec::of(name));
        };
        let known = |known: &&(&str, AttributeKind)| {
            wanted.as_str().is_some_and(|wanted| wanted.eq_ignore_ascii_case(known.0))
        };
        let kind = TYPES.iter().find(known).map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
            Error::bad_parameter(format!(
                "'data_type' of the attribute '{name}' must be one of: {}",
                names.join(", ")
            ))
        })?;
        Ok(AttributeSpec { name: name.to_owned(), kind })
    }

    /// Returns the values that come from the place of a document, and not from its attributes.
    fn place(&self, (collection, key): (&str, &str)) -> Option<String> {
        match self.name.as_str() {
            "_id" => Some(format!("{collection}/{key}")),
            COLLECTION_NAME => Some(collection.to_owned()),
            _ => None,
        }
    }

    /// Returns the attribute's value in a document.
    fn value<'d>(&self, document: Slice<'d>) -> Option<Slice<'d>> {
        if !self.name.contains('.') {
            return document.get(&self.name);
        }
        document.get_path(&self.name.split('.').collect::<Vec<_>>())
    }
}

/// A column that grows value by value.
#[derive(Debug)]
pub(crate) struct AttributeColumn {
    kind: AttributeKind,
    values: Values,
}

#[derive(Debug)]
enum Values {
    /// NaN is no value.
    Numbers(Vec<f64>),
    Labels(LabelList),
    /// Lists, once a value is one.
    Sets(SetList),
}

/// The distinct texts of an attribute, with their numbers.
#[derive(Debug, Default)]
struct Texts {
    texts: Vec<String>,
    codes_of: HashMap<String, u32>,
}

impl Texts {
    fn code_of(&mut self, text: String) -> Result<u32> {
        if let Some(code) = self.codes_of.get(&text) {
            return Ok(*code);
        }
        let code = u32::try_from(self.texts.len()).ok().filter(|code| *code != NO_LABEL);
        let code = code.ok_or_else(|| Error::bad_parameter("an attribute has too many texts"))?;
        self.texts.push(text.clone());
        self.codes_of.insert(text, code);
        Ok(code)
    }

    fn bytes(&self) -> u64 {
        self.texts.iter().map(|text| 2 * text.len() + 64).sum::<usize>() as u64
    }
}

#[derive(Debug, Default)]
struct LabelList {
    codes: Vec<u32>,
    texts: Texts,
}

impl LabelList {
    fn push(&mut self, text: Option<String>) -> Result<()> {
        let code = text.map_or(Ok(NO_LABEL), |text| self.texts.code_of(text))?;
        self.codes.push(code);
        Ok(())
    }
}

/// The lists of texts of an attribute. A text alone is a list of one.
#[derive(Debug, Default)]
struct SetList {
    sets: Lists,
    count: usize,
    texts: Texts,
}

impl SetList {
    fn push(&mut self, texts: impl IntoIterator<Item = String>) -> Result<()> {
        let codes: Result<Vec<u32>> = texts.into_iter().map(|text| self.texts.code_of(text)).collect();
        let codes = codes?;
        self.count += codes.len();
        self.sets.push(codes);
        Ok(())
    }
}

impl AttributeColumn {
    pub(crate) fn new(kind: AttributeKind) -> Self {
        let values = match kind {
            AttributeKind::Text => Values::Labels(LabelList::default()),
            _ => Values::Numbers(Vec::new()),
        };
        AttributeColumn { kind, values }
    }

    /// Appends the value of a document, which is at a collection and key.
    pub(crate) fn push(
        &mut self,
        spec: &AttributeSpec,
        place: (&str, &str),
        document: Slice<'_>,
    ) -> Result<()> {
        if let Some(text) = spec.place(place) {
            self.become_labels()?;
            let Values::Labels(labels) = &mut self.values else { return Ok(()) };
            return labels.push(Some(text));
        }
        let value = spec.value(document).filter(|value| !value.is_null());
        if self.kind == AttributeKind::Any && value.is_some_and(Slice::is_array) {
            self.become_sets()?;
        }
        if let Values::Sets(sets) = &mut self.values {
            return match value {
                Some(list) if list.is_array() => sets.push(list.elements().map(text_of)),
                value => sets.push(value.map(text_of)),
            };
        }
        let number = match self.kind {
            AttributeKind::Text => None,
            AttributeKind::Any => value.map_or(Some(f64::NAN), Slice::as_f64),
            AttributeKind::Number => Some(value.and_then(number_of).unwrap_or_default()),
            AttributeKind::Numeric => Some(value.and_then(Slice::as_f64).unwrap_or(f64::NAN)),
            AttributeKind::Integer => Some(value.and_then(number_of).map_or(0.0, f64::round)),
            AttributeKind::Unsigned => Some(value.and_then(number_of).map_or(0.0, f64::round).max(0.0)),
            AttributeKind::Bool => {
                Some(f64::from(u8::from(value.and_then(Slice::as_bool).unwrap_or_default())))
            }
        };
        match (&mut self.values, number) {
            (Values::Numbers(numbers), Some(number)) => numbers.push(number),
            (Values::Numbers(_), None) => {
                self.become_labels()?;
                return self.push(spec, place, document);
            }
            (Values::Labels(labels), _) => {
                let missing = (self.kind == AttributeKind::Text).then(String::new);
                labels.push(value.map(text_of).or(missing))?;
            }
            (Values::Sets(_), _) => {}
        }
        Ok(())
    }

    /// Appends the values of another column of the same attribute.
    pub(crate) fn append(&mut self, other: AttributeColumn) -> Result<()> {
        match other.values {
            Values::Labels(_) => self.become_labels()?,
            Values::Sets(_) => self.become_sets()?,
            Values::Numbers(_) => {}
        }
        match (&mut self.values, other.values) {
            (Values::Numbers(numbers), Values::Numbers(others)) => numbers.extend(others),
            (Values::Labels(labels), Values::Numbers(others)) => {
                others.into_iter().try_for_each(|number| labels.push(text_of_number(number)))?;
            }
            (Values::Labels(labels), Values::Labels(others)) => {
                for code in others.codes {
                    labels.push(others.texts.texts.get(code as usize).cloned())?;
                }
            }
            (Values::Sets(sets), Values::Numbers(others)) => {
                others.into_iter().try_for_each(|number| sets.push(text_of_number(number)))?;
            }
            (Values::Sets(sets), Values::Labels(others)) => {
                for code in others.codes {
                    sets.push(others.texts.texts.get(code as usize).cloned())?;
                }
            }
            (Values::Sets(sets), Values::Sets(others)) => {
                for i in 0..others.sets.len() {
                    let codes = others.sets.get(i).iter();
                    sets.push(codes.filter_map(|code| others.texts.texts.get(*code as usize).cloned()))?;
                }
            }
            (Values::Numbers(_) | Values::Labels(_), _) => {}
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Column {
        match self.values {
            Values::Numbers(numbers) => Column::Number(numbers),
            Values::Labels(labels) => {
                Column::Label(Labels { codes: labels.codes, texts: labels.texts.texts })
            }
            Values::Sets(sets) => Column::LabelSets(sets.sets, sets.texts.texts),
        }
    }

    /// Returns the bytes that the column takes, approximately.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.values {
            Values::Numbers(numbers) => (numbers.len() * size_of::<f64>()) as u64,
            Values::Labels(labels) => (labels.codes.len() * size_of::<u32>()) as u64 + labels.texts.bytes(),
            Values::Sets(sets) => {
                let lists = sets.sets.len() * size_of::<usize>() + sets.count * size_of::<u32>();
                lists as u64 + sets.texts.bytes()
            }
        }
    }

    fn become_labels(&mut self) -> Result<()> {
        let Values::Numbers(numbers) = &self.values else { return Ok(()) };
        let mut labels = LabelList::default();
        numbers.iter().try_for_each(|number| labels.push(text_of_number(*number)))?;
        self.values = Values::Labels(labels);
        Ok(())
    }

    fn become_sets(&mut self) -> Result<()> {
        let mut sets = SetList::default();
        match &self.values {
            Values::Sets(_) => return Ok(()),
            Values::Numbers(numbers) => {
                numbers.iter().try_for_each(|number| sets.push(text_of_number(*number)))?;
            }
            Values::Labels(labels) => {
                for code in &labels.codes {
                    sets.push(labels.texts.texts.get(*code as usize).cloned())?;
                }
            }
        }
        self.values = Values::Sets(sets);
        Ok(())
    }
}

/// Returns a number, also one in a text.
fn number_of(value: Slice<'_>) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|number| number.is_finite())
}

/// Returns a text as it is, and every other value as JSON.
fn text_of(value: Slice<'_>) -> String {
    value.as_str().map_or_else(|| value.to_json_string(), str::to_owned)
}

fn text_of_number(number: f64) -> Option<String> {
    let mut text = Vec::new();
    velocypack::json::write_f64(number, &mut text);
    Some(String::from_utf8_lossy(&text).into_owned()).filter(|_| !number.is_nan())
}

#[cfg(test)]
mod tests {
    use velocypack::{Builder, Limits};

    use super::*;

    fn column(kind: AttributeKind, documents: &[&str]) -> Column {
        let spec = AttributeSpec { name: "a.b".to_owned(), kind };
        // Two halves, as two threads load them.
        let mut halves = documents.chunks(2).map(|documents| {
            let mut column = AttributeColumn::new(kind);
            for json in documents {
                let mut document = Builder::new();
                velocypack::json::parse(json.as_bytes(), &Limits::default(), &mut document).unwrap();
                column.push(&spec, ("places", "a"), document.as_slice()).unwrap();
            }
            column
        });
        let mut whole = halves.next().unwrap();
        halves.for_each(|half| whole.append(half).unwrap());
        whole.finish()
    }

    #[test]
    fn numbers_stay_numbers_until_another_value_comes() {
        let numbers = column(AttributeKind::Any, &[r#"{"a": {"b": 1}}"#, r#"{"a": {"b": 2.5}}"#]);
        assert_eq!(numbers, Column::Number(vec![1.0, 2.5]));
        let mixed = column(
            AttributeKind::Any,
            &[r#"{"a": {"b": 1}}"#, "{}", r#"{"a": {"b": "x"}}"#, r#"{"a": {"b": 1}}"#],
        );
        let Column::Label(labels) = mixed else { panic!("a text is a label") };
        assert_eq!(labels.codes, [0, NO_LABEL, 1, 0]);
        assert_eq!(labels.texts, ["1", "x"]);
    }

    #[test]
    fn an_array_makes_lists_of_all_values() {
        let documents = [r#"{"a": {"b": 1}}"#, "{}", r#"{"a": {"b": ["x", "1"]}}"#, r#"{"a": {"b": "x"}}"#];
        let Column::LabelSets(sets, texts) = column(AttributeKind::Any, &documents) else { panic!("lists") };
        let set = |i: usize| sets.get(i).iter().map(|code| &*texts[*code as usize]).collect::<Vec<_>>();
        assert_eq!((set(0), set(1), set(2), set(3)), (vec!["1"], vec![], vec!["x", "1"], vec!["x"]));
    }

    #[test]
    fn the_place_of_a_document_is_an_attribute() {
        let mut column = AttributeColumn::new(AttributeKind::Any);
        for key in ["a", "b"] {
            column.push(&AttributeSpec::of("_id"), ("places", key), Slice::new(&[0x0a])).unwrap();
        }
        let Column::Label(labels) = column.finish() else { panic!("texts") };
        assert_eq!(labels.texts, ["places/a", "places/b"]);
    }

    #[test]
    fn a_wanted_type_replaces_other_values_by_its_default() {
        let documents = [r#"{"a": {"b": "x"}}"#, r#"{"a": {"b": 2.5}}"#, "{}"];
        assert_eq!(column(AttributeKind::Integer, &documents), Column::Number(vec![0.0, 3.0, 0.0]));
        let signed = [r#"{"a": {"b": "-1.5"}}"#, r#"{"a": {"b": -2}}"#];
        assert_eq!(column(AttributeKind::Number, &signed), Column::Number(vec![-1.5, -2.0]));
        assert_eq!(column(AttributeKind::Unsigned, &signed), Column::Number(vec![0.0, 0.0]));
        let Column::Label(labels) = column(AttributeKind::Text, &documents) else { panic!("texts") };
        assert_eq!(labels.texts, ["x", "2.5", ""]);
    }
}
