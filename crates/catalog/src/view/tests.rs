use errors::ErrorCode;
use serde_json::json;

use super::*;
use crate::testing::{printed, value};
use crate::{CollectionId, IndexId, Record};

fn definition(text: &str) -> ViewDefinition {
    let view = NewView::parse(Slice::new(&value(text))).unwrap();
    let properties = match view.content {
        NewViewContent::ArangoSearch(properties) => ViewProperties::ArangoSearch(properties),
        NewViewContent::SearchAlias(_) => ViewProperties::SearchAlias(Vec::new()),
    };
    ViewDefinition { id: ViewId(7), globally_unique_id: "h1/7".to_owned(), name: view.name, properties }
}

#[test]
fn a_view_has_documented_defaults() {
    let view = definition(r#"{"name": "v", "type": "arangosearch"}"#);
    assert_eq!(
        printed(|builder| view.print_properties(builder)),
        json!({
            "globallyUniqueId": "h1/7", "id": "7", "name": "v", "type": "arangosearch",
            "cleanupIntervalStep": 2, "commitIntervalMsec": 1000, "consolidationIntervalMsec": 5000,
            "consolidationPolicy": {
                "type": "tier", "segmentsBytesMax": 8_589_934_592_u64,
                "maxSkewThreshold": 0.4, "minDeletionRatio": 0.5,
            },
            "optimizeTopK": [], "primarySort": [], "primarySortCompression": "lz4", "storedValues": [],
            "writebufferActive": 0, "writebufferIdle": 64, "writebufferSizeMax": 33_554_432,
        })
    );
}

#[test]
fn every_property_is_kept_and_printed() {
    let view = definition(
        r#"{"name": "v", "type": "arangosearch", "cleanupIntervalStep": 3, "commitIntervalMsec": 0,
            "consolidationIntervalMsec": 7, "consolidationPolicy": {"type": "bytes_accum", "threshold": 0.2},
            "primarySort": [{"field": "a.b", "direction": "DESC"}, {"field": "c", "asc": true}],
            "primarySortCompression": "none", "primarySortCache": true, "primaryKeyCache": true,
            "storedValues": ["x", ["y", "z"], {"fields": ["w"], "compression": "none", "cache": true}],
            "optimizeTopK": ["BM25(@doc) DESC"],
            "writebufferActive": 4, "writebufferIdle": 5, "writebufferSizeMax": 6}"#,
    );
    let all = json!({
        "globallyUniqueId": "h1/7", "id": "7", "name": "v", "type": "arangosearch",
        "cleanupIntervalStep": 3, "commitIntervalMsec": 0, "consolidationIntervalMsec": 7,
        "consolidationPolicy": {"type": "bytes_accum", "threshold": 0.2},
        "optimizeTopK": ["BM25(@doc) DESC"],
        "primarySort": [{"field": "a.b", "asc": false}, {"field": "c", "asc": true}],
        "primarySortCompression": "none", "primarySortCache": true, "primaryKeyCache": true,
        "storedValues": [
            {"fields": ["x"], "compression": "lz4"},
            {"fields": ["y", "z"], "compression": "lz4"},
            {"fields": ["w"], "compression": "none", "cache": true},
        ],
        "writebufferActive": 4, "writebufferIdle": 5, "writebufferSizeMax": 6,
    });
    assert_eq!(printed(|builder| view.print_properties(builder)), all);
    let stored = ViewDefinition::from_record(&view.to_record().unwrap()).unwrap();
    assert_eq!(stored, view);
    // A client can send again what it has read.
    let again = definition(&all.to_string());
    assert_eq!(again, view);
}

#[test]
fn changes_keep_what_is_immutable() {
    let view = definition(
        r#"{"name": "v", "type": "arangosearch", "storedValues": ["a"], "commitIntervalMsec": 5}"#,
    );
    let properties = view.arangosearch().unwrap();
    let change = value(r#"{"consolidationIntervalMsec": 9, "storedValues": ["b"], "primarySort": []}"#);
    let partial = properties.changed(Slice::new(&change), true).unwrap();
    assert_eq!(partial.stored_values, properties.stored_values);
    assert_eq!(
        (partial.maintenance.commit_interval_ms, partial.maintenance.consolidation_interval_ms),
        (5, 9)
    );
    let whole = properties.changed(Slice::new(&change), false).unwrap();
    assert_eq!(whole.stored_values, properties.stored_values);
    assert_eq!(
        (whole.maintenance.commit_interval_ms, whole.maintenance.consolidation_interval_ms),
        (1000, 9)
    );
}

#[test]
fn indexes_of_aliases_are_added_and_removed() {
    let index = |number| AliasIndex { collection: CollectionId(1), index: IndexId(number) };
    let find = |change: &AliasChange| Ok(change.index.parse().ok().map(index));
    let changes = |text: &str| AliasChanges::of_body(Slice::new(&value(text))).unwrap();
    let present = [index(10), index(11)];
    let change = changes(
        r#"{"indexes": [{"collection": "c", "index": "10", "operation": "del"}, {"collection": "c", "index": "11"},
            {"collection": "c", "index": "12", "operation": "add"}]}"#,
    );
    assert_eq!(change.apply(&present, true, find).unwrap(), [index(11), index(12)]);
    assert_eq!(change.apply(&present, false, find).unwrap(), [index(11), index(12)]);
    let none = changes(r#"{"indexes": []}"#);
    assert_eq!(none.apply(&present, true, find).unwrap(), present);
    assert_eq!(none.apply(&present, false, find).unwrap(), []);
    let view = ViewDefinition {
        properties: ViewProperties::SearchAlias(present.to_vec()),
        ..definition(r#"{"name": "v", "type": "search-alias"}"#)
    };
    assert_eq!(ViewDefinition::from_record(&view.to_record().unwrap()).unwrap(), view);
}

#[test]
fn wrong_definitions_are_refused() {
    for text in [
        r#"{"type": "arangosearch"}"#,
        r#"{"name": "v"}"#,
        r#"{"name": "v", "type": "other"}"#,
        r#"{"name": 1, "type": "arangosearch"}"#,
        r#"{"name": "v", "type": "arangosearch", "primarySort": [{"field": "a"}]}"#,
        r#"{"name": "v", "type": "arangosearch", "primarySort": [{"field": "a[*]", "asc": true}]}"#,
        r#"{"name": "v", "type": "arangosearch", "primarySort": [{"direction": "asc"}]}"#,
        r#"{"name": "v", "type": "arangosearch", "primarySortCompression": "zip"}"#,
        r#"{"name": "v", "type": "arangosearch", "storedValues": [[]]}"#,
        r#"{"name": "v", "type": "arangosearch", "storedValues": [{"compression": "lz4"}]}"#,
        r#"{"name": "v", "type": "arangosearch", "storedValues": "a"}"#,
        r#"{"name": "v", "type": "arangosearch", "optimizeTopK": ["RAND() DESC"]}"#,
        r#"{"name": "v", "type": "arangosearch", "commitIntervalMsec": -1}"#,
        r#"{"name": "v", "type": "arangosearch", "consolidationPolicy": {"type": "other"}}"#,
        r#"{"name": "v", "type": "arangosearch", "consolidationPolicy": {"type": "tier", "maxSkewThreshold": 2}}"#,
        r#"{"name": "v", "type": "search-alias", "indexes": [{"collection": "c"}]}"#,
        r#"{"name": "v", "type": "search-alias", "indexes": [{"collection": "c", "index": "i", "operation": "x"}]}"#,
        r#"{"name": "v", "type": "search-alias", "indexes": {}}"#,
    ] {
        let error = NewView::parse(Slice::new(&value(text))).unwrap_err();
        assert_eq!(error.code(), ErrorCode::BadParameter, "{text}");
    }
    for text in [r#"{"links": []}"#, r#"{"links": {"c": 1}}"#] {
        let body = value(text);
        assert_eq!(parse_links(Slice::new(&body)).unwrap_err().code(), ErrorCode::BadParameter, "{text}");
    }
}
