//! Options of the geo-spatial index.
//!
//! Clients cannot set the parameters of the covering; they are printed as ArangoDB prints them.
//!
//! Source: ArangoDB 3.12 documentation, "Geo-spatial index HTTP API".

use errors::Result;

use super::{Capabilities, IndexProperties, SearchShape, TypeOptions, TypeRules, check_plain_fields};
use crate::properties::{Printer, Properties};

/// The level of the smallest cells that cover shapes.
const BEST_INDEXED_LEVEL: u64 = 17;
/// The level of the largest cells in a nearest-neighbour search.
const WORST_INDEXED_LEVEL: u64 = 4;
/// The maximum number of cells that cover a shape.
const MAX_COVER_CELLS: u64 = 8;

pub(super) struct Geo;

impl TypeRules for Geo {
    fn parse(&self, index: &mut IndexProperties, properties: Properties<'_>) -> Result<()> {
        check_plain_fields(index, 2)?;
        // Two fields are always latitude and longitude, whatever the flag says.
        let geo_json = properties.boolean("geoJson")?.unwrap_or(false) && index.fields.len() == 1;
        let legacy_polygons = properties.boolean("legacyPolygons")?.unwrap_or(false);
        index.sparse = true;
        index.estimates = false;
        index.options = TypeOptions::Geo { geo_json, legacy_polygons };
        Ok(())
    }

    fn print(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        if let TypeOptions::Geo { geo_json, legacy_polygons } = index.options {
            printer.unsigned("bestIndexedLevel", BEST_INDEXED_LEVEL);
            printer.boolean("geoJson", geo_json);
            printer.boolean("legacyPolygons", legacy_polygons);
            printer.unsigned("maxNumCoverCells", MAX_COVER_CELLS);
            printer.unsigned("worstIndexedLevel", WORST_INDEXED_LEVEL);
        }
    }

    fn is_same(&self, own: &IndexProperties, wanted: &IndexProperties) -> bool {
        own.options == wanted.options
    }

    fn capabilities(&self, index: &IndexProperties) -> Capabilities {
        let geo_json = matches!(index.options, TypeOptions::Geo { geo_json: true, .. });
        Capabilities { search: SearchShape::Geo { geo_json }, ..Capabilities::default() }
    }
}
