//! The fields of indexes that the fields of a condition stand for.

use std::sync::Arc;

use aql_plan::{SearchField, SearchStep};
use aql_value::Value;
use search::{Analysis, FieldRef, Path, Schema, Step};

/// The fields of the indexes that a search reads.
pub(crate) struct SearchFields {
    /// The schemas, with the names of their collections.
    schemas: Vec<(Box<str>, Arc<Schema>)>,
}

impl SearchFields {
    /// Returns the fields of all these schemas, each with the name of its collection.
    pub(crate) fn new(schemas: Vec<(Box<str>, Arc<Schema>)>) -> Self {
        Self { schemas }
    }

    /// Returns true if an index has a field.
    pub(crate) fn has(&self, field: &SearchField<Value>) -> bool {
        self.values(field).is_some()
    }

    /// Returns true if an index of this collection has a field.
    pub(crate) fn has_in(&self, collection: &str, field: &SearchField<Value>) -> bool {
        let Some(steps) = steps(field) else { return false };
        let mut schemas = self.schemas.iter().filter(|(owner, _)| **owner == *collection);
        schemas.any(|(_, schema)| schema.value_path(&steps).is_some())
    }

    /// Returns true if an index of this collection knows whether a field has a value.
    pub(crate) fn knows_presence_in(&self, collection: &str, field: &SearchField<Value>) -> bool {
        let Some(steps) = steps(field) else { return false };
        let mut schemas = self.schemas.iter().filter(|(owner, _)| **owner == *collection);
        schemas.any(|(_, schema)| schema.stores_presence(&steps))
    }

    /// Returns the fields that have the texts at a place: none if no index has them, several if
    /// indexes keep different features.
    ///
    /// `analysis` is that of the condition. It counts for links of views; an inverted index knows
    /// the analysis of its fields.
    pub(crate) fn find(&self, field: &SearchField<Value>, analysis: &Analysis) -> Vec<FieldRef> {
        let mut found: Vec<FieldRef> = Vec::new();
        let Some(steps) = steps(field) else { return found };
        for (_, schema) in &self.schemas {
            let field = match schema.is_link() {
                true => schema.field_with(&steps, &analysis.name),
                false => schema.field(&steps),
            };
            let is_known = |field: &FieldRef| {
                found.iter().any(|known| {
                    known.analysis.name == field.analysis.name
                        && known.analysis.features == field.analysis.features
                })
            };
            if let Some(field) = field.filter(|field| !is_known(field)) {
                found.push(field);
            }
        }
        found
    }

    /// Returns the place of values that are not texts; `None` if no index has them.
    pub(crate) fn values(&self, field: &SearchField<Value>) -> Option<Path> {
        let steps = steps(field)?;
        self.schemas.iter().find_map(|(_, schema)| schema.value_path(&steps))
    }

    /// Returns the place of a field; `None` if no index knows whether there are values.
    pub(crate) fn presence(&self, field: &SearchField<Value>) -> Option<Path> {
        let steps = steps(field)?;
        self.schemas.iter().any(|(_, schema)| schema.stores_presence(&steps)).then(|| path(&steps))
    }

    /// Returns the place of an array of nested documents.
    pub(crate) fn nested(&self, field: &SearchField<Value>) -> Option<Path> {
        steps(field).map(|steps| path(&steps))
    }
}

/// Returns the values that a document has at a place; all elements of arrays that are expanded, or
/// that a position does not follow.
pub(super) fn values_at(document: &Value, field: &SearchField<Value>) -> Vec<Value> {
    let mut values = vec![document.clone()];
    for step in &field.steps {
        values = match step {
            SearchStep::Attribute(name) => attribute(values, name),
            SearchStep::Computed(value) => match computed(value) {
                Some(Step::Attribute(name)) => attribute(values, name),
                Some(Step::Element(index)) => {
                    let index = i64::try_from(index).unwrap_or(i64::MAX);
                    values.iter().filter(|value| value.is_array()).map(|value| value.at(index)).collect()
                }
                _ => Vec::new(),
            },
            SearchStep::Expansion | SearchStep::Nested => values.iter().flat_map(Value::elements).collect(),
        };
    }
    values
}

fn attribute(values: Vec<Value>, name: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for value in values {
        match value.is_array() {
            true => found.extend(value.elements().map(|element| element.get(name))),
            false => found.push(value.get(name)),
        }
    }
    found
}

/// Returns the steps of a field; `None` if there can be no such place.
fn steps(field: &SearchField<Value>) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::with_capacity(field.steps.len());
    for step in &field.steps {
        match step {
            SearchStep::Attribute(name) => steps.push(Step::Attribute(name)),
            SearchStep::Computed(value) => steps.push(computed(value)?),
            // The elements of an expanded array have the path of the array.
            SearchStep::Expansion => {}
            SearchStep::Nested => steps.push(Step::Nested),
        }
    }
    Some(steps)
}

/// Returns the step to an attribute of that name or an element at that position; `None` for
/// another value.
fn computed(value: &Value) -> Option<Step<'_>> {
    match value.as_str() {
        Some(name) => Some(Step::Attribute(name)),
        None if value.is_number() => usize::try_from(value.to_i64()).ok().map(Step::Element),
        None => None,
    }
}

fn path(steps: &[Step<'_>]) -> Path {
    steps.iter().fold(Path::root(), |path, step| match step {
        Step::Attribute(name) => path.attribute(name),
        Step::Element(index) => path.element(*index),
        Step::Nested => path.nested(),
    })
}
