//! Ranges of indexes, given by conditions on their fields.

use super::NodePrinter;
use crate::catalog::{IndexField, IndexInfo};
use crate::expression::Expression;
use crate::index_search::{IndexBound, IndexSearch, text};

/// One set of conditions on the leading fields of an index, all of which must hold.
#[derive(Debug, Clone, Default)]
pub struct IndexRange {
    /// Position in the scan's `indexes`.
    pub index: usize,
    /// Position of the index's field that `lookups` starts at. Always 0, except for the primary
    /// index (fields `_key`, `_id`) and the edge index (fields `_from`, `_to`), of which each field
    /// can be looked up by itself.
    pub first_field: usize,
    /// Conditions on one field each, starting at `first_field`.
    pub lookups: Vec<IndexLookup>,
    /// Lower bound of the field after the last of `lookups`.
    pub lower: Option<IndexBound>,
    /// Upper bound of the field after the last of `lookups`.
    pub upper: Option<IndexBound>,
    /// The search of an index that is not sorted by its fields. Without it (and always in other
    /// indexes), the range is the entries that `lookups` and the bounds leave.
    pub search: Option<IndexSearch>,
}

/// Condition on one field of an index. The expressions read variables of the outer row only.
#[derive(Debug, Clone)]
pub enum IndexLookup {
    /// The field equals the value. For a field with `[*]`: one of its members does.
    Equal(Expression),
    /// The field equals a member of the array; a value that is not an array has no member.
    /// Duplicates in the array count once.
    In(Expression),
}

impl IndexRange {
    /// Returns true if every entry of the index lies within the range.
    pub fn is_whole(&self) -> bool {
        self.lookups.is_empty() && self.lower.is_none() && self.upper.is_none() && self.search.is_none()
    }

    /// Calls `visit` with the expressions of the range.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.conditions().for_each_expression(visit);
    }

    pub(super) fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.lookups.iter_mut().for_each(|lookup| visit(lookup.expression_mut()));
        [&mut self.lower, &mut self.upper].into_iter().flatten().for_each(|bound| visit(&mut bound.value));
        self.search.iter_mut().for_each(|search| search.for_each_mut(visit));
    }

    pub(super) fn print(&self, indexes: &[IndexInfo], printer: &NodePrinter<'_>) -> String {
        let Some(index) = indexes.get(self.index) else { return "?".into() };
        let conditions = self.conditions().print(index, self.first_field, printer);
        format!("{}({})", index.name, conditions.join(", "))
    }

    fn conditions(&self) -> IndexConditions<'_> {
        let Self { lookups, lower, upper, search, .. } = self;
        IndexConditions { lookups, lower, upper, search }
    }
}

impl IndexLookup {
    /// Returns the value, or the array of values.
    pub fn expression(&self) -> &Expression {
        match self {
            Self::Equal(expression) | Self::In(expression) => expression,
        }
    }

    /// Returns the value, or the array of values, to change it.
    pub(super) fn expression_mut(&mut self) -> &mut Expression {
        match self {
            Self::Equal(expression) | Self::In(expression) => expression,
        }
    }

    fn print(&self, field: &IndexField, printer: &NodePrinter<'_>) -> String {
        let symbol = if matches!(self, Self::Equal(_)) { "==" } else { "IN" };
        format!("{} {symbol} {}", field.to_text(), printer.text(self.expression()))
    }
}

/// The conditions of an index range, or those on the edges of a vertex.
pub(super) struct IndexConditions<'a> {
    pub(super) lookups: &'a [IndexLookup],
    pub(super) lower: &'a Option<IndexBound>,
    pub(super) upper: &'a Option<IndexBound>,
    pub(super) search: &'a Option<IndexSearch>,
}

impl<'a> IndexConditions<'a> {
    pub(super) fn for_each_expression(&self, visit: &mut dyn FnMut(&'a Expression)) {
        self.lookups.iter().for_each(|lookup| visit(lookup.expression()));
        [self.lower, self.upper].into_iter().flatten().for_each(|bound| visit(&bound.value));
        self.search.iter().for_each(|search| search.for_each(visit));
    }

    /// Returns a text for each condition. The lookups start at the field `first_field`.
    pub(super) fn print(
        &self,
        index: &IndexInfo,
        first_field: usize,
        printer: &NodePrinter<'_>,
    ) -> Vec<String> {
        let mut fields = index.fields.iter().skip(first_field);
        let lookups = self.lookups.iter().zip(&mut fields);
        let mut conditions: Vec<_> = lookups.map(|(lookup, field)| lookup.print(field, printer)).collect();
        if let Some(field) = fields.next() {
            conditions.extend([(self.lower, ">"), (self.upper, "<")].into_iter().filter_map(
                |(bound, symbol)| {
                    let bound = bound.as_ref()?;
                    let equal = if bound.inclusive { "=" } else { "" };
                    Some(format!("{} {symbol}{equal} {}", field.to_text(), printer.text(&bound.value)))
                },
            ));
        }
        let search = self.search.iter();
        conditions.extend(search.flat_map(|search| text(search, index, &|value| printer.text(value))));
        conditions
    }
}
