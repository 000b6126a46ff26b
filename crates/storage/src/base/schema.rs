//! JSON Schema validation of documents.
//!
//! Each collection's rule is compiled once. System attributes are invisible to a rule.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aql_value::{Interrupt, MemoryAccount, Owner, ThreadMeter};
use catalog::{SchemaLevel, SchemaRule};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

/// Attributes that rules do not see.
const SYSTEM_ATTRIBUTES: [&str; 5] = ["_key", "_id", "_rev", "_from", "_to"];
/// The message for clients if the rule has none of its own.
const DEFAULT_MESSAGE: &str = "schema validation failed";
/// The time and the memory of a computation that no request owns: the compilation of a collection's
/// rule, and the check of a document that the server itself writes.
const TIME_MAX: Duration = Duration::from_secs(10);
const MEMORY_MAX_BYTES: u64 = 64 << 20;

/// A compiled schema.
pub struct Schema {
    /// `None` if the rule of an existing collection does not compile. Then no document is valid.
    compiled: Option<json_schema::Schema>,
    level: SchemaLevel,
    message: String,
}

impl Schema {
    /// Compiles a collection's schema.
    ///
    /// Errors: 1621 with the defect of the rule, 32 and 1500 if it takes too much memory or time.
    pub fn compile(rule: &SchemaRule) -> Result<Self> {
        let owner = bounded_owner();
        let _meter = ThreadMeter::enter(&owner.memory);
        Schema::compile_for(rule, &owner)
    }

    /// Compiles a schema for its owner, whose interrupt ends it.
    ///
    /// Errors: 1621 with the defect of the rule, those of the interrupt.
    pub fn compile_for(rule: &SchemaRule, owner: &Owner) -> Result<Self> {
        let message = if rule.message.is_empty() { DEFAULT_MESSAGE } else { &rule.message };
        let compiled = json_schema::Schema::compile(rule.rule(), &owner.interrupt)?;
        Ok(Schema { compiled: Some(compiled), level: rule.level, message: message.to_owned() })
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
    /// Errors: 1620 with the rule's message, those of the owner.
    pub fn validate(&self, document: Slice<'_>, owner: &Owner) -> Result<()> {
        if self.is_valid(document, owner)? {
            return Ok(());
        }
        Err(Error::new(ErrorCode::ValidationFailed, self.message.clone()))
    }

    fn is_valid(&self, document: Slice<'_>, owner: &Owner) -> Result<bool> {
        let Some(compiled) = &self.compiled else { return Ok(false) };
        compiled.is_valid(document, &SYSTEM_ATTRIBUTES, &owner.interrupt, &owner.memory)
    }

    /// Checks a document that is about to replace `old`, or to be inserted.
    ///
    /// Errors: 1620, those of the owner.
    pub(crate) fn check_write(
        &self,
        new: Slice<'_>,
        old: Option<Slice<'_>>,
        owner: Option<&Owner>,
    ) -> Result<()> {
        let bounded;
        let owner = match owner {
            Some(owner) => owner,
            None => {
                bounded = bounded_owner();
                &bounded
            }
        };
        match (self.level, old) {
            (SchemaLevel::None, _) | (SchemaLevel::New, Some(_)) => Ok(()),
            (SchemaLevel::Moderate, Some(old)) if !self.is_valid(old, owner)? => Ok(()),
            _ => self.validate(new, owner),
        }
    }
}

/// Returns an owner for a computation that no request owns.
fn bounded_owner() -> Owner {
    Owner {
        interrupt: Interrupt::with_max_runtime(TIME_MAX),
        memory: Arc::new(MemoryAccount::new(Some(MEMORY_MAX_BYTES), None)),
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
            schema.validate(Slice::new(&vpack(valid)), &bounded_owner()).unwrap();
        }
        for invalid in [r#"{}"#, r#"{"nums": [7]}"#, r#"{"nums": "x"}"#, r#"{"nums": [], "name": 1}"#] {
            let error = schema.validate(Slice::new(&vpack(invalid)), &bounded_owner()).unwrap_err();
            assert_eq!((error.code(), error.message()), (ErrorCode::ValidationFailed, "numbers only"));
        }
    }

    #[test]
    fn levels_say_which_writes_are_checked() {
        let (good, bad) = (vpack(r#"{"nums": []}"#), vpack("{}"));
        let (good, bad) = (Slice::new(&good), Slice::new(&bad));
        let accepts = |level, new, old| schema(RULE, level).unwrap().check_write(new, old, None).is_ok();
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
