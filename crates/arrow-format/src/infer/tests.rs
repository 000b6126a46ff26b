use velocypack::{Builder, Limits, json};

use super::*;

fn inferred(rows: &[&str], json_columns: &[&str]) -> Result<RowSchema> {
    let mut inference = Inference::new(json_columns.iter().map(|&name| name.to_owned()));
    for row in rows {
        let mut builder = Builder::new();
        json::parse(row.as_bytes(), &Limits::default(), &mut builder).unwrap();
        inference.observe(builder.as_slice());
    }
    inference.finish()
}

fn columns(rows: &[&str]) -> String {
    ColumnType::Struct(inferred(rows, &[]).unwrap().columns).to_string()
}

#[test]
fn types_of_json_become_types_of_columns() {
    assert_eq!(
        columns(&[r#"{"a":null,"b":true,"c":1,"d":1.5,"e":"x","f":[1],"g":{"h":[{"i":1}]}}"#]),
        "struct<a:json,b:bool,c:int64,d:float64,e:utf8,f:list<int64>,g:struct<h:list<struct<i:int64>>>>"
    );
    assert_eq!(columns(&[r#"{"a":[],"b":{}}"#]), "struct<a:list<json>,b:json>");
    assert_eq!(columns(&[]), "struct<>");
}

#[test]
fn types_of_all_rows_are_joined() {
    assert_eq!(columns(&[r#"{"a":1}"#, r#"{"b":"x"}"#, r#"{"a":2.5}"#]), "struct<a:float64,b:utf8>");
    assert_eq!(columns(&[r#"{"a":1}"#, r#"{"a":"x"}"#]), "struct<a:json>");
    assert_eq!(columns(&[r#"{"a":[1]}"#, r#"{"a":[null,"x"]}"#]), "struct<a:list<json>>");
    assert_eq!(columns(&[r#"{"a":{"b":1}}"#, r#"{"a":{"c":1}}"#]), "struct<a:struct<b:int64,c:int64>>");
}

#[test]
fn no_digit_is_lost() {
    assert_eq!(columns(&[r#"{"a":9007199254740993}"#, r#"{"a":0.5}"#]), "struct<a:json>");
    assert_eq!(columns(&[r#"{"a":0.5}"#, r#"{"a":9007199254740993}"#]), "struct<a:json>");
    assert_eq!(columns(&[r#"{"a":18446744073709551615}"#]), "struct<a:json>");
}

#[test]
fn rows_that_are_not_objects_are_one_column() {
    assert_eq!(columns(&["1", "2"]), "struct<value:int64>");
    assert_eq!(columns(&["null"]), "struct<value:json>");
    assert_eq!(columns(&["null", r#"{"a":1}"#]), "struct<value:struct<a:int64>>");
    assert_eq!(columns(&["1", r#"{"a":1}"#]), "struct<value:json>");
    assert_eq!(columns(&[r#"{"a":1}"#, "1"]), "struct<value:json>");
}

#[test]
fn columns_become_json_text_on_request() {
    let schema = inferred(&[r#"{"a":1,"b":{"a":1}}"#], &["a"]).unwrap();
    assert_eq!(ColumnType::Struct(schema.columns).to_string(), "struct<a:json,b:struct<a:int64>>");
}

#[test]
fn the_schema_is_bounded() {
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(20), "]".repeat(20));
    assert_eq!(columns(&[&deep]), format!("struct<a:{}json{}>", "list<".repeat(8), ">".repeat(8)));
    let wide: Vec<String> = (0..=MAX_COLUMNS).map(|place| format!(r#""c{place}":1"#)).collect();
    let wide = format!("{{{}}}", wide.join(","));
    assert!(
        inferred(&[&wide], &[])
            .unwrap_err()
            .message()
            .contains("more than 10000 attributes, those in objects")
    );
    assert_eq!(columns(&[&format!(r#"{{"a":{wide}}}"#)]), "struct<a:json>");
}
