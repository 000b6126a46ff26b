//! Settings that options make, and options that are refused.

use super::super::options::{Form, Subject};
use super::super::output::Compression;
use super::settings;

#[test]
fn files_are_named_as_arangoexport_names_them() {
    let path = |arguments: &[&str], name: &str| {
        settings(arguments).unwrap().path(name).map(|path| path.display().to_string())
    };
    let c = ["--collection", "c"];
    assert_eq!(path(&c, "c").unwrap(), "export/c.jsonl");
    let more = [&c[..], &["--type", "xml", "--compress-output", "--output-directory", "/x"]].concat();
    assert_eq!(path(&more, "c").unwrap(), "/x/c.xml.gz");
    assert_eq!(path(&c, "../c").unwrap(), "export/_.._c.jsonl");
    let file = [&c[..], &["--file", "y/z.csv.zst", "--fields", "a"]].concat();
    assert_eq!(path(&file, "c").unwrap(), "y/z.csv.zst");
    let file = settings(&file).unwrap();
    assert_eq!((file.form, file.compression), (Form::Csv, Compression::Zstd));
    assert_eq!(path(&[&c[..], &["--file", "-"]].concat(), "c"), None);
}

#[test]
fn the_export_is_named_in_one_way() {
    assert!(matches!(
        settings(&["--custom-query", "RETURN @@x", "--custom-query-bindvars", "{\"x\":1}"]).unwrap().subject,
        Subject::Query(query) if query.text == "RETURN @x" && query.max_runtime_seconds == 0.0
    ));
    let old = settings(&["--query", "RETURN 1", "--query-max-runtime", "2.5"]).unwrap().subject;
    assert!(matches!(old, Subject::Query(query) if query.max_runtime_seconds == 2.5));
    for (arguments, part) in [
        (&[][..], "say what to export"),
        (&["--collection", "c", "--query", "RETURN 1"], "not both"),
        (&["--custom-query", "RETURN 1", "--custom-query-file", "x"], "not both"),
        (&["--custom-query-file", "/nowhere"], "/nowhere"),
        (&["--custom-query-bindvars", "{}"], "requires --custom-query"),
        (&["--custom-query", "RETURN 1", "--custom-query-bindvars", "[1]"], "must be a JSON object"),
        (&["--collection", "c", "--type", "csv"], "requires --fields"),
        (&["--collection", "c", "--fields", "a"], "for CSV and Parquet"),
        (&["--collection", "c", "--type", "xgmml"], "needs --graph-name"),
        (&["--collection", "c", "--graph-name", "g"], "for --type xgmml"),
        (&["--collection", "c", "--collection", "d", "--file", "x.json"], "one collection"),
        (&["--collection", "c", "--file", "x.txt"], "x.txt"),
        (&["--collection", "c", "--type", "parquet", "--compress-output"], "compressed internally"),
        (&["--collection", "c", "--file", "-", "--resume"], "standard output"),
    ] {
        let failure = settings(arguments).unwrap_err();
        assert!(failure.text().contains(part), "{arguments:?}: {}", failure.text());
        assert_eq!(failure.exit_code(), 4);
    }
}
