//! Shared parts of all functions: argument casts, warnings, early ends.

use std::borrow::Cow;

use aql_value::{EvaluationContext, Interrupt, Value};
use errors::{Error, ErrorCode, Result};

/// The rounds of a loop between two checks of the interrupt.
pub(crate) const ROUNDS_PER_CHECK: usize = 4096;

/// The value of a missing argument.
static NULL: Value = Value::Null;

/// Returns the argument, or null if it was not given.
pub(crate) fn value(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(&NULL)
}

/// Returns the argument if it was given and is not null.
pub(crate) fn given(arguments: &[Value], index: usize) -> Option<&Value> {
    arguments.get(index).filter(|argument| !argument.is_null())
}

/// Returns the argument cast to a string; empty if it was not given.
///
/// Errors: 32 and 1500, as the text of a large array or object is made within the query's limits.
pub(crate) fn text<'v>(
    arguments: &'v [Value],
    index: usize,
    context: &EvaluationContext<'_>,
) -> Result<Cow<'v, str>> {
    text_of(value(arguments, index), context)
}

/// Returns a value cast to a string, as [`text`] does.
pub(crate) fn text_of<'v>(value: &'v Value, context: &EvaluationContext<'_>) -> Result<Cow<'v, str>> {
    value.text(context.memory, context.interrupt)
}

/// Returns the argument cast to a number; 0 if it was not given.
pub(crate) fn number(arguments: &[Value], index: usize) -> f64 {
    value(arguments, index).to_f64()
}

/// Returns the argument cast to an integer, rounded towards zero; 0 if it was not given.
pub(crate) fn integer(arguments: &[Value], index: usize) -> i64 {
    value(arguments, index).to_i64()
}

/// Returns the argument cast to a boolean; false if it was not given.
pub(crate) fn flag(arguments: &[Value], index: usize) -> bool {
    value(arguments, index).is_truthy()
}

/// The reason why a function stops before its end.
pub(crate) enum Stop {
    /// The result is known already: null, as a rule, after a warning.
    Answer(Value),
    /// The query ends.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The result of a part of a function that may end it early.
pub(crate) type Outcome<T> = std::result::Result<T, Stop>;

/// Returns the result of a function from that of its parts.
pub(crate) fn answer(outcome: Outcome<Value>) -> Result<Value> {
    match outcome {
        Ok(value) | Err(Stop::Answer(value)) => Ok(value),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// Stops with the answer of [`invalid`] or a similar function.
pub(crate) fn stop<T>(answer: Result<Value>) -> Outcome<T> {
    Err(answer.map_or_else(Stop::Error, Stop::Answer))
}

/// Fails while constants are folded.
///
/// Functions call it if their result belongs to the run of a query and not to its plan, which may
/// be cached for other runs.
pub(crate) fn require_run_time(context: &EvaluationContext<'_>) -> Result<()> {
    if context.environment.is_run_time() { Ok(()) } else { Err(Error::not_constant()) }
}

/// Returns null with warning 1542: an argument of function `name` has a wrong type or value.
pub(crate) fn invalid(context: &mut EvaluationContext<'_>, name: &str) -> Result<Value> {
    context.warn(ErrorCode::QueryFunctionArgumentTypeMismatch, invalid_message(name))?;
    Ok(Value::Null)
}

/// Returns the same as an error, for the few functions that end the query.
pub(crate) fn invalid_error(name: &str) -> Error {
    Error::new(ErrorCode::QueryFunctionArgumentTypeMismatch, invalid_message(name))
}

fn invalid_message(name: &str) -> String {
    format!("invalid argument type in call to function '{name}()'")
}

/// Returns null with a warning that `code` and `text` describe.
pub(crate) fn warned(
    context: &mut EvaluationContext<'_>,
    name: &str,
    code: ErrorCode,
    text: &str,
) -> Result<Value> {
    context.warn(code, format!("in function '{name}()': {text}"))?;
    Ok(Value::Null)
}

/// Returns null with warning 1563: an argument should have been an array.
pub(crate) fn array_expected(context: &mut EvaluationContext<'_>, name: &str) -> Result<Value> {
    warned(context, name, ErrorCode::QueryArrayExpected, "array expected")
}

/// Returns null with warning 1561: an element should have been a number.
pub(crate) fn invalid_arithmetic(context: &mut EvaluationContext<'_>, name: &str) -> Result<Value> {
    warned(context, name, ErrorCode::QueryInvalidArithmeticValue, "invalid arithmetic value")
}

/// The characters of an argument that a message quotes.
const QUOTED_CHARACTERS: usize = 200;

/// Returns the beginning of a text, for a message that quotes it.
pub(crate) fn quoted(text: &str) -> &str {
    text.char_indices().nth(QUOTED_CHARACTERS).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Checks the interrupt every [`ROUNDS_PER_CHECK`] rounds of a loop.
pub(crate) fn check_round(context: &EvaluationContext<'_>, round: usize) -> Result<()> {
    check_interrupt(context.interrupt, round)
}

/// Checks an interrupt as [`check_round`] does.
pub(crate) fn check_interrupt(interrupt: &Interrupt, round: usize) -> Result<()> {
    if round % ROUNDS_PER_CHECK == ROUNDS_PER_CHECK - 1 { interrupt.check() } else { Ok(()) }
}
