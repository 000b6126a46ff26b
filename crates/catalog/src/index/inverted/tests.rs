use errors::{Error, ErrorCode, Result};
use serde_json::{Value, json};
use velocypack::Slice;

use crate::index::{IndexDefinition, IndexProperties, TypeOptions};
use crate::testing::{printed, value};
use crate::{IndexId, ObjectId};

fn parse(definition: &Value) -> Result<IndexProperties> {
    let mut properties = IndexProperties::parse(Slice::new(&value(&definition.to_string())))?;
    properties.find_analyzers(&|name| match name {
        "own" => {
            let text = r#"{"type":"norm","properties":{"locale":"en"},"features":["frequency","norm"]}"#;
            analyzers::Definition::parse("shop::own", Slice::new(&value(text)))
        }
        _ => Err(Error::bad_parameter("no such analyzer")),
    })?;
    Ok(properties)
}

fn print(properties: &IndexProperties) -> Value {
    let definition = IndexDefinition::new(IndexId(9), ObjectId(9), properties.clone());
    printed(|builder| definition.print(builder, "c", None))
}

#[test]
fn defaults_are_printed_as_documented() {
    let properties =
        parse(&json!({"type": "inverted", "fields": ["a", {"name": "b", "analyzer": "text_en"}]}));
    let expected = json!({
        "analyzer": "identity", "cleanupIntervalStep": 2, "commitIntervalMsec": 1000,
        "consolidationIntervalMsec": 5000,
        "consolidationPolicy": {
            "type": "tier", "segmentsBytesMax": 8_589_934_592_u64, "maxSkewThreshold": 0.4,
            "minDeletionRatio": 0.5,
        },
        "features": ["frequency", "norm"],
        "fields": [
            {"name": "a"},
            {"name": "b", "analyzer": "text_en", "features": ["frequency", "position", "norm"]},
        ],
        "id": "c/9", "includeAllFields": false, "name": "idx_9", "optimizeTopK": [],
        "primarySort": {"fields": [], "compression": "lz4"}, "searchField": false, "sparse": true,
        "storedValues": [], "trackListPositions": false, "type": "inverted", "unique": false, "version": 1,
        "writebufferActive": 0, "writebufferIdle": 64, "writebufferSizeMax": 33_554_432,
    });
    assert_eq!(print(&properties.unwrap()), expected);
}

#[test]
fn every_property_is_kept() {
    let definition = json!({
        "type": "inverted", "name": "all", "analyzer": "own", "features": ["frequency", "position"],
        "fields": [
            {"name": "a", "features": ["frequency"], "trackListPositions": false, "cache": false},
            {"name": "b.c", "analyzer": "text_de", "features": [], "includeAllFields": false},
            {"name": "d[*].e", "searchField": false},
            {"name": "f", "nested": [
                {"name": "g", "nested": [{"name": "h", "analyzer": "own", "features": ["frequency", "norm"]}]},
            ]},
        ],
        "searchField": true, "trackListPositions": true, "includeAllFields": true, "cache": true,
        "primarySort": {"fields": [{"field": "x", "asc": false}], "compression": "none", "cache": true},
        "primaryKeyCache": true,
        "storedValues": [{"fields": ["y", "z.w"], "compression": "none", "cache": true}],
        "optimizeTopK": ["BM25(@doc) DESC"],
        "cleanupIntervalStep": 1, "commitIntervalMsec": 2, "consolidationIntervalMsec": 3,
        "consolidationPolicy": {
            "type": "tier", "segmentsBytesMax": 4, "maxSkewThreshold": 0.25, "minDeletionRatio": 0.75,
            "segmentsBytesFloor": 2, "segmentsMax": 200, "segmentsMin": 50, "minScore": 0.5,
        },
        "writebufferActive": 5, "writebufferIdle": 6, "writebufferSizeMax": 7,
    });
    let properties = parse(&definition).unwrap();
    let printed = print(&properties);
    for (name, value) in definition.as_object().unwrap() {
        assert_eq!(&printed[name], value, "{name}");
    }
    let again = IndexProperties { id: None, ..parse(&printed).unwrap() };
    assert_eq!(again, properties);
}

#[test]
fn a_record_keeps_the_analyzers() {
    let properties =
        parse(&json!({"type": "inverted", "fields": [{"name": "a", "analyzer": "own"}]})).unwrap();
    let definition = IndexDefinition::new(IndexId(9), ObjectId(9), properties.clone());
    let record = printed(|builder| {
        crate::properties::Printer::print(builder, |printer| definition.print_record(printer))
    });
    let bytes = value(&record.to_string());
    let read =
        IndexDefinition::read_record(crate::properties::Properties::of(Slice::new(&bytes), "").unwrap());
    let read = read.unwrap();
    assert_eq!(read.properties.options, definition.properties.options);
    assert_eq!((read.id, read.name), (definition.id, definition.name));
    assert!(properties.analyzers().unwrap().uses("shop::own"));
    assert!(!properties.analyzers().unwrap().uses("shop::other"));
    // A client cannot bring its own definitions.
    let TypeOptions::Inverted(options) = IndexProperties::parse(Slice::new(&bytes)).unwrap().options else {
        panic!()
    };
    assert!(options.analyzers.get("own").is_none());
}

#[test]
fn the_same_definition_is_recognized() {
    let index =
        |definition: &Value| IndexDefinition::new(IndexId(9), ObjectId(9), parse(definition).unwrap());
    let own = index(&json!({"type": "inverted", "fields": ["a", {"name": "b", "analyzer": "text_en"}]}));
    let is_same = |definition: Value| own.is_same_as(&parse(&definition).unwrap());
    assert!(is_same(json!({"type": "inverted", "name": "other", "commitIntervalMsec": 7, "fields": [
        {"name": "a", "features": ["frequency", "norm"], "searchField": false},
        {"name": "b", "analyzer": "text_en"}]})));
    assert!(!is_same(json!({"type": "inverted", "fields": ["a", "b"]})));
    assert!(!is_same(json!({"type": "inverted", "fields": ["a", {"name": "b", "analyzer": "text_en"}],
        "storedValues": ["c"]})));
}

#[test]
fn all_fields_need_no_list() {
    let properties = parse(&json!({"type": "inverted", "includeAllFields": true})).unwrap();
    assert!(properties.fields.is_empty());
}

#[test]
fn wrong_definitions_are_refused() {
    let code = |definition: &Value| parse(definition).unwrap_err().code();
    for wrong in [
        json!({}),
        json!({"fields": []}),
        json!({"fields": [1]}),
        json!({"fields": [{"analyzer": "identity"}]}),
        json!({"fields": ["a", "a"]}),
        json!({"fields": ["a", "a[*]"]}),
        json!({"fields": ["a", {"name": "a"}]}),
        json!({"fields": ["a._id"]}),
        json!({"fields": [{"name": "a", "nested": ["_id"]}]}),
        json!({"fields": ["a[*]"], "searchField": true}),
        json!({"fields": [{"name": "a[*]", "searchField": true}]}),
        json!({"fields": [{"name": "a", "nested": [{"name": "b[*]"}]}]}),
        json!({"fields": [{"name": "a", "nested": ["b", "b"]}]}),
        json!({"fields": ["a"], "unique": true}),
        json!({"fields": ["a"], "analyzer": 1}),
        json!({"fields": ["a"], "analyzer": "missing"}),
        json!({"fields": [{"name": "a", "analyzer": "missing"}]}),
        json!({"fields": ["a"], "features": ["other"]}),
        json!({"fields": [{"name": "a", "features": ["position"]}]}),
        json!({"fields": ["a"], "includeAllFields": 1}),
        json!({"fields": ["a"], "primarySort": []}),
        json!({"fields": ["a"], "primarySort": {"fields": [{"field": "a"}]}}),
        json!({"fields": ["a"], "storedValues": [[]]}),
        json!({"fields": ["a"], "optimizeTopK": ["RAND() DESC"]}),
        json!({"fields": ["a"], "commitIntervalMsec": -1}),
        json!({"fields": ["a"], "parallelism": "x"}),
    ] {
        let mut definition = wrong.clone();
        definition["type"] = json!("inverted");
        assert_eq!(code(&definition), ErrorCode::BadParameter, "{wrong}");
    }
    assert_eq!(code(&json!({"type": "inverted", "fields": ["a[*].b[*]"]})), ErrorCode::AttributeParserFailed);
    let many: Vec<String> = (0..=super::INVERTED_FIELDS_MAX).map(|n| format!("x{n}")).collect();
    assert_eq!(code(&json!({"type": "inverted", "fields": many})), ErrorCode::BadParameter);
    assert_eq!(code(&json!({"type": "arangosearch", "fields": ["a"]})), ErrorCode::Forbidden);
}
