//! Several segments to one.

use errors::Result;
use tantivy::directory::Directory;
use tantivy::indexer::merge_filtered_segments;

use super::layout::settings;
use super::{Alive, Place, Segment, tantivy_error};

/// Merges the living documents of segments into one; `None` if none lives.
///
/// The documents keep their order. The segments stay as they are.
pub fn merge(segments: &[(&Segment, &Alive)], place: &Place) -> Result<Option<Segment>> {
    let living = segments.iter().filter(|(_, alive)| alive.dead() < alive.documents());
    let (sources, filters): (Vec<_>, Vec<_>) = living
        .map(|(segment, alive)| (segment.segment.clone(), (alive.dead() > 0).then(|| alive.to_tantivy())))
        .unzip();
    if sources.is_empty() {
        return Ok(None);
    }
    let memory = place.memory();
    let directory = match &memory {
        Some(directory) => Box::new(directory.clone()) as Box<dyn Directory>,
        None => place.directory()?,
    };
    let index = merge_filtered_segments(&sources, settings(), filters, directory).map_err(tantivy_error)?;
    Segment::of(&index, memory.map_or(0, |directory| directory.total_mem_usage())).map(Some)
}
