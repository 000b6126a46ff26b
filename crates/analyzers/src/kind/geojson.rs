//! `geojson` and `geo_s2`: cells that cover a shape.

use std::sync::Arc;

use errors::Result;
use geometry::{Covering, Polygons, Rules, Shape};
use velocypack::{Builder, Slice};

use super::geo::{emit_cells, print_options, read_options};
use super::{Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink};

/// The form in which an index stores coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// VelocyPack, as the document has it.
    VelocyPack,
    /// Two doubles a place.
    LatLngDouble,
    /// Two integers of 32 bits a place.
    LatLngInt,
    /// Three doubles a place: the point on the unit sphere.
    S2Point,
}

/// The part of a shape that is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All of it.
    Shape,
    /// Its centroid.
    Centroid,
    /// All of it if it is a point; other shapes have no tokens.
    Point,
}

const FORMATS: [(&str, Format); 3] =
    [("latLngDouble", Format::LatLngDouble), ("latLngInt", Format::LatLngInt), ("s2Point", Format::S2Point)];
const PARTS: [(&str, Part); 3] =
    [("shape", Part::Shape), ("centroid", Part::Centroid), ("point", Part::Point)];

#[derive(Debug, Clone)]
struct GeoJson {
    format: Format,
    part: Part,
    covering: Covering,
    /// True if the inside of a ring is its smaller side.
    legacy: bool,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    let legacy = properties.boolean("legacy", false)?;
    Ok(Arc::new(read_as(properties, Format::VelocyPack, legacy)?))
}

pub(super) fn read_s2(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    let format = properties.choice("format", &FORMATS)?.unwrap_or(Format::LatLngDouble);
    Ok(Arc::new(read_as(properties, format, false)?))
}

fn read_as(properties: &Properties<'_>, format: Format, legacy: bool) -> Result<GeoJson> {
    let part = properties.choice("type", &PARTS)?.unwrap_or(Part::Shape);
    Ok(GeoJson { format, part, covering: read_options(properties)?, legacy })
}

impl Kind for GeoJson {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        let name = PARTS.iter().find(|(_, part)| *part == self.part).map_or("", |(name, _)| name);
        out.key("type")?;
        out.add_str(name)?;
        print_options(&self.covering, out)?;
        match FORMATS.iter().find(|(_, format)| *format == self.format) {
            Some((name, _)) => {
                out.key("format")?;
                out.add_str(name)
            }
            None => {
                out.key("legacy")?;
                out.add_bool(self.legacy)
            }
        }
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(self.clone()))
    }

    fn format(&self) -> Option<Format> {
        Some(self.format)
    }
}

impl Tokenizer for GeoJson {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let shape = input.value().and_then(|value| self.shape(value));
        emit_cells(shape.as_ref(), &self.covering, sink)
    }

    fn shape(&self, value: Slice<'_>) -> Option<Shape> {
        let polygons = if self.legacy { Polygons::Legacy } else { Polygons::LeftOfRing };
        let rules = Rules { polygons, ..Rules::LENIENT };
        let shape = geometry::parse(value, rules, &|| false).ok()?;
        match self.part {
            Part::Shape => Some(shape),
            Part::Centroid => Some(Shape::point(shape.centroid())),
            Part::Point => shape.as_point().map(Shape::point),
        }
    }
}
