//! Geo-spatial conditions.

use errors::Result;

use super::SearchField;
use super::shape::{Shaper, unsupported};
use crate::expression::{CompareOperator, Expression};

/// A condition on the place of a field.
#[derive(Debug, Clone)]
pub struct GeoTest<E> {
    /// The field.
    pub field: SearchField<E>,
    /// The other operand.
    pub operand: GeoOperand<E>,
}

/// The comparison of a place with another one, which is a value.
#[derive(Debug, Clone)]
pub enum GeoOperand<E> {
    /// `GEO_CONTAINS(shape, field)`: the shape contains the field's.
    ContainsField(E),
    /// `GEO_CONTAINS(field, shape)`: the field's shape contains the other.
    InField(E),
    /// `GEO_INTERSECTS(field, shape)`.
    Intersects(E),
    /// `GEO_IN_RANGE(field, place, low, high, includeLow, includeHigh)`: the place and the other
    /// arguments.
    InRange(E, Vec<E>),
    /// `GEO_DISTANCE(field, place) operator meters`.
    Distance(E, CompareOperator, E),
}

impl<E> GeoTest<E> {
    /// Returns the test with other values.
    pub fn try_map<T>(&self, map: &mut dyn FnMut(&E) -> Result<T>) -> Result<GeoTest<T>> {
        let operand = match &self.operand {
            GeoOperand::ContainsField(shape) => GeoOperand::ContainsField(map(shape)?),
            GeoOperand::InField(shape) => GeoOperand::InField(map(shape)?),
            GeoOperand::Intersects(shape) => GeoOperand::Intersects(map(shape)?),
            GeoOperand::InRange(place, others) => {
                GeoOperand::InRange(map(place)?, others.iter().map(&mut *map).collect::<Result<_>>()?)
            }
            GeoOperand::Distance(place, operator, meters) => {
                GeoOperand::Distance(map(place)?, *operator, map(meters)?)
            }
        };
        Ok(GeoTest { field: self.field.try_map(map)?, operand })
    }
}

impl Shaper<'_> {
    /// Returns the condition of a call of a geo-spatial function; `None` for other functions.
    pub(super) fn geo_call(
        &self,
        name: &str,
        arguments: &[Expression],
    ) -> Result<Option<GeoTest<Expression>>> {
        if !matches!(name, "GEO_CONTAINS" | "GEO_INTERSECTS" | "GEO_IN_RANGE") {
            return Ok(None);
        }
        let [first, second, others @ ..] = arguments else { return Ok(None) };
        let (field, value, is_first) = match (self.field(first)?, self.field(second)?) {
            (Some(field), None) => (field, self.value(second)?, true),
            (None, Some(field)) => (field, self.value(first)?, false),
            _ => return Err(unsupported("a geo-spatial function needs one attribute and one value")),
        };
        let operand = match (name, is_first) {
            ("GEO_CONTAINS", true) => GeoOperand::InField(value),
            ("GEO_CONTAINS", false) => GeoOperand::ContainsField(value),
            ("GEO_INTERSECTS", _) => GeoOperand::Intersects(value),
            _ => GeoOperand::InRange(
                value,
                others.iter().map(|other| self.value(other)).collect::<Result<_>>()?,
            ),
        };
        Ok(Some(GeoTest { field, operand }))
    }

    /// Returns the condition of `GEO_DISTANCE(..) operator meters`; `None` if `call` is another
    /// expression.
    pub(super) fn geo_distance(
        &self,
        call: &Expression,
        operator: CompareOperator,
        meters: &Expression,
    ) -> Result<Option<GeoTest<Expression>>> {
        let Expression::Call { function, arguments } = call else { return Ok(None) };
        let (true, [first, second, ..]) = (function.name == "GEO_DISTANCE", arguments.as_slice()) else {
            return Ok(None);
        };
        let (field, place) = match (self.field(first)?, self.field(second)?) {
            (Some(field), None) => (field, self.value(second)?),
            (None, Some(field)) => (field, self.value(first)?),
            _ => return Err(unsupported("GEO_DISTANCE() needs one attribute and one value")),
        };
        let operand = GeoOperand::Distance(place, operator, self.value(meters)?);
        Ok(Some(GeoTest { field, operand }))
    }
}
