//! Types of Arrow that rows never become are read as documents.

use std::sync::Arc;

use arrow_array::builder::{MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int8Array,
    Int64Array, LargeStringArray, RecordBatch, StringViewArray, Time32SecondArray, TimestampMicrosecondArray,
    UInt64Array,
};
use arrow_format::RowReader;
use errors::Result;
use velocypack::json;

fn document(column: impl arrow_array::Array + 'static) -> Result<String> {
    let batch = RecordBatch::try_from_iter([("a", Arc::new(column) as ArrayRef)]).unwrap();
    let mut reader = RowReader::new(&batch)?;
    Ok(json::to_json_string(reader.next_document()?.unwrap(), None))
}

#[test]
fn each_type_has_a_value() {
    let column = |value: &str| format!(r#"{{"a":{value}}}"#);
    assert_eq!(document(Int8Array::from(vec![-1])).unwrap(), column("-1"));
    assert_eq!(document(UInt64Array::from(vec![u64::MAX])).unwrap(), column("18446744073709551615"));
    assert_eq!(document(LargeStringArray::from(vec!["x"])).unwrap(), column("\"x\""));
    assert_eq!(document(StringViewArray::from(vec!["x"])).unwrap(), column("\"x\""));
    assert_eq!(document(Date32Array::from(vec![19_675])).unwrap(), column("\"2023-11-14\""));
    assert_eq!(document(Time32SecondArray::from(vec![61])).unwrap(), column("\"00:01:01.000\""));
    let moment = TimestampMicrosecondArray::from(vec![1_700_000_000_123_456]).with_timezone("Asia/Tokyo");
    assert_eq!(document(moment).unwrap(), column("\"2023-11-14T22:13:20.123Z\""));
    let decimal = Decimal128Array::from(vec![-12_345]).with_precision_and_scale(10, 2).unwrap();
    assert_eq!(document(decimal).unwrap(), column("-123.45"));
    let dictionary: DictionaryArray<Int32Type> = vec![Some("x"), None].into_iter().collect();
    assert_eq!(document(dictionary).unwrap(), column("\"x\""));
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    map.keys().append_value("k");
    map.values().append_value("v");
    map.append(true).unwrap();
    assert_eq!(document(map.finish()).unwrap(), column(r#"{"k":"v"}"#));
}

#[test]
fn values_that_json_lacks_are_left_out_or_refused() {
    assert_eq!(document(Float64Array::from(vec![f64::NAN])).unwrap(), "{}");
    assert_eq!(document(Int64Array::from(vec![None])).unwrap(), "{}");
    let error = document(BinaryArray::from(vec![b"x".as_slice()])).unwrap_err();
    assert!(
        error.message().contains("column `a` of the Arrow data has the type Binary"),
        "{}",
        error.message()
    );
    let error = document(TimestampMicrosecondArray::from(vec![i64::MAX])).unwrap_err();
    assert!(
        error.message().contains("row 1 of the batch: column `a`: a date or time"),
        "{}",
        error.message()
    );
}

#[test]
fn two_columns_of_one_name_are_refused() {
    let column: ArrayRef = Arc::new(Int8Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("a", Arc::clone(&column)), ("a", column)]).unwrap();
    let mut reader = RowReader::new(&batch).unwrap();
    assert!(reader.next_document().unwrap_err().message().contains("duplicate attribute name 'a'"));
}
