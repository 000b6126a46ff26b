use serde_json::json;

use super::*;
use crate::testing::{printed, value};

fn parse(json: &str) -> Result<CollectionProperties> {
    CollectionProperties::parse(Slice::new(&value(json)), false)
}

fn code(json: &str) -> ErrorCode {
    parse(json).unwrap_err().code()
}

#[test]
fn defaults_are_those_of_the_documentation() {
    let properties = parse(r#"{"name": "products"}"#).unwrap();
    assert_eq!(properties, CollectionProperties::new("products", CollectionType::Document));
    assert!(properties.key_options.allow_user_keys);
    assert!(!properties.is_system && !properties.wait_for_sync && !properties.cache_enabled);
}

#[test]
fn the_full_form_has_what_a_client_finds() {
    let definition = CollectionDefinition {
        id: CollectionId(12),
        object_id: ObjectId(13),
        globally_unique_id: "hAB/12".to_owned(),
        properties: parse(r#"{"name": "p", "keyOptions": {"type": "autoincrement", "offset": 7}}"#).unwrap(),
        indexes: Vec::new(),
    };
    let expected = json!({
        "id": "12", "name": "p", "type": 2, "status": 3, "isSystem": false, "globallyUniqueId": "hAB/12",
        "statusString": "loaded", "waitForSync": false, "writeConcern": 1, "cacheEnabled": false,
        "keyOptions": {"type": "autoincrement", "allowUserKeys": true, "offset": 7, "increment": 1, "lastValue": 42},
        "schema": null, "computedValues": null, "syncByRevision": true, "usesRevisionsAsDocumentIds": true,
        "isSmartChild": false, "internalValidatorType": 0, "objectId": "13",
    });
    assert_eq!(printed(|builder| definition.print_full(builder, 42)), expected);
    let short = printed(|builder| definition.print_short(builder));
    let expected = json!({"id": "12", "name": "p", "type": 2, "status": 3, "isSystem": false, "globallyUniqueId": "hAB/12"});
    assert_eq!(short, expected);
}

#[test]
fn wrong_properties_have_arangodbs_numbers() {
    assert_eq!(code("{}"), ErrorCode::IllegalName);
    assert_eq!(code(r#"{"name": 1}"#), ErrorCode::IllegalName);
    assert_eq!(code("[]"), ErrorCode::BadParameter);
    assert_eq!(code(r#"{"name": "a", "type": 4}"#), ErrorCode::CollectionTypeInvalid);
    assert_eq!(code(r#"{"name": "a", "waitForSync": "yes"}"#), ErrorCode::BadParameter);
    assert_eq!(code(r#"{"name": "a", "keyOptions": {"type": "x"}}"#), ErrorCode::InvalidKeyGenerator);
    for options in [
        r#"{"type": "autoincrement", "increment": 0}"#,
        r#"{"type": "autoincrement", "increment": 65537}"#,
        r#"{"type": "uuid", "offset": 5}"#,
    ] {
        let body = format!(r#"{{"name": "a", "keyOptions": {options}}}"#);
        assert_eq!(code(&body), ErrorCode::InvalidKeyGenerator, "{options}");
    }
    for schema in [r#"{"rule": 1}"#, r#"{"rule": {}, "level": "x"}"#, "1", r#"{"rule": {}, "type": "xml"}"#] {
        let body = format!(r#"{{"name": "a", "schema": {schema}}}"#);
        assert_eq!(code(&body), ErrorCode::ValidationBadParameter, "{schema}");
    }
    for computed in [
        r#"[{"name": "_key", "expression": "RETURN 1", "overwrite": true}]"#,
        r#"[{"name": "a", "expression": "RETURN 1"}]"#,
        r#"[{"name": "a", "overwrite": true}]"#,
        r#"[{"name": "a", "expression": "RETURN 1", "overwrite": true, "computeOn": []}]"#,
        r#"[{"name": "a", "expression": "RETURN 1", "overwrite": true, "computeOn": ["remove"]}]"#,
        "{}",
    ] {
        let body = format!(r#"{{"name": "a", "computedValues": {computed}}}"#);
        assert_eq!(code(&body), ErrorCode::BadParameter, "{computed}");
    }
}

#[test]
fn old_and_unknown_properties_are_ignored() {
    let dump = r#"{"cid":"965","count":7313,"deleted":false,"doCompact":true,"indexBuckets":8,"isSystem":false,
        "isVolatile":false,"maximalSize":33554432,"name":"Provides","type":3,"version":5,"waitForSync":false,
        "replicationFactor":"satellite","minReplicationFactor":1,"shardKeys":["_key"],"numberOfShards":1}"#;
    assert_eq!(parse(dump).unwrap(), CollectionProperties::new("Provides", CollectionType::Edge));
}

#[test]
fn only_names_with_an_underscore_are_system_names() {
    assert!(parse(r#"{"name": "_mine", "isSystem": true}"#).unwrap().is_system);
    assert!(!parse(r#"{"name": "mine", "isSystem": true}"#).unwrap().is_system);
    let unmarked = parse(r#"{"name": "_mine"}"#).unwrap();
    assert_eq!(unmarked.check_name(NamingRules::Traditional).unwrap_err().code(), ErrorCode::IllegalName);
}

#[test]
fn changes_touch_only_what_they_name() {
    let before = parse(
        r#"{"name": "a", "waitForSync": true, "schema": {"rule": {"type": "object"}},
            "computedValues": [{"name": "b", "expression": "RETURN 1", "overwrite": true}]}"#,
    )
    .unwrap();
    let change =
        |json: &str| before.clone().with(CollectionChanges::parse(Slice::new(&value(json))).unwrap());
    assert_eq!(change("{}"), before);
    assert_eq!(change(r#"{"name": "other", "type": 3}"#), before);
    let changed = change(r#"{"waitForSync": false, "schema": null, "computedValues": []}"#);
    assert_eq!(changed, CollectionProperties::new("a", CollectionType::Document));
}

#[test]
fn properties_of_clusters_have_their_types() {
    let check = |json: &str| check_cluster_properties(Slice::new(&value(json)));
    for right in [
        "{}",
        r#"{"numberOfShards": 3, "replicationFactor": 2, "shardKeys": ["a", "b"], "shardingStrategy": "hash"}"#,
        r#"{"replicationFactor": "satellite", "shardKeys": [], "distributeShardsLike": null, "isSmart": false}"#,
    ] {
        check(right).unwrap();
    }
    for wrong in [
        r#"{"numberOfShards": -3}"#,
        r#"{"numberOfShards": "x"}"#,
        r#"{"shardKeys": 0}"#,
        r#"{"shardKeys": [1]}"#,
        r#"{"shardKeys": ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}"#,
        r#"{"replicationFactor": "two"}"#,
        r#"{"distributeShardsLike": 4}"#,
        r#"{"isSmart": 1}"#,
    ] {
        assert_eq!(check(wrong).unwrap_err().number(), 10, "{wrong}");
    }
}
