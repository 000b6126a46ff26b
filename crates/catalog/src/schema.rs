//! The `schema` of a collection: a JSON Schema rule and the writes it applies to. Storage compiles
//! and applies it.

use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::properties::{Printer, Properties};

/// The message of a rule that has none of its own.
const DEFAULT_MESSAGE: &str = "";
/// The maximum length of a rule in bytes. It bounds the compilation and the memory of each
/// collection's schema.
pub const SCHEMA_RULE_MAX_BYTES: usize = 1 << 20;

/// The writes that a schema checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SchemaLevel {
    /// No writes.
    None,
    /// Inserts.
    New,
    /// Inserts, and changes of documents that were valid before.
    Moderate,
    /// All writes.
    #[default]
    Strict,
}

impl SchemaLevel {
    /// Returns the name in requests and replies.
    pub fn name(self) -> &'static str {
        match self {
            SchemaLevel::None => "none",
            SchemaLevel::New => "new",
            SchemaLevel::Moderate => "moderate",
            SchemaLevel::Strict => "strict",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(SchemaLevel::None),
            "new" => Some(SchemaLevel::New),
            "moderate" => Some(SchemaLevel::Moderate),
            "strict" => Some(SchemaLevel::Strict),
            _ => None,
        }
    }
}

/// A collection's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaRule {
    /// The JSON Schema (draft 4), a VelocyPack object.
    pub rule: Vec<u8>,
    /// The writes that it checks.
    pub level: SchemaLevel,
    /// The message to a client whose document breaks the rule; empty for ArangoDB's own text.
    pub message: String,
}

impl SchemaRule {
    /// Reads a `schema` attribute: `null` and `{}` mean no schema. The rule is not compiled.
    ///
    /// Errors: 1621.
    pub fn parse(value: Slice<'_>) -> Result<Option<Self>> {
        if value.is_null() {
            return Ok(None);
        }
        let properties = Properties::of(value, "schema").map_err(|error| invalid(error.message()))?;
        if value.is_empty() {
            return Ok(None);
        }
        let rule = properties
            .value("rule")
            .filter(|rule| rule.is_object())
            .ok_or_else(|| invalid("'rule' must be an object"))?;
        if rule.byte_len() > SCHEMA_RULE_MAX_BYTES {
            return Err(invalid("'rule' is too large"));
        }
        let level = match properties.text("level").map_err(|error| invalid(error.message()))? {
            None => SchemaLevel::default(),
            Some(name) => SchemaLevel::from_name(name)
                .ok_or_else(|| invalid("'level' must be one of none, new, moderate, strict"))?,
        };
        if properties
            .text("type")
            .map_err(|error| invalid(error.message()))?
            .is_some_and(|name| name != "json")
        {
            return Err(invalid("'type' must be \"json\""));
        }
        let message =
            properties.text("message").map_err(|error| invalid(error.message()))?.unwrap_or(DEFAULT_MESSAGE);
        Ok(Some(SchemaRule { rule: rule.bytes().to_vec(), level, message: message.to_owned() }))
    }

    /// Returns the rule as a value.
    pub fn rule(&self) -> Slice<'_> {
        Slice::new(&self.rule)
    }

    /// Prints the schema's attributes.
    pub(crate) fn print(&self, printer: &mut Printer<'_>) {
        printer.slice("rule", self.rule());
        printer.text("level", self.level.name());
        printer.text("message", &self.message);
        printer.text("type", "json");
    }
}

fn invalid(what: &str) -> Error {
    let message = format!("invalid schema validation parameter: {what}");
    Error::new(ErrorCode::ValidationBadParameter, message)
}
