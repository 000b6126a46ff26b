//! The parts of a scan or search for which entries of an index suffice.

use super::{Projection, ProjectionSource};

/// The parts of a scan or search for which the entries of its index or view suffice, so that no
/// document is fetched for them.
///
/// It follows from the places where the projections are found. The optimizer finds all projections
/// of a part in the entries or none: a document that is fetched for one of them has the others too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// There are projections, and the entries have all of them.
    pub projections: bool,
    /// The filter reads projections, and the entries have all of them.
    pub filter: bool,
}

impl Coverage {
    /// Returns the coverage of a source with these projections and those of its filter.
    pub(super) fn of(projections: &[Projection], filter_projections: &[Projection]) -> Self {
        Self { projections: are_covered(projections), filter: are_covered(filter_projections) }
    }
}

fn are_covered(projections: &[Projection]) -> bool {
    let is_covered = |projection: &Projection| projection.source != ProjectionSource::Document;
    !projections.is_empty() && projections.iter().all(is_covered)
}
