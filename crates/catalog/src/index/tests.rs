use serde_json::json;

use super::*;
use crate::testing::{printed, value};

fn parse(json: &str) -> Result<IndexProperties> {
    IndexProperties::parse(Slice::new(&value(json)))
}

fn code(json: &str) -> ErrorCode {
    parse(json).unwrap_err().code()
}

#[test]
fn a_persistent_index_prints_as_documented() {
    let properties =
        parse(r#"{"type": "persistent", "fields": ["a", "b.c"], "storedValues": ["d"], "sparse": true}"#);
    let definition = IndexDefinition::new(IndexId(99), ObjectId(100), properties.unwrap());
    let expected = json!({
        "id": "products/99", "name": "idx_99", "type": "persistent", "fields": ["a", "b.c"], "unique": false,
        "sparse": true, "deduplicate": true, "estimates": true, "cacheEnabled": false, "storedValues": ["d"],
        "selectivityEstimate": 0.5,
    });
    assert_eq!(printed(|builder| definition.print(builder, "products", Some(0.5))), expected);
}

#[test]
fn the_servers_own_indexes_print_as_documented() {
    let primary = IndexDefinition::primary(ObjectId(1));
    let expected = json!({
        "id": "products/0", "name": "primary", "type": "primary", "fields": ["_key"], "unique": true, "sparse": false,
        "selectivityEstimate": 1,
    });
    assert_eq!(printed(|builder| primary.print(builder, "products", Some(1.0))), expected);
    let edge = IndexDefinition::edge(ObjectId(1));
    let expected = json!({
        "id": "knows/1", "name": "edge", "type": "edge", "fields": ["_from", "_to"], "unique": false, "sparse": false,
    });
    assert_eq!(printed(|builder| edge.print(builder, "knows", None)), expected);
}

#[test]
fn wrong_definitions_have_arangodbs_numbers() {
    assert_eq!(code(r#"{"fields": ["a"]}"#), ErrorCode::BadParameter);
    assert_eq!(code(r#"{"type": "nonsense", "fields": ["a"]}"#), ErrorCode::BadParameter);
    assert_eq!(code(r#"{"type": "primary", "fields": ["a"]}"#), ErrorCode::Forbidden);
    assert_eq!(code(r#"{"type": "edge", "fields": ["a"]}"#), ErrorCode::Forbidden);
    assert_eq!(code(r#"{"type": "arangosearch", "fields": ["a"]}"#), ErrorCode::Forbidden);
    assert_eq!(code(r#"{"type": "persistent", "fields": ["a[*].b[*]"]}"#), ErrorCode::AttributeParserFailed);
    for fields in [r#"[]"#, r#""a""#, "[1]", r#"["a", "a"]"#, r#"["_id"]"#, r#"["a._id"]"#, r#"["_id.a"]"#] {
        let body = format!(r#"{{"type": "persistent", "fields": {fields}}}"#);
        assert_eq!(code(&body), ErrorCode::BadParameter, "{fields}");
    }
    for stored in [r#"["a"]"#, r#"["b", "b"]"#, r#"["b[*]"]"#, r#"{}"#] {
        let body = format!(r#"{{"type": "persistent", "fields": ["a"], "storedValues": {stored}}}"#);
        assert_eq!(code(&body), ErrorCode::BadParameter, "{stored}");
    }
    let many: Vec<String> = (0..=STORED_VALUES_MAX).map(|n| format!("x{n}")).collect();
    let body = json!({"type": "persistent", "fields": ["a"], "storedValues": many}).to_string();
    assert_eq!(code(&body), ErrorCode::BadParameter);
}

#[test]
fn system_attributes_but_id_can_be_indexed() {
    assert!(
        parse(
            r#"{"type": "persistent", "fields": ["_from", "_to", "_key", "_rev"], "storedValues": ["_id"]}"#
        )
        .is_ok()
    );
}

#[test]
fn the_same_definition_is_recognized() {
    let existing =
        parse(r#"{"type": "persistent", "fields": ["a", "b"], "unique": true, "name": "x"}"#).unwrap();
    let existing = IndexDefinition::new(IndexId(9), ObjectId(9), existing);
    let is_same = |json: &str| existing.is_same_as(&parse(json).unwrap());
    assert!(is_same(r#"{"type": "persistent", "fields": ["a", "b"], "unique": true}"#));
    assert!(is_same(
        r#"{"type": "persistent", "fields": ["a", "b"], "unique": true, "name": "y", "storedValues": ["c"],
            "cacheEnabled": true, "estimates": false}"#
    ));
    assert!(!is_same(r#"{"type": "persistent", "fields": ["b", "a"], "unique": true}"#));
    assert!(!is_same(r#"{"type": "persistent", "fields": ["a", "b"]}"#));
    assert!(!is_same(r#"{"type": "persistent", "fields": ["a", "b"], "unique": true, "sparse": true}"#));
    assert!(!is_same(r#"{"type": "hash", "fields": ["a", "b"], "unique": true}"#));
}

#[test]
fn aliases_keep_their_name() {
    for alias in ["hash", "skiplist"] {
        let parsed = parse(&format!(r#"{{"type": "{alias}", "fields": ["a"]}}"#)).unwrap();
        assert_eq!((parsed.index_type, parsed.type_name()), (IndexType::Persistent, alias));
    }
}

/// The printed form of each type is read back unchanged, after a restart or from a dump.
#[test]
fn every_type_is_read_back_as_it_prints() {
    for json in [
        r#"{"type": "ttl", "fields": ["at.date"], "expireAfter": 3600}"#,
        r#"{"type": "ttl", "fields": ["at"], "expireAfter": 0.5}"#,
        r#"{"type": "geo", "fields": ["lat", "lng"]}"#,
        r#"{"type": "geo", "fields": ["place"], "geoJson": true, "legacyPolygons": true}"#,
        r#"{"type": "geo1", "fields": ["place"]}"#,
        r#"{"type": "fulltext", "fields": ["text"], "minLength": 4}"#,
        r#"{"type": "mdi", "fields": ["x", "y"], "fieldValueTypes": "double", "unique": true, "storedValues": ["x"]}"#,
        r#"{"type": "mdi-prefixed", "fields": ["x"], "prefixFields": ["a", "b"], "fieldValueTypes": "double",
            "sparse": true, "estimates": false}"#,
        r#"{"type": "zkd", "fields": ["x", "y"], "fieldValueTypes": "double"}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "cosine", "dimension": 4}}"#,
        r#"{"type": "vector", "fields": ["v"], "sparse": true, "storedValues": ["a", "b.c"], "params": {
            "metric": "l2", "dimension": 4, "nLists": 7, "defaultNProbe": 2, "trainingIterations": 3,
            "numberOfDocsPerCentroid": 5, "factory": "IVF7_HNSW10,SQ8"}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "innerProduct", "dimension": 4, "nLists": {
            "strategy": "autoSqrt", "multiplier": 2, "minNLists": 3, "tiers": [
            {"threshold": 100, "fixedValue": 9}]}, "factory": "IVF{},PQ2x8"}}"#,
    ] {
        let properties = parse(json).unwrap();
        let definition = IndexDefinition::new(IndexId(9), ObjectId(9), properties.clone());
        let printed = printed(|builder| definition.print(builder, "c", None));
        let again = IndexProperties { id: None, name: None, ..parse(&printed.to_string()).unwrap() };
        assert_eq!(again, properties, "{json}");
        assert!(definition.is_same_as(&again));
    }
}

#[test]
fn wrong_options_of_the_types_are_refused() {
    for json in [
        r#"{"type": "ttl", "fields": ["a"]}"#,
        r#"{"type": "ttl", "fields": ["a"], "expireAfter": -1}"#,
        r#"{"type": "ttl", "fields": ["a"], "expireAfter": 1e300}"#,
        r#"{"type": "ttl", "fields": ["a", "b"], "expireAfter": 1}"#,
        r#"{"type": "geo", "fields": ["a", "b", "c"]}"#,
        r#"{"type": "geo", "fields": ["a[*]"]}"#,
        r#"{"type": "geo", "fields": ["a"], "geoJson": 1}"#,
        r#"{"type": "fulltext", "fields": ["a"], "minLength": 0}"#,
        r#"{"type": "fulltext", "fields": ["a", "b"]}"#,
        r#"{"type": "vector", "fields": ["v"]}"#,
        r#"{"type": "vector", "fields": ["v", "w"], "params": {"metric": "l2", "dimension": 4}}"#,
        r#"{"type": "vector", "fields": ["v"], "unique": true, "params": {"metric": "l2", "dimension": 4}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l1", "dimension": 4}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2"}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 0}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 4, "nLists": 0}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 4, "nLists": {
            "strategy": "autoSqrt", "multiplier": 4}}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 4, "factory": "Flat"}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 4, "factory": "IVFx,Flat"}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 4, "factory": "IVF{},SQ4"}}"#,
        r#"{"type": "vector", "fields": ["v"], "params": {"metric": "l2", "dimension": 4, "factory": "IVF{},PQ3"}}"#,
        r#"{"type": "mdi", "fields": ["a"]}"#,
        r#"{"type": "mdi", "fields": ["a"], "fieldValueTypes": "int"}"#,
        r#"{"type": "mdi", "fields": ["a"], "fieldValueTypes": "double", "prefixFields": ["b"]}"#,
        r#"{"type": "mdi-prefixed", "fields": ["a"], "fieldValueTypes": "double"}"#,
        r#"{"type": "mdi-prefixed", "fields": ["a"], "fieldValueTypes": "double", "prefixFields": ["a"]}"#,
        r#"{"type": "mdi-prefixed", "fields": ["a"], "fieldValueTypes": "double", "prefixFields": ["b"],
            "storedValues": ["b"]}"#,
    ] {
        assert_eq!(code(json), ErrorCode::BadParameter, "{json}");
    }
}

#[test]
fn capabilities_follow_the_definition() {
    let of = |json: &str| parse(json).unwrap().capabilities();
    let persistent = of(r#"{"type": "persistent", "fields": ["a"], "unique": true}"#);
    assert!(persistent.ordered && persistent.covers && persistent.unique_lookup);
    assert!(!of(r#"{"type": "persistent", "fields": ["a"]}"#).unique_lookup);
    let prefixed = r#"{"type": "mdi-prefixed", "fields": ["x"], "prefixFields": ["a", "b"],
        "fieldValueTypes": "double"}"#;
    assert_eq!(of(prefixed).search, SearchShape::Box { prefix_fields: 2 });
    let fields = parse(prefixed).unwrap().searched_fields();
    assert_eq!(fields.iter().map(FieldPath::to_string).collect::<Vec<_>>(), ["a", "b", "x"]);
    let words = of(r#"{"type": "fulltext", "fields": ["t"], "minLength": 4}"#);
    assert_eq!(words.search, SearchShape::Words { min_length: 4 });
    assert_eq!(of(r#"{"type": "ttl", "fields": ["t"], "expireAfter": 1}"#), Capabilities::default());
    assert!(IndexDefinition::primary(ObjectId(1)).properties.capabilities().clustered);
    assert_eq!(IndexDefinition::primary(ObjectId(1)).properties.searched_fields().len(), 2);
}

#[test]
fn a_search_is_mapped_value_by_value() {
    let bound = |value| Some(Bound { value, inclusive: value > 2 });
    let geo = GeoSearch { origin: Some(1), nearest: bound(2), farthest: bound(3), meets: Some(4) };
    let doubled = |value: &i32| Ok::<_, ()>(value * 2);
    for search in [
        Search::Geo(Box::new(geo)),
        Search::Words(7),
        Search::Box(vec![FieldBounds { lower: bound(5), upper: None }, FieldBounds::default()]),
    ] {
        let mut own = search.clone();
        own.for_each_mut(&mut |value| *value *= 2);
        assert_eq!(search.try_map(&mut { doubled }), Ok(own.clone()));
        let (mut before, mut after) = (Vec::new(), Vec::new());
        search.for_each(&mut |value| before.push(value * 2));
        own.for_each(&mut |value| after.push(*value));
        assert_eq!(before, after);
    }
}

#[test]
fn the_number_of_lists_follows_the_documents() {
    let of = |lists: &str, documents| {
        let json = format!(
            r#"{{"type": "vector", "fields": ["v"], "params": {{"metric": "l2", "dimension": 4 {lists}}}}}"#
        );
        let TypeOptions::Vector(options) = parse(&json).unwrap().options else { panic!("{json}") };
        options.lists_for(documents)
    };
    assert_eq!([of("", 2), of("", 100), of("", 999_999)], [2, 40, 3999]);
    assert_eq!([of("", 1_000_000), of("", 20_000_000)], [16_384, 65_536]);
    assert_eq!([of(r#", "nLists": 10"#, 4), of(r#", "nLists": 10"#, 400)], [4, 10]);
}
