//! The condition that hits must satisfy: AQL, or a list of comparisons.

use database::Session;
use errors::{Error, Result};
use velocypack::Slice;

use super::wrong::wrong;
use crate::http::Fields;
use crate::route::query_parts::path;

/// Bytes of the longest condition.
const CONDITION_MAX_BYTES: usize = 16 << 10;
/// Maximum number of comparisons.
const COMPARISONS_MAX: usize = 100;

/// The beginning of the names of the parameters that the search binds itself.
pub(super) const OWN: &str = "box_";

/// The operators of comparisons, with those of AQL.
const OPERATORS: &[(&str, &str)] = &[
    ("==", "=="),
    ("!=", "!="),
    ("<", "<"),
    ("<=", "<="),
    (">", ">"),
    (">=", ">="),
    ("in", "IN"),
    ("not in", "NOT IN"),
    ("like", "LIKE"),
];

/// The condition of a search.
pub(super) enum Filter<'f> {
    None,
    /// A condition in AQL on `d`, with the values of its parameters.
    Aql(&'f str, Slice<'f>),
    /// Comparisons that must all be true: path, operator, value.
    Comparisons(Vec<(String, &'static str, Slice<'f>)>),
}

impl<'f> Filter<'f> {
    /// Reads the settings `filter` and `bindVars`. Errors: 10.
    pub(super) fn of(filter: Option<Slice<'f>>, bind_vars: Option<Slice<'f>>) -> Result<Self> {
        let bind_vars = bind_vars.unwrap_or(Slice::EMPTY_OBJECT);
        if !bind_vars.is_object() || bind_vars.entries().any(|(name, _)| name.starts_with(OWN)) {
            return Err(wrong("bindVars", "must be an object without names that begin with \"box_\""));
        }
        let Some(filter) = filter else { return Ok(Filter::None) };
        if let Some(text) = filter.as_str() {
            return match text.len() <= CONDITION_MAX_BYTES && !text.trim().is_empty() {
                true => Ok(Filter::Aql(text, bind_vars)),
                false => Err(wrong("filter", &format!("must have 1 to {CONDITION_MAX_BYTES} bytes"))),
            };
        }
        if !filter.is_array() || filter.len() > COMPARISONS_MAX {
            let reason =
                format!("must be a condition in AQL, or an array of at most {COMPARISONS_MAX} comparisons");
            return Err(wrong("filter", &reason));
        }
        filter.elements().map(comparison).collect::<Result<_>>().map(Filter::Comparisons)
    }

    /// Refuses a text that is no single expression. Errors: those of the parser.
    pub(super) fn check(&self, session: &Session) -> Result<()> {
        match self {
            // No text that ends the parentheses is an expression here.
            Filter::Aql(text, _) => session.parse_query(&format!("RETURN ({text}\n)")).map(drop),
            _ => Ok(()),
        }
    }

    /// Returns the statements; empty without a condition.
    pub(super) fn statements(&self) -> String {
        match self {
            Filter::None => String::new(),
            Filter::Aql(text, _) => format!("FILTER ({text}\n)\n"),
            Filter::Comparisons(comparisons) => {
                let each = comparisons.iter().enumerate().map(|(number, (path, operator, _))| {
                    format!("FILTER {path} {operator} @{OWN}value{number}\n")
                });
                each.collect()
            }
        }
    }

    /// Adds the values of the parameters.
    pub(super) fn bind(&self, fields: &mut Fields<'_>) {
        match self {
            Filter::None => {}
            Filter::Aql(_, values) => {
                for (name, value) in values.entries() {
                    fields.value(name, value);
                }
            }
            Filter::Comparisons(comparisons) => {
                for (number, (_, _, value)) in comparisons.iter().enumerate() {
                    fields.value(&format!("{OWN}value{number}"), *value);
                }
            }
        }
    }
}

/// Reads `{"attribute": .., "operator": .., "value": ..}`.
fn comparison(given: Slice<'_>) -> Result<(String, &'static str, Slice<'_>)> {
    let names: Vec<&str> = OPERATORS.iter().map(|(name, _)| *name).collect();
    let expected = || -> Error {
        let reason = format!(
            "has a comparison that is no object with a text 'attribute', an 'operator' of {}, and a 'value'",
            names.join(", ")
        );
        wrong("filter", &reason)
    };
    let attribute = given.get("attribute").and_then(Slice::as_str).ok_or_else(expected)?;
    let operator = given.get("operator").and_then(Slice::as_str).ok_or_else(expected)?;
    let operator = OPERATORS.iter().find(|(name, _)| name.eq_ignore_ascii_case(operator));
    let (_, operator) = operator.ok_or_else(expected)?;
    let value = given.get("value").ok_or_else(expected)?;
    Ok((path("d", attribute)?, *operator, value))
}
