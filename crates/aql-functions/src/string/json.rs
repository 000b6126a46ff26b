//! JSON texts.

use crate::argument::{invalid, value};
use crate::memory::Scratch;
use aql_value::{EvaluationContext, Value};
use errors::Result;
use velocypack::{Builder, Limits, json};

/// The bytes that the builder of an array or object keeps for each member.
const BYTES_OF_MEMBER: usize = 24;

/// `JSON_PARSE(text)`: null with a warning for a text that is not JSON.
pub(crate) fn json_parse(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(text) = value(arguments, 0).as_str() else {
        return invalid(context, "JSON_PARSE");
    };
    let mut scratch = Scratch::new(context.memory);
    // The parsed value takes about as much memory as the text, and the parser notes each member.
    // Commas separate members; those within texts count too, which does no harm.
    let members = text.bytes().filter(|byte| *byte == b',').count();
    scratch.grow(text.len() + members * BYTES_OF_MEMBER)?;
    let mut builder = Builder::with_capacity(text.len());
    let interrupt = context.interrupt;
    let interrupted = || interrupt.check().is_err();
    let parser = json::Parser::new(text.as_bytes(), &Limits::default()).with_interrupt(&interrupted);
    match parser.whole(&mut builder) {
        Ok(()) => Ok(Value::from_builder(builder)),
        Err(_) => {
            interrupt.check()?;
            invalid(context, "JSON_PARSE")
        }
    }
}

/// `JSON_STRINGIFY(value)`: compact.
pub(crate) fn json_stringify(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let value = value(arguments, 0);
    let mut scratch = Scratch::new(context.memory);
    scratch.grow(value.memory_bytes())?;
    Ok(Value::from_str(&value.to_json()))
}
