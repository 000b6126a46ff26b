//! LIKE and regular expression matching.

use errors::{ErrorCode, Result};

use super::Pattern;
use super::slots::{Slots, map, map_pair};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::pattern::{LikePattern, Regex};
use crate::value::Value;

/// The bytes of a prepared pattern for a byte of its text.
const BYTES_OF_PATTERN: usize = 12;

/// Computes `text LIKE pattern`; operands are cast to strings.
pub(super) fn run_like(
    text: &Column,
    pattern: &Pattern<LikePattern>,
    case_insensitive: bool,
    negated: bool,
    (slots, lanes): (&Slots, usize),
    context: &mut EvaluationContext<'_>,
) -> Result<Column> {
    if let Pattern::Prepared(pattern) = pattern {
        return map(text, lanes, |text| {
            Ok(Value::Bool(matches(pattern, text, case_insensitive, context)? != negated))
        });
    }
    let Some(patterns) = pattern.column(slots)? else { return Ok(Column::Constant(Value::Null)) };
    map_pair(text, patterns, lanes, |text, pattern| {
        let pattern = pattern.text(context.memory, context.interrupt)?;
        if pattern.len() >= LONG_BYTES {
            context.memory.check_room((BYTES_OF_PATTERN * pattern.len()) as u64)?;
        }
        let pattern = context.state.patterns.like(&pattern, case_insensitive, context.interrupt)?;
        Ok(Value::Bool(matches(&pattern, text, case_insensitive, context)? != negated))
    })
}

/// The size of texts and patterns whose memory is checked before it is taken.
const LONG_BYTES: usize = 32 << 10;

fn matches(
    pattern: &LikePattern,
    text: &Value,
    case_insensitive: bool,
    context: &EvaluationContext<'_>,
) -> Result<bool> {
    let text = text.text(context.memory, context.interrupt)?;
    if case_insensitive && text.len() >= LONG_BYTES {
        // The matcher makes a copy in lower case.
        context.memory.check_room(2 * text.len() as u64)?;
    }
    pattern.matches(&text, context.interrupt)
}

/// Computes `text =~ pattern`; operands are cast to strings.
///
/// An invalid pattern, or one that takes too many steps for a text, gives warning 1543 and null,
/// negated or not.
pub(super) fn run_regex(
    text: &Column,
    pattern: &Pattern<Regex>,
    negated: bool,
    (slots, lanes): (&Slots, usize),
    context: &mut EvaluationContext<'_>,
) -> Result<Column> {
    let answer = |found: Option<bool>, context: &mut EvaluationContext<'_>| {
        // Checks every time: with backtracking a single match may take long.
        context.interrupt.check()?;
        match found {
            Some(found) => Ok(Value::Bool(found != negated)),
            None => {
                context.warn(ErrorCode::QueryInvalidRegex, "invalid regex value")?;
                Ok(Value::Null)
            }
        }
    };
    if let Pattern::Prepared(pattern) = pattern {
        return map(text, lanes, |text| {
            answer(
                pattern.is_match(&text.text(context.memory, context.interrupt)?, context.interrupt)?,
                context,
            )
        });
    }
    let Some(patterns) = pattern.column(slots)? else { return Ok(Column::Constant(Value::Null)) };
    map_pair(text, patterns, lanes, |text, pattern| {
        let pattern = context.state.patterns.regex(&pattern.text(context.memory, context.interrupt)?, false);
        let found = pattern
            .map(|pattern| {
                pattern.is_match(&text.text(context.memory, context.interrupt)?, context.interrupt)
            })
            .transpose()?;
        answer(found.flatten(), context)
    })
}
