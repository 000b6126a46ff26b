//! What a traversal makes of the vertices that it visits.

use super::caller::{Caller, refuse_user_function};
use super::network::Network;
use super::paths::path_values;
use super::walk::Place;
use crate::argument::Outcome;
use aql_value::{Result, Value};

/// One of the visitors that exist without functions of users.
pub(super) enum Visitor {
    /// Objects of the vertex and, if asked for, the path to it.
    Point { with_path: bool },
    /// `_AQL::IDVISITOR` and `_AQL::KEYVISITOR`: an attribute.
    Attribute(&'static str),
    /// `_AQL::COUNTINGVISITOR`
    Counting,
    /// `_AQL::PROJECTINGVISITOR`: an object of some attributes.
    Projecting(Vec<String>),
    /// `_AQL::HASATTRIBUTESVISITOR`: the vertex, if it has some attributes.
    HasAttributes { names: Vec<String>, needs_all: bool, allows_null: bool },
}

impl Visitor {
    pub(super) fn of_options(caller: &mut Caller<'_, '_>, options: &Value) -> Outcome<Self> {
        let visitor = options.get("visitor");
        if visitor.is_null() {
            return Ok(Self::Point { with_path: options.get("paths").is_truthy() });
        }
        let Some(name) = visitor.as_str() else { return caller.invalid() };
        let data = options.get("data");
        match name.to_ascii_uppercase().as_str() {
            "_AQL::IDVISITOR" => Ok(Self::Attribute("_id")),
            "_AQL::KEYVISITOR" => Ok(Self::Attribute("_key")),
            "_AQL::COUNTINGVISITOR" => Ok(Self::Counting),
            "_AQL::PROJECTINGVISITOR" => {
                Ok(Self::Projecting(caller.names(&data.get("attributes"))?.unwrap_or_default()))
            }
            "_AQL::HASATTRIBUTESVISITOR" => Ok(Self::HasAttributes {
                names: caller.names(&data.get("attributes"))?.unwrap_or_default(),
                needs_all: caller.choice(&data.get("type"), &[("all", true), ("any", false)], true)?,
                allows_null: data.get("allowNull").is_null() || data.get("allowNull").is_truthy(),
            }),
            _ => {
                refuse_user_function(&visitor)?;
                caller.invalid()
            }
        }
    }

    /// Whether the result is but the number of visits.
    pub(super) fn only_counts(&self) -> bool {
        matches!(self, Self::Counting)
    }

    /// What is added to the result for the vertex at the end of a path.
    pub(super) fn visit(&self, network: &mut Network<'_>, path: &[Place]) -> Result<Option<Value>> {
        let Some(place) = path.last().filter(|_| !self.only_counts()) else { return Ok(None) };
        let document = network.document(place.vertex)?;
        let value = match self {
            Self::Point { with_path: false } => Value::try_object(&[("vertex", document)])?,
            Self::Point { with_path: true } => {
                let (vertices, edges) = path_values(network, path)?;
                let path = Value::try_object(&[("vertices", vertices), ("edges", edges)])?;
                Value::try_object(&[("vertex", document), ("path", path)])?
            }
            Self::Attribute(name) => document.get(name),
            Self::Counting => return Ok(None),
            Self::Projecting(names) => projection(&document, names)?,
            Self::HasAttributes { names, needs_all, allows_null } => {
                let has = |name: &String| has_attribute(&document, name, *allows_null);
                let is_wanted = if *needs_all { names.iter().all(has) } else { names.iter().any(has) };
                return Ok(is_wanted.then_some(document));
            }
        };
        network.charge(value.memory_bytes())?;
        Ok(Some(value))
    }
}

fn projection(document: &Value, names: &[String]) -> Result<Value> {
    let entries = document.entries().filter(|(name, _)| names.iter().any(|wanted| wanted == name));
    Value::try_object(&entries.collect::<Vec<_>>())
}

fn has_attribute(document: &Value, name: &str, allows_null: bool) -> bool {
    document.entries().any(|(own, value)| own == name && (allows_null || !value.is_null()))
}
