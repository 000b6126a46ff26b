//! Shapes of all kinds, valid, odd and invalid: geo indexes, inverted indexes and views find the
//! same documents as a full scan.
//!
//! A geo index has no entry for a document without a valid shape, whose distance is null. The
//! comparison of distances leaves such documents out. So does that of `GEO_CONTAINS()` for shapes
//! that are no polygons: a filter does not support them, and a search finds equal points.

use database::Session;
use serde_json::{Value, json};
use velocypack::Slice;

use super::geo::Numbers;
use crate::common::{create, query, rows, session, value};

const DOCUMENTS: usize = 300;
const ROUNDS: usize = 25;

impl Numbers {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1_000_000) as f64 / 1e6
    }

    /// Returns a point near a place.
    fn near(&mut self, (lng, lat): (f64, f64), degrees: f64) -> Value {
        let mut beside =
            |center: f64, bound: f64| (center + self.between(-degrees, degrees)).clamp(-bound, bound);
        json!([beside(lng, 180.0), beside(lat, 90.0)])
    }

    fn points(&mut self, place: (f64, f64), degrees: f64, count: u64) -> Value {
        (0..count).map(|_| self.near(place, degrees)).collect()
    }

    /// Returns a valid shape, also one whose centroid lies outside of it.
    fn shape(&mut self) -> Value {
        let place = self.place();
        let half = [0.001, 0.5, 3.0, 9.0][self.below(4) as usize];
        match self.below(11) {
            0 => json!([place.0, place.1]),
            1 => json!({"type": "Point", "coordinates": [place.0, place.1]}),
            2 => {
                let count = self.below(4) + 1;
                json!({"type": "MultiPoint", "coordinates": self.points(place, 20.0, count)})
            }
            3 => json!({"type": "LineString", "coordinates": self.points(place, half, 3)}),
            4 => {
                let lines = [self.points(place, half, 2), self.points(place, half, 2)];
                json!({"type": "MultiLineString", "coordinates": lines})
            }
            _ => self.polygon(),
        }
    }

    /// Returns a polygon: also one with a hole, a concave one, and one that is nearly the sphere.
    fn polygon(&mut self) -> Value {
        let (place, other) = (self.place(), self.place());
        let half = [0.001, 0.5, 3.0, 9.0][self.below(4) as usize];
        let coordinates = match self.below(6) {
            0 => json!([square(place, half), reversed(square(place, half / 2.0))]),
            1 => json!([horseshoe(place, half)]),
            2 => json!([reversed(square(place, half))]),
            3 => {
                let both = [[square(place, half)], [square(other, half)]];
                return json!({"type": "MultiPolygon", "coordinates": both});
            }
            _ => json!([square(place, half)]),
        };
        json!({"type": "Polygon", "coordinates": coordinates})
    }

    /// Returns a value that is no valid shape, or an odd one.
    fn odd(&mut self) -> Value {
        let (lng, lat) = self.place();
        let ring = square((lng, lat), 1.0);
        let open: Vec<Value> = ring.iter().take(4).cloned().collect();
        match self.below(18) {
            0 => json!([lng, 95.0]),
            1 => json!([200.0, lat]),
            2 => json!({"type": "Point", "coordinates": [lng, 120.0]}),
            3 => json!([lng]),
            4 => json!([lng, "x"]),
            5 => json!(null),
            6 => json!("text"),
            7 => json!({}),
            8 => json!({"type": "Polygon", "coordinates": [open]}),
            9 => json!({"type": "Polygon", "coordinates": []}),
            10 => json!({"type": "LineString", "coordinates": [[lng, lat]]}),
            11 => json!({"type": "MultiPoint", "coordinates": []}),
            12 => json!({"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]]]}),
            13 => json!({"type": "LineString", "coordinates": [[1, 1], [1, 1]]}),
            14 => json!({"type": "MultiPoint", "coordinates": [[0, 0], [0, 91]]}),
            15 => json!({"type": "Polygon", "coordinates": [ring, square((lng, lat), 0.5)]}),
            16 => {
                json!({"type": "Polygon", "coordinates": [[[0, 80], [90, 95], [180, 80], [-90, 80], [0, 80]]]})
            }
            _ => json!([[lng, lat], [lng, lat]]),
        }
    }

    fn any_shape(&mut self) -> Value {
        if self.below(8) == 0 { self.odd() } else { self.shape() }
    }
}

/// Returns the corners of a ring around a place, as multiples of `half` degrees.
fn ring((lng, lat): (f64, f64), half: f64, corners: &[(f64, f64)]) -> Vec<Value> {
    let lat = lat.clamp(-80.0, 80.0);
    let wrap = |lng: f64| (lng + 540.0) % 360.0 - 180.0;
    let corner = |&(x, y): &(f64, f64)| json!([wrap(lng + x * half), (lat + y * half).clamp(-89.0, 89.0)]);
    corners.iter().map(corner).collect()
}

fn square(place: (f64, f64), half: f64) -> Vec<Value> {
    ring(place, half, &[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)])
}

/// Returns a ring whose centroid is outside of it.
fn horseshoe(place: (f64, f64), half: f64) -> Vec<Value> {
    let inner = [(1.0, 1.0), (0.8, 1.0), (0.8, -0.8), (-0.8, -0.8), (-0.8, 1.0), (-1.0, 1.0)];
    let corners: Vec<_> =
        [(-1.0, -1.0), (1.0, -1.0)].into_iter().chain(inner).chain([(-1.0, -1.0)]).collect();
    ring(place, half, &corners)
}

fn reversed(mut ring: Vec<Value>) -> Vec<Value> {
    ring.reverse();
    ring
}

fn prepared(numbers: &mut Numbers) -> Session {
    let session = session();
    create(&session, r#"{"name": "d"}"#);
    session.create_analyzer(Slice::new(&value(r#"{"name": "shape", "type": "geojson"}"#))).unwrap();
    for index in [
        r#"{"type": "geo", "name": "g", "fields": ["geo"], "geoJson": true}"#,
        r#"{"type": "geo", "name": "ll", "fields": ["lat", "lng"]}"#,
        r#"{"type": "inverted", "name": "inv", "fields": [{"name": "geo", "analyzer": "shape"}]}"#,
    ] {
        session.create_index("d", Slice::new(&value(index))).unwrap();
    }
    let view = r#"{"name": "v", "type": "arangosearch", "links": {"d": {"fields": {"geo": {"analyzers": ["shape"]}}}}}"#;
    session.create_view(Slice::new(&value(view))).unwrap();
    let documents: Vec<_> = (0..DOCUMENTS)
        .map(|number| {
            let (lng, lat) = numbers.place();
            let odd = [json!(95), json!(-91.5), json!(null), json!("x"), json!(1e9), json!(400)];
            let mut document =
                json!({"_key": number.to_string(), "geo": numbers.any_shape(), "lat": lat, "lng": lng});
            if numbers.below(8) == 0 {
                document[["lat", "lng"][numbers.below(2) as usize]] = odd[numbers.below(6) as usize].clone();
            }
            document
        })
        .collect();
    query(&session, &format!("FOR x IN {} INSERT x INTO d", json!(documents))).unwrap();
    rows(&session, "FOR x IN v OPTIONS {waitForSync: true} LIMIT 1 RETURN 1");
    rows(
        &session,
        "FOR x IN d OPTIONS {indexHint: 'inv', forceIndexHint: true, waitForSync: true}
            FILTER GEO_DISTANCE([0, 0], x.geo) < 1 LIMIT 1 RETURN 1",
    );
    session
}

/// Returns the sorted keys of the documents of a query.
fn keys(session: &Session, text: &str) -> Vec<String> {
    let rows = rows(session, &format!("{text} RETURN x._key"));
    let mut keys: Vec<String> = rows.as_array().unwrap().iter().map(ToString::to_string).collect();
    keys.sort();
    keys
}

#[test]
fn indexes_and_views_find_what_a_scan_finds() {
    let mut numbers = Numbers::seeded(11);
    let session = prepared(&mut numbers);
    let mut found = 0;
    for _ in 0..ROUNDS {
        let [shape, other, polygon] = [Numbers::shape, Numbers::shape, Numbers::polygon].map(|random| {
            // Corners that are moved away from a pole may make a ring cross itself.
            let mut valid = random(&mut numbers);
            while rows(&session, &format!("RETURN GEO_DISTANCE({valid}, [0, 0])"))[0].is_null() {
                valid = random(&mut numbers);
            }
            valid
        });
        let low = numbers.between(0.0, 15e6) * numbers.below(2) as f64;
        let high = low + [1e5, 1e7][numbers.below(2) as usize] * numbers.between(0.0, 1.0);
        let distance = format!("GEO_DISTANCE({shape}, x.geo)");
        let operator = ["<", "<=", ">", ">="][numbers.below(4) as usize];
        let is_near = format!("FILTER {distance} != null");
        let is_polygon = "FILTER x.geo.type IN ['Polygon', 'MultiPolygon']";
        for (condition, also) in [
            (format!("{distance} {operator} {high}"), &*is_near),
            (format!("{distance} > {low} AND {distance} <= {high}"), &*is_near),
            (format!("GEO_CONTAINS({polygon}, x.geo)"), ""),
            (format!("GEO_CONTAINS(x.geo, {shape})"), is_polygon),
            (format!("GEO_INTERSECTS({shape}, x.geo)"), ""),
            (format!("GEO_INTERSECTS(x.geo, {other})"), ""),
            (format!("GEO_IN_RANGE({other}, x.geo, {low}, {high}, true, false)"), ""),
        ] {
            let filter = format!("FILTER {condition} {also}");
            let full = keys(&session, &format!("FOR x IN d OPTIONS {{disableIndex: true}} {filter}"));
            found += full.len();
            for text in [
                format!("FOR x IN d OPTIONS {{indexHint: 'g'}} {filter}"),
                format!(
                    "FOR x IN d OPTIONS {{indexHint: 'inv', forceIndexHint: true}} FILTER {condition} {also}"
                ),
                format!("FOR x IN v SEARCH ANALYZER({condition}, 'shape') {also}"),
            ] {
                assert_eq!(keys(&session, &text), full, "{text}");
            }
        }
        let (lng, lat) = numbers.place();
        let distance = format!("DISTANCE(x.lat, x.lng, {lat}, {lng})");
        let filter = format!("FILTER {distance} {operator} {high} FILTER {distance} != null");
        let [by_index, full] = ["indexHint: 'll'", "disableIndex: true"]
            .map(|options| keys(&session, &format!("FOR x IN d OPTIONS {{{options}}} {filter}")));
        assert_eq!(by_index, full, "{filter}");
    }
    assert!(found > ROUNDS * 20, "the conditions find too little: {found}");
}
