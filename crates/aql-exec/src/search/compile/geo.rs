//! Geo-spatial conditions.
//!
//! The index has the cells that cover the shape of a document. It finds candidates, whose shapes
//! are then compared.

use aql_plan::{CompareOperator, GeoOperand, GeoTest, SearchField, SearchStep};
use aql_value::Value;
use errors::{Error, Result};
use geometry::{CellRange, Ellipsoid, Rules, Shape};
use search::{Bounds, FieldRef, Matcher, Presence, Query};

use super::super::fields::values_at;
use super::super::value::invalid_argument;
use super::{Compiler, Scope, any_of};

/// The bounds of a distance, each with true if it is within the range.
type Distances = (Option<(f64, bool)>, Option<(f64, bool)>);

/// A comparison of a document's shape.
enum Relation {
    /// The shape contains the document's.
    Contains(Shape),
    /// The document's shape contains this one.
    Within(Shape),
    Intersects(Shape),
    /// The centroid is so far from this one's.
    Distance(Shape, Distances),
    Unequal(Shape, f64),
}

impl Compiler<'_> {
    /// Returns the query of a geo-spatial condition.
    ///
    /// Errors: 10 for a value that is not a shape, and within nested documents, which cannot be
    /// fetched alone.
    pub(super) fn geo(&self, test: &GeoTest<Value>, scope: &Scope) -> Result<Query> {
        if test.field.steps.iter().any(|step| matches!(step, SearchStep::Nested)) {
            return Err(Error::bad_parameter("geo-spatial conditions cannot search nested documents"));
        }
        let Some(relation) = relation(&test.operand)? else { return Ok(Query::None) };
        let mut queries = Vec::new();
        for field in self.fields.find(&test.field, &scope.analysis) {
            if field.analysis.analyzer.takes_values() {
                queries.push(self.verified(&test.field, field, &relation)?);
            }
        }
        Ok(any_of(queries))
    }

    fn verified(&self, field: &SearchField<Value>, found: FieldRef, relation: &Relation) -> Result<Query> {
        let analyzer = std::sync::Arc::clone(&found.analysis.analyzer);
        let candidates = candidates(found, relation);
        self.verifier.verify(&candidates, &|document| {
            for value in values_at(document, field) {
                let shape = value.with_slice(|slice, _| analyzer.shape(slice));
                if let Some(shape) = shape
                    && relation.holds(&shape)?
                {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}

/// Returns the documents that may satisfy a relation.
fn candidates(field: FieldRef, relation: &Relation) -> Query {
    let ranges = match relation {
        Relation::Contains(shape) | Relation::Within(shape) | Relation::Intersects(shape) => {
            geometry::ranges_meeting(shape)
        }
        Relation::Distance(shape, (_, Some((meters, _)))) => geometry::ranges_near(shape.centroid(), *meters),
        Relation::Distance(..) | Relation::Unequal(..) => {
            return Query::Exists(field.path, Presence::Analyzer(field.analysis.name.clone()));
        }
    };
    let token = |range: CellRange| {
        let bound = |cell| Some((geometry::cell_token(cell), true));
        match range.first == range.last {
            true => Matcher::AnyOf(vec![geometry::cell_token(range.first)]),
            false => Matcher::Range(Bounds { low: bound(range.first), high: bound(range.last) }),
        }
    };
    any_of(ranges.into_iter().map(|range| Query::Tokens(field.clone(), token(range))).collect())
}

impl Relation {
    fn holds(&self, shape: &Shape) -> Result<bool> {
        let relate = |result: std::result::Result<bool, geometry::Error>| {
            result.map_err(|error| Error::bad_parameter(error.to_string()))
        };
        let distance = |other: &Shape| Ellipsoid::Sphere.distance_meters(shape.centroid(), other.centroid());
        Ok(match self {
            Self::Contains(outer) => relate(geometry::contains(outer, shape, &|| false))?,
            Self::Within(inner) => relate(geometry::contains(shape, inner, &|| false))?,
            Self::Intersects(other) => relate(geometry::intersects(shape, other, &|| false))?,
            Self::Distance(other, (low, high)) => {
                let meters = distance(other);
                let above = low.is_none_or(|(low, included)| meters > low || (included && meters == low));
                above && high.is_none_or(|(high, included)| meters < high || (included && meters == high))
            }
            Self::Unequal(other, meters) => distance(other) != *meters,
        })
    }
}

/// Returns the relation; `None` if no document can have the distance.
fn relation(operand: &GeoOperand<Value>) -> Result<Option<Relation>> {
    Ok(Some(match operand {
        GeoOperand::ContainsField(value) => Relation::Contains(shape(value, "GEO_CONTAINS", 1)?),
        GeoOperand::InField(value) => Relation::Within(shape(value, "GEO_CONTAINS", 2)?),
        GeoOperand::Intersects(value) => Relation::Intersects(shape(value, "GEO_INTERSECTS", 2)?),
        GeoOperand::InRange(value, others) => {
            let number = |index: usize| {
                let value = others.get(index).filter(|value| value.is_number()).map(Value::to_f64);
                value.ok_or_else(|| invalid_argument("GEO_IN_RANGE", index + 3, "a number"))
            };
            let includes = |index: usize| match others.get(index).filter(|value| !value.is_null()) {
                None => Ok(true),
                Some(value) => {
                    let value = value.as_bool();
                    value.ok_or_else(|| invalid_argument("GEO_IN_RANGE", index + 3, "a boolean"))
                }
            };
            let bounds = (Some((number(0)?, includes(2)?)), Some((number(1)?, includes(3)?)));
            Relation::Distance(shape(value, "GEO_IN_RANGE", 2)?, bounds)
        }
        GeoOperand::Distance(value, operator, meters) => {
            let shape = shape(value, "GEO_DISTANCE", 2)?;
            if !meters.is_number() {
                // All distances are on one side of a value of another type.
                let order = Value::Int(0).compare(meters);
                let is_true = match operator {
                    CompareOperator::Equal => false,
                    CompareOperator::NotEqual => true,
                    CompareOperator::Less | CompareOperator::LessEqual => order.is_lt(),
                    CompareOperator::Greater | CompareOperator::GreaterEqual => order.is_gt(),
                };
                return Ok(is_true.then_some(Relation::Distance(shape, (None, None))));
            }
            let meters = meters.to_f64();
            let bounds = match operator {
                CompareOperator::Equal => (Some((meters, true)), Some((meters, true))),
                CompareOperator::NotEqual => return Ok(Some(Relation::Unequal(shape, meters))),
                CompareOperator::Less => (None, Some((meters, false))),
                CompareOperator::LessEqual => (None, Some((meters, true))),
                CompareOperator::Greater => (Some((meters, false)), None),
                CompareOperator::GreaterEqual => (Some((meters, true)), None),
            };
            Relation::Distance(shape, bounds)
        }
    }))
}

fn shape(value: &Value, function: &str, argument: usize) -> Result<Shape> {
    let parsed = value.with_slice(|slice, _| geometry::parse(slice, Rules::LENIENT, &|| false));
    parsed.map_err(|error| invalid_argument(function, argument, &format!("a shape: {error}")))
}
