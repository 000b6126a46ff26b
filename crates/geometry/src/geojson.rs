//! The GeoJSON parser.

use s2::point::Point;
use velocypack::Slice;

use crate::position::Position;
use crate::region::{Polygons, Region};
use crate::shape::{Kind, Shape};
use crate::validity::ring_vertices;
use crate::{Error, Interrupt, POSITIONS_MAX, Result};

/// The rules for reading shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The rule for the inside of polygons.
    pub polygons: Polygons,
    /// True if coordinates out of bounds are refused. Otherwise they mean wrapped places
    /// ([`Position::wrapped`]).
    pub strict_range: bool,
}

impl Rules {
    /// The rules of AQL's functions.
    pub const LENIENT: Self = Self { polygons: Polygons::LeftOfRing, strict_range: false };
}

/// Reads a GeoJSON object, or an array of longitude and latitude.
///
/// Errors: the value is not a valid shape; interrupted.
pub fn parse(value: Slice<'_>, rules: Rules, interrupt: Interrupt<'_>) -> Result<Shape> {
    if value.is_array() {
        return position(value, rules).map(Shape::point);
    }
    let text = |name| value.get(name).and_then(Slice::as_str);
    let (true, Some(name)) = (value.is_object(), text("type")) else { return Err(Error::NoGeometry) };
    let coordinates = value.get("coordinates").filter(|coordinates| coordinates.is_array());
    let coordinates = coordinates.ok_or(Error::Coordinates("Coordinates missing"))?;
    let mut reader = Reader { rules, positions: 0 };
    let kind = match name {
        "Point" => Kind::Point(position(coordinates, rules)?),
        "MultiPoint" => Kind::MultiPoint(reader.points(coordinates, 1)?),
        "LineString" => Kind::Lines { lines: vec![reader.line(coordinates)?], is_multi: false },
        "MultiLineString" => {
            let lines = elements(coordinates)?.map(|line| reader.line(line)).collect::<Result<_>>()?;
            Kind::Lines { lines, is_multi: true }
        }
        "Polygon" => {
            let polygons = vec![reader.polygon(coordinates)?];
            Kind::Region(Region::new(polygons, false, rules.polygons, interrupt)?)
        }
        "MultiPolygon" => {
            let polygons = elements(coordinates)?.map(|part| reader.polygon(part)).collect::<Result<_>>()?;
            Kind::Region(Region::new(polygons, true, rules.polygons, interrupt)?)
        }
        _ => return Err(Error::NoGeometry),
    };
    Ok(Shape { kind })
}

/// Reads an array of longitude and latitude; further elements are ignored.
pub fn parse_lng_lat(value: Slice<'_>, strict_range: bool) -> Result<Position> {
    position(value, Rules { strict_range, ..Rules::LENIENT })
}

/// Reads an array of latitude and longitude; further elements are ignored.
pub fn parse_lat_lng(value: Slice<'_>, strict_range: bool) -> Result<Position> {
    let (latitude, longitude) = numbers(value)?;
    checked(Position::new(longitude, latitude), strict_range)
}

fn position(value: Slice<'_>, rules: Rules) -> Result<Position> {
    let (longitude, latitude) = numbers(value)?;
    checked(Position::new(longitude, latitude), rules.strict_range)
}

fn numbers(value: Slice<'_>) -> Result<(f64, f64)> {
    let number = |index| value.at(index).and_then(Slice::as_f64).filter(|number| number.is_finite());
    match (value.is_array(), number(0), number(1)) {
        (true, Some(first), Some(second)) => Ok((first, second)),
        _ => Err(Error::Coordinates("Coordinates must be arrays of at least two numbers")),
    }
}

fn checked(place: Position, strict_range: bool) -> Result<Position> {
    if strict_range && !place.is_in_range() { Err(Error::OutOfRange) } else { Ok(place.wrapped()) }
}

/// Returns the elements of an array. An empty array is an error.
fn elements(array: Slice<'_>) -> Result<impl Iterator<Item = Slice<'_>>> {
    if !array.is_array() || array.is_empty() {
        return Err(Error::Coordinates("Coordinates must be arrays that are not empty"));
    }
    Ok(array.elements())
}

struct Reader {
    rules: Rules,
    /// Number of positions read.
    positions: usize,
}

impl Reader {
    fn points(&mut self, array: Slice<'_>, fewest: usize) -> Result<Vec<Point>> {
        let mut points = Vec::new();
        for element in elements(array)? {
            self.positions += 1;
            if self.positions > POSITIONS_MAX {
                return Err(Error::TooLarge);
            }
            points.push(position(element, self.rules)?.point());
        }
        if points.len() < fewest {
            return Err(Error::Coordinates("Too few coordinates"));
        }
        Ok(points)
    }

    /// Reads a line. It omits points that repeat the one before, unless only they are left.
    fn line(&mut self, array: Slice<'_>) -> Result<Vec<Point>> {
        let mut points = self.points(array, 2)?;
        points.dedup();
        if points.windows(2).any(|pair| matches!(pair, [from, to] if (from.0 + to.0).norm() < 1e-15)) {
            return Err(Error::Coordinates("A line between antipodal points"));
        }
        if let [only] = points.as_slice() {
            points = vec![*only, *only];
        }
        Ok(points)
    }

    fn polygon(&mut self, array: Slice<'_>) -> Result<Vec<Vec<Point>>> {
        elements(array)?.map(|ring| ring_vertices(self.points(ring, 1)?)).collect()
    }
}
