//! Tests: JSON Lines stay as they are, and arrays become lines.

use super::super::batch::RowLines;
use super::super::rewrite::without;
use super::{body, read};

#[test]
fn lines_are_passed_on_as_they_are() {
    for text in ["{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n\n nonsense \r\n{\"a\":2}", ""] {
        assert_eq!(body(&["--type", "jsonl"], text), text);
        assert_eq!(body(&["--type", "json"], text), text);
    }
    assert_eq!(body(&["--type", "jsonl"], "\u{feff}{}\n"), "{}\n");
    assert_eq!(body(&["--type", "jsonl", "--skip-lines", "2"], "x\ny\n{}\n"), "{}\n");
    assert_eq!(body(&["--type", "jsonl", "--skip-lines", "9"], "x\ny\n{}\n"), "");
    let failure = read(&["--type", "json", "--skip-lines", "1"], b"\n[{}]").unwrap_err();
    assert!(failure.text().contains("--skip-lines is for rows"), "{}", failure.text());
}

#[test]
fn long_inputs_are_cut_where_a_line_ends_and_nothing_is_lost() {
    let lines: Vec<String> =
        (0..2_000).map(|n| format!("{{\"n\":{n},\"x\":\"{}\"}}\n", "y".repeat(n % 97))).collect();
    let long = format!("{{\"long\":\"{}\"}}\n", "z".repeat(9_000));
    let jsonl = lines.concat() + &long + "{\"last\":1}";
    let array = format!("[{}]", jsonl.trim_end().replace('\n', ",\n"));
    for (kind, text) in [("jsonl", &jsonl), ("json", &array)] {
        let batches = read(&["--type", kind, "--batch-size", "2000"], text.as_bytes()).unwrap();
        let bodies: Vec<u8> = batches.iter().flat_map(|batch| batch.body.clone()).collect();
        assert_eq!(String::from_utf8(bodies).unwrap().trim_end(), jsonl, "{kind}");
        assert!(batches.len() > 40, "{kind}");
        let mut line = 1;
        for batch in &batches {
            assert_eq!(batch.lines.of(0), line, "{kind}");
            line += batch.body.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
    }
}

#[test]
fn rejected_rows_are_all_explained_because_batches_have_few_rows() {
    let text = "{}\n".repeat(25_000);
    let batches = read(&["--type", "jsonl", "--rejected", "r"], text.as_bytes()).unwrap();
    let rows: Vec<usize> = batches.iter().map(|batch| batch.body.len() / 3).collect();
    assert_eq!(rows, [10_000, 10_000, 5_000]);
    assert_eq!(batches[2].lines.of(4), 20_005);
}

#[test]
fn elements_of_arrays_become_lines() {
    for (text, lines) in [
        ("[]", ""),
        (" [ ] \n", ""),
        ("\u{feff}[{}]", "{}\n"),
        (
            "[{\"a\":[1,2,{\"b\":\"]\"}]},{\"c\":\"\\\"},{\"}]",
            "{\"a\":[1,2,{\"b\":\"]\"}]}\n{\"c\":\"\\\"},{\"}\n",
        ),
        ("[\n  {\n    \"a\": 1\r\n  }\n]\n", "{     \"a\": 1    } \n"),
        ("[1, null, \"x\"]", "1\nnull\n\"x\"\n"),
        // These rows are not JSON, but the server has to report it.
        ("[{\"a\":1} {\"a\":2}, {\"x\ny\":1}]", "{\"a\":1} {\"a\":2}\n{\"x\u{1}y\":1}\n"),
    ] {
        assert_eq!(body(&["--type", "json"], text), lines, "{text}");
    }
    let batches = read(&["--type", "json"], b"[\n{},\n\n{\n},\n{}]").unwrap();
    assert!(matches!(&batches[0].lines, RowLines::Each(lines) if *lines == [2, 4, 6]), "{batches:?}");
}

#[test]
fn broken_arrays_name_their_line() {
    for (text, message) in [
        ("[\n{},\n", "data:3: the file ends within its array"),
        ("[\n{}", "data:2: the file ends within its array"),
        ("[{},\n,{}]", "data:2: a document is missing"),
        ("[{},\n]", "data:2: a document is missing"),
        ("[]\n\nx", "data:3: the file continues"),
        ("[\"", "data:1: the file ends"),
    ] {
        let failure = read(&["--type", "json"], text.as_bytes()).unwrap_err();
        assert!(failure.text().starts_with(message), "{text}: {}", failure.text());
    }
}

#[test]
fn attributes_are_left_out() {
    let removed = ["_rev".to_owned(), "b".to_owned()];
    let text = b"{\"_rev\":\"x\",\"a\":{\"b\":1},\"b\":2}\n\nnot json\n[1]\n{\"b\":1}";
    let kept = "{\"a\":{\"b\":1}}\n\nnot json\n[1]\n{}\n";
    assert_eq!(String::from_utf8(without(text, &removed)).unwrap(), kept);
}

#[test]
fn a_row_ends_with_any_break() {
    for text in ["{\"a\":1}\r{\"a\":2}\r", "{\"a\":1}\r\n{\"a\":2}\r", "{\"a\":1}\n\r{\"a\":2}\r\n\r"] {
        let batches = read(&["--type", "jsonl"], text.as_bytes()).unwrap();
        assert_eq!((batches.len(), batches[0].rows()), (1, 2), "{text:?}");
        let rows: Vec<&[u8]> = batches[0].body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
        let rows: Vec<_> = rows.into_iter().filter(|row| !row.is_empty()).collect();
        assert_eq!(rows, [b"{\"a\":1}", b"{\"a\":2}"], "{text:?}");
    }
    assert_eq!(body(&["--type", "jsonl", "--skip-lines", "1"], "x\r{}\r"), "{}\n");
    let broken = read(&["--type", "json"], b"[\r{},\r").unwrap_err();
    assert!(broken.text().starts_with("data:3:"), "{}", broken.text());
    let long = "{}\r\n{}\r".repeat(10_000);
    let batches = read(&["--type", "jsonl", "--batch-size", "1024"], long.as_bytes()).unwrap();
    assert_eq!(batches.iter().map(|batch| batch.rows()).sum::<u64>(), 20_000);
}
