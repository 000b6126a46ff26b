//! JSON Schema validation of documents.
//!
//! Each collection's rule is compiled once. Remote schemas are never loaded. System attributes are
//! invisible to a rule.

use std::fmt;

use boon::{Compiler, Draft, SchemaIndex, Schemas, UrlLoader};
use catalog::{SchemaLevel, SchemaRule};
use errors::{Error, ErrorCode, Result};
use serde_json::Value;
use velocypack::{Kind, Number, Slice};

/// The name under which the compiler knows the rule.
const RULE_URL: &str = "persea:rule";
/// Attributes that rules do not see.
const SYSTEM_ATTRIBUTES: [&str; 5] = ["_key", "_id", "_rev", "_from", "_to"];
/// The depth at which values are cut off. Deeper ones never reach the store.
const DEPTH_MAX: usize = 1000;
/// The message for clients if the rule has none of its own.
const DEFAULT_MESSAGE: &str = "schema validation failed";

/// A compiled schema.
pub struct Schema {
    /// `None` if the rule of an existing collection does not compile. Then no document is valid.
    compiled: Option<(Schemas, SchemaIndex)>,
    level: SchemaLevel,
    message: String,
}

impl Schema {
    /// Compiles a collection's schema.
    ///
    /// Errors: 1621 with the defect of the rule.
    pub fn compile(rule: &SchemaRule) -> Result<Self> {
        let message = if rule.message.is_empty() { DEFAULT_MESSAGE } else { &rule.message };
        Schema::compile_rule(rule.rule(), rule.level, message)
    }

    /// Compiles a bare rule, as `SCHEMA_VALIDATE` takes it.
    ///
    /// Errors: 1621.
    pub fn compile_rule(rule: Slice<'_>, level: SchemaLevel, message: &str) -> Result<Self> {
        let mut compiler = Compiler::new();
        compiler.set_default_draft(Draft::V4);
        compiler.use_loader(Box::new(NoLoader));
        let invalid = |error: String| {
            let message = format!("invalid schema validation parameter: {error}");
            Error::new(ErrorCode::ValidationBadParameter, message)
        };
        compiler.add_resource(RULE_URL, to_json(rule, 0)).map_err(|error| invalid(error.to_string()))?;
        let mut schemas = Schemas::new();
        let index = compiler.compile(RULE_URL, &mut schemas).map_err(|error| invalid(error.to_string()))?;
        Ok(Schema { compiled: Some((schemas, index)), level, message: message.to_owned() })
    }

    /// Compiles the schema of an existing collection.
    ///
    /// If it does not compile, clients can read the collection and change its properties, but
    /// writes that the schema checks fail.
    pub(crate) fn compile_or_refuse(rule: &SchemaRule) -> Self {
        let refuse =
            |error: Error| Schema { compiled: None, level: rule.level, message: error.message().to_owned() };
        Schema::compile(rule).unwrap_or_else(refuse)
    }

    /// Returns which writes the schema checks.
    pub fn level(&self) -> SchemaLevel {
        self.level
    }

    /// Checks a document against the rule, without its system attributes.
    ///
    /// Errors: 1620 with the rule's message.
    pub fn validate(&self, document: Slice<'_>) -> Result<()> {
        if self.is_valid(document) {
            return Ok(());
        }
        Err(Error::new(ErrorCode::ValidationFailed, self.message.clone()))
    }

    fn is_valid(&self, document: Slice<'_>) -> bool {
        let Some((schemas, index)) = &self.compiled else { return false };
        schemas.validate(&without_system_attributes(document), *index).is_ok()
    }

    /// Checks a document that is about to replace `old`, or to be inserted.
    ///
    /// Errors: 1620.
    pub(crate) fn check_write(&self, new: Slice<'_>, old: Option<Slice<'_>>) -> Result<()> {
        match (self.level, old) {
            (SchemaLevel::None, _) | (SchemaLevel::New, Some(_)) => Ok(()),
            (SchemaLevel::Moderate, Some(old)) if !self.is_valid(old) => Ok(()),
            _ => self.validate(new),
        }
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema")
            .field("level", &self.level)
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}

/// A loader that refuses every reference to another document.
struct NoLoader;

impl UrlLoader for NoLoader {
    fn load(&self, url: &str) -> std::result::Result<Value, Box<dyn std::error::Error>> {
        Err(format!("remote schemas are not supported: {url}").into())
    }
}

fn without_system_attributes(document: Slice<'_>) -> Value {
    let own = document.entries().filter(|(name, _)| !SYSTEM_ATTRIBUTES.contains(name));
    Value::Object(own.map(|(name, value)| (name.to_owned(), to_json(value, 1))).collect())
}

/// Converts a value for the validator. Recursion ends at [`DEPTH_MAX`].
fn to_json(value: Slice<'_>, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return Value::Null;
    }
    match value.kind() {
        Kind::Bool => Value::Bool(value.as_bool().unwrap_or(false)),
        Kind::Int | Kind::UInt | Kind::Double => match value.as_number() {
            Some(Number::Int(number)) => number.into(),
            Some(Number::UInt(number)) => number.into(),
            Some(Number::Double(number)) => number.into(),
            None => Value::Null,
        },
        Kind::String => Value::String(value.as_str().unwrap_or_default().to_owned()),
        Kind::Array => Value::Array(value.elements().map(|element| to_json(element, depth + 1)).collect()),
        Kind::Object => {
            let entries = value.entries().map(|(name, value)| (name.to_owned(), to_json(value, depth + 1)));
            Value::Object(entries.collect())
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vpack(json: &str) -> Vec<u8> {
        let mut builder = velocypack::Builder::new();
        velocypack::json::parse(json.as_bytes(), &velocypack::Limits::default(), &mut builder).unwrap();
        builder.into_vec()
    }

    fn schema(rule: &str, level: SchemaLevel) -> Result<Schema> {
        Schema::compile(&SchemaRule { rule: vpack(rule), level, message: "numbers only".to_owned() })
    }

    const RULE: &str = r#"{"properties": {"nums": {"type": "array", "items": {"type": "number", "maximum": 6}}},
        "additionalProperties": {"type": "string"}, "required": ["nums"]}"#;

    #[test]
    fn the_documented_example() {
        let schema = schema(RULE, SchemaLevel::Strict).unwrap();
        for valid in [r#"{"nums": [1, 2.5]}"#, r#"{"_key": 1, "_rev": [], "nums": [], "name": "x"}"#] {
            schema.validate(Slice::new(&vpack(valid))).unwrap();
        }
        for invalid in [r#"{}"#, r#"{"nums": [7]}"#, r#"{"nums": "x"}"#, r#"{"nums": [], "name": 1}"#] {
            let error = schema.validate(Slice::new(&vpack(invalid))).unwrap_err();
            assert_eq!((error.code(), error.message()), (ErrorCode::ValidationFailed, "numbers only"));
        }
    }

    #[test]
    fn levels_say_which_writes_are_checked() {
        let (good, bad) = (vpack(r#"{"nums": []}"#), vpack("{}"));
        let (good, bad) = (Slice::new(&good), Slice::new(&bad));
        let accepts = |level, new, old| schema(RULE, level).unwrap().check_write(new, old).is_ok();
        assert!(accepts(SchemaLevel::None, bad, None));
        assert!(!accepts(SchemaLevel::New, bad, None));
        assert!(accepts(SchemaLevel::New, bad, Some(good)));
        assert!(!accepts(SchemaLevel::Moderate, bad, None));
        assert!(!accepts(SchemaLevel::Moderate, bad, Some(good)));
        assert!(accepts(SchemaLevel::Moderate, bad, Some(bad)));
        assert!(!accepts(SchemaLevel::Strict, bad, Some(bad)));
        assert!(accepts(SchemaLevel::Strict, good, Some(bad)));
    }

    #[test]
    fn illegal_rules_are_refused() {
        for rule in [
            r#"{"type": "nonsense"}"#,
            r#"{"properties": 1}"#,
            r#"{"$ref": "http://example.com/schema"}"#,
            r#"{"$ref": "file:///etc/passwd"}"#,
            r##"{"$ref": "#/definitions/missing"}"##,
        ] {
            let error = schema(rule, SchemaLevel::Strict).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ValidationBadParameter, "{rule}");
        }
        let own = r##"{"definitions": {"text": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/text"}}}"##;
        assert!(schema(own, SchemaLevel::Strict).is_ok());
    }
}
