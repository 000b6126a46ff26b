//! The attributes that entries of indexes and views have, so that no document is fetched for them.
//!
//! Every decision about that is made here. It is recorded as the place of each projection, from
//! which [`DocumentSource::coverage`] follows.

use std::collections::BTreeSet;

use aql_plan::{DocumentSource, IndexInfo, Projection, ProjectionSource, ViewInfo};

use super::pipeline::Workshop;
use super::projection::{Path, collect_paths, projection, replace_paths, without_prefixed};

/// The entries of an index, or of the indexes of a view.
pub(crate) trait Entries {
    /// Returns the place of an attribute in the entries, if they have it.
    fn place_of(&self, path: &[Box<str>]) -> Option<ProjectionSource>;

    /// Returns true if the entries have the attribute.
    fn has(&self, path: &[Box<str>]) -> bool {
        self.place_of(path).is_some()
    }
}

impl Entries for IndexInfo {
    fn place_of(&self, path: &[Box<str>]) -> Option<ProjectionSource> {
        match path {
            [name] if **name == *"_key" => return Some(ProjectionSource::Key),
            [name] if **name == *"_id" => return Some(ProjectionSource::Id),
            _ if !self.capabilities.covers => return None,
            _ => {}
        }
        let covers = self.capabilities.covers_fields();
        let fields = self.fields.iter().enumerate().filter(|(_, field)| covers && field.expansion.is_none());
        let mut in_fields = fields
            .filter(|(_, field)| path.starts_with(&field.path))
            .map(|(position, field)| ProjectionSource::IndexField { position, consumed: field.path.len() });
        in_fields.next().or_else(|| stored(self.stored_values.iter().map(|stored| &**stored), path))
    }
}

impl Entries for ViewInfo {
    fn place_of(&self, path: &[Box<str>]) -> Option<ProjectionSource> {
        match path {
            [name] if **name == *"_key" => Some(ProjectionSource::Key),
            [name, rest @ ..] if **name == *"_id" => rest.is_empty().then_some(ProjectionSource::Id),
            _ => stored(self.stored_attributes().map(|(stored, ..)| stored), path),
        }
    }
}

/// Returns the place of an attribute among stored values.
fn stored<'s>(
    stored_values: impl Iterator<Item = &'s [Box<str>]>,
    path: &[Box<str>],
) -> Option<ProjectionSource> {
    stored_values.enumerate().find_map(|(position, stored)| {
        let consumed = stored.len();
        path.starts_with(stored).then_some(ProjectionSource::StoredValue { position, consumed })
    })
}

/// Takes from the entries of the index what they have of the source: all projections or none, and
/// all that the filter reads or nothing of it.
pub(crate) fn cover_source(index: &IndexInfo, source: &mut DocumentSource, workshop: &mut Workshop<'_>) {
    let covered = source.coverage();
    if !covered.projections {
        cover(index, &mut source.projections);
    }
    if !covered.filter {
        cover_filter(index, source, workshop);
    }
}

/// Takes all projections from the entries, or none. Returns true if it takes them.
pub(crate) fn cover(entries: &impl Entries, projections: &mut [Projection]) -> bool {
    let places: Option<Vec<ProjectionSource>> =
        projections.iter().map(|projection| entries.place_of(&projection.path)).collect();
    let Some(places) = places else { return false };
    projections.iter_mut().zip(places).for_each(|(projection, place)| projection.source = place);
    true
}

/// Returns projections of the paths from the entries; `None` if they do not have all.
pub(crate) fn covered_projections(
    entries: &impl Entries,
    paths: BTreeSet<Path>,
    workshop: &mut Workshop<'_>,
) -> Option<Vec<Projection>> {
    let paths = without_prefixed(paths);
    if !paths.iter().all(|path| entries.has(path)) {
        return None;
    }
    let mut projections: Vec<Projection> = paths.into_iter().map(|path| projection(path, workshop)).collect();
    cover(entries, &mut projections);
    Some(projections)
}

/// Lets the filter run before any document is fetched, if all its attributes are in the index.
fn cover_filter(index: &IndexInfo, source: &mut DocumentSource, workshop: &mut Workshop<'_>) {
    let Some(filter) = &mut source.filter else { return };
    let mut paths = BTreeSet::new();
    if !collect_paths(filter, source.out, &mut paths) || paths.is_empty() {
        return;
    }
    if let Some(projections) = covered_projections(index, paths, workshop) {
        replace_paths(filter, source.out, &projections);
        source.filter_projections = projections;
    }
}
