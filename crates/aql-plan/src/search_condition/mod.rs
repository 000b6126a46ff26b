//! Conditions of SEARCH, and of a FILTER that an inverted index answers, by their shape.
//!
//! A plan keeps such a condition as an expression, so that all rules see it.
//! [`SearchCondition::of`] finds its shape: which parts compare attributes of the document, and
//! which parts are values that are known before the search begins. The values are expressions
//! first, then programs, then the values of a row; the shape is the same.

mod elements;
mod field;
mod function;
mod geo;
mod shape;
#[cfg(test)]
mod tests;

use errors::Result;

use crate::expression::CompareOperator;

pub use field::{SearchField, SearchStep};
pub use function::SearchFunction;
pub use geo::{GeoOperand, GeoTest};

/// A condition on documents of an inverted index. `E` stands for the values in it.
#[derive(Debug, Clone)]
pub enum SearchCondition<E> {
    /// The same for all documents: cast to a boolean.
    Value(E),
    /// All hold.
    And(Vec<SearchCondition<E>>),
    /// At least one holds.
    Or(Vec<SearchCondition<E>>),
    /// It does not hold.
    Not(Box<SearchCondition<E>>),
    /// `field operator value`.
    Compare {
        /// The field.
        field: SearchField<E>,
        /// The operator.
        operator: CompareOperator,
        /// The value.
        value: E,
    },
    /// `field IN list`.
    In {
        /// The field.
        field: SearchField<E>,
        /// The array of values.
        list: E,
    },
    /// `field IN first..last`: a range of numbers.
    Within {
        /// The field.
        field: SearchField<E>,
        /// The minimum number.
        first: E,
        /// The maximum number.
        last: E,
    },
    /// `list quantifier operator field`.
    Elements {
        /// The number of elements that must satisfy the comparison.
        quantifier: SearchQuantifier<E>,
        /// The array.
        list: E,
        /// The comparison of the field with an element: `field operator element`.
        operator: CompareOperator,
        /// The field.
        field: SearchField<E>,
    },
    /// A function of searches.
    Call {
        /// The function.
        function: SearchFunction,
        /// Its first argument.
        field: SearchField<E>,
        /// The other arguments.
        arguments: Vec<E>,
    },
    /// A geo-spatial condition.
    Geo(Box<GeoTest<E>>),
    /// `MIN_MATCH(condition, .., count)`.
    MinMatch {
        /// The conditions.
        conditions: Vec<SearchCondition<E>>,
        /// The number of them that must hold.
        count: E,
    },
    /// `ANALYZER(condition, name)`.
    Analyzer {
        /// The condition.
        condition: Box<SearchCondition<E>>,
        /// The name of the Analyzer.
        name: E,
    },
    /// `BOOST(condition, factor)`.
    Boost {
        /// The condition.
        condition: Box<SearchCondition<E>>,
        /// The factor.
        factor: E,
    },
    /// `field[? quantifier FILTER condition]`.
    Nested {
        /// The array.
        field: SearchField<E>,
        /// The number of nested documents that must satisfy the condition.
        quantifier: SearchQuantifier<E>,
        /// The condition; its fields begin with the steps of `field` and a step into the array.
        condition: Box<SearchCondition<E>>,
    },
}

/// The number of elements or nested documents that must satisfy a condition.
#[derive(Debug, Clone)]
pub enum SearchQuantifier<E> {
    /// All.
    All,
    /// At least one.
    Any,
    /// None.
    None,
    /// At least this many.
    AtLeast(E),
    /// Exactly this many, or a number within a range if the value is an array.
    Exactly(E),
}

impl<E> SearchQuantifier<E> {
    /// Returns the quantifier with another value.
    pub fn try_map<T>(&self, map: &mut dyn FnMut(&E) -> Result<T>) -> Result<SearchQuantifier<T>> {
        Ok(match self {
            Self::All => SearchQuantifier::All,
            Self::Any => SearchQuantifier::Any,
            Self::None => SearchQuantifier::None,
            Self::AtLeast(count) => SearchQuantifier::AtLeast(map(count)?),
            Self::Exactly(count) => SearchQuantifier::Exactly(map(count)?),
        })
    }
}

impl<E> SearchCondition<E> {
    /// Returns a condition of the same shape with other values.
    ///
    /// Errors: those of `map`.
    pub fn try_map<T>(&self, map: &mut dyn FnMut(&E) -> Result<T>) -> Result<SearchCondition<T>> {
        Ok(match self {
            Self::Value(value) => SearchCondition::Value(map(value)?),
            Self::And(conditions) => SearchCondition::And(try_map_all(conditions, map)?),
            Self::Or(conditions) => SearchCondition::Or(try_map_all(conditions, map)?),
            Self::Not(condition) => SearchCondition::Not(Box::new(condition.try_map(map)?)),
            Self::Compare { field, operator, value } => SearchCondition::Compare {
                field: field.try_map(map)?,
                operator: *operator,
                value: map(value)?,
            },
            Self::In { field, list } => SearchCondition::In { field: field.try_map(map)?, list: map(list)? },
            Self::Within { field, first, last } => {
                SearchCondition::Within { field: field.try_map(map)?, first: map(first)?, last: map(last)? }
            }
            Self::Elements { quantifier, list, operator, field } => SearchCondition::Elements {
                quantifier: quantifier.try_map(map)?,
                list: map(list)?,
                operator: *operator,
                field: field.try_map(map)?,
            },
            Self::Call { function, field, arguments } => SearchCondition::Call {
                function: *function,
                field: field.try_map(map)?,
                arguments: arguments.iter().map(&mut *map).collect::<Result<_>>()?,
            },
            Self::Geo(test) => SearchCondition::Geo(Box::new(test.try_map(map)?)),
            Self::MinMatch { conditions, count } => {
                SearchCondition::MinMatch { conditions: try_map_all(conditions, map)?, count: map(count)? }
            }
            Self::Analyzer { condition, name } => {
                SearchCondition::Analyzer { condition: Box::new(condition.try_map(map)?), name: map(name)? }
            }
            Self::Boost { condition, factor } => {
                SearchCondition::Boost { condition: Box::new(condition.try_map(map)?), factor: map(factor)? }
            }
            Self::Nested { field, quantifier, condition } => SearchCondition::Nested {
                field: field.try_map(map)?,
                quantifier: quantifier.try_map(map)?,
                condition: Box::new(condition.try_map(map)?),
            },
        })
    }

    /// Calls `visit` with each field of the condition.
    pub fn for_each_field<'c>(&'c self, visit: &mut dyn FnMut(&'c SearchField<E>)) {
        match self {
            Self::Value(_) => {}
            Self::And(conditions) | Self::Or(conditions) | Self::MinMatch { conditions, .. } => {
                conditions.iter().for_each(|condition| condition.for_each_field(visit));
            }
            Self::Not(condition) | Self::Analyzer { condition, .. } | Self::Boost { condition, .. } => {
                condition.for_each_field(visit);
            }
            Self::Compare { field, .. }
            | Self::In { field, .. }
            | Self::Within { field, .. }
            | Self::Elements { field, .. }
            | Self::Call { field, .. } => visit(field),
            Self::Geo(test) => visit(&test.field),
            Self::Nested { field, condition, .. } => {
                visit(field);
                condition.for_each_field(visit);
            }
        }
    }
}

fn try_map_all<E, T>(
    conditions: &[SearchCondition<E>],
    map: &mut dyn FnMut(&E) -> Result<T>,
) -> Result<Vec<SearchCondition<T>>> {
    conditions.iter().map(|condition| condition.try_map(map)).collect()
}
