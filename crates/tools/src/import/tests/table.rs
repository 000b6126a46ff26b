//! Tests of CSV and TSV in all their corners.

use super::{body, read};

/// Returns the rows of a table with the attributes a and b, as JSON Lines.
fn rows(arguments: &[&str], text: &str) -> String {
    let whole = body(&[&["--type", "csv"], arguments].concat(), &format!("a,b\n{text}"));
    whole.strip_prefix("[\"a\",\"b\"]\n").map(str::to_owned).unwrap_or(whole)
}

#[test]
fn values_are_what_they_look_like() {
    for (value, json) in [
        ("", "null"),
        ("\"\"", "\"\""),
        ("x", "\"x\""),
        ("\"x\"", "\"x\""),
        ("null", "null"),
        ("\"null\"", "\"null\""),
        ("true", "true"),
        ("false", "false"),
        ("TRUE", "\"TRUE\""),
        ("1", "1"),
        ("\"1\"", "\"1\""),
        ("0", "0"),
        ("00", "0"),
        ("0123", "123"),
        ("-007.50", "-7.50"),
        ("1.5e3", "1.5e3"),
        ("1e-3", "1e-3"),
        ("1e", "\"1e\""),
        ("1.", "1"),
        ("1.e2", "1e2"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("00.5", "0.5"),
        ("+5", "5"),
        ("+1.5e+3", "1.5e+3"),
        ("+-5", "\"+-5\""),
        ("1e400", "\"1e400\""),
        ("-1e400", "\"-1e400\""),
        ("1e-400", "1e-400"),
        (".", "\".\""),
        ("+", "\"+\""),
        ("-", "\"-\""),
        ("1..2", "\"1..2\""),
        ("1 2", "\"1 2\""),
        ("0x1", "\"0x1\""),
        ("12345678901234567890123", "12345678901234567890123"),
        (" x ", "\" x \""),
        ("\u{e4}\u{1f600}", "\"\u{e4}\u{1f600}\""),
        ("a\\b", "\"a\\\\b\""),
        ("a\"b", "\"a\\\"b\""),
    ] {
        assert_eq!(rows(&[], &format!("{value},1\n")), format!("[{json},1]\n"), "{value}");
    }
}

#[test]
fn columns_need_no_name() {
    let json = body(&["--type", "csv"], ",a,\n1,2,3\n");
    assert_eq!(json, "[\"\",\"a\",\"\"]\n[1,2,3]\n");
    let not_utf8 = read(&["--type", "csv"], b"a,\xff\n1,2\n").unwrap_err();
    assert!(not_utf8.text().contains("the name of column 2 is not UTF-8"), "{}", not_utf8.text());
}

#[test]
fn without_conversion_all_values_are_texts() {
    assert_eq!(rows(&["--convert", "false"], "null,1\ntrue,\n"), "[\"null\",\"1\"]\n[\"true\",null]\n");
}

#[test]
fn quotes_hold_separators_line_breaks_and_quotes() {
    for (text, json) in [
        ("\"a,b\",1\n", "[\"a,b\",1]\n"),
        ("\"a\nb\r\nc\",1\n", "[\"a\\nb\\r\\nc\",1]\n"),
        ("\"say \"\"hi\"\"\",1\n", "[\"say \\\"hi\\\"\",1]\n"),
        ("\"\"\"\",1\n", "[\"\\\"\",1]\n"),
        ("1,\"x\"  \r\n", "[1,\"x\"]\n"),
        ("1,\"x\"", "[1,\"x\"]\n"),
        ("\"a\\\",1\n", "[\"a\\\\\",1]\n"),
        ("1,x \t\r\n2,y", "[1,\"x\"]\n[2,\"y\"]\n"),
        ("\n  \n\r\n1,2\n\n", "[1,2]\n"),
    ] {
        assert_eq!(rows(&[], text), json, "{text:?}");
    }
    let escaped = "\"a\\\"b\\\\\",1\n\"\\n\",2\n";
    assert_eq!(rows(&["--backslash-escape"], escaped), "[\"a\\\"b\\\\\",1]\n[\"\\\\n\",2]\n");
    assert_eq!(rows(&["--quote", "'"], "'a,b',\"c\n"), "[\"a,b\",\"\\\"c\"]\n");
    assert_eq!(rows(&["--quote", ""], "\"a\",b\n"), "[\"\\\"a\\\"\",\"b\"]\n");
}

#[test]
fn separators_may_be_anything() {
    for separator in [";", "|", "::", "\t", "\\t", " "] {
        let real = separator.replace("\\t", "\t");
        let text = format!("a{real}b\n1{real}\"x{real}y\"\n{real}\n");
        let json = body(&["--type", "csv", "--separator", separator], &text);
        let y = real.replace('\t', "\\t");
        assert_eq!(json, format!("[\"a\",\"b\"]\n[1,\"x{y}y\"]\n[null,null]\n"), "{separator:?}");
    }
    let tsv = body(&["--type", "tsv"], "a\tb\n\"x\t1\r\n\t\n");
    assert_eq!(tsv, "[\"a\",\"b\"]\n[\"\\\"x\",1]\n[null,null]\n");
}

#[test]
fn rows_of_another_width_are_rejected_or_taken() {
    let text = "a,b\n1\n1,2\n1,2,3\n";
    let batches = read(&["--type", "csv"], text.as_bytes()).unwrap();
    assert_eq!(batches[0].body, b"[\"a\",\"b\"]\n[1,2]\n");
    let rejected: Vec<(u64, &str)> =
        batches[0].rejected.iter().map(|row| (row.line, row.reason.as_str())).collect();
    assert_eq!(
        rejected,
        [
            (2, "wrong number of values (got 1, expected 2)"),
            (4, "wrong number of values (got 3, expected 2)")
        ]
    );
    assert_eq!(rows(&["--ignore-missing"], "1\n1,2\n1,2,3\n"), "[1,null]\n[1,2]\n[1,2]\n");
}

#[test]
fn rows_that_are_none_are_rejected_with_their_line() {
    let text = b"a,b\n\"x\ny\",1\n\"x\"z,1\n1,2\n\xff,1\n\"open,1\n2,3\n";
    let batches = read(&["--type", "csv"], text).unwrap();
    assert_eq!(batches[0].body, b"[\"a\",\"b\"]\n[\"x\\ny\",1]\n[1,2]\n");
    assert_eq!((batches[0].lines.of(0), batches[0].lines.of(1)), (2, 5));
    let rejected: Vec<(u64, &str)> =
        batches[0].rejected.iter().map(|row| (row.line, row.reason.as_str())).collect();
    assert_eq!(
        rejected,
        [
            (4, "something follows a closing quote"),
            (6, "it is not UTF-8"),
            (7, "its last quote is not closed")
        ]
    );
    assert_eq!(batches[0].rejected[2].row, "\"open,1\n2,3");
    assert_eq!(batches[0].lines_read, 8);
}

#[test]
fn all_lines_of_a_table_are_counted() {
    let count = |options: &[&str], text: &str| -> u64 {
        let options = [&["--type", "csv"], options].concat();
        read(&options, text.as_bytes()).unwrap().iter().map(|batch| batch.lines_read).sum()
    };
    for (text, lines) in
        [("", 0), ("a\n", 1), ("a", 1), ("a\n1\n", 2), ("a\n1", 2), ("a\n\"1\n2\"\n\n3\n", 5)]
    {
        assert_eq!(count(&[], text), lines, "{text:?}");
    }
    assert_eq!(count(&["--skip-lines", "1"], "title\na\n1\n"), 3);
    assert_eq!(count(&["--batch-size", "1024"], &"a,b\n".repeat(5_000)), 5_000);
}

#[test]
fn rows_across_blocks_are_read_as_one() {
    // Every place in a row becomes the end of a block.
    let row = "\"a \"\"quoted\"\"\r\ntext\" ,::,b::c\n".replace(" ,", "");
    let row = row.replace("::,", "::");
    let filler = 256 * 1024 - row.len() - 5;
    for shift in 0..row.len() + 5 {
        let text = format!("x::y::z\n\"{}\"::1::2\n{row}", "f".repeat(filler + shift - 20));
        let whole = body(&["--type", "csv", "--separator", "::"], &text);
        assert!(whole.ends_with("[\"a \\\"quoted\\\"\\r\\ntext\",\"b\",\"c\"]\n"), "{shift}");
    }
}

#[test]
fn names_come_from_the_first_line_or_a_file_of_their_own() {
    let plain = "\u{feff}\"first name\",age\nx,1\n";
    assert_eq!(body(&["--type", "csv"], plain), "[\"first name\",\"age\"]\n[\"x\",1]\n");
    assert_eq!(body(&["--type", "csv", "--skip-lines", "2"], "#\n\"\na\n1\n"), "[\"a\"]\n[1]\n");
    assert_eq!(body(&["--type", "csv"], ""), "");
    assert_eq!(rows(&[], ""), "", "no row");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a,\"b\"\n").unwrap();
    let path = file.path().to_str().unwrap();
    assert_eq!(body(&["--type", "csv", "--headers-file", path], "1,2\n"), "[\"a\",\"b\"]\n[1,2]\n");
    std::fs::write(file.path(), "").unwrap();
    let failure = read(&["--type", "csv", "--headers-file", path], b"1,2\n").unwrap_err();
    assert!(failure.text().contains(path), "{}", failure.text());
}

#[test]
fn columns_are_renamed_left_out_typed_and_merged() {
    let text = "id,name,born,zip\n7,Ann,1970,01234\n,\"Bo\",null,\n";
    let json = body(
        &[
            "--type",
            "csv",
            "--translate",
            "id=_key",
            "--remove-attribute",
            "born",
            "--datatype",
            "id=string",
            "--datatype",
            "zip=string",
            "--merge-attributes",
            "label=[name]:[born]",
            "--merge-attributes",
            "all=<[label]>[id][nothing]",
        ],
        text,
    );
    assert_eq!(
        json,
        "[\"_key\",\"name\",\"zip\",\"label\",\"all\"]\n\
         [\"7\",\"Ann\",\"01234\",\"Ann:1970\",\"<Ann:1970>7\"]\n\
         [null,\"Bo\",null,\"Bo:null\",\"<Bo:null>\"]\n"
    );
    let typed =
        |kind: &str, value: &str| rows(&["--datatype", &format!("a={kind}")], &format!("{value},1\n"));
    for (kind, value, json) in [
        ("null", "x", "null"),
        ("boolean", "\"0\"", "false"),
        ("boolean", "null", "false"),
        ("boolean", "no", "true"),
        ("number", "\"017\"", "17"),
        ("number", "many", "0"),
        ("string", "null", "\"null\""),
        ("string", "", "null"),
        ("string", "\"\"", "\"\""),
    ] {
        assert_eq!(typed(kind, value), format!("[{json},1]\n"), "{kind} {value}");
    }
}

#[test]
fn keys_are_texts_whatever_they_look_like() {
    let text = "id,v\n7,1\n007,2\ntrue,3\n\"8\",4\nnull,5\n,6\n";
    assert_eq!(
        body(&["--type", "csv", "--translate", "id=_key"], text),
        "[\"_key\",\"v\"]\n[\"7\",1]\n[\"007\",2]\n[\"true\",3]\n[\"8\",4]\n[null,5]\n[null,6]\n"
    );
    assert_eq!(body(&["--type", "tsv"], "_key\n9\n"), "[\"_key\"]\n[\"9\"]\n");
}

#[test]
fn a_line_ends_with_any_break() {
    let rows_of = |text: &str| body(&["--type", "csv"], text);
    for text in
        ["a,b\n1,x\n\"2\",y\n", "a,b\r1,x\r\"2\",y\r", "a,b\r\n1,x\r\"2\",y\n", "a,b\r1,x\r\r\n\"2\",y"]
    {
        assert_eq!(rows_of(text), "[\"a\",\"b\"]\n[1,\"x\"]\n[\"2\",\"y\"]\n", "{text:?}");
        let batches = read(&["--type", "csv"], text.as_bytes()).unwrap();
        assert_eq!(batches[0].rows(), 2, "{text:?}");
    }
    assert_eq!(rows_of("a\r\"1\r2\"\r"), "[\"a\"]\n[\"1\\r2\"]\n");
    assert_eq!(body(&["--type", "tsv"], "a\tb\r1\t2 \r\n3\t4\r"), "[\"a\",\"b\"]\n[1,2]\n[3,4]\n");
    assert_eq!(body(&["--type", "csv", "--skip-lines", "2"], "x\ry\r\na\r1\r"), "[\"a\"]\n[1]\n");
    let wrong = read(&["--type", "csv"], b"a\r1\r\"x\"y\r2\r").unwrap();
    assert_eq!((wrong[0].rejected[0].line, wrong[0].lines_read, wrong[0].rows()), (3, 4, 3));
}

#[test]
fn breaks_across_blocks_are_one() {
    for (shift, end) in (0..6).flat_map(|shift| ["\r", "\r\n", "\n"].map(|end| (shift, end))) {
        let text = format!("a{end}{}{end}2{end}", "f".repeat(256 * 1024 - 2 - shift));
        let batches = read(&["--type", "csv"], text.as_bytes()).unwrap();
        assert_eq!((batches[0].lines_read, batches[0].lines.of(1)), (3, 3), "{shift} {end:?}");
        assert!(batches[0].body.ends_with(b"f\"]\n[2]\n"), "{shift} {end:?}");
    }
}

#[test]
fn blanks_stand_before_separators_and_around_names() {
    assert_eq!(rows(&[], "\"x\" ,1\n\"y\"\t ,\"z\" \t\n"), "[\"x\",1]\n[\"y\",\"z\"]\n");
    let tabs = body(&["--type", "csv", "--separator", "\\t"], "a\tb\n\"x\" \t1\n");
    assert_eq!(tabs, "[\"a\",\"b\"]\n[\"x\",1]\n");
    assert_eq!(
        body(&["--type", "csv"], " a ,\t_key,\" c \"\n1,2,3\n"),
        "[\"a\",\"_key\",\" c \"]\n[1,\"2\",3]\n"
    );
}
