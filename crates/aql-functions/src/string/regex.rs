//! Functions with regular expressions. [`aql_value::pattern::regex`] describes the dialect.

use std::ops::Range;
use std::sync::Arc;

use aql_value::pattern::Regex;
use aql_value::pattern::regex::GaveUp;
use aql_value::{EvaluationContext, Value};
use errors::{ErrorCode, Result};

use crate::argument::{flag, given, integer, invalid, text, warned};
use crate::memory::{ArrayBuffer, TextBuffer, room_for_bytes};

/// `REGEX_TEST(text, search, caseInsensitive)`
pub(crate) fn regex_test(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let regex = compile(arguments, 2, context)?;
    let text = text(arguments, 0, context)?;
    let found = regex.map(|regex| regex.is_match(&text, context.interrupt)).transpose()?;
    match found.flatten() {
        Some(is_match) => Ok(Value::Bool(is_match)),
        None => invalid_regex(context, "REGEX_TEST"),
    }
}

/// `REGEX_MATCHES(text, regex, caseInsensitive)`: the first match and its groups, or null.
///
/// Groups that took no part are empty texts.
pub(crate) fn regex_matches(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(regex) = compile(arguments, 2, context)? else {
        return invalid_regex(context, "REGEX_MATCHES");
    };
    let text = text(arguments, 0, context)?;
    let first = regex.matches(&text, context.interrupt).next().transpose()?;
    match first {
        None => Ok(Value::Null),
        Some(Ok(groups)) => {
            let mut found = ArrayBuffer::new(context);
            for group in groups {
                found.push_text(matched(&text, group))?;
            }
            found.into_array()
        }
        Some(Err(GaveUp)) => invalid_regex(context, "REGEX_MATCHES"),
    }
}

/// `REGEX_SPLIT(text, splitExpression, caseInsensitive, limit)`: the parts between matches.
///
/// The groups of each match are between the parts. The result has at most `limit` values; the rest
/// is omitted.
pub(crate) fn regex_split(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let limit = match given(arguments, 3).map(|_| usize::try_from(integer(arguments, 3))) {
        None => usize::MAX,
        Some(Ok(limit)) => limit,
        Some(Err(_)) => return invalid(context, "REGEX_SPLIT"),
    };
    let Some(regex) = compile(arguments, 2, context)? else {
        return invalid_regex(context, "REGEX_SPLIT");
    };
    let text = text(arguments, 0, context)?;
    let mut parts = ArrayBuffer::new(context);
    let mut rest_start = 0;
    for groups in regex.matches(&text, context.interrupt) {
        // Checks every time: with backtracking a single match may take long.
        context.interrupt.check()?;
        if parts.len() >= limit {
            break;
        }
        let Ok(groups) = groups? else { return invalid_regex(context, "REGEX_SPLIT") };
        let mut groups = groups.into_iter();
        let Some(whole) = groups.next().flatten() else { continue };
        // An empty match at either end of the text splits off nothing.
        if whole.is_empty() && (whole.start == 0 || whole.start == text.len()) {
            continue;
        }
        parts.push_text(text.get(rest_start..whole.start).unwrap_or_default())?;
        for group in groups {
            parts.push_text(matched(&text, group))?;
        }
        rest_start = whole.end;
    }
    parts.push_text(text.get(rest_start..).unwrap_or_default())?;
    parts.elements().truncate(limit);
    parts.into_array()
}

/// Maximum size in bytes of a parsed replacement for a byte of its text: `$1` is two parts.
const BYTES_OF_REPLACEMENT: usize = 2 * size_of::<Part>();

/// `REGEX_REPLACE(text, search, replacement, caseInsensitive)`: replaces every match.
///
/// In the replacement, `$1` is the first group and so on, and `${name}` for a named one. A
/// backslash escapes the next character.
pub(crate) fn regex_replace(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(regex) = compile(arguments, 3, context)? else {
        return invalid_regex(context, "REGEX_REPLACE");
    };
    let (text, replacement) = (text(arguments, 0, context)?, text(arguments, 2, context)?);
    let _room = room_for_bytes(replacement.len() * BYTES_OF_REPLACEMENT, context)?;
    let Some(replacement) = Replacement::parse(&replacement, &regex) else {
        return invalid_regex(context, "REGEX_REPLACE");
    };
    let mut replaced = TextBuffer::new(context);
    let mut rest_start = 0;
    for groups in regex.matches(&text, context.interrupt) {
        // Checks every time: with backtracking a single match may take long.
        context.interrupt.check()?;
        let Ok(groups) = groups? else { return invalid_regex(context, "REGEX_REPLACE") };
        let Some(whole) = groups.first().cloned().flatten() else { continue };
        replaced.push_str(text.get(rest_start..whole.start).unwrap_or_default())?;
        for part in &replacement.parts {
            match part {
                Part::Text(text) => replaced.push_str(text)?,
                Part::Group(group) => {
                    replaced.push_str(matched(&text, groups.get(*group).cloned().flatten()))?;
                }
            }
        }
        rest_start = whole.end;
    }
    replaced.push_str(text.get(rest_start..).unwrap_or_default())?;
    replaced.into_value()
}

/// Returns the text that a group matched; empty if it took no part.
fn matched(text: &str, group: Option<Range<usize>>) -> &str {
    group.and_then(|range| text.get(range)).unwrap_or_default()
}

/// Compiles the second argument; `None` if it is invalid.
fn compile(
    arguments: &[Value],
    flag_index: usize,
    context: &mut EvaluationContext<'_>,
) -> Result<Option<Arc<Regex>>> {
    // Compiling a large expression takes tens of milliseconds, and each row may have its own.
    context.interrupt.check()?;
    let pattern = text(arguments, 1, context)?;
    Ok(context.state.patterns.regex(&pattern, flag(arguments, flag_index)))
}

fn invalid_regex(context: &mut EvaluationContext<'_>, name: &str) -> Result<Value> {
    warned(context, name, ErrorCode::QueryInvalidRegex, "invalid regex value")
}

/// A replacement whose references to groups are resolved.
struct Replacement {
    parts: Vec<Part>,
}

enum Part {
    Text(String),
    Group(usize),
}

impl Replacement {
    /// Parses a replacement; `None` if it refers to a group that the expression does not have.
    fn parse(replacement: &str, regex: &Regex) -> Option<Self> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut characters = replacement.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\\' => literal.extend(characters.next()),
                '$' => {
                    let mut reference = String::new();
                    if characters.next_if_eq(&'{').is_some() {
                        reference.extend(characters.by_ref().take_while(|character| *character != '}'));
                        parts.push(Part::Text(std::mem::take(&mut literal)));
                        parts.push(Part::Group(regex.group_named(&reference)?));
                        continue;
                    }
                    // Takes as many digits as form the number of an existing group.
                    let mut group =
                        characters.next_if(char::is_ascii_digit).and_then(|digit| digit.to_digit(10))?;
                    while let Some(digit) = characters.peek().and_then(|character| character.to_digit(10)) {
                        let longer = group.saturating_mul(10).saturating_add(digit);
                        if longer as usize >= regex.group_count() {
                            break;
                        }
                        group = longer;
                        characters.next();
                    }
                    let group = Some(group as usize).filter(|group| *group < regex.group_count())?;
                    parts.push(Part::Text(std::mem::take(&mut literal)));
                    parts.push(Part::Group(group));
                }
                _ => literal.push(character),
            }
        }
        parts.push(Part::Text(literal));
        Some(Self { parts })
    }
}
