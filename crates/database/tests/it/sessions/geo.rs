//! Geo indexes find the same documents as a full scan.

use database::Session;
use serde_json::json;
use velocypack::Slice;

use crate::common::{create, query, rows, session, value};

fn index(session: &Session, collection: &str, json: &str) {
    session.create_index(collection, Slice::new(&value(json))).unwrap();
}

/// A generator whose numbers are the same in each run.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    /// Returns the generator of a seed; `PERSEA_RANDOM_SEED` replaces it.
    pub(super) fn seeded(seed: u64) -> Self {
        let given = std::env::var("PERSEA_RANDOM_SEED").ok().and_then(|text| text.parse().ok());
        Numbers(given.unwrap_or(seed))
    }

    /// Returns a place: evenly distributed, or a special case of spherical geometry.
    pub(super) fn place(&mut self) -> (f64, f64) {
        const SPECIAL: [(f64, f64); 6] =
            [(0.0, 90.0), (45.0, -90.0), (180.0, 0.0), (-180.0, 10.0), (0.0, 0.0), (179.999, -80.0)];
        match self.below(12) {
            0 => SPECIAL[self.below(6) as usize],
            _ => (self.below(360_000) as f64 / 1e3 - 180.0, self.below(180_000) as f64 / 1e3 - 90.0),
        }
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Checks that the sorted rows are the same with the index and without it.
fn check(session: &Session, text: &str) {
    let plan = session.explain(&database::query::request::QueryRequest::new(text)).unwrap();
    let plan = Slice::new(&plan).to_json_string();
    assert!(plan.contains("IndexNode"), "{text}: {plan}");
    let sorted = |text: &str| {
        let rows = rows(session, text);
        let mut rows: Vec<String> = rows.as_array().unwrap().iter().map(ToString::to_string).collect();
        rows.sort();
        rows
    };
    let full = text.replace(" IN d ", " IN d OPTIONS {disableIndex: true} ");
    assert_eq!(sorted(text), sorted(&full), "{text}");
}

#[test]
fn distances_and_orders_are_those_of_a_full_scan() {
    let session = session();
    create(&session, r#"{"name": "d"}"#);
    index(&session, "d", r#"{"type": "geo", "fields": ["lat", "lng"]}"#);
    let mut numbers = Numbers(42);
    let documents: Vec<_> = (0..600)
        .map(|number| {
            let (lng, lat) = numbers.place();
            json!({"_key": number.to_string(), "lat": lat, "lng": lng, "geo": [lng, lat]})
        })
        .collect();
    query(&session, &format!("FOR x IN {} INSERT x INTO d", json!(documents))).unwrap();
    // The index is built over existing documents.
    index(&session, "d", r#"{"type": "geo", "fields": ["geo"], "geoJson": true}"#);
    query(
        &session,
        "FOR x IN d FILTER x.lat > 80 UPDATE x WITH {lat: x.lat - 1, geo: [x.lng, x.lat - 1]} IN d",
    )
    .unwrap();
    query(&session, "FOR x IN d FILTER x.lat < -85 LIMIT 5 REMOVE x IN d").unwrap();
    for _ in 0..60 {
        let (lng, lat) = numbers.place();
        let (from, width) = (numbers.below(15_000_000), numbers.below(8_000_000));
        let to = from + width;
        check(
            &session,
            &format!("FOR x IN d FILTER DISTANCE(x.lat, x.lng, {lat}, {lng}) <= {width} RETURN x._key"),
        );
        check(
            &session,
            &format!(
                "FOR x IN d LET m = GEO_DISTANCE([{lng}, {lat}], x.geo) FILTER m > {from} && m < {to} RETURN x._key"
            ),
        );
        for direction in ["ASC", "DESC"] {
            let ordered = format!(
                "FOR x IN d SORT GEO_DISTANCE([{lng}, {lat}], x.geo) {direction} LIMIT 7
                    RETURN GEO_DISTANCE([{lng}, {lat}], x.geo)"
            );
            let full = ordered.replace(" IN d ", " IN d OPTIONS {disableIndex: true} ");
            assert_eq!(rows(&session, &ordered), rows(&session, &full), "{ordered}");
        }
    }
}

#[test]
fn shapes_are_those_of_a_full_scan() {
    let session = session();
    create(&session, r#"{"name": "d"}"#);
    index(&session, "d", r#"{"type": "geo", "fields": ["geo"], "geoJson": true}"#);
    let mut numbers = Numbers(7);
    // A square with its centre inside, counter-clockwise. Some squares contain a pole.
    let mut square = || {
        let ((lng, lat), half) = (numbers.place(), 0.001 + numbers.below(9_000) as f64 / 1e3);
        let lat = lat.clamp(-80.0, 80.0);
        let wrap = |lng: f64| (lng + 540.0) % 360.0 - 180.0;
        let corner = |x: f64, y: f64| json!([wrap(lng + x * half), (lat + y * half).clamp(-89.0, 89.0)]);
        let ring =
            [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)];
        (json!({"type": "Polygon", "coordinates": [ring]}), json!([wrap(lng), lat]), ring)
    };
    let documents: Vec<_> = (0..400)
        .map(|number| {
            let (polygon, point, ring) = square();
            let geo = match number % 4 {
                0 => polygon,
                1 => json!({"type": "LineString", "coordinates": ring[..3]}),
                2 => json!({"type": "MultiPoint", "coordinates": ring}),
                _ => point,
            };
            json!({"_key": number.to_string(), "geo": geo})
        })
        .collect();
    query(&session, &format!("FOR x IN {} INSERT x INTO d", json!(documents))).unwrap();
    for _ in 0..40 {
        let (polygon, point, _) = square();
        check(&session, &format!("FOR x IN d FILTER GEO_CONTAINS({polygon}, x.geo) RETURN x._key"));
        check(&session, &format!("FOR x IN d FILTER GEO_INTERSECTS({polygon}, x.geo) RETURN x._key"));
        check(&session, &format!("FOR x IN d FILTER GEO_INTERSECTS({point}, x.geo) RETURN x._key"));
    }
    // The complement of a small area.
    let rest = r#"{"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [1, 0], [0, 0]]]}"#;
    check(&session, &format!("FOR x IN d FILTER GEO_CONTAINS({rest}, x.geo) RETURN x._key"));
    // No document outside the searched ring is fetched.
    let near = rows(&session, "FOR x IN d SORT GEO_DISTANCE([0, 0], x.geo) LIMIT 1 RETURN x._key");
    assert_eq!(near.as_array().unwrap().len(), 1);
}

/// Tests real places, if the file exists.
#[test]
fn airports_are_found() {
    let Ok(text) = std::fs::read_to_string("../../../shared/data/airports.csv") else { return };
    let session = session();
    create(&session, r#"{"name": "d"}"#);
    index(&session, "d", r#"{"type": "geo", "fields": ["lat", "lng"]}"#);
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let position = |name: &str| names.iter().position(|own| own.trim_matches('"') == name).unwrap();
    let (lat, lng) = (position("CoordinatesX"), position("CoordinatesY"));
    let airports: Vec<_> = lines
        .filter_map(|line| {
            let parts: Vec<&str> = line.split(',').collect();
            // Commas in names shift the later fields. Such lines are skipped.
            let number =
                |at: usize| parts.get(at).filter(|_| parts.len() == names.len())?.parse::<f64>().ok();
            Some(json!({"lat": number(lat)?, "lng": number(lng)?}))
        })
        .collect();
    assert!(airports.len() > 1000);
    query(&session, &format!("FOR x IN {} INSERT x INTO d", json!(airports))).unwrap();
    for (lat, lng, meters) in [(40.6, -73.8, 50_000), (61.2, -149.9, 300_000), (21.3, -157.9, 1_000_000)] {
        check(
            &session,
            &format!("FOR x IN d FILTER DISTANCE(x.lat, x.lng, {lat}, {lng}) <= {meters} RETURN x._key"),
        );
    }
}
