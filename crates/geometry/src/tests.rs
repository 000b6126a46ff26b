use proptest::prelude::*;
use velocypack::Slice;

use super::*;

pub(crate) const NEVER: Interrupt<'static> = &|| false;

fn packed(json: &str) -> Option<Vec<u8>> {
    let mut builder = velocypack::Builder::new();
    velocypack::json::parse(json.as_bytes(), &velocypack::Limits::default(), &mut builder).ok()?;
    Some(builder.into_vec())
}

pub(crate) fn shape(json: &str) -> Result<Shape> {
    let value = packed(json).unwrap();
    parse(Slice::new(&value), Rules::LENIENT, NEVER)
}

pub(crate) fn region(rings: &str) -> Shape {
    shape(&format!(r#"{{"type": "Polygon", "coordinates": {rings}}}"#)).unwrap()
}

fn places() -> impl Strategy<Value = Position> {
    let coordinate = |bound: f64| {
        prop_oneof![
            4 => -bound..=bound,
            1 => prop::sample::select(vec![-bound, bound, 0.0, bound - 1e-9, 1e-9 - bound]),
        ]
    };
    (coordinate(180.0), coordinate(90.0)).prop_map(|(longitude, latitude)| Position::new(longitude, latitude))
}

/// Returns a regular polygon around a place, counter-clockwise, with the given radius.
fn polygon_around(center: Position, radius: f64, corners: usize) -> Shape {
    let radius = s2::s1::angle::Angle::from(s2::s1::angle::Rad(radius));
    let points = s2::point::regular_points(&center.point(), radius, corners);
    let texts: Vec<String> = points
        .iter()
        .chain(points.first())
        .map(|point| {
            let place = Position::of(point);
            format!("[{:?}, {:?}]", place.longitude, place.latitude)
        })
        .collect();
    region(&format!("[[{}]]", texts.join(", ")))
}

fn meters(a: Position, b: Position) -> f64 {
    Ellipsoid::Sphere.distance_meters(a, b)
}

fn within(ranges: &[CellRange], cell: u64) -> bool {
    ranges.iter().any(|range| range.first <= cell && cell <= range.last)
}

proptest! {
    #[test]
    fn a_regular_polygon_contains_what_is_near_its_center(
        center in places(), place in places(), radius in 0.001f64..1.4, corners in 3usize..40, near in 0.0f64..1.0,
    ) {
        let shape = polygon_around(center, radius, corners);
        let inner = radius * (std::f64::consts::PI / corners as f64).cos() * 0.95;
        let distance = meters(center, place) / EARTH_RADIUS_METERS;
        let contains = contains(&shape, &Shape::point(place), NEVER).unwrap();
        if distance < inner * near.max(0.5) { prop_assert!(contains); }
        if distance > radius * 1.0001 { prop_assert!(!contains); }
        prop_assert!(crate::contains(&shape, &Shape::point(center), NEVER).unwrap());
        // The centroid of a regular polygon is its center.
        prop_assert!(meters(shape.centroid(), center) < 1.0, "{:?}", shape.centroid());
        let area = Ellipsoid::Sphere.area_square_meters(&shape) / EARTH_RADIUS_METERS.powi(2);
        let cap = 2.0 * std::f64::consts::PI * (1.0 - radius.cos());
        prop_assert!(area > 0.0 && area < cap * 1.000001);
        if corners > 20 { prop_assert!(area > cap * 0.95); }
    }

    #[test]
    fn inverting_a_ring_inverts_what_it_contains(center in places(), place in places(), radius in 0.01f64..1.4) {
        let shape = polygon_around(center, radius, 7);
        let Some(region) = shape.as_region() else { panic!("no region") };
        let ring = &region.rings().first().unwrap().ring;
        let other = ring.clone().inverted();
        prop_assert_ne!(ring.contains(&place.point()), other.contains(&place.point()));
        prop_assert!((ring.area() + other.area() - 4.0 * std::f64::consts::PI).abs() < 1e-9);
    }

    #[test]
    fn polygons_relate_as_their_circles_do(a in places(), b in places(), r in 0.01f64..0.7, s in 0.01f64..0.7) {
        let (left, right) = (polygon_around(a, r, 32), polygon_around(b, s, 32));
        let distance = meters(a, b) / EARTH_RADIUS_METERS;
        let intersect = intersects(&left, &right, NEVER).unwrap();
        prop_assert_eq!(intersect, intersects(&right, &left, NEVER).unwrap());
        let inner = (std::f64::consts::PI / 32.0).cos();
        if distance > (r + s) * 1.001 { prop_assert!(!intersect); }
        if distance < (r + s) * inner * 0.97 { prop_assert!(intersect); }
        let holds = contains(&left, &right, NEVER).unwrap();
        if distance + s < r * inner * 0.97 { prop_assert!(holds); }
        if distance + s > r * 1.001 { prop_assert!(!holds || distance + s * inner * 0.97 < r); }
        prop_assert!(contains(&left, &left, NEVER).unwrap());
        prop_assert!(intersects(&left, &left, NEVER).unwrap());
        prop_assert!(equals(&left, &left));
    }

    #[test]
    fn what_a_polygon_contains_lies_in_the_cells_that_meet_it(
        center in places(), radius in 0.0001f64..1.4, places in prop::collection::vec(places(), 20),
    ) {
        let shape = polygon_around(center, radius, 9);
        let ranges = ranges_meeting(&shape);
        prop_assert!(within(&ranges, center.cell()));
        for place in places {
            if contains(&shape, &Shape::point(place), NEVER).unwrap() {
                prop_assert!(within(&ranges, place.cell()));
            }
        }
    }

    #[test]
    fn shapes_that_meet_have_cells_that_meet(a in places(), b in places(), r in 0.0001f64..1.0, s in 0.0001f64..1.0) {
        let (left, right) = (polygon_around(a, r, 5), polygon_around(b, s, 6));
        if intersects(&left, &right, NEVER).unwrap() {
            let ranges = ranges_meeting(&left);
            prop_assert!(covering_of(&right).iter().any(|cell| within(&ranges, *cell)));
        }
    }

    #[test]
    fn rings_find_each_place_once_and_in_order(
        center in places(), places in prop::collection::vec(places(), 30), from in 0.0f64..5e6, width in 0.0f64..2e7,
        farthest_first: bool,
    ) {
        let to = from + width;
        let mut rings = Rings::new(center, from, to, farthest_first);
        let mut found = vec![0; places.len()];
        let mut last = -1.0;
        while let Some(ring) = rings.next_ring(1) {
            let mut farthest = last;
            for (number, place) in places.iter().enumerate() {
                let angle = rings.angle(*place);
                if ring.contains(angle) && within(&ring.ranges, place.cell()) {
                    found[number] += 1;
                    prop_assert!(angle >= last);
                    farthest = f64::max(farthest, angle);
                }
            }
            last = farthest;
        }
        for (place, found) in places.iter().zip(found) {
            let distance = meters(center, *place);
            if from <= distance && distance <= to { prop_assert_eq!(found, 1, "{:?} at {}", place, distance); }
            if distance > to + 1.0 || distance < from - 1.0 { prop_assert_eq!(found, 0); }
        }
    }

    #[test]
    fn any_json_is_read_or_refused(text in r#"\{"type": "(Point|MultiPoint|LineString|MultiLineString|Polygon|MultiPolygon)", "coordinates": (\[){0,4}(-?[0-9]{1,3}(, |\], \[)){0,8}[0-9](\]){0,4}\}"#) {
        if packed(&text).is_some() {
            let _ = shape(&text).map(|shape| (shape.centroid(), covering_of(&shape), ranges_meeting(&shape)));
        }
    }
}

#[test]
fn lines_are_covered() {
    let line = shape(r#"{"type": "LineString", "coordinates": [[179, 5], [-179, 5]]}"#).unwrap();
    let ranges = ranges_meeting(&line);
    assert!(within(&ranges, Position::new(179.0, 5.0).cell()));
    assert!(covering_of(&line).len() <= 8);
    let centroid = line.centroid();
    assert!((centroid.longitude.abs() - 180.0).abs() < 1e-9 && centroid.latitude > 5.0, "{centroid:?}");
    let twice = shape(r#"{"type": "LineString", "coordinates": [[1, 5], [1, 5]]}"#).unwrap();
    assert!(within(&ranges_meeting(&twice), Position::new(1.0, 5.0).cell()));
}

#[test]
fn coordinates_out_of_bounds_wrap_or_are_refused() {
    let value = packed("[190, 95]").unwrap();
    assert_eq!(parse_lng_lat(Slice::new(&value), false), Ok(Position::new(-170.0, 90.0)));
    assert_eq!(parse_lng_lat(Slice::new(&value), true), Err(Error::OutOfRange));
    assert_eq!(parse_lat_lng(Slice::new(&value), false), Ok(Position::new(95.0, 90.0)));
}

#[test]
fn the_old_rule_takes_the_smaller_side() {
    let value =
        packed(r#"{"type": "Polygon", "coordinates": [[[4, 54], [16, 54], [16, 47], [4, 47], [4, 54]]]}"#)
            .unwrap();
    let inside = Shape::point(Position::new(10.0, 50.0));
    for (polygons, expected) in [(Polygons::LeftOfRing, false), (Polygons::Legacy, true)] {
        let rules = Rules { polygons, ..Rules::LENIENT };
        let shape = parse(Slice::new(&value), rules, NEVER).unwrap();
        assert_eq!(contains(&shape, &inside, NEVER), Ok(expected));
    }
}

#[test]
fn large_rings_are_checked_quickly_and_can_be_interrupted() {
    let corners: Vec<String> = (0..20_000)
        .map(|number| {
            let turn = f64::from(number) / 20_000.0 * std::f64::consts::TAU;
            format!("[{}, {}]", 20.0 * turn.cos(), 20.0 * turn.sin())
        })
        .collect();
    let text = format!("[[{}, {}]]", corners.join(", "), corners[0]);
    let large = region(&text);
    assert!(contains(&large, &Shape::point(Position::new(1.0, 1.0)), NEVER).unwrap());
    assert!(within(&ranges_meeting(&large), Position::new(19.9, 0.0).cell()));
    assert!(covering_of(&large).len() <= 8);
    let value = packed(&format!(r#"{{"type": "Polygon", "coordinates": {text}}}"#)).unwrap();
    assert_eq!(parse(Slice::new(&value), Rules::LENIENT, &|| true).unwrap_err(), Error::Interrupted);
}
