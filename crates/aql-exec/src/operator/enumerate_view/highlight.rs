//! `OFFSET_INFO()`: the places of matches in the texts of a document.

use aql_value::{Interrupt, Value};
use errors::{Error, Result};
use search::{HighlightLimits, Path, Query, highlights};

/// Places of one path unless the call says otherwise.
const DEFAULT_MAX_OFFSETS: usize = 10;

/// The texts whose places a call requests.
pub(super) struct Wanted {
    steps: Vec<Step>,
    max_offsets: usize,
    limits: HighlightLimits,
}

/// A step of a path.
#[derive(Clone)]
enum Step {
    Attribute(String),
    Element(i64),
}

/// Reads the second argument of `OFFSET_INFO()`: a path, or an array of paths and of objects with
/// `name` and `options`.
///
/// Errors: 10.
pub(super) fn wanted(argument: &Value) -> Result<Vec<Wanted>> {
    match argument.is_array() {
        true => argument.elements().map(|rule| read(&rule)).collect(),
        false => Ok(vec![read(argument)?]),
    }
}

fn read(rule: &Value) -> Result<Wanted> {
    let name = if rule.is_object() { rule.get("name") } else { rule.clone() };
    let steps = name.as_str().and_then(steps).ok_or_else(|| {
        Error::bad_parameter("OFFSET_INFO() takes paths such as \"a.b[0]\", or objects with a 'name'")
    })?;
    let options = rule.get("options");
    let limits = options.get("limits");
    Ok(Wanted {
        steps,
        max_offsets: number(&options, "maxOffsets", DEFAULT_MAX_OFFSETS)?,
        limits: HighlightLimits {
            term: number(&limits, "term", usize::MAX)?,
            phrase: number(&limits, "phrase", usize::MAX)?,
            ngram: number(&limits, "ngram", usize::MAX)?,
        },
    })
}

fn number(options: &Value, name: &str, default: usize) -> Result<usize> {
    let value = options.get(name);
    if value.is_null() {
        return Ok(default);
    }
    let number = value.as_i64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| {
        Error::bad_parameter(format!("'{name}' of OFFSET_INFO() must be a non-negative number"))
    })
}

/// Returns the steps of a path such as `a.b[0].c`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let mut pieces = part.split('[');
        let name = pieces.next().filter(|name| !name.is_empty())?;
        steps.push(Step::Attribute(name.to_owned()));
        for piece in pieces {
            steps.push(Step::Element(piece.strip_suffix(']')?.parse().ok()?));
        }
    }
    Some(steps)
}

/// Returns the result of the call for a document.
pub(super) fn offset_info(
    wanted: &[Wanted],
    document: &Value,
    query: &Query,
    interrupt: &Interrupt,
) -> Result<Value> {
    let mut all = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let value = wanted.steps.iter().fold(document.clone(), |value, step| match step {
            Step::Attribute(name) => value.get(name),
            Step::Element(index) if value.is_array() => value.at(*index),
            Step::Element(_) => Value::Null,
        });
        if !value.is_array() {
            all.push(info(wanted, &wanted.steps, &value, query, interrupt)?);
            continue;
        }
        // The elements of an array are texts of the same field.
        for (index, element) in value.elements().enumerate().filter(|(_, element)| element.is_string()) {
            let mut steps = wanted.steps.clone();
            steps.push(Step::Element(i64::try_from(index).unwrap_or(i64::MAX)));
            all.push(info(wanted, &steps, &element, query, interrupt)?);
        }
    }
    Value::try_array(&all)
}

/// Returns `{name, offsets}` of one text.
fn info(
    wanted: &Wanted,
    steps: &[Step],
    text: &Value,
    query: &Query,
    interrupt: &Interrupt,
) -> Result<Value> {
    let mut offsets = Vec::new();
    if let Some(text) = text.as_str() {
        let attributes = |path: Path, step: &Step| match step {
            Step::Attribute(name) => path.attribute(name),
            Step::Element(_) => path,
        };
        let tracked = |path: Path, step: &Step| match step {
            Step::Attribute(name) => path.attribute(name),
            Step::Element(index) => path.element(usize::try_from(*index).unwrap_or(usize::MAX)),
        };
        // Fields that track positions have them in their path.
        let plain = steps.iter().fold(Path::root(), attributes);
        let exact = steps.iter().fold(Path::root(), tracked);
        let mut places = highlights(query, &plain, text, wanted.limits, interrupt)?;
        if exact != plain {
            places.extend(highlights(query, &exact, text, wanted.limits, interrupt)?);
        }
        for place in places.into_iter().take(wanted.max_offsets) {
            let length = place.end.saturating_sub(place.start);
            offsets.push(Value::array(&[Value::Int(place.start.into()), Value::Int(length.into())]));
        }
    }
    let name = steps.iter().map(|step| match step {
        Step::Attribute(name) => Value::from_str(name),
        Step::Element(index) => Value::Int(*index),
    });
    let name = Value::try_array(&name.collect::<Vec<_>>())?;
    Value::try_object(&[("name", name), ("offsets", Value::try_array(&offsets)?)])
}
