//! What all functions share: casting arguments, registering warnings, growing results within the query's memory.

use aql_value::{Error, EvaluationContext, MemoryAccount, Result, Value, error_number};
use std::borrow::Cow;

/// Longest text that a function may build. A longer one ends the query with error 32, whatever its memory limit.
pub(crate) const MAX_TEXT_BYTES: usize = 256 << 20;

/// Most elements of an array that a function may build beyond those of its arguments (ArangoDB's limit for ranges).
/// A longer one ends the query with error 1504.
pub(crate) const MAX_ELEMENTS: usize = 10_000_000;

/// How many rounds of a loop may pass between two looks at the interrupt.
pub(crate) const ROUNDS_PER_CHECK: usize = 4096;

/// What stands for an argument that was not given.
static NULL: Value = Value::Null;

/// The argument, or null if it was not given.
pub(crate) fn value(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(&NULL)
}

/// The argument, if it was given and is not null.
pub(crate) fn given(arguments: &[Value], index: usize) -> Option<&Value> {
    arguments.get(index).filter(|argument| !argument.is_null())
}

/// The argument cast to a string; empty if it was not given.
pub(crate) fn text(arguments: &[Value], index: usize) -> Cow<'_, str> {
    value(arguments, index).cast_string()
}

/// The argument cast to a number; 0 if it was not given.
pub(crate) fn number(arguments: &[Value], index: usize) -> f64 {
    value(arguments, index).to_f64()
}

/// The argument cast to an integer, rounded towards zero; 0 if it was not given.
pub(crate) fn integer(arguments: &[Value], index: usize) -> i64 {
    value(arguments, index).to_i64()
}

/// The argument cast to a boolean; false if it was not given.
pub(crate) fn flag(arguments: &[Value], index: usize) -> bool {
    value(arguments, index).is_truthy()
}

/// Why a function stops before it has a result.
pub(crate) enum Stop {
    /// This is the result already: null, as a rule, after a warning.
    Answer(Value),
    /// The query ends.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What the parts of a function return that may end it early.
pub(crate) type Outcome<T> = std::result::Result<T, Stop>;

/// The result of a function from that of its parts.
pub(crate) fn answer(outcome: Outcome<Value>) -> Result<Value> {
    match outcome {
        Ok(value) | Err(Stop::Answer(value)) => Ok(value),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// Stops with what [`invalid`] or the like answers.
pub(crate) fn stop<T>(answer: Result<Value>) -> Outcome<T> {
    Err(answer.map_or_else(Stop::Error, Stop::Answer))
}

/// Refuses to be computed while constants are folded, for what belongs to the run of a query and not to its plan,
/// which may be kept for other runs.
pub(crate) fn require_run_time(context: &EvaluationContext<'_>) -> Result<()> {
    context.environment.database().map(|_| ())
}

/// Null with warning 1542: an argument of function `name` has a wrong type or value.
pub(crate) fn invalid(context: &mut EvaluationContext<'_>, name: &str) -> Result<Value> {
    context.warn(error_number::FUNCTION_ARGUMENT_TYPE_MISMATCH, invalid_message(name))?;
    Ok(Value::Null)
}

/// The same as an error, for the few functions that end the query.
pub(crate) fn invalid_error(name: &str) -> Error {
    Error::new(error_number::FUNCTION_ARGUMENT_TYPE_MISMATCH, invalid_message(name))
}

fn invalid_message(name: &str) -> String {
    format!("invalid argument type in call to function '{name}()'")
}

/// Null with a warning that `number` and `text` describe.
pub(crate) fn warned(
    context: &mut EvaluationContext<'_>,
    name: &str,
    number: u32,
    text: &str,
) -> Result<Value> {
    context.warn(number, format!("in function '{name}()': {text}"))?;
    Ok(Value::Null)
}

/// Null with warning 1563: an argument should have been an array.
pub(crate) fn array_expected(context: &mut EvaluationContext<'_>, name: &str) -> Result<Value> {
    warned(context, name, error_number::ARRAY_EXPECTED, "array expected")
}

/// Null with warning 1561: an element should have been a number.
pub(crate) fn invalid_arithmetic(context: &mut EvaluationContext<'_>, name: &str) -> Result<Value> {
    warned(context, name, error_number::INVALID_ARITHMETIC_VALUE, "invalid arithmetic value")
}

/// Looks at the interrupt every [`ROUNDS_PER_CHECK`] rounds of a loop.
pub(crate) fn check_round(context: &EvaluationContext<'_>, round: usize) -> Result<()> {
    if round % ROUNDS_PER_CHECK == ROUNDS_PER_CHECK - 1 { context.interrupt.check() } else { Ok(()) }
}

/// An array of these elements, whose size is drawn from the query's memory while it is built.
pub(crate) fn build_array(context: &EvaluationContext<'_>, elements: &[Value]) -> Result<Value> {
    let mut scratch = Scratch::new(context.memory);
    // Small values are kept within their 16 bytes; in an array they take up to 15.
    let bytes = elements.iter().map(|element| size_of::<Value>() + element.memory_bytes()).sum();
    scratch.grow(bytes)?;
    Ok(Value::array(elements))
}

/// An object of these entries, whose size is drawn from the query's memory while it is built. Names must differ.
pub(crate) fn build_object<N: AsRef<str>>(
    context: &EvaluationContext<'_>,
    entries: &[(N, Value)],
) -> Result<Value> {
    let mut scratch = Scratch::new(context.memory);
    let bytes_of =
        |(name, value): &(N, Value)| size_of::<Value>() + name.as_ref().len() + value.memory_bytes();
    scratch.grow(entries.iter().map(bytes_of).sum())?;
    let entries: Vec<(&str, Value)> =
        entries.iter().map(|(name, value)| (name.as_ref(), value.clone())).collect();
    Ok(Value::object(&entries))
}

/// Error 1504 for an array that would have more than [`MAX_ELEMENTS`] elements.
pub(crate) fn too_many_elements() -> Error {
    Error::new(
        error_number::NUMBER_OUT_OF_RANGE,
        format!("number out of range: more than {MAX_ELEMENTS} elements"),
    )
}

/// Memory in use while a function runs; given back when it ends, as the result is accounted by who keeps it.
pub(crate) struct Scratch<'a> {
    account: &'a MemoryAccount,
    bytes: u64,
}

impl<'a> Scratch<'a> {
    pub(crate) fn new(account: &'a MemoryAccount) -> Self {
        Self { account, bytes: 0 }
    }

    /// Draws bytes; error 32 if the query's limit would be exceeded.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<()> {
        let bytes = bytes as u64;
        self.account.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.account.release(self.bytes);
    }
}

/// A text that grows within the query's memory and [`MAX_TEXT_BYTES`].
pub(crate) struct TextBuffer<'a> {
    text: String,
    accounted_bytes: usize,
    scratch: Scratch<'a>,
}

impl<'a> TextBuffer<'a> {
    /// Texts up to this length are not accounted: they are no danger, and most are short.
    const FREE_BYTES: usize = 4096;

    pub(crate) fn new(account: &'a MemoryAccount) -> Self {
        Self { text: String::new(), accounted_bytes: Self::FREE_BYTES, scratch: Scratch::new(account) }
    }

    /// Appends; error 32 if the text would grow too long.
    pub(crate) fn push_str(&mut self, text: &str) -> Result<()> {
        let bytes = self.text.len() + text.len();
        if bytes > self.accounted_bytes {
            if bytes > MAX_TEXT_BYTES {
                let message = format!("text would be longer than the limit of {MAX_TEXT_BYTES} bytes");
                return Err(Error::new(error_number::RESOURCE_LIMIT, message));
            }
            // The text's buffer doubles when it grows, and so does the account.
            let accounted_bytes = bytes.max(2 * self.accounted_bytes);
            self.scratch.grow(accounted_bytes - self.accounted_bytes)?;
            self.accounted_bytes = accounted_bytes;
        }
        self.text.push_str(text);
        Ok(())
    }

    /// The text as a value.
    pub(crate) fn into_value(self) -> Value {
        Value::from_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_text_is_accounted_while_it_grows() {
        let account = MemoryAccount::new(Some(100_000), None);
        let mut buffer = TextBuffer::new(&account);
        buffer.push_str("short").unwrap();
        assert_eq!(account.used_bytes(), 0);
        buffer.push_str(&"x".repeat(50_000)).unwrap();
        assert!(account.used_bytes() > 40_000);
        assert_eq!(buffer.push_str(&"x".repeat(100_000)).unwrap_err().number, 32);
        drop(buffer);
        assert_eq!(account.used_bytes(), 0);
    }
}
