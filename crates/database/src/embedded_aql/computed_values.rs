//! Computed values: the AQL expressions of a collection, compiled when it is created or changed.
//!
//! An expression is `RETURN ...` over the bind parameter `@doc`. Subqueries and expressions that
//! read the store are refused, as in ArangoDB.

use std::sync::Arc;

use aql_value::{Column, EvaluationState, Owner, Value, Warnings};
use catalog::ComputedValue;
use errors::{Error, Result};
use storage::{ComputeEvent, ComputedValues, ComputedValuesCompiler};
use velocypack::{Block, Builder, Slice};

use crate::embedded_aql::document_expression::{DocumentExpression, KeptState};

/// The compiler that the store receives when it is opened.
pub(crate) struct Compiler;

impl ComputedValuesCompiler for Compiler {
    fn compile(&self, values: &[ComputedValue]) -> Result<Arc<dyn ComputedValues>> {
        let values = values.iter().map(Compiled::new).collect::<Result<_>>()?;
        Ok(Arc::new(CompiledValues { values, state: KeptState::new() }))
    }
}

struct CompiledValues {
    values: Vec<Compiled>,
    state: KeptState,
}

/// The compiled form of one attribute.
struct Compiled {
    definition: ComputedValue,
    expression: DocumentExpression,
}

impl Compiled {
    fn new(definition: &ComputedValue) -> Result<Self> {
        let expression = DocumentExpression::compile(&definition.expression, &[]).map_err(|what| {
            let message =
                format!("computed value '{}': {what} in '{}'", definition.name, definition.expression);
            Error::bad_parameter(message)
        })?;
        Ok(Compiled { definition: definition.clone(), expression })
    }

    fn evaluate(
        &self,
        document: &Value,
        state: &mut EvaluationState,
        owner: Option<&Owner>,
    ) -> Result<Value> {
        let mut warnings = Warnings::new(1, self.definition.fail_on_warning);
        let document = Column::Constant(document.clone());
        let results = self.expression.evaluate(document, 1, state, &mut warnings, owner)?;
        Ok(results.get(0).clone())
    }
}

impl ComputedValues for CompiledValues {
    fn applies_to(&self, event: ComputeEvent) -> bool {
        self.values.iter().any(|value| value.is_computed_at(event))
    }

    fn compute(
        &self,
        event: ComputeEvent,
        document: Slice<'_>,
        collection: &str,
        owner: Option<&Owner>,
    ) -> Result<Option<Vec<u8>>> {
        let block = Arc::new(Block { bytes: document.bytes().to_vec(), collection: Some(collection.into()) });
        let value = Value::in_block(&block, 0);
        // Every expression sees the document as it was given, not the results of other expressions.
        let mut computed: Vec<(&str, Option<Value>)> = Vec::new();
        self.state.with(|state| -> Result<()> {
            for attribute in self.values.iter().filter(|attribute| attribute.is_computed_at(event)) {
                let definition = &attribute.definition;
                if definition.overwrite || document.get(&definition.name).is_none() {
                    let result = attribute.evaluate(&value, state, owner).map_err(|error| {
                        let message = format!("computed value '{}': {}", definition.name, error.message());
                        error.with_message(message)
                    })?;
                    let stored = definition.keep_null || !result.is_null();
                    computed.push((definition.name.as_str(), stored.then_some(result)));
                }
            }
            Ok(())
        })?;
        if computed.is_empty() {
            Ok(None)
        } else {
            with_attributes(document, collection, &computed).map(Some)
        }
    }
}

/// Returns the document with some attributes set to a value or omitted.
fn with_attributes(
    document: Slice<'_>,
    collection: &str,
    computed: &[(&str, Option<Value>)],
) -> Result<Vec<u8>> {
    let mut builder = Builder::with_capacity(document.byte_len() + 64);
    builder.open_object()?;
    for (name, value) in document.entries() {
        if !computed.iter().any(|(computed, _)| *computed == name) && !value.is_id_marker() {
            builder.key(name)?;
            builder.add_resolved(value, Some(collection))?;
        }
    }
    for (name, value) in computed {
        if let Some(value) = value {
            builder.key(name)?;
            value.append_to(&mut builder)?;
        }
    }
    builder.close()?;
    Ok(builder.into_vec())
}

impl Compiled {
    fn is_computed_at(&self, event: ComputeEvent) -> bool {
        let on = self.definition.compute_on;
        match event {
            ComputeEvent::Insert => on.insert,
            ComputeEvent::Update => on.update,
            ComputeEvent::Replace => on.replace,
        }
    }
}

#[cfg(test)]
mod tests {
    use errors::ErrorCode;

    use super::*;

    fn pack(json: &str) -> Vec<u8> {
        let mut builder = Builder::new();
        velocypack::json::parse(json.as_bytes(), &velocypack::Limits::default(), &mut builder).unwrap();
        builder.into_vec()
    }

    fn compiled(expression: &str, overwrite: bool, keep_null: bool) -> Result<Arc<dyn ComputedValues>> {
        let properties = pack(&format!(
            r#"{{"name":"c","computedValues":[{{"name":"x","expression":{expression:?},"overwrite":{overwrite},"keepNull":{keep_null}}}]}}"#
        ));
        let properties = catalog::collection::CollectionProperties::parse(Slice::new(&properties), false)?;
        Compiler.compile(&properties.computed_values)
    }

    fn compute(expression: &str, overwrite: bool, keep_null: bool, document: &str) -> Result<String> {
        let compiled = compiled(expression, overwrite, keep_null)?;
        let document = pack(document);
        let changed = compiled.compute(ComputeEvent::Insert, Slice::new(&document), "c", None)?;
        Ok(velocypack::json::to_json_string(Slice::new(changed.as_deref().unwrap_or(&document)), None))
    }

    #[test]
    fn an_expression_over_the_document_is_computed() {
        let expression = "RETURN CONCAT(@doc.a, '-', LENGTH(@doc.b[* FILTER CURRENT > 1]))";
        let document = compute(expression, true, true, r#"{"a":"k","b":[1,2,3]}"#).unwrap();
        assert_eq!(document, r#"{"a":"k","b":[1,2,3],"x":"k-2"}"#);
    }

    #[test]
    fn a_given_value_stays_unless_overwritten_and_null_may_remove() {
        assert_eq!(compute("RETURN 1", false, true, r#"{"x":5}"#).unwrap(), r#"{"x":5}"#);
        assert_eq!(compute("RETURN 1", true, true, r#"{"x":5}"#).unwrap(), r#"{"x":1}"#);
        assert_eq!(compute("RETURN @doc.absent", true, false, r#"{"x":5}"#).unwrap(), "{}");
        assert_eq!(compute("RETURN @doc.absent", true, true, "{}").unwrap(), r#"{"x":null}"#);
    }

    #[test]
    fn the_time_is_that_of_each_write() {
        let compiled = compiled("RETURN DATE_NOW()", true, true).unwrap();
        let document = pack("{}");
        let stamp = || {
            let changed =
                compiled.compute(ComputeEvent::Insert, Slice::new(&document), "c", None).unwrap().unwrap();
            Slice::new(&changed).get("x").and_then(Slice::as_i64).unwrap()
        };
        let first = stamp();
        // Time is what is tested.
        std::thread::sleep(std::time::Duration::from_millis(3));
        assert!(stamp() > first);
    }

    #[test]
    fn what_reads_the_store_or_is_no_expression_is_refused() {
        for bad in [
            "1",
            "RETURN @other",
            "RETURN (FOR i IN 1..3 RETURN i)",
            "FOR d IN c RETURN d",
            "RETURN NOPE()",
            "RETURN [1, version()]",
            "RETURN APPLY('LENGTH', [@doc.a])",
            "RETURN DOCUMENT(@doc.a)",
            "RETURN my::own(@doc)",
        ] {
            assert_eq!(compute(bad, true, true, "{}").unwrap_err().code(), ErrorCode::BadParameter, "{bad}");
        }
    }
}
