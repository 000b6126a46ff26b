//! The geo-spatial index: finds places and shapes by the cells of the sphere that contain them.
//!
//! Each document has one entry for its place, which distance searches use; the place of a shape is
//! its centroid. A shape that is not a single place has further entries for the cells that cover
//! it.
//!
//! A document has no entry if its fields are neither coordinates nor valid GeoJSON. Latitude and
//! longitude by themselves must be within their bounds, as `DISTANCE()` wants them. GeoJSON beyond
//! the bounds means what it means to the functions.

mod distance;
mod encoding;
mod scan;

use std::sync::Arc;

use catalog::index::{Search, TypeOptions};
use errors::{Error, Result};
use geometry::{Polygons, Position, Rules, Shape};
use velocypack::Slice;

use crate::index::bounds::IndexRange;
use crate::index::entries::Entries;
use crate::index::scan::{EntryScan, ScanOptions, ScanSource};
use crate::index::{Index, IndexMethod, field};
use encoding::{CellKind, write_key, write_value};
use scan::{Begin, GeoScan};

pub(super) struct Geo;

impl IndexMethod for Geo {
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let Some(shape) = shape_of(index, document) else { return Ok(()) };
        let place = shape.centroid();
        let is_place = shape.as_point().is_some();
        let object = index.definition().object_id;
        let mut add = |kind, cell| {
            entries.add(|bytes| write_key(object, kind, cell, key, bytes));
            entries.set_value(|bytes| write_value(place, is_place, bytes));
        };
        add(CellKind::Place, place.cell());
        if !is_place {
            geometry::covering_of(&shape).into_iter().for_each(|cell| add(CellKind::Cover, cell));
        }
        Ok(())
    }

    fn open(
        &self,
        index: &Arc<Index>,
        source: ScanSource,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        let search = ranges.into_iter().next().and_then(|range| range.search);
        let Some(Search::Geo(search)) = search else {
            return Err(Error::internal("a scan of a geo index without a search"));
        };
        let object = index.definition().object_id;
        let ScanOptions { ascending, ordered, .. } = *options;
        Ok(Box::new(GeoScan::Begin(Begin { source, object, search: *search, ascending, ordered })))
    }
}

/// Returns the shape in the document's fields; `None` if they hold no valid shape.
fn shape_of(index: &Index, document: Slice<'_>) -> Option<Shape> {
    let TypeOptions::Geo { geo_json, legacy_polygons } = index.definition().properties.options else {
        return None;
    };
    let value = |position: usize| {
        let path = index.fields().get(position)?;
        Some(field::value(document, &path.names))
    };
    let first = value(0)?;
    if let Some(second) = value(1) {
        let place = Position::new(second.as_f64()?, first.as_f64()?);
        return place.is_in_range().then(|| Shape::point(place));
    }
    if !geo_json {
        return geometry::parse_lat_lng(first, true).ok().map(Shape::point);
    }
    let polygons = if legacy_polygons { Polygons::Legacy } else { Polygons::LeftOfRing };
    // The limits on document size and on the number of positions bound the shape.
    geometry::parse(first, Rules { polygons, ..Rules::LENIENT }, &|| false).ok()
}
