//! Parquet, read back by its own library.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};

use super::super::parquet::write;
use super::{Ready, written};
use crate::{Console, Failure, Progress, Unit};

fn exported(path: &Path, fields: &[&str], lines: &[&str]) -> Result<Vec<String>, Failure> {
    let progress = Progress::new(&Console::plain(), false, "", Unit::Bytes, None);
    let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
    write(path, &fields, &mut Ready::new(lines), &progress, &written())?;
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    Ok(rows.map(|row| row.unwrap().to_string()).collect())
}

#[test]
fn columns_have_the_types_of_their_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.parquet");
    let lines = [
        r#"{"_key":"a","int":1,"double":1,"bool":true,"mixed":1,"list":[1,{"x":null}],"big":18446744073709551615}"#,
        r#"{"_key":"ä","int":-9223372036854775808,"double":1.5,"bool":null,"mixed":"1","big":1}"#,
        r#"{"late":"z"}"#,
    ];
    let rows = exported(&path, &[], &lines).unwrap();
    assert_eq!(rows.len(), 3);
    for (row, value) in [
        (0, "_key: \"a\""),
        (1, "_key: \"ä\""),
        (1, "int: -9223372036854775808"),
        (0, "double: 1.0"),
        (0, "bool: true"),
        (1, "bool: null"),
        (0, "mixed: \"1\""),
        (1, "mixed: \"\"1\"\""),
        (0, "list: \"[1,{\"x\":null}]\""),
        (0, "big: 1.8446744073709552E19"),
        (2, "late: \"z\""),
        (2, "_key: null"),
    ] {
        assert!(rows[row].contains(value), "{value}: {}", rows[row]);
    }
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["c.parquet"]);
}

#[test]
fn fields_say_which_columns_and_in_what_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.parquet");
    let rows = exported(&path, &["b", "none", "a"], &[r#"{"a":1,"b":2,"c":3}"#]).unwrap();
    assert_eq!(rows, ["{b: 2, none: null, a: 1}"]);
    assert_eq!(exported(&path, &["a"], &[]).unwrap(), [""; 0]);
}

#[test]
fn a_file_that_is_not_a_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.parquet");
    let failure = exported(&path, &[], &["1"]).unwrap_err();
    assert!(failure.text().contains("objects"), "{}", failure.text());
    let failure = exported(&path, &[], &[]).unwrap_err();
    assert!(failure.text().contains("--fields"), "{}", failure.text());
    let wide: Vec<String> = (0..5_000).map(|n| format!("\"a{n}\":1")).collect();
    let failure = exported(&path, &[], &[&format!("{{{}}}", wide.join(","))]).unwrap_err();
    assert!(failure.text().contains("4096"), "{}", failure.text());
    assert!(!path.exists());
}
