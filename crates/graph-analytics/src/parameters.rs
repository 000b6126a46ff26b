//! Parameters of algorithms: each is a row with a name, a kind with its range and default, and a
//! sentence. Parsing, messages and documentation come from the rows.

use std::collections::BTreeMap;

use errors::{Error, Result};
use velocypack::Slice;

use crate::graph::Direction;

/// A parameter that an algorithm accepts.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name, in camel case.
    pub name: &'static str,
    /// The values that it accepts.
    pub kind: Kind,
    /// A sentence for the documentation.
    pub about: &'static str,
}

/// The values that a parameter accepts.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A finite number in a range, bounds included.
    Number {
        /// The value if the caller gives none.
        default: f64,
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
    },
    /// An integer in a range, bounds included.
    Count {
        /// The value if the caller gives none.
        default: u64,
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
    /// A truth value.
    Flag {
        /// The value if the caller gives none.
        default: bool,
    },
    /// One of some words; the first is the default.
    Choice(&'static [&'static str]),
    /// A vertex of the graph, which the caller must name.
    Vertex,
    /// Vertices of the graph; none by default.
    Vertices {
        /// The greatest number of them.
        max: usize,
    },
    /// An attribute with which the vertices were loaded; none by default.
    Attribute,
}

/// Finds the vertex that a value names, usually by its `_id`.
pub type Resolve<'r> = &'r dyn Fn(Slice<'_>) -> Option<u32>;

/// Maximum length of a value in a message.
const SHOWN_CHARACTERS: usize = 80;

/// The words of [`DIRECTION`].
const DIRECTIONS: &[&str] = &["outbound", "inbound", "any"];

/// The parameter `direction`, along edges by default.
pub(crate) const DIRECTION: Parameter = Parameter {
    name: "direction",
    kind: Kind::Choice(DIRECTIONS),
    about: "Edges are followed along their direction, against it, or both ways.",
};

/// The values of an algorithm's parameters.
#[derive(Debug, Default)]
pub struct Parameters {
    values: BTreeMap<&'static str, Value>,
}

#[derive(Debug)]
enum Value {
    Number(f64),
    Count(u64),
    Flag(bool),
    Choice(&'static str),
    Vertices(Vec<u32>),
    Attribute(Option<String>),
}

impl Parameters {
    /// Reads the members of an object. `rows` are the accepted parameters, and `resolve` finds the
    /// vertices that it names. No object at all gives the defaults.
    ///
    /// Errors: 10 for anything else than an object, an unknown name, a wrong value, or a missing
    /// vertex.
    pub fn parse(rows: &[Parameter], given: Slice<'_>, resolve: Resolve<'_>) -> Result<Self> {
        if !given.is_none() && !given.is_null() && !given.is_object() {
            return Err(Error::bad_parameter("the parameters of an algorithm must be an object"));
        }
        if given.is_object() {
            for (name, _) in given.entries() {
                if !rows.iter().any(|row| row.name == name) {
                    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
                    return Err(Error::bad_parameter(format!(
                        "unknown parameter '{name}'; the algorithm knows: {}",
                        names.join(", ")
                    )));
                }
            }
        }
        let mut values = BTreeMap::new();
        for row in rows {
            let value = given.get(row.name).filter(|value| !value.is_null());
            values.insert(row.name, row.parse(value, resolve)?);
        }
        Ok(Parameters { values })
    }

    /// Returns a number.
    pub fn number(&self, name: &str) -> f64 {
        let Some(Value::Number(value)) = self.value(name) else { return 0.0 };
        *value
    }

    /// Returns an integer.
    pub fn count(&self, name: &str) -> u64 {
        let Some(Value::Count(value)) = self.value(name) else { return 0 };
        *value
    }

    /// Returns a truth value.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.value(name), Some(Value::Flag(true)))
    }

    /// Returns a word.
    pub fn choice(&self, name: &str) -> &'static str {
        let Some(Value::Choice(value)) = self.value(name) else { return "" };
        value
    }

    /// Returns a vertex that the caller had to name.
    pub fn vertex(&self, name: &str) -> u32 {
        self.vertices(name).first().copied().unwrap_or_default()
    }

    /// Returns vertices.
    pub fn vertices(&self, name: &str) -> &[u32] {
        let Some(Value::Vertices(vertices)) = self.value(name) else { return &[] };
        vertices
    }

    /// Returns the name of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let Some(Value::Attribute(attribute)) = self.value(name) else { return None };
        attribute.as_deref()
    }

    /// Returns the value of [`DIRECTION`].
    pub fn direction(&self) -> Direction {
        match self.choice(DIRECTION.name) {
            "inbound" => Direction::Inbound,
            "any" => Direction::Any,
            _ => Direction::Outbound,
        }
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let value = self.values.get(name);
        debug_assert!(value.is_some(), "the algorithm has no parameter '{name}'");
        value
    }
}

impl Parameter {
    fn parse(&self, value: Option<Slice<'_>>, resolve: Resolve<'_>) -> Result<Value> {
        let Some(value) = value else {
            return Ok(match self.kind {
                Kind::Number { default, .. } => Value::Number(default),
                Kind::Count { default, .. } => Value::Count(default),
                Kind::Flag { default } => Value::Flag(default),
                Kind::Choice(words) => Value::Choice(words.first().copied().unwrap_or_default()),
                Kind::Vertices { .. } => Value::Vertices(Vec::new()),
                Kind::Attribute => Value::Attribute(None),
                Kind::Vertex => {
                    return Err(Error::bad_parameter(format!(
                        "'{}' is missing; it names a vertex",
                        self.name
                    )));
                }
            });
        };
        let parsed = match self.kind {
            Kind::Number { min, max, .. } => {
                value.as_f64().filter(|number| (min..=max).contains(number)).map(Value::Number)
            }
            Kind::Count { min, max, .. } => {
                value.as_u64().filter(|count| (min..=max).contains(count)).map(Value::Count)
            }
            Kind::Flag { .. } => value.as_bool().map(Value::Flag),
            Kind::Choice(words) => value
                .as_str()
                .and_then(|word| words.iter().find(|its| **its == word))
                .map(|word| Value::Choice(word)),
            Kind::Vertex => return self.vertex(value, resolve).map(|vertex| Value::Vertices(vec![vertex])),
            Kind::Vertices { max } if value.is_array() && value.elements().count() <= max => {
                let vertices: Result<_> = value.elements().map(|value| self.vertex(value, resolve)).collect();
                return vertices.map(Value::Vertices);
            }
            Kind::Vertices { .. } => None,
            Kind::Attribute => value.as_str().map(|name| Value::Attribute(Some(name.to_owned()))),
        };
        parsed.ok_or_else(|| {
            let (name, given) = (self.name, shown(value));
            Error::bad_parameter(format!("'{name}' is {given}; it must be {}", self.kind))
        })
    }

    fn vertex(&self, value: Slice<'_>, resolve: Resolve<'_>) -> Result<u32> {
        resolve(value).ok_or_else(|| {
            let (name, given) = (self.name, shown(value));
            Error::bad_parameter(format!("'{name}' names {given}, which is no vertex of the graph"))
        })
    }
}

/// Returns the JSON of a value for a message, cut off where it is long.
fn shown(value: Slice<'_>) -> String {
    let mut text = value.to_json_string();
    if let Some((end, _)) = text.char_indices().nth(SHOWN_CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Kind::Number { min, max, .. } if *max == f64::MAX => write!(f, "a number from {min}"),
            Kind::Number { min, max, .. } => write!(f, "a number from {min} to {max}"),
            Kind::Count { min, max, .. } if *max == u64::MAX => write!(f, "an integer from {min}"),
            Kind::Count { min, max, .. } => write!(f, "an integer from {min} to {max}"),
            Kind::Flag { .. } => f.write_str("true or false"),
            Kind::Choice(words) => write!(f, "one of: {}", words.join(", ")),
            Kind::Vertex => f.write_str("the _id of a vertex"),
            Kind::Vertices { max } => write!(f, "an array of at most {max} vertices' _id"),
            Kind::Attribute => f.write_str("the name of a vertex attribute"),
        }
    }
}
