//! Attributes of vertices as columns: numbers, or texts of which many are equal.

use std::collections::HashMap;

use errors::{Error, Result};
use graph_analytics::{Column, Labels};
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
    /// Numbers if all values are numbers or missing, texts otherwise.
    #[default]
    Any,
    /// Numbers; everything else becomes 0.
    Number,
    /// Integers; everything else becomes 0.
    Integer,
    /// Truth values; everything else becomes false.
    Bool,
    /// Texts; everything else becomes its JSON, and a missing value the empty text.
    Text,
}

impl AttributeSpec {
    pub(crate) fn of(name: &str) -> Self {
        AttributeSpec { name: name.to_owned(), kind: AttributeKind::Any }
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
}

#[derive(Debug, Default)]
struct LabelList {
    codes: Vec<u32>,
    texts: Vec<String>,
    codes_of: HashMap<String, u32>,
}

impl LabelList {
    fn push(&mut self, text: Option<String>) -> Result<()> {
        let code = match text {
            None => NO_LABEL,
            Some(text) => match self.codes_of.get(&text) {
                Some(code) => *code,
                None => {
                    let code = u32::try_from(self.texts.len()).ok().filter(|code| *code != NO_LABEL);
                    let code = code.ok_or_else(|| Error::bad_parameter("an attribute has too many texts"))?;
                    self.texts.push(text.clone());
                    self.codes_of.insert(text, code);
                    code
                }
            },
        };
        self.codes.push(code);
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

    /// Appends the value of a document.
    pub(crate) fn push(&mut self, spec: &AttributeSpec, document: Slice<'_>) -> Result<()> {
        let value = spec.value(document).filter(|value| !value.is_null());
        let number = match self.kind {
            AttributeKind::Text => None,
            AttributeKind::Any => value.map_or(Some(f64::NAN), Slice::as_f64),
            AttributeKind::Number => Some(value.and_then(Slice::as_f64).unwrap_or_default()),
            AttributeKind::Integer => Some(value.and_then(Slice::as_f64).map_or(0.0, f64::trunc)),
            AttributeKind::Bool => {
                Some(f64::from(u8::from(value.and_then(Slice::as_bool).unwrap_or_default())))
            }
        };
        match (&mut self.values, number) {
            (Values::Numbers(numbers), Some(number)) => numbers.push(number),
            (Values::Numbers(_), None) => {
                self.become_labels()?;
                return self.push(spec, document);
            }
            (Values::Labels(labels), _) => {
                let missing = (self.kind == AttributeKind::Text).then(String::new);
                labels.push(value.map(text_of).or(missing))?;
            }
        }
        Ok(())
    }

    /// Appends the values of another column of the same attribute.
    pub(crate) fn append(&mut self, other: AttributeColumn) -> Result<()> {
        if matches!(other.values, Values::Labels(_)) {
            self.become_labels()?;
        }
        match (&mut self.values, other.values) {
            (Values::Numbers(numbers), Values::Numbers(others)) => numbers.extend(others),
            (Values::Labels(labels), Values::Numbers(others)) => {
                others.into_iter().try_for_each(|number| labels.push(text_of_number(number)))?;
            }
            (Values::Labels(labels), Values::Labels(others)) => {
                for code in others.codes {
                    labels.push(others.texts.get(code as usize).cloned())?;
                }
            }
            (Values::Numbers(_), Values::Labels(_)) => {}
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Column {
        match self.values {
            Values::Numbers(numbers) => Column::Number(numbers),
            Values::Labels(labels) => Column::Label(Labels { codes: labels.codes, texts: labels.texts }),
        }
    }

    /// Returns the bytes that the column takes, approximately.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.values {
            Values::Numbers(numbers) => (numbers.len() * size_of::<f64>()) as u64,
            Values::Labels(labels) => {
                let text_bytes: usize = labels.texts.iter().map(|text| 2 * text.len() + 64).sum();
                (labels.codes.len() * size_of::<u32>() + text_bytes) as u64
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
                column.push(&spec, document.as_slice()).unwrap();
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
    fn a_wanted_type_replaces_other_values_by_its_default() {
        let documents = [r#"{"a": {"b": "x"}}"#, r#"{"a": {"b": 2.5}}"#, "{}"];
        assert_eq!(column(AttributeKind::Integer, &documents), Column::Number(vec![0.0, 2.0, 0.0]));
        let Column::Label(labels) = column(AttributeKind::Text, &documents) else { panic!("texts") };
        assert_eq!(labels.texts, ["x", "2.5", ""]);
    }
}
