//! `geopoint`: cells that cover a place, given as latitude and longitude.

use std::sync::Arc;

use errors::Result;
use geometry::{Covering, Position, Shape};
use velocypack::{Builder, Slice};

use super::geo::{emit_cells, print_options, read_options};
use super::{Format, Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink};

#[derive(Debug, Clone)]
struct GeoPoint {
    /// The paths of both coordinates in an object; empty for arrays.
    latitude: Vec<String>,
    longitude: Vec<String>,
    covering: Covering,
}

pub(super) fn read(properties: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    let latitude = properties.texts("latitude")?.unwrap_or_default();
    let longitude = properties.texts("longitude")?.unwrap_or_default();
    if latitude.is_empty() != longitude.is_empty() {
        let missing = if latitude.is_empty() { "latitude" } else { "longitude" };
        return Err(properties.wrong(missing, "a path, because the other coordinate has one"));
    }
    Ok(Arc::new(GeoPoint { latitude, longitude, covering: read_options(properties)? }))
}

impl Kind for GeoPoint {
    fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        for (name, path) in [("latitude", &self.latitude), ("longitude", &self.longitude)] {
            out.key(name)?;
            out.open_array()?;
            for attribute in path {
                out.add_str(attribute)?;
            }
            out.close()?;
        }
        print_options(&self.covering, out)
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(self.clone()))
    }

    fn format(&self) -> Option<Format> {
        Some(Format::VelocyPack)
    }
}

impl Tokenizer for GeoPoint {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let shape = input.value().and_then(|value| self.shape(value));
        emit_cells(shape.as_ref(), &self.covering, sink)
    }

    fn shape(&self, value: Slice<'_>) -> Option<Shape> {
        if self.latitude.is_empty() {
            return geometry::parse_lat_lng(value, false).ok().map(Shape::point);
        }
        let number = |path: &[String]| {
            let path: Vec<_> = path.iter().map(String::as_str).collect();
            value.get_path(&path)?.as_f64().filter(|number| number.is_finite())
        };
        let place = Position::new(number(&self.longitude)?, number(&self.latitude)?);
        value.is_object().then(|| Shape::point(place.wrapped()))
    }
}
