//! JSON in and out: the standard's grammar, our choices where it leaves some, and round trips.

use std::cell::Cell;

use proptest::prelude::*;

use super::{
    JsonBuilder, JsonError, Parser, parse, parse_strict, to_json_string, write, write_f64, write_pretty,
    write_str,
};
use crate::testing::{Tree, packed, trees};
use crate::{Builder, Limits, Number, Slice, ValueWriter, validate};

fn read(text: &[u8]) -> Result<Vec<u8>, JsonError> {
    let mut builder = Builder::new();
    parse(text, &Limits::default(), &mut builder)?;
    assert!(builder.is_closed());
    Ok(builder.into_vec())
}

/// Returns the text that comes out when this one goes in.
fn echo(text: &str) -> String {
    Slice::new(&read(text.as_bytes()).unwrap()).to_json_string()
}

/// Writes a value part by part.
fn build(value: Slice<'_>, out: &mut JsonBuilder) -> crate::Result<()> {
    if value.is_array() {
        out.open_array()?;
        value.elements().try_for_each(|element| build(element, out))?;
        out.close_array()
    } else if value.is_object() && value.entries().all(|(name, _)| name == "a") {
        out.open_object()?;
        value.entries().try_for_each(|(_, value)| {
            out.plain_key("a")?;
            build(value, out)
        })?;
        out.close_object()
    } else if let Some(number) = value.as_u64() {
        out.add_u64(number)
    } else if let Some(text) = value.as_str() {
        out.add_str(text)
    } else if let Some(Number::Double(number)) = value.as_number() {
        out.add_f64(number)
    } else {
        out.add_slice(value)
    }
}

fn built(value: Slice<'_>) -> String {
    let mut out = JsonBuilder::default();
    build(value, &mut out).unwrap();
    String::from_utf8(out.into_vec()).unwrap()
}

#[test]
fn parts_make_the_same_text_as_a_whole() {
    for text in [
        r#"[]"#,
        r#"[[],[[]],{}]"#,
        r#"{"a":{"a":[0,9,10,12345678901234567890,1.5,-7,"x{","y:","[",null,true]}}"#,
        r#"[{"a":1},{"a":"\n"},{"b":[1]},[2],"",3]"#,
    ] {
        assert_eq!(built(Slice::new(&read(text.as_bytes()).unwrap())), text);
    }
}

#[test]
fn strict_reading_refuses_names_that_occur_twice() {
    let strict = |text: &str| {
        let mut builder = Builder::new();
        parse_strict(text.as_bytes(), &Limits::default(), &mut builder)
            .map(|()| to_json_string(Slice::new(builder.as_bytes()), None))
    };
    assert_eq!(
        strict(r#"{"a":{"b":1},"b":2,"c":[{"a":1}]}"#).unwrap(),
        r#"{"a":{"b":1},"b":2,"c":[{"a":1}]}"#
    );
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"[{"b":{"a":1,"x":2,"a":3}}]"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"_key":"a","_key":"b"}"#,
    ] {
        assert!(strict(text).is_err(), "{text}");
    }
}

#[test]
fn the_grammar_is_accepted() {
    let texts = [
        ("null", "null"),
        (" true ", "true"),
        ("\t[\n]\r", "[]"),
        ("{ }", "{}"),
        ("[1,[2,{\"a\":[]}],{}]", "[1,[2,{\"a\":[]}],{}]"),
        ("{ \"a\" : 1 , \"b\" : [ true , false , null ] }", "{\"a\":1,\"b\":[true,false,null]}"),
        ("\"\"", "\"\""),
        ("\"\\u0041\\u00e9\\u20ac\\ud83d\\uDE00\"", "\"Aé€😀\""),
        ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""),
        ("\"\\u0000\\u001f\u{7f}\"", "\"\\u0000\\u001f\u{7f}\""),
        ("{\"\":{\"\\n\":1}}", "{\"\":{\"\\n\":1}}"),
    ];
    for (text, expected) in texts {
        assert_eq!(echo(text), expected, "{text}");
    }
}

#[test]
fn everything_else_is_refused() {
    let texts: [&[u8]; 62] = [
        b"",
        b" ",
        b"nul",
        b"nulll",
        b"True",
        b"tru",
        b"[",
        b"]",
        b"[1",
        b"[1,",
        b"[1,]",
        b"[,1]",
        b"[1 2]",
        b"{",
        b"}",
        b"{a:1}",
        b"{\"a\"",
        b"{\"a\":",
        b"{\"a\":}",
        b"{\"a\":1",
        b"{\"a\":1,",
        b"{\"a\":1,}",
        b"{\"a\" 1}",
        b"{1:2}",
        b"{,}",
        b"[1}",
        b"{\"a\":1]",
        b"1 2",
        b"[] []",
        b"01",
        b"-",
        b"-01",
        b"+1",
        b".5",
        b"1.",
        b"1.e5",
        b"1e",
        b"1e+",
        b"0x10",
        b"1_000",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e999",
        b"-1e999",
        b"'a'",
        b"\"a",
        b"\"a\\\"",
        b"\"\\x\"",
        b"\"\\u12\"",
        b"\"\\u12G4\"",
        b"\"\\ud800\"",
        b"\"\\udc00\"",
        b"\"\\ud800\\u0041\"",
        b"\"a\nb\"",
        b"\"\x00\"",
        b"\"\xff\"",
        b"\"\xc3\"",
        b"\"\xed\xa0\x80\"",
        b"\xef\xbb\xbf1",
        b"[1]\xff",
        b"// comment\n1",
    ];
    for text in texts {
        assert!(read(text).is_err(), "{:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn errors_say_where_and_what() {
    let error = |text: &[u8]| {
        let error = read(text).unwrap_err();
        (error.offset, error.line, error.column, error.message)
    };
    assert_eq!(error(b"[1,\n 2,\n x]"), (9, 3, 2, "expected a value".to_owned()));
    assert_eq!(error(b"{\"a\":1 \"b\"}"), (7, 1, 8, "expected ',' or '}'".to_owned()));
    assert_eq!(error(b"[1"), (2, 1, 3, "unexpected end of the text".to_owned()));
    assert_eq!(error(b"[\"\xff\"]").3, "invalid UTF-8");
    assert_eq!(error(b"\"\\q\""), (1, 1, 2, "unknown escape in a string".to_owned()));
    assert_eq!(error(b"1e999").3, "the number is out of range");
    assert_eq!(read(b"[1,]").unwrap_err().to_string(), "expected a value at line 1, column 4");
}

#[test]
fn numbers_keep_their_value() {
    let cases = [
        ("0", Tree::Int(0)),
        ("-7", Tree::Int(-7)),
        ("9223372036854775807", Tree::Int(i64::MAX)),
        ("9223372036854775808", Tree::UInt(1 << 63)),
        ("18446744073709551615", Tree::UInt(u64::MAX)),
        ("18446744073709551616", Tree::Double(18_446_744_073_709_551_616.0)),
        ("-9223372036854775808", Tree::Int(i64::MIN)),
        ("-9223372036854775809", Tree::Double(-9_223_372_036_854_775_808.0)),
        ("1.0", Tree::Double(1.0)),
        ("1e2", Tree::Double(100.0)),
        ("1.5E-3", Tree::Double(0.0015)),
        ("0.1", Tree::Double(0.1)),
        ("123456789.123456789", Tree::Double(123_456_789.123_456_79)),
        ("179769313486231570000e288", Tree::Double(f64::MAX)),
        ("5e-324", Tree::Double(5e-324)),
        ("1e-400", Tree::Double(0.0)),
        ("0e99999999999999999999", Tree::Double(0.0)),
        ("0.000000000000000000000000000001e30", Tree::Double(1.0)),
        ("100000000000000000000000000000000000000000000000000000000000000000e-65", Tree::Double(1.0)),
    ];
    for (text, expected) in cases {
        assert_eq!(Tree::of(text), expected, "{text}");
    }
    let Tree::Double(zero) = Tree::of("-0") else { panic!("-0 is a double") };
    assert!(zero == 0.0 && zero.is_sign_negative());
}

#[test]
fn doubles_are_written_as_documented() {
    let cases = [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-250.0, "-250"),
        (0.1, "0.1"),
        (1.5e-3, "0.0015"),
        (1e-5, "0.00001"),
        (1e-6, "0.000001"),
        (-1.25e-6, "-0.00000125"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (123_456.789, "123456.789"),
        (9_007_199_254_740_991.0, "9007199254740991"),
        (9_007_199_254_740_992.0, "9007199254740992.0"),
        (1_152_921_504_606_846_976.0, "1152921504606846976.0"),
        (-1_152_921_504_606_846_976.0, "-1152921504606846976.0"),
        (18_446_744_073_709_551_616.0, "18446744073709552000"),
        (1e20, "100000000000000000000"),
        (1.5e20, "150000000000000000000"),
        (1e21, "1e+21"),
        (-1.25e300, "-1.25e+300"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::NAN, "null"),
        (f64::INFINITY, "null"),
    ];
    for (value, expected) in cases {
        let mut out = Vec::new();
        write_f64(value, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

#[test]
fn of_equal_names_the_last_counts() {
    assert_eq!(echo(r#"{"a":1,"b":2,"a":{"c":1,"c":2}}"#), r#"{"b":2,"a":{"c":2}}"#);
    assert_eq!(echo(r#"{"_key":"x","\u005fkey":"y"}"#), r#"{"_key":"y"}"#);
}

#[test]
fn nesting_and_length_are_bounded() {
    let limits = Limits { max_depth: 3, max_bytes: 20 };
    let mut out = Builder::new();
    assert!(parse(b"[[[1]]]", &limits, &mut out).is_ok());
    out.clear();
    let error = parse(b"[[[[1]]]]", &limits, &mut out).unwrap_err();
    assert_eq!((error.offset, error.message.as_str()), (3, "nested deeper than 3 levels"));
    out.clear();
    assert!(parse(&[b' '; 21], &limits, &mut out).is_err());

    let deep = "[".repeat(1_000_000);
    assert!(read(deep.as_bytes()).is_err());
    out.clear();
    let unlimited = Limits { max_depth: usize::MAX, max_bytes: usize::MAX };
    assert!(parse(deep.as_bytes(), &unlimited, &mut out).is_err());
}

#[test]
fn an_object_can_be_continued_by_parsing() {
    let mut out = Builder::new();
    out.open_object().unwrap();
    out.key("a").unwrap();
    parse(b"[1,{}]", &Limits::default(), &mut out).unwrap();
    out.close().unwrap();
    assert_eq!(out.as_slice().to_json_string(), r#"{"a":[1,{}]}"#);
}

#[test]
fn lines_are_read_one_by_one() {
    let input = b"{\"a\":1}\n\n [2]\r\n3 \"x\"\n";
    let mut parser = Parser::new(input, &Limits::default());
    let mut out = Builder::new();
    let mut ends = Vec::new();
    let mut values = Vec::new();
    while let Some(end) = parser.next_value(&mut out).unwrap() {
        values.push(out.as_slice().to_json_string());
        ends.push(end);
        out.clear();
    }
    assert_eq!(values, [r#"{"a":1}"#, "[2]", "3", "\"x\""]);
    assert_eq!(ends, [7, 13, 16, 20]);
    assert_eq!(parser.next_value(&mut out), Ok(None));
}

#[test]
fn reading_continues_after_a_broken_line() {
    let input = b"{\"a\":\n{\"b\":\"\xff\"}\n[\xfe]\n{\"c\":3}\n";
    let mut parser = Parser::new(input, &Limits::default());
    let mut out = Builder::new();
    let mut errors = Vec::new();
    loop {
        out.clear();
        match parser.next_value(&mut out) {
            Ok(None) => break,
            Ok(Some(_)) => assert_eq!(out.as_slice().to_json_string(), r#"{"c":3}"#),
            Err(error) => {
                errors.push(error.line);
                parser.skip_line();
            }
        }
    }
    assert_eq!(errors, [2, 3]);
}

#[test]
fn each_line_has_its_own_limit() {
    let limits = Limits { max_depth: 10, max_bytes: 8 };
    let mut parser = Parser::new(b"[1,2,3]\n[1,2,3]\n[1,2,3,4,5]\n", &limits);
    let mut out = Builder::new();
    assert_eq!(parser.next_value(&mut out), Ok(Some(7)));
    assert_eq!(parser.next_value(&mut out), Ok(Some(15)));
    assert!(parser.next_value(&mut out).is_err());
}

#[test]
fn a_long_text_can_be_given_up() {
    let text = format!("[{}0]", "1234567,".repeat(100_000));
    let asked = Cell::new(0);
    let interrupted = || asked.replace(asked.get() + 1) == 2;
    let parser = Parser::new(text.as_bytes(), &Limits::default()).with_interrupt(&interrupted);
    let error = parser.whole(&mut Builder::new()).unwrap_err();
    assert_eq!((asked.get(), error.message.as_str()), (3, "interrupted"));
    assert!((190_000..200_000).contains(&error.offset), "{error:?}");

    let parser = Parser::new(text.as_bytes(), &Limits::default()).with_interrupt(&|| false);
    let mut out = Builder::new();
    parser.whole(&mut out).unwrap();
    assert_eq!(out.into_vec(), read(text.as_bytes()).unwrap());
}

#[test]
fn pretty_output_is_indented_by_two() {
    let bytes = packed(r#"{"a":[1,{"b":[]}],"c":{}}"#);
    let mut out = Vec::new();
    write_pretty(Slice::new(&bytes), None, &mut out);
    let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn markers_become_text_or_null() {
    let mut stored = Vec::new();
    crate::document("k", "r", None, Slice::EMPTY_OBJECT, &mut stored).unwrap();
    let value = Slice::new(&stored);
    assert_eq!(to_json_string(value, Some("c\"d")), r#"{"_key":"k","_id":"c\"d/k","_rev":"r"}"#);
    assert_eq!(to_json_string(value, None), r#"{"_key":"k","_id":null,"_rev":"r"}"#);
    assert_eq!(to_json_string(value.get("_id").unwrap(), Some("c")), "null");
}

#[test]
fn kinds_that_json_lacks_are_written_as_documented() {
    let date = [0x1C, 0xE8, 3, 0, 0, 0, 0, 0, 0];
    assert_eq!(to_json_string(Slice::new(&date), None), "1000");
    assert_eq!(to_json_string(Slice::new(&[0xC0, 3, 0x00, 0xAB, 0x7F]), None), "\"00ab7f\"");
    for head in [0x00, 0x17, 0x1E, 0x1F, 0xF5] {
        assert_eq!(to_json_string(Slice::new(&[head, 0]), None), "null");
    }
}

/// Returns texts that are nearly JSON.
fn nearly_json() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        10 => prop::sample::select(&["[", "]", "{", "}", ",", ":", "\"a\"", "\"b\"", "1", "null", "true", " "][..])
            .prop_map(str::to_owned),
        2 => "-?[0-9]{0,3}(\\.[0-9]{0,3})?([eE][+-]?[0-9]{0,3})?",
        1 => "\"(\\\\[\"\\\\/bfnrtux]|[a-f0-9]|\\\\u[0-9a-fA-F]{4}|\\\\ud8[0-9a-f]{2}\\\\udc[0-9a-f]{2}){0,6}\"",
        1 => "[\\x00-\\x7f]{1,2}",
    ];
    prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat())
}

proptest! {
    #[test]
    fn what_is_written_reads_back(tree in trees()) {
        let mut text = Vec::new();
        write(Slice::new(&tree.pack()), None, &mut text);
        let bytes = read(&text).unwrap();
        validate(&bytes, &Limits::default()).unwrap();
        prop_assert!(same(&Tree::read(Slice::new(&bytes)), &tree), "{}", String::from_utf8_lossy(&text));
        prop_assert_eq!(built(Slice::new(&bytes)).into_bytes(), text);
        let mut pretty = Vec::new();
        write_pretty(Slice::new(&tree.pack()), None, &mut pretty);
        prop_assert_eq!(read(&pretty).unwrap(), bytes);
    }

    #[test]
    fn doubles_read_back_exactly(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        let mut text = Vec::new();
        write_f64(value, &mut text);
        let back = Slice::new(&read(&text).unwrap()).as_f64().unwrap();
        prop_assert_eq!(back.to_bits(), value.to_bits());
    }

    #[test]
    fn decimal_texts_become_the_nearest_double(text in "-?(0|[1-9][0-9]{0,25})\\.[0-9]{1,25}([eE][+-]?[0-9]{1,2})?") {
        let value = Slice::new(&read(text.as_bytes()).unwrap()).as_f64().unwrap();
        prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits());
    }

    #[test]
    fn strings_are_escaped_and_read_back(text in any::<String>()) {
        let mut out = Vec::new();
        write_str(&text, &mut out);
        let bytes = read(&out).unwrap();
        prop_assert_eq!(Slice::new(&bytes).as_str(), Some(text.as_str()));
    }

    #[test]
    fn the_same_texts_are_accepted_as_by_another_parser(text in nearly_json()) {
        let ours = read(text.as_bytes());
        match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(other) => {
                let value = ours.map(|bytes| Slice::new(&bytes).to_json_string());
                let value = value.map_err(|error| TestCaseError::fail(format!("{text:?}: {error}")))?;
                let again: serde_json::Value = serde_json::from_str(&value).unwrap();
                // The other parser's numbers are not always the nearest double, and its 1.0 is not
                // our 1.
                if !text.contains(['.', 'e', 'E', '-']) {
                    prop_assert_eq!(again, other, "{}", text);
                }
            }
            Err(_) => prop_assert!(ours.is_err(), "{:?} is no JSON", text),
        }
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..40), text in nearly_json()) {
        let _ = read(&bytes);
        let mut mixed = text.into_bytes();
        mixed.extend(bytes);
        let mut parser = Parser::new(&mixed, &Limits::default());
        let mut out = Builder::new();
        for _ in 0..50 {
            out.clear();
            match parser.next_value(&mut out) {
                Ok(None) => break,
                Ok(Some(end)) => prop_assert!(end <= mixed.len()),
                Err(_) => parser.skip_line(),
            }
        }
    }
}

/// Returns true if both are equal; whole doubles below 2^53, which are written as integers, equal
/// those.
fn same(read: &Tree, written: &Tree) -> bool {
    match (read, written) {
        (Tree::Int(read), Tree::Double(written)) => *read as f64 == *written,
        (Tree::Double(read), Tree::Double(written)) => read.to_bits() == written.to_bits(),
        (Tree::Array(read), Tree::Array(written)) => {
            read.len() == written.len() && read.iter().zip(written).all(|(read, written)| same(read, written))
        }
        (Tree::Object(read), Tree::Object(written)) => {
            read.len() == written.len()
                && read
                    .iter()
                    .zip(written)
                    .all(|(read, written)| read.0 == written.0 && same(&read.1, &written.1))
        }
        _ => read == written,
    }
}
