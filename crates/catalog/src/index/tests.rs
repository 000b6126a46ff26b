use serde_json::json;

use super::*;
use crate::testing::{printed, value};

fn parse(json: &str) -> Result<IndexProperties> {
    IndexProperties::parse(Slice::new(&value(json)))
}

fn number(json: &str) -> u32 {
    parse(json).unwrap_err().number
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
    assert_eq!(number(r#"{"fields": ["a"]}"#), error_number::BAD_PARAMETER);
    assert_eq!(number(r#"{"type": "nonsense", "fields": ["a"]}"#), error_number::BAD_PARAMETER);
    assert_eq!(number(r#"{"type": "primary", "fields": ["a"]}"#), error_number::FORBIDDEN);
    assert_eq!(number(r#"{"type": "edge", "fields": ["a"]}"#), error_number::FORBIDDEN);
    assert_eq!(number(r#"{"type": "inverted", "fields": ["a"]}"#), error_number::NOT_IMPLEMENTED);
    assert_eq!(
        number(r#"{"type": "persistent", "fields": ["a[*].b[*]"]}"#),
        error_number::ATTRIBUTE_PARSER_FAILED
    );
    for fields in [r#"[]"#, r#""a""#, "[1]", r#"["a", "a"]"#, r#"["_id"]"#, r#"["a._id"]"#, r#"["_id.a"]"#] {
        let body = format!(r#"{{"type": "persistent", "fields": {fields}}}"#);
        assert_eq!(number(&body), error_number::BAD_PARAMETER, "{fields}");
    }
    for stored in [r#"["a"]"#, r#"["b", "b"]"#, r#"["b[*]"]"#, r#"{}"#] {
        let body = format!(r#"{{"type": "persistent", "fields": ["a"], "storedValues": {stored}}}"#);
        assert_eq!(number(&body), error_number::BAD_PARAMETER, "{stored}");
    }
    let many: Vec<String> = (0..=STORED_VALUES_MAX).map(|n| format!("x{n}")).collect();
    let body = json!({"type": "persistent", "fields": ["a"], "storedValues": many}).to_string();
    assert_eq!(number(&body), error_number::BAD_PARAMETER);
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
