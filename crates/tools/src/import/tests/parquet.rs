//! Tests: rows of Parquet become lines, and files that are not valid are refused.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::super::parquet::open;
use crate::{Console, Failure, Progress, Unit};

const SCHEMA: &str = "message rows {
    required binary name (STRING);
    optional double x;
    optional int32 day (DATE);
    optional int64 at (TIMESTAMP(MILLIS, true));
    optional int32 price (DECIMAL(9, 2));
    optional group tags (LIST) { repeated group list { optional int64 element; } }
}";

const LINES: &str = concat!(
    r#"{"name":"\"a\"","x":1.5,"day":"1970-01-02","at":"1970-01-01T00:00:01.234Z","price":-12.34,"tags":[1,null,3]}"#,
    "\n",
    r#"{"name":"b","tags":[]}"#,
    "\n",
);

/// Writes the next column: its values that are not null, and the levels of all.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    definitions: Option<&[i16]>,
    repetitions: Option<&[i16]>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, definitions, repetitions).unwrap();
    column.close().unwrap();
}

fn write(path: &Path, compression: Compression) {
    let properties = WriterProperties::builder().set_compression(compression).build();
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    column::<ByteArrayType>(&mut group, &[ByteArray::from("\"a\""), ByteArray::from("b")], None, None);
    column::<DoubleType>(&mut group, &[1.5, f64::NAN], Some(&[1, 1]), None);
    column::<Int32Type>(&mut group, &[1], Some(&[1, 0]), None);
    column::<Int64Type>(&mut group, &[1_234], Some(&[1, 0]), None);
    column::<Int32Type>(&mut group, &[-1_234], Some(&[1, 0]), None);
    column::<Int64Type>(&mut group, &[1, 3], Some(&[3, 2, 3, 1]), Some(&[0, 1, 1, 0]));
    group.close().unwrap();
    writer.close().unwrap();
}

fn lines(path: &str) -> Result<String, Failure> {
    let progress = Arc::new(Progress::new(&Console::plain(), false, "import", Unit::Bytes, None));
    let mut text = String::new();
    open(path, &progress)?.read_to_string(&mut text).map_err(|error| Failure::new(error.to_string()))?;
    Ok(text)
}

#[test]
fn rows_become_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    for compression in
        [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())]
    {
        write(&path, compression);
        assert_eq!(lines(path.to_str().unwrap()).unwrap(), LINES, "{compression:?}");
    }
}

#[test]
fn a_column_without_a_form_in_json_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let schema = Arc::new(parse_message_type("message rows { required binary raw; }").unwrap());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    column::<ByteArrayType>(&mut group, &[ByteArray::from(vec![0xff])], None, None);
    group.close().unwrap();
    writer.close().unwrap();
    let failure = lines(path.to_str().unwrap()).unwrap_err();
    assert!(failure.text().contains("the column 'raw' has bytes"), "{}", failure.text());
}

#[test]
fn what_is_no_parquet_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    write(&path, Compression::SNAPPY);
    let whole = std::fs::read(&path).unwrap();
    let text = path.to_str().unwrap();
    assert!(lines("-").unwrap_err().text().contains("must be a file"));
    assert!(lines(&format!("{text}.missing")).unwrap_err().text().contains("cannot be read"));
    for length in [0, 3, 12, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(lines(text).is_err(), "{length} bytes");
    }
}
