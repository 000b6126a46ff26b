//! Settings that options make, and options that are refused.

use super::super::options::Form;
use super::super::table_options::{MergePart, merge};
use super::settings;

#[test]
fn the_form_goes_by_the_name_of_the_file() {
    for (file, form) in [
        ("a.json", Form::Json),
        ("a.JSONL.gz", Form::Lines),
        ("a.ndjson.zst", Form::Lines),
        ("a.csv", Form::Csv),
        ("x/a.tsv.gz", Form::Tsv),
        ("-", Form::Json),
        ("data", Form::Json),
    ] {
        assert_eq!(settings(&["--collection", "c", "--file", file]).unwrap().form, form, "{file}");
    }
    assert_eq!(settings(&["--collection", "c", "a.txt", "--type", "csv"]).unwrap().form, Form::Csv);
}

#[test]
fn mistakes_say_what_would_be_right() {
    for (arguments, parts) in [
        (&["--collection", "c"][..], &["--file is missing"][..]),
        (&["a.json"], &["--collection is missing"]),
        (&["--collection", "c", "a.txt"], &["a.txt", "--type"]),
        (&["--collection", "c", "a.csv", "--translate", "a"], &["--translate must be FROM=TO"]),
        (&["--collection", "c", "a.csv", "--datatype", "a=text"], &["--datatype", "boolean", "a=text"]),
        (&["--collection", "c", "a.csv", "--quote", "ab"], &["--quote must be one character"]),
        (&["--collection", "c", "a.csv", "--quote", ","], &["must be different"]),
        (&["--collection", "c", "a.csv", "--merge-attributes", "a=[b"], &["--merge-attributes"]),
        (&["--collection", "c", "a.json", "--overwrite-collection-prefix"], &["--from-collection-prefix"]),
    ] {
        let failure = settings(arguments).unwrap_err();
        assert!(parts.iter().all(|part| failure.text().contains(part)), "{arguments:?}: {}", failure.text());
        assert_eq!(failure.exit_code(), 4);
    }
}

#[test]
fn numbers_out_of_bounds_are_the_next_possible() {
    let with = |options: &[&str]| settings(&[&["--collection", "c", "a.json"], options].concat()).unwrap();
    assert_eq!(with(&["--threads", "0"]).threads, 1);
    assert_eq!(with(&["--batch-size", "1"]).batch_bytes, 1024);
    assert_eq!(with(&["--batch-size", "768MiB"]).batch_bytes, 512 << 20);
}

#[test]
fn options_of_tables_are_no_mistake_for_json() {
    let arguments = ["--collection", "c", "a.json", "--separator", ";", "--convert", "false"];
    assert_eq!(settings(&arguments).unwrap().form, Form::Json);
}

#[test]
fn merged_attributes_have_parts() {
    let attribute = |name: &str| MergePart::Attribute(name.to_owned());
    let text = |text: &str| MergePart::Text(text.to_owned());
    assert_eq!(merge("x=[a]-[b]!").unwrap().parts, [attribute("a"), text("-"), attribute("b"), text("!")]);
    assert_eq!(merge("x=only text").unwrap().parts, [text("only text")]);
    assert_eq!(merge("x=[a][b]").unwrap().parts, [attribute("a"), attribute("b")]);
    for wrong in ["x", "=[a]", "x=", "x=[]", "x=[a", "x=a]", "x=[a[b]]", "x=a=b", "[x]=a"] {
        assert!(merge(wrong).is_err(), "{wrong}");
    }
}
