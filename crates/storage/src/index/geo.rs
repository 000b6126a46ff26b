//! The geo-spatial index: places and shapes by the cells of the sphere that they are in.
//!
//! Each document has one entry for its place (of a shape: the centroid), by which distances are searched. A shape
//! that is no single place has further entries for the cells that cover it.
//!
//! A document whose fields are no coordinates within their bounds, or no valid GeoJSON, has no entry.

use catalog::index::TypeOptions;
use geometry::{Polygons, Position, Rules, Shape};
use velocypack::Slice;

use super::entries::Entries;
use super::{Index, Method, field};
use crate::Result;
use crate::encoding::geo::{CellKind, write_key, write_value};

pub(super) struct Geo;

impl Method for Geo {
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

    fn is_estimated(&self, _index: &Index) -> bool {
        false
    }
}

/// What the document's fields say.
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
    // A document's shape is bounded by the size of documents and by the number of positions.
    geometry::parse(first, Rules { polygons, strict_range: true }, &|| false).ok()
}
