//! Rows become a stream, and the stream the same rows.

use arrow_format::RowSchema;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::{array, documents, schema_of, stream};

fn round_trip(rows: &str) -> Vec<String> {
    let rows = array(rows);
    documents(stream(schema_of(&rows, &[]), &[&rows]).unwrap()).unwrap()
}

#[test]
fn values_of_all_types_come_back() {
    let rows =
        r#"{"a":true,"b":-9223372036854775808,"c":0.1,"d":"é\n","e":[[1],[],[null,2]],"f":{"g":{"h":[]}}}"#;
    assert_eq!(round_trip(&format!("[{rows},{rows}]")), [rows, rows]);
}

#[test]
fn values_of_mixed_types_come_back() {
    let rows = [r#"{"a":1,"b":[1,"x",{"c":{}}]}"#, r#"{"a":"1","b":18446744073709551615}"#];
    assert_eq!(round_trip(&format!("[{}]", rows.join(","))), rows);
}

#[test]
fn missing_attributes_and_nulls_are_left_out() {
    assert_eq!(round_trip(r#"[{"a":1,"b":null},{"b":{"c":null}},{}]"#), [r#"{"a":1}"#, r#"{"b":{}}"#, "{}"]);
}

#[test]
fn rows_that_are_no_objects_are_a_column() {
    assert_eq!(round_trip("[1,null,3]"), [r#"{"value":1}"#, "{}", r#"{"value":3}"#]);
    assert_eq!(round_trip("[]"), [""; 0]);
}

#[test]
fn a_named_schema_selects_columns() {
    let rows = array(r#"[{"a":1,"b":2,"c":{"d":1,"e":2}},{"a":2.0,"c":{}}]"#);
    let schema = RowSchema::parse("c:struct<e:json>,a:float64").unwrap();
    let documents = documents(stream(schema, &[&rows]).unwrap()).unwrap();
    assert_eq!(documents, [r#"{"c":{"e":2},"a":1}"#, r#"{"c":{},"a":2}"#]);
    let schema = RowSchema::parse("value:int64").unwrap();
    assert_eq!(crate::documents(stream(schema, &[&array("[5]")]).unwrap()).unwrap(), [r#"{"value":5}"#]);
}

#[test]
fn a_later_row_that_does_not_fit_is_named() {
    let first = array(r#"[{"a":1,"b":{"c":1}},{"a":2}]"#);
    for (row, part) in [
        (r#"[{"a":"x"}]"#, "row 3 does not fit the Arrow schema: `a` is a value of type string"),
        (r#"[{"a":1.5}]"#, "`a` is a value of type double, which does not fit int64"),
        (r#"[{"b":{"d":1}}]"#, "`b.d` has no column"),
        ("[7]", "is a value of type int, which does not fit struct"),
    ] {
        let error = stream(schema_of(&first, &[]), &[&first, &array(row)]).unwrap_err();
        assert!(error.message().contains(part), "{row}: {}", error.message());
    }
    let json = schema_of(&first, &["a"]);
    assert_eq!(
        documents(stream(json, &[&first, &array(r#"[{"a":"x","z":null}]"#)]).unwrap()).unwrap().len(),
        3
    );
}

#[test]
fn short_rows_of_many_columns_come_in_small_batches() {
    let names: Vec<String> = (0..2_000).map(|place| format!("c{place}:int64")).collect();
    let schema = RowSchema::parse(&names.join(",")).unwrap();
    let rows = array(&format!("[{}{{}}]", "{},".repeat(1_000)));
    let mut encoder = arrow_format::StreamEncoder::new(schema.clone()).unwrap();
    assert_eq!(encoder.write(velocypack::Slice::new(&rows), 0).unwrap(), (1 << 20) / 2_000);
    assert!(encoder.batch_memory_bytes(velocypack::Slice::new(&rows)) < 20 << 20);
    assert_eq!(documents(stream(schema, &[&rows]).unwrap()).unwrap().len(), 1_001);
}

/// Returns random JSON values as text.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        (-1_000..1_000).prop_map(|value: i32| value.to_string()),
        (-1e9..1e9).prop_map(|value: f64| format!("{value:?}")),
        "[a-z\u{e9}]{0,3}".prop_map(|value| format!("\"{value}\"")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            object(inner),
        ]
    })
}

fn object(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    vec((prop::sample::select(vec!["a", "b", "c"]), inner), 0..3).prop_map(|mut members| {
        members.sort_by_key(|(name, _)| *name);
        members.dedup_by_key(|(name, _)| *name);
        let members: Vec<String> =
            members.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

/// Returns a value without the attributes that are null.
fn without_nulls(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), without_nulls(value)))
                .collect(),
        ),
        Value::Array(values) => Value::Array(values.iter().map(without_nulls).collect()),
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_rows_come_back(rows in vec(object(value()), 0..8)) {
        let json = format!("[{}]", rows.join(","));
        let returned = round_trip(&json);
        prop_assert_eq!(returned.len(), rows.len());
        for (row, returned) in rows.iter().zip(&returned) {
            let parse = |text: &str| without_nulls(&serde_json::from_str(text).unwrap());
            prop_assert_eq!(parse(row), parse(returned));
        }
    }
}
