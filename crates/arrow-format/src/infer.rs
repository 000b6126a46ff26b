//! The schema of rows, inferred from the rows themselves.

use std::collections::{HashMap, HashSet};

use errors::{Error, Result};
use velocypack::{Kind, Number, Slice};

use crate::column::{Column, ColumnType, MAX_COLUMNS, MAX_DEPTH, RowSchema, Rows, VALUE_COLUMN};

/// The types that were seen in rows so far.
///
/// - Whole numbers become `int64`; with doubles among them, `float64`, if that loses no digit.
/// - Objects become structs, and arrays lists. Both are nested at most [`MAX_DEPTH`] levels.
/// - All else becomes JSON text: mixed types, empty objects, attributes that are always null, whole
///   numbers beyond `int64`, and what exceeds [`MAX_COLUMNS`] in structs.
#[derive(Debug)]
pub struct Inference {
    row: Seen,
    has_null: bool,
    json_columns: HashSet<String>,
    room: usize,
}

/// The types of the values at one place.
#[derive(Debug)]
enum Seen {
    Nothing,
    Bool,
    /// Whole numbers; true if each is a double without loss.
    Int(bool),
    Float,
    Text,
    List(Box<Seen>),
    Object(Attributes),
    Mixed,
}

#[derive(Debug, Default)]
struct Attributes {
    seen: Vec<(String, Seen)>,
    places: HashMap<String, usize>,
    /// True if there was no room for an attribute.
    is_cut: bool,
}

impl Inference {
    /// Returns an inference that has seen no row. The columns `json_columns` become JSON text
    /// without a look at them.
    pub fn new(json_columns: impl IntoIterator<Item = String>) -> Self {
        let json_columns = json_columns.into_iter().collect();
        Inference { row: Seen::Nothing, has_null: false, json_columns, room: MAX_COLUMNS }
    }

    /// Adds the types of one row.
    pub fn observe(&mut self, row: Slice<'_>) {
        self.has_null |= row.is_null();
        match (&mut self.row, row.is_object()) {
            (Seen::Nothing, true) => {
                let mut attributes = Attributes::default();
                attributes.observe(row, 0, &mut self.room, &self.json_columns);
                self.row = Seen::Object(attributes);
            }
            (Seen::Object(attributes), true) => {
                attributes.observe(row, 0, &mut self.room, &self.json_columns);
            }
            (seen, _) => seen.observe(row, 0, &mut self.room),
        }
    }

    /// Returns the schema of the rows that were seen. Errors: 400 if it has too many columns.
    pub fn finish(self) -> Result<RowSchema> {
        match self.row {
            Seen::Nothing if !self.has_null => Ok(RowSchema { columns: Vec::new(), rows: Rows::Objects }),
            Seen::Object(attributes) if !self.has_null => {
                if attributes.is_cut {
                    return Err(Error::bad_parameter(format!(
                        "the rows have more than {MAX_COLUMNS} attributes, those in objects included; return \
                         fewer, or return objects with many attributes as one that `json` names"
                    )));
                }
                Ok(RowSchema { columns: attributes.into_columns(), rows: Rows::Objects })
            }
            row => {
                let is_json = self.json_columns.contains(VALUE_COLUMN);
                let kind = if is_json { ColumnType::Json } else { row.into_type() };
                let columns = vec![Column { name: VALUE_COLUMN.to_owned(), kind }];
                Ok(RowSchema { columns, rows: Rows::Values })
            }
        }
    }
}

impl Attributes {
    fn observe(&mut self, object: Slice<'_>, depth: usize, room: &mut usize, json: &HashSet<String>) {
        for (place, (name, value)) in object.entries().enumerate() {
            // Rows of one shape have their attributes at the same places.
            let is_there = self.seen.get(place).is_some_and(|(known, _)| known == name);
            let place = if is_there { Some(place) } else { self.places.get(name).copied() };
            let place = match place {
                Some(place) => place,
                None if *room == 0 => {
                    self.is_cut = true;
                    continue;
                }
                None => {
                    *room -= 1;
                    let seen = if json.contains(name) { Seen::Mixed } else { Seen::Nothing };
                    self.places.insert(name.to_owned(), self.seen.len());
                    self.seen.push((name.to_owned(), seen));
                    self.seen.len() - 1
                }
            };
            if let Some((_, seen)) = self.seen.get_mut(place) {
                seen.observe(value, depth, room);
            }
        }
    }

    fn into_columns(self) -> Vec<Column> {
        self.seen.into_iter().map(|(name, seen)| Column { name, kind: seen.into_type() }).collect()
    }
}

impl Seen {
    fn observe(&mut self, value: Slice<'_>, depth: usize, room: &mut usize) {
        let next = match (&mut *self, value.kind()) {
            (Seen::Mixed, _) | (_, Kind::Null) => return,
            (Seen::Nothing | Seen::Bool, Kind::Bool) => Seen::Bool,
            (Seen::Nothing | Seen::Text, Kind::String) => Seen::Text,
            (Seen::Nothing, Kind::Int) => Seen::Int(exact_double(value).is_some()),
            (Seen::Int(is_exact), Kind::Int) => Seen::Int(*is_exact && exact_double(value).is_some()),
            (Seen::Nothing | Seen::Int(true) | Seen::Float, Kind::Double) => Seen::Float,
            (Seen::Float, Kind::Int | Kind::UInt) if exact_double(value).is_some() => Seen::Float,
            (Seen::Nothing, Kind::Array) if depth < MAX_DEPTH => {
                let mut element = Seen::Nothing;
                value.elements().for_each(|value| element.observe(value, depth + 1, room));
                Seen::List(Box::new(element))
            }
            (Seen::List(element), Kind::Array) => {
                return value.elements().for_each(|value| element.observe(value, depth + 1, room));
            }
            (Seen::Nothing, Kind::Object) if depth < MAX_DEPTH => {
                let mut attributes = Attributes::default();
                attributes.observe(value, depth + 1, room, &HashSet::new());
                if attributes.is_cut { Seen::Mixed } else { Seen::Object(attributes) }
            }
            (Seen::Object(attributes), Kind::Object) => {
                attributes.observe(value, depth + 1, room, &HashSet::new());
                if !attributes.is_cut {
                    return;
                }
                Seen::Mixed
            }
            _ => Seen::Mixed,
        };
        *self = next;
    }

    fn into_type(self) -> ColumnType {
        match self {
            Seen::Bool => ColumnType::Bool,
            Seen::Int(_) => ColumnType::Int64,
            Seen::Float => ColumnType::Float64,
            Seen::Text => ColumnType::Utf8,
            Seen::List(element) => ColumnType::List(Box::new(element.into_type())),
            Seen::Object(attributes) if !attributes.seen.is_empty() => {
                ColumnType::Struct(attributes.into_columns())
            }
            Seen::Nothing | Seen::Mixed | Seen::Object(_) => ColumnType::Json,
        }
    }
}

/// Returns the double that is equal to a number, if there is one.
pub(crate) fn exact_double(value: Slice<'_>) -> Option<f64> {
    /// The whole numbers up to this one are all doubles.
    const EXACT: u64 = 1 << 53;
    match value.as_number()? {
        Number::Double(double) => Some(double),
        Number::Int(int) => (int.unsigned_abs() <= EXACT).then_some(int as f64),
        Number::UInt(_) => None,
    }
}

#[cfg(test)]
mod tests;
