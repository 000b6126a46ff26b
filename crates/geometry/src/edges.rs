//! Pairs of edges that may meet, found by a sweep along one axis.

use s2::point::Point;

use crate::{Error, Interrupt, Result};

/// Steps of a computation between two checks of the interrupt.
pub(crate) const STEPS_PER_CHECK: usize = 1 << 14;

/// An edge of one of two shapes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Point,
    pub(crate) to: Point,
    /// The side of the comparison that it belongs to.
    pub(crate) side: u8,
}

/// An edge's extent along the axis.
struct Extent {
    low: f64,
    high: f64,
    edge: Edge,
}

/// A counter of steps that checks the interrupt.
pub(crate) struct Steps<'a> {
    interrupt: Interrupt<'a>,
    count: usize,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(interrupt: Interrupt<'a>) -> Self {
        Self { interrupt, count: 0 }
    }

    pub(crate) fn take(&mut self, steps: usize) -> Result<()> {
        self.count += steps;
        if self.count >= STEPS_PER_CHECK {
            self.count = 0;
            if (self.interrupt)() {
                return Err(Error::Interrupted);
            }
        }
        Ok(())
    }
}

/// Visits pairs of edges that overlap along an axis until `visit` returns true. Returns true if it
/// did.
///
/// The axis is the one along which the edges are spread most.
pub(crate) fn any_pair(
    edges: Vec<Edge>,
    interrupt: Interrupt<'_>,
    mut visit: impl FnMut(&Edge, &Edge) -> bool,
) -> Result<bool> {
    let axis = widest_axis(&edges);
    let mut extents: Vec<Extent> = edges.into_iter().map(|edge| extent(edge, axis)).collect();
    extents.sort_by(|a, b| a.low.total_cmp(&b.low));
    let mut steps = Steps::new(interrupt);
    let mut open: Vec<&Extent> = Vec::new();
    for next in &extents {
        open.retain(|earlier| earlier.high >= next.low);
        steps.take(open.len() + 1)?;
        if open.iter().any(|earlier| visit(&earlier.edge, &next.edge)) {
            return Ok(true);
        }
        open.push(next);
    }
    Ok(false)
}

type Axis = fn(&Point) -> f64;
const AXES: [Axis; 3] = [|point| point.0.x, |point| point.0.y, |point| point.0.z];

fn widest_axis(edges: &[Edge]) -> Axis {
    let spread = |axis: &Axis| {
        let places = edges.iter().map(|edge| axis(&edge.from));
        let (low, high) = places
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)));
        high - low
    };
    AXES.into_iter().max_by(|a, b| spread(a).total_cmp(&spread(b))).unwrap_or(AXES[0])
}

/// Returns the extent of an edge.
///
/// An arc exceeds the extent of its ends by at most its height over its chord.
fn extent(edge: Edge, axis: Axis) -> Extent {
    const ROUNDING: f64 = 1e-14;
    let (from, to) = (axis(&edge.from), axis(&edge.to));
    let half_chord = (edge.from.0 - edge.to.0).norm() / 2.0;
    let height = 1.0 - (1.0 - half_chord * half_chord).max(0.0).sqrt();
    Extent { low: from.min(to) - height - ROUNDING, high: from.max(to) + height + ROUNDING, edge }
}
