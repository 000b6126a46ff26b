//! Schemas that a query's functions validate documents by.

use aql_value::{Result, Value};
use catalog::SchemaRule;
use std::sync::{Arc, Mutex, PoisonError};
use storage::Schema;

/// The schema that was compiled last: as a rule a query validates all its documents by the same one.
#[derive(Debug, Default)]
pub(crate) struct LastSchema {
    compiled: Mutex<Option<(Value, Arc<Schema>)>>,
}

impl LastSchema {
    /// What is wrong with a document by a definition as `SCHEMA_GET()` answers it; `None` for nothing.
    ///
    /// Errors: 1621.
    pub(crate) fn validate(&self, document: &Value, definition: &Value) -> Result<Option<String>> {
        let Some(schema) = self.compile(definition)? else { return Ok(None) };
        let checked = document.with_slice(|document, _| schema.validate(document));
        Ok(checked.err().map(|error| error.message().to_owned()))
    }

    fn compile(&self, definition: &Value) -> Result<Option<Arc<Schema>>> {
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
        let schema = Arc::new(Schema::compile(&rule)?);
        *last = Some((definition.detached(), Arc::clone(&schema)));
        Ok(Some(schema))
    }
}
