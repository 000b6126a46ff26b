//! Bounds of distances.

use std::cmp::Ordering;
use std::f64::consts::PI;

use catalog::index::Bound;
use geometry::EARTH_RADIUS_METERS;
use velocypack::Slice;

use crate::index::value::IndexValue;

/// Bounds of a distance in meters. The flag of each bound is true if the bound itself is included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DistanceBounds {
    nearest: Option<(f64, bool)>,
    farthest: Option<(f64, bool)>,
    /// True if no distance satisfies the bounds.
    is_empty: bool,
}

impl DistanceBounds {
    /// Makes bounds. Bounds that are not numbers compare with distances as AQL compares types.
    pub(super) fn new(nearest: Option<&Bound<IndexValue>>, farthest: Option<&Bound<IndexValue>>) -> Self {
        let mut bounds = DistanceBounds { nearest: None, farthest: None, is_empty: false };
        let meters = |bound: &Bound<IndexValue>| {
            bound.value.as_slice().as_f64().map(|meters| (meters, bound.inclusive))
        };
        if let Some(bound) = nearest {
            match compare_to_numbers(bound.value.as_slice()) {
                Ordering::Less => {}
                Ordering::Equal => bounds.nearest = meters(bound),
                Ordering::Greater => bounds.is_empty = true,
            }
        }
        if let Some(bound) = farthest {
            match compare_to_numbers(bound.value.as_slice()) {
                Ordering::Less => bounds.is_empty = true,
                Ordering::Equal => bounds.farthest = meters(bound),
                Ordering::Greater => {}
            }
        }
        bounds
    }

    /// Returns true if a distance lies between the bounds.
    pub(super) fn contains(&self, meters: f64) -> bool {
        let is_above =
            self.nearest.is_none_or(|(bound, inclusive)| meters > bound || (inclusive && meters == bound));
        let is_below =
            self.farthest.is_none_or(|(bound, inclusive)| meters < bound || (inclusive && meters == bound));
        !self.is_empty && is_above && is_below
    }

    /// Returns the distances on the sphere that may be within the bounds; `None` if there are none.
    pub(super) fn range_meters(&self) -> Option<(f64, f64)> {
        let farthest_possible = PI * EARTH_RADIUS_METERS;
        let (nearest, farthest) =
            (self.nearest.map_or(0.0, |bound| bound.0), self.farthest.map(|bound| bound.0));
        let farthest = farthest.unwrap_or(farthest_possible);
        (!self.is_empty && nearest <= farthest && farthest >= 0.0 && nearest <= farthest_possible + 1.0)
            .then_some((nearest.max(0.0), farthest))
    }
}

/// Compares a value's type with numbers in AQL's order.
fn compare_to_numbers(value: Slice<'_>) -> Ordering {
    match value {
        _ if value.is_number() => Ordering::Equal,
        _ if value.is_none() || value.is_null() || value.is_bool() => Ordering::Less,
        _ => Ordering::Greater,
    }
}
