//! Schemas by which a query's functions validate documents.

use std::sync::{Arc, Mutex, PoisonError};

use aql_value::Value;
use catalog::SchemaRule;
use errors::Result;
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
