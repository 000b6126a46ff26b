//! `TOKENS()`.

use std::sync::Arc;

use analyzers::{Analyzer, IDENTITY, Output, Token};
use aql_value::{EvaluationContext, Kind, Value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use errors::{Error, ErrorCode, Result};

use crate::argument::{Outcome, answer, check_round, given, invalid, quoted, stop, value};
use crate::memory::ArrayBuffer;

/// The deepest nesting of arrays, as in all data.
const MAX_DEPTH: usize = 200;

const NAME: &str = "TOKENS";

/// `TOKENS(input, analyzer)`: the tokens of a text.
///
/// Numbers, booleans and null have the tokens of ArangoDB's indexes. For an array, the result is an
/// array of its elements' results. That of an empty array is an array with an empty one. An unknown
/// analyzer gives null with a warning.
pub(crate) fn tokens(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(analyzer(arguments, 1, NAME, context).and_then(|analyzer| {
        let input = value(arguments, 0);
        if input.is_array() && input.is_empty() && !analyzer.takes_values() {
            return nothing_in_an_array(context).map_err(Into::into);
        }
        let found = tokens_of(input, &analyzer, 0, context)?;
        found.map_or_else(|| stop(invalid(context, NAME)), Ok)
    }))
}

/// Returns `[[]]`.
fn nothing_in_an_array(context: &EvaluationContext<'_>) -> Result<Value> {
    let mut all = ArrayBuffer::new(context);
    all.push_new(ArrayBuffer::new(context).into_array()?)?;
    all.into_array()
}

/// Returns the analyzer that an argument names: `identity` if it is not given.
///
/// Stops if there is none of that name.
pub(crate) fn analyzer(
    arguments: &[Value],
    index: usize,
    function: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Arc<Analyzer>> {
    let name = given(arguments, index).map_or(Some(IDENTITY), Value::as_str);
    let Some(name) = name else {
        return stop(invalid(context, function));
    };
    match context.environment.analyzer(name)? {
        Some(analyzer) => Ok(analyzer),
        None => {
            let message = format!(
                "failure to find arangosearch analyzer with name '{}' while computing result for function \
                 '{function}'",
                quoted(name)
            );
            context.warn(ErrorCode::BadParameter, message)?;
            stop(Ok(Value::Null))
        }
    }
}

/// Returns the tokens of one text.
pub(crate) fn tokens_of_text<'a>(
    text: &str,
    analyzer: &Analyzer,
    context: &EvaluationContext<'a>,
) -> Result<ArrayBuffer<'a>> {
    let mut tokens = ArrayBuffer::new(context);
    let output = analyzer.output();
    analyzer.tokens(text, context.interrupt, |token| push_token(token, output, &mut tokens))?;
    Ok(tokens)
}

fn push_token(token: Token<'_>, output: Output, tokens: &mut ArrayBuffer<'_>) -> Result<()> {
    match output {
        Output::Text => tokens.push_text(token.text()?),
        Output::Number => {
            let bytes = token.term.try_into().map_err(Error::internal)?;
            tokens.push(Value::from_f64(f64::from_le_bytes(bytes)))
        }
        Output::Bool => tokens.push(Value::Bool(token.term == [1])),
    }
}

/// The number of low bits that each of a number's four tokens omits.
const NUMBER_SHIFTS: [u8; 4] = [0, 16, 32, 48];
/// The first byte of a number's token without a shift.
const NUMBER_PREFIX: u8 = 0xA0;

/// Appends the tokens of a number.
///
/// Its bits as a double are arranged so that byte order is numeric order. There are four tokens,
/// one for each precision, each after a byte that names the precision. They are in base64 because
/// they are not text. (ArangoDB's explain output shows this form.)
fn tokens_of_number(number: f64, tokens: &mut ArrayBuffer<'_>) -> Result<()> {
    let bits = number.to_bits();
    let ordered = if number.is_sign_negative() { !bits } else { bits | 1 << 63 };
    for (token, shift) in (0_u8..).zip(NUMBER_SHIFTS) {
        let bytes = ordered.to_be_bytes();
        let kept = bytes.get(..bytes.len() - usize::from(shift / 8)).unwrap_or_default();
        let bytes = [&[NUMBER_PREFIX + (token << 4)], kept].concat();
        tokens.push(Value::from_str(&STANDARD.encode(bytes)))?;
    }
    Ok(())
}

/// Returns the tokens of a value that is neither text nor array; `None` for objects.
fn tokens_of_other(input: &Value, context: &EvaluationContext<'_>) -> Result<Option<Value>> {
    let mut tokens = ArrayBuffer::new(context);
    match input.kind() {
        Kind::Null => tokens.push(Value::from_str(""))?,
        Kind::Bool => {
            tokens.push(Value::from_str(if input.to_bool() { TOKEN_OF_TRUE } else { TOKEN_OF_FALSE }))?
        }
        Kind::Number => tokens_of_number(input.to_f64(), &mut tokens)?,
        _ => return Ok(None),
    }
    tokens.into_array().map(Some)
}

/// The bytes 255 and 0 in base64.
const TOKEN_OF_TRUE: &str = "/w==";
const TOKEN_OF_FALSE: &str = "AA==";

/// Returns the tokens of a value as a whole.
fn tokens_of_value(input: &Value, analyzer: &Analyzer, context: &EvaluationContext<'_>) -> Result<Value> {
    let mut tokens = ArrayBuffer::new(context);
    input.with_slice(|slice, _| {
        analyzer.tokens(slice, context.interrupt, |token| tokens.push_text(token.text()?))
    })?;
    tokens.into_array()
}

/// Returns the tokens of a value; `None` if it has an object.
fn tokens_of(
    input: &Value,
    analyzer: &Analyzer,
    depth: usize,
    context: &EvaluationContext<'_>,
) -> Result<Option<Value>> {
    if analyzer.takes_values() {
        return tokens_of_value(input, analyzer, context).map(Some);
    }
    if let Some(text) = input.as_str() {
        return tokens_of_text(text, analyzer, context)?.into_array().map(Some);
    }
    if !input.is_array() || depth >= MAX_DEPTH {
        return tokens_of_other(input, context);
    }
    let mut all = ArrayBuffer::new(context);
    for (round, element) in input.elements().enumerate() {
        check_round(context, round)?;
        match tokens_of(&element, analyzer, depth + 1, context)? {
            Some(tokens) => all.push_new(tokens)?,
            None => return Ok(None),
        }
    }
    all.into_array().map(Some)
}
