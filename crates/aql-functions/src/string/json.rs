//! JSON texts.

use std::cell::Cell;

use aql_value::{EvaluationContext, Value};
use errors::Result;
use velocypack::{Builder, Limits, json};

use crate::argument::{invalid, text_of, value};
use crate::memory::{Scratch, room_for_bytes, text_value};

/// The bytes that the builder of an array or object keeps for each member.
const BYTES_OF_MEMBER: usize = 24;

/// The bytes of an escaped control character.
const LONGEST_ESCAPE: usize = 6;

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
    let ended = Cell::new(None);
    let interrupted = || {
        let error = interrupt.check().err();
        let is_ended = error.is_some();
        ended.set(error);
        is_ended
    };
    let parser = json::Parser::new(text.as_bytes(), &Limits::default()).with_interrupt(&interrupted);
    match parser.whole(&mut builder) {
        Ok(()) => Ok(Value::from_builder(builder)),
        Err(_) => {
            ended.take().map_or(Ok(()), Err)?;
            invalid(context, "JSON_PARSE")
        }
    }
}

/// `JSON_STRINGIFY(value)`: compact.
pub(crate) fn json_stringify(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let value = value(arguments, 0);
    // Casts of scalars to text are not JSON: a text has no quotes.
    if !value.is_array() && !value.is_object() {
        let length = 2 * value.memory_bytes();
        let _room = room_for_bytes(LONGEST_ESCAPE * length, context)?;
        return Ok(Value::from_str(&value.to_json()));
    }
    text_value(&text_of(value, context)?, context)
}
