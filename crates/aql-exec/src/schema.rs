//! Schemas by which a query's functions validate documents.

use std::sync::{Arc, Mutex, PoisonError};

use aql_value::{Owner, Value};
use catalog::SchemaRule;
use errors::{ErrorCode, Result};
use storage::Schema;

/// The schema compiled last: a query usually validates all its documents by the same one.
#[derive(Debug, Default)]
pub(crate) struct LastSchema {
    compiled: Mutex<Option<(Value, Arc<Schema>)>>,
}

impl LastSchema {
    /// Returns the first violation of a definition in the form of `SCHEMA_GET()`; `None` without
    /// any.
    ///
    /// Errors: 1621, those of the query that owns the validation.
    pub(crate) fn validate(
        &self,
        document: &Value,
        definition: &Value,
        owner: &Owner,
    ) -> Result<Option<String>> {
        let Some(schema) = self.compile(definition, owner)? else { return Ok(None) };
        match document.with_slice(|document, _| schema.validate(document, owner)) {
            Err(error) if error.code() == ErrorCode::ValidationFailed => Ok(Some(error.message().to_owned())),
            checked => checked.map(|()| None),
        }
    }

    fn compile(&self, definition: &Value, owner: &Owner) -> Result<Option<Arc<Schema>>> {
        let mut last = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, schema)) = &*last
            && known == definition
        {
            return Ok(Some(Arc::clone(schema)));
        }
        let rule = definition.with_slice(|definition, _| SchemaRule::parse(definition));
        let Some(rule) = rule? else {
            return Ok(None);
        };
        let schema = Arc::new(Schema::compile_for(&rule, owner)?);
        *last = Some((definition.detached(), Arc::clone(&schema)));
        Ok(Some(schema))
    }
}
