//! Geographical conditions on the documents of a scan, in the forms that geo indexes can serve.

use aql_plan::{CompareOperator, Expression, IndexField, IndexInfo, SearchShape, VariableId, VariableSet};

/// A condition on a document's point or shape.
#[derive(Debug, Clone)]
pub(crate) enum GeoCondition {
    /// The document's distance from `origin` compares with `value`.
    Distance {
        /// The point from which the distance is measured.
        origin: Expression,
        /// The comparison.
        operator: CompareOperator,
        /// The distance in meters.
        value: Expression,
    },
    /// A shape contains the document's shape or intersects it.
    Meets {
        /// The other shape.
        shape: Expression,
    },
}

/// A matcher of conditions on the documents of one scan that one index can serve.
pub(crate) struct GeoMatcher<'a> {
    pub(crate) index: &'a IndexInfo,
    pub(crate) document: VariableId,
    /// Variables that are not known before the scan.
    pub(crate) unavailable: &'a VariableSet,
}

impl GeoMatcher<'_> {
    /// Returns the condition, if the index can serve all of it.
    pub(crate) fn condition(&self, condition: &Expression) -> Option<GeoCondition> {
        match condition {
            Expression::Compare { operator, left, right } => self
                .compare(left, *operator, right)
                .or_else(|| self.compare(right, operator.mirrored(), left)),
            Expression::Call { function, arguments } => {
                let ([shape, document], "GEO_CONTAINS" | "GEO_INTERSECTS") =
                    (arguments.as_slice(), function.name)
                else {
                    return None;
                };
                let is_match = self.is_place(document) && self.is_available(shape);
                is_match.then(|| GeoCondition::Meets { shape: shape.clone() })
            }
            _ => None,
        }
    }

    fn compare(
        &self,
        distance: &Expression,
        operator: CompareOperator,
        value: &Expression,
    ) -> Option<GeoCondition> {
        if matches!(operator, CompareOperator::Equal | CompareOperator::NotEqual) || !self.is_available(value)
        {
            return None;
        }
        let origin = self.distance_origin(distance)?;
        Some(GeoCondition::Distance { origin, operator, value: value.clone() })
    }

    /// Returns the point from which the expression measures the distance of the document.
    pub(crate) fn distance_origin(&self, distance: &Expression) -> Option<Expression> {
        let Expression::Call { function, arguments } = distance else { return None };
        let origin = match (function.name, arguments.as_slice()) {
            ("GEO_DISTANCE", [a, b]) if self.is_place(b) => a.clone(),
            ("GEO_DISTANCE", [a, b]) if self.is_place(a) => b.clone(),
            ("DISTANCE", [latitude, longitude, x, y]) if self.are_coordinates(latitude, longitude) => {
                Expression::Array(vec![y.clone(), x.clone()])
            }
            ("DISTANCE", [x, y, latitude, longitude]) if self.are_coordinates(latitude, longitude) => {
                Expression::Array(vec![y.clone(), x.clone()])
            }
            _ => return None,
        };
        self.is_available(&origin).then_some(origin)
    }

    /// Returns true if the expression is the document's location as GeoJSON or as longitude and
    /// latitude.
    fn is_place(&self, expression: &Expression) -> bool {
        match (self.index.capabilities.search, self.index.fields.as_slice(), expression) {
            (SearchShape::Geo { geo_json: true }, [field], _) => self.is_field(expression, field),
            (SearchShape::Geo { .. }, _, Expression::Array(members)) => match members.as_slice() {
                [longitude, latitude] => self.are_coordinates(latitude, longitude),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns true if the expressions are the document's latitude and longitude.
    fn are_coordinates(&self, latitude: &Expression, longitude: &Expression) -> bool {
        match (self.index.capabilities.search, self.index.fields.as_slice()) {
            (SearchShape::Geo { .. }, [first, second]) => {
                self.is_field(latitude, first) && self.is_field(longitude, second)
            }
            (SearchShape::Geo { geo_json: false }, [field]) => {
                self.is_element(latitude, field, 0) && self.is_element(longitude, field, 1)
            }
            _ => false,
        }
    }

    fn is_field(&self, expression: &Expression, field: &IndexField) -> bool {
        super::condition::as_field(expression, self.document).is_some_and(|own| own == *field)
    }

    /// Returns true if the expression is `document.field[position]`.
    fn is_element(&self, expression: &Expression, field: &IndexField, position: i64) -> bool {
        let Expression::Index { base, index } = expression else { return false };
        let is_position = index.as_constant().and_then(aql_value::Value::as_i64) == Some(position);
        is_position && self.is_field(base, field)
    }

    fn is_available(&self, expression: &Expression) -> bool {
        expression.is_deterministic() && !expression.variables().intersects(self.unavailable)
    }
}
