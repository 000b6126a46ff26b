use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_value::{Interrupt, MemoryAccount};
use errors::{ErrorCode, Result};
use velocypack::Slice;

use crate::{DEPTH_MAX, Schema};

fn vpack(json: &str) -> Vec<u8> {
    let limits = velocypack::Limits::default();
    let mut builder = velocypack::Builder::new();
    velocypack::json::parse(json.as_bytes(), &limits, &mut builder).unwrap();
    builder.into_vec()
}

fn compile(schema: &str) -> Result<Schema> {
    Schema::compile(Slice::new(&vpack(schema)), &Interrupt::new())
}

fn judge(schema: &Schema, json: &str) -> Result<bool> {
    let memory = Arc::new(MemoryAccount::unlimited());
    schema.is_valid(Slice::new(&vpack(json)), &["_key", "_id"], &Interrupt::new(), &memory)
}

/// Checks that a schema accepts the first documents and refuses the others.
#[track_caller]
fn accepts(schema: &str, valid: &[&str], invalid: &[&str]) {
    let compiled = compile(schema).unwrap();
    for document in valid {
        assert!(judge(&compiled, document).unwrap(), "{schema} must accept {document}");
    }
    for document in invalid {
        assert!(!judge(&compiled, document).unwrap(), "{schema} must refuse {document}");
    }
}

#[test]
fn types_and_values() {
    accepts(r#"{"type": "integer"}"#, &["1", "-2", "3.0"], &["1.5", r#""1""#, "null"]);
    accepts(r#"{"type": ["number", "null"]}"#, &["1.5", "2", "null"], &["true", "[]", "{}"]);
    accepts(r#"{"type": "object"}"#, &["{}"], &["[]"]);
    accepts(r#"{"enum": [1, "a", {"b": [2]}]}"#, &["1", "1.0", r#""a""#, r#"{"b": [2]}"#], &["2", "{}"]);
    accepts(r#"{"enum": [{"a": 1}]}"#, &[r#"{"_key": "k", "a": 1}"#], &[r#"{"a": 1, "b": null}"#]);
    accepts(r#"{"const": 1}"#, &["1", "2"], &[]);
}

#[test]
fn numbers() {
    accepts(r#"{"minimum": 1, "maximum": 3}"#, &["1", "3", "2.5", r#""x""#], &["0.9", "4"]);
    accepts(r#"{"minimum": 1, "exclusiveMinimum": true}"#, &["1.1"], &["1"]);
    accepts(r#"{"exclusiveMaximum": 3}"#, &["2"], &["3"]);
    accepts(r#"{"multipleOf": 0.01}"#, &["4.02", "0", "0.07"], &["4.025"]);
    accepts(r#"{"multipleOf": 3}"#, &["9", "-3", "9007199254740993"], &["4", "9007199254740994"]);
    accepts(r#"{"multipleOf": 0.5}"#, &["1e308"], &["0.25"]);
}

#[test]
fn texts() {
    accepts(r#"{"minLength": 2, "maxLength": 3}"#, &[r#""äö""#, r#""abc""#, "1"], &[r#""a""#, r#""abcd""#]);
    accepts(r#"{"pattern": "^a+$"}"#, &[r#""aa""#, "5"], &[r#""ab""#]);
    accepts(
        r#"{"format": "date-time"}"#,
        &[r#""2026-02-28T23:59:60.5+01:00""#, r#""2024-02-29t00:00:00z""#],
        &[
            r#""2026-02-29T00:00:00Z""#,
            r#""2026-01-01""#,
            r#""2026-01-01T24:00:00Z""#,
            r#""2026-01-01T00:00:00.Z""#,
        ],
    );
    accepts(
        r#"{"format": "email"}"#,
        &[r#""a.b@c.org""#, r#""a@[127.0.0.1]""#],
        &[r#""a""#, r#"".a@b""#, r#""a@-b""#],
    );
    accepts(r#"{"format": "hostname"}"#, &[r#""db.example""#], &[r#""-a""#, r#""a..b""#, r#""a_b""#]);
    accepts(r#"{"format": "ipv4"}"#, &[r#""1.2.3.4""#], &[r#""1.2.3""#]);
    accepts(r#"{"format": "ipv6"}"#, &[r#""::1""#], &[r#""1.2.3.4""#]);
    accepts(
        r#"{"format": "uri"}"#,
        &[r#""https://a/b?c#d""#, r#""urn:x""#],
        &[r#""//a""#, r#""a b:c""#, r#""x:%zz""#],
    );
    accepts(r#"{"format": "colour"}"#, &[r#""x""#], &[]);
}

#[test]
fn arrays() {
    accepts(
        r#"{"items": {"type": "number"}, "minItems": 1, "maxItems": 2}"#,
        &["[1]", "{}"],
        &["[]", "[1,2,3]", r#"["a"]"#],
    );
    accepts(
        r#"{"items": [{"type": "number"}], "additionalItems": false}"#,
        &["[]", "[1]"],
        &["[1, 2]", r#"["a"]"#],
    );
    accepts(r#"{"items": [{}], "additionalItems": {"type": "null"}}"#, &["[1, null]"], &["[1, 2]"]);
    accepts(r#"{"uniqueItems": true}"#, &["[1, 2, [1]]"], &["[1, 1.0]", r#"[{"a":1,"b":2},{"b":2,"a":1}]"#]);
}

#[test]
fn objects() {
    let schema = r#"{"properties": {"a": {"type": "number"}}, "patternProperties": {"^s_": {"type": "string"}},
        "additionalProperties": false, "required": ["a"], "maxProperties": 2}"#;
    let valid = [r#"{"a": 1}"#, r#"{"_key": 5, "a": 1, "s_b": "x"}"#];
    accepts(
        schema,
        &valid,
        &["{}", r#"{"a": 1, "b": 1}"#, r#"{"a": 1, "s_b": 1}"#, r#"{"a": 1, "s_": "", "s_c": ""}"#],
    );
    accepts(r#"{"required": ["_key"]}"#, &[], &[r#"{"_key": "a"}"#]);
    accepts(
        r#"{"properties": {"o": {"required": ["_key"]}}}"#,
        &[r#"{"o": {"_key": 1}}"#],
        &[r#"{"o": {}}"#],
    );
    accepts(
        r#"{"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}"#,
        &["{}", r#"{"a":1,"b":1}"#, r#"{"c":1,"d":1}"#],
        &[r#"{"a":1}"#, r#"{"c":1}"#],
    );
    accepts(r#"{"minProperties": 1}"#, &[r#"{"a": 1}"#], &[r#"{"_key": "x"}"#]);
}

#[test]
fn combinations() {
    accepts(r#"{"allOf": [{"minimum": 1}, {"maximum": 2}]}"#, &["1"], &["0", "3"]);
    accepts(r#"{"anyOf": [{"minimum": 5}, {"maximum": 2}]}"#, &["1", "6"], &["3"]);
    accepts(r#"{"oneOf": [{"minimum": 1}, {"maximum": 2}]}"#, &["0", "3"], &["1"]);
    accepts(r#"{"not": {"type": "null"}}"#, &["0"], &["null"]);
}

#[test]
fn later_drafts_have_their_keywords_only_by_name() {
    let seven = |rest: &str| format!(r#"{{"$schema": "http://json-schema.org/draft-07/schema#", {rest}}}"#);
    accepts(&seven(r#""const": {"a": 1}"#), &[r#"{"a": 1}"#], &["1"]);
    accepts(&seven(r#""contains": {"const": 1}"#), &["[2, 1]"], &["[]"]);
    accepts(&seven(r#""propertyNames": {"maxLength": 2}"#), &[r#"{"ab": 1}"#], &[r#"{"abc": 1}"#]);
    let branches = r#""if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}"#;
    accepts(&seven(branches), &[r#"{"a":1,"b":1}"#, r#"{"c":1}"#], &[r#"{"a":1}"#, "{}"]);
    accepts(&seven(r#""properties": {"a": false, "b": true}"#), &[r#"{"b": 1}"#], &[r#"{"a": 1}"#]);
}

#[test]
fn references_lead_to_pointers_and_identifiers() {
    let schema = r##"{"definitions": {"a/b": {"type": "number"}, "c": {"id": "#named", "type": "string"}},
        "properties": {"x": {"$ref": "#/definitions/a~1b"}, "y": {"$ref": "#named"}, "z": {"$ref": "#"},
        "w": {"$ref": "#/definitions/a%7E1b"}}, "additionalProperties": false}"##;
    accepts(
        schema,
        &[r#"{"x": 1, "y": "a", "z": {"x": 2}, "w": 1}"#],
        &[r#"{"x": "1"}"#, r#"{"y": 1}"#, r#"{"z": {"q": 1}}"#],
    );
}

#[test]
fn wrong_schemas_are_refused() {
    for schema in [
        "1",
        "true",
        r#"{"type": "nonsense"}"#,
        r#"{"type": []}"#,
        r#"{"properties": 1}"#,
        r#"{"properties": {"a": 1}}"#,
        r#"{"required": [1]}"#,
        r#"{"minLength": -1}"#,
        r#"{"multipleOf": 0}"#,
        r#"{"pattern": "("}"#,
        r#"{"allOf": []}"#,
        r#"{"$ref": "http://example.com/schema"}"#,
        r#"{"$ref": "file:///etc/passwd"}"#,
        r##"{"$ref": "#/definitions/missing"}"##,
        r##"{"$ref": "#"}"##,
        r##"{"anyOf": [{"type": "null"}, {"$ref": "#"}]}"##,
        r#"{"definitions": {"a": {"type": 1}}}"#,
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema"}"#,
    ] {
        assert_eq!(compile(schema).unwrap_err().code(), ErrorCode::ValidationBadParameter, "{schema}");
    }
    let parts: Vec<String> =
        (0..super::NODES_MAX).map(|number| format!(r#"{{"minimum": {number}}}"#)).collect();
    let error = compile(&format!(r#"{{"allOf": [{}]}}"#, parts.join(","))).unwrap_err();
    assert!(error.message().contains("more than 10000 parts"), "{error}");
    let long = format!(r#"{{"enum": ["{}"]}}"#, "a".repeat(super::SCHEMA_MAX_BYTES));
    assert!(compile(&long).unwrap_err().message().contains("bytes; at most"));
}

/// A document of nested objects under `a`.
fn nested(levels: usize) -> String {
    format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels))
}

#[test]
fn references_do_not_multiply_the_work() {
    for combination in ["anyOf", "allOf", "oneOf"] {
        // Each level asks twice about the next one.
        let schema = format!(
            r##"{{"definitions": {{"n": {{"{combination}": [
                {{"properties": {{"a": {{"$ref": "#/definitions/n"}}}}, "required": ["b"]}},
                {{"properties": {{"a": {{"$ref": "#/definitions/n"}}}}}}]}}}}, "$ref": "#/definitions/n"}}"##
        );
        let schema = compile(&schema).unwrap();
        let memory = Arc::new(MemoryAccount::new(Some(1 << 20), None));
        let interrupt = Interrupt::with_max_runtime(Duration::from_secs(60));
        schema.is_valid(Slice::new(&vpack(&nested(60))), &[], &interrupt, &memory).unwrap();
    }
}

#[test]
fn endless_work_ends_with_its_owner() {
    let patterns: Vec<String> =
        (0..200).map(|n| format!(r#""(a|b)*c{n}(a|b)*$": {{"minimum": {n}}}"#)).collect();
    let schema =
        compile(&format!(r#"{{"items": {{"patternProperties": {{{}}}}}}}"#, patterns.join(","))).unwrap();
    let row = format!(r#"{{"{}": 1}}"#, "ab".repeat(400));
    let document = vpack(&format!("[{}]", vec![row; 4_000].join(",")));
    let begin = Instant::now();
    let interrupt = Interrupt::with_max_runtime(Duration::from_millis(20));
    let memory = Arc::new(MemoryAccount::unlimited());
    let error = schema.is_valid(Slice::new(&document), &[], &interrupt, &memory).unwrap_err();
    assert_eq!(error.code(), ErrorCode::QueryKilled);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn keywords_over_large_values_check_their_owner() {
    let numbers: Vec<String> = (0..200_000).map(|n| n.to_string()).collect();
    let large = format!("[{}]", numbers.join(","));
    let list = |keyword: String| format!(r#"{{"allOf": [{}]}}"#, vec![keyword; 5_000].join(","));
    for (schema, document) in [
        (list(r#"{"uniqueItems": true}"#.to_owned()), large),
        (list(r#"{"maxLength": 1000000000}"#.to_owned()), format!("\"{}\"", "é".repeat(4_000_000))),
        (format!(r#"{{"enum": [{}]}}"#, vec!["[[0, 1], 2]"; 80_000].join(",")), "[[0, 1], 3]".to_owned()),
    ] {
        let (schema, document) = (compile(&schema).unwrap(), vpack(&document));
        let begin = Instant::now();
        let interrupt = Interrupt::with_max_runtime(Duration::from_millis(1));
        let memory = Arc::new(MemoryAccount::unlimited());
        let judged = schema.is_valid(Slice::new(&document), &[], &interrupt, &memory);
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(1), "{took:?}, {judged:?}");
    }
}

#[test]
fn memory_and_depth_have_bounds() {
    let schema = compile(r##"{"properties": {"a": {"$ref": "#"}}}"##).unwrap();
    let memory = Arc::new(MemoryAccount::new(Some(1_000), None));
    let judge = |levels, memory| {
        schema
            .is_valid(Slice::new(&vpack(&nested(levels))), &[], &Interrupt::new(), memory)
            .map_err(|error| error.code())
    };
    assert_eq!(judge(100, &memory), Err(ErrorCode::ResourceLimit));
    assert_eq!(memory.used_bytes(), 0);
    let memory = Arc::new(MemoryAccount::unlimited());
    assert_eq!(judge(190, &memory), Ok(true));
    // Six schemas ask each other about each level.
    let chain =
        r##"{"allOf": [{"allOf": [{"allOf": [{"allOf": [{"properties": {"a": {"$ref": "#"}}}]}]}]}]}"##;
    let schema = compile(chain).unwrap();
    let document = vpack(&nested(DEPTH_MAX / 6 + 2));
    let error = schema.is_valid(Slice::new(&document), &[], &Interrupt::new(), &memory).unwrap_err();
    assert!(error.message().contains("1000 levels"), "{error}");
}
