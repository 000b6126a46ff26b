//! Binding of WINDOW.

use aql_syntax::ast;
use aql_value::Value;
use errors::{Error, ErrorCode, Result};

use super::{Binder, SortKey, Statement};
use crate::expression::Expression;
use crate::node::{CollectAggregate, Window, WindowBound};

impl Binder<'_> {
    pub(super) fn window(&mut self, statement: &ast::Window) -> Result<()> {
        if self.sources.has_modified() {
            let message = "window operation after data-modification";
            return Err(Error::new(ErrorCode::QueryWindowAfterModification, message));
        }
        let inputs = statement.aggregates.iter().map(|aggregate| self.aggregate(aggregate));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let range = match &statement.range {
            Some(range) => Some(self.expression(range)?),
            None => None,
        };
        let (preceding, following) = self.window_bounds(&statement.bounds, range.is_some())?;
        let range = range.map(|range| self.materialize(range));
        if let Some(range) = range {
            let key = SortKey { value: Expression::Variable(range), ascending: true };
            self.output.push(Statement::Sort(vec![key]));
        }
        let mut aggregates = Vec::with_capacity(inputs.len());
        for (aggregate, (function, input)) in statement.aggregates.iter().zip(inputs) {
            let input = input.map(|input| self.materialize(input));
            aggregates.push(CollectAggregate { out: self.declare(&aggregate.variable)?, input, function });
        }
        let window = Window { range, preceding, following, aggregates };
        self.output.push(Statement::Window(Box::new(window)));
        Ok(())
    }

    /// Returns the bounds of `{preceding: .., following: ..}`. One of them may be missing.
    fn window_bounds(
        &mut self,
        bounds: &ast::Expression,
        by_range: bool,
    ) -> Result<(WindowBound, WindowBound)> {
        let (mut preceding, mut following) = (None, None);
        for (name, value) in self.option_members(bounds)? {
            let bound = match name.as_str() {
                "preceding" => &mut preceding,
                "following" => &mut following,
                _ => {
                    self.warn_option(&name, "WINDOW")?;
                    continue;
                }
            };
            *bound = Some(if by_range { range_bound(&name, &value)? } else { row_bound(&name, &value)? });
        }
        let none = match (&preceding, &following) {
            (None, None) => {
                return Err(Error::new(
                    ErrorCode::QueryParse,
                    "a WINDOW needs at least one of 'preceding' and 'following'",
                ));
            }
            (Some(WindowBound::Duration(_)), Some(WindowBound::Distance(_)))
            | (Some(WindowBound::Distance(_)), Some(WindowBound::Duration(_))) => {
                return Err(Error::bad_parameter(
                    "bounds of a WINDOW must both be numbers or both be durations",
                ));
            }
            (Some(WindowBound::Duration(_)), _) | (_, Some(WindowBound::Duration(_))) => {
                WindowBound::Duration("P0D".into())
            }
            _ if by_range => WindowBound::Distance(0.0),
            _ => WindowBound::Rows(0),
        };
        Ok((preceding.unwrap_or_else(|| none.clone()), following.unwrap_or(none)))
    }
}

/// Returns a number of rows, or all.
fn row_bound(name: &str, value: &Value) -> Result<WindowBound> {
    if value.as_str() == Some("unbounded") {
        return Ok(WindowBound::Unbounded);
    }
    // Whole numbers up to this bound are exact.
    let rows = value.as_f64().filter(|rows| *rows >= 0.0 && rows.fract() == 0.0);
    let rows = rows.ok_or_else(|| {
        Error::bad_parameter(format!(
            "'{name}' of a WINDOW over rows must be a non-negative integer or \"unbounded\""
        ))
    })?;
    Ok(WindowBound::Rows(rows as u64))
}

/// Returns a distance between values, or between dates.
fn range_bound(name: &str, value: &Value) -> Result<WindowBound> {
    if let Some(distance) = value.as_f64().filter(|distance| *distance >= 0.0 && distance.is_finite()) {
        return Ok(WindowBound::Distance(distance));
    }
    if let Some(duration) = value.as_str().filter(|text| aql_date::parse_duration(text).is_some()) {
        return Ok(WindowBound::Duration(duration.into()));
    }
    Err(Error::bad_parameter(format!(
        "'{name}' of a WINDOW over a range must be a non-negative number or an ISO 8601 duration"
    )))
}
