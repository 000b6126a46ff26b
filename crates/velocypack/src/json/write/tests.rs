//! Tests of the writer at every length, wherever the value lies in its block and however full the
//! output.

use crate::json::{parse, write, write_f64, write_pretty, write_str};
use crate::{Builder, Limits, Slice};

const SPECIAL: [(char, &str); 5] =
    [('"', "\\\""), ('\\', "\\\\"), ('\n', "\\n"), ('\u{1}', "\\u0001"), ('\u{1f}', "\\u001f")];

/// Returns a document whose only value is a text, with bytes after it that would need to be
/// escaped, or with none.
fn documents(text: &str) -> [Vec<u8>; 2] {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    builder.key(text).unwrap();
    builder.add_str(text).unwrap();
    builder.close().unwrap();
    let alone = builder.into_vec();
    let followed = [alone.clone(), b"\"\\\n\0".repeat(10)].concat();
    [alone, followed]
}

fn text_of(value: &[u8], capacity: usize) -> String {
    let mut out = Vec::with_capacity(capacity);
    out.extend_from_slice(b"before");
    write(Slice::new(value), None, &mut out);
    String::from_utf8(out).unwrap().strip_prefix("before").unwrap().to_owned()
}

#[test]
fn texts_of_every_length_are_escaped_at_every_place() {
    for length in 0..70 {
        let plain: String = "größe, und 日本; ".chars().cycle().take(length).collect();
        for place in 0..=length {
            let at = plain.char_indices().nth(place).map_or(plain.len(), |(at, _)| at);
            let (special, escaped) = SPECIAL[(length + place) % SPECIAL.len()];
            let (before, after) = plain.split_at(at);
            let text = format!("{before}{special}{after}");
            let expected = format!("\"{before}{escaped}{after}\"");
            for document in documents(&text) {
                assert_eq!(text_of(&document, 0), format!("{{{expected}:{expected}}}"));
            }
            let mut out = Vec::new();
            write_str(&text, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        for document in documents(&plain) {
            assert_eq!(text_of(&document, 0), format!("{{\"{plain}\":\"{plain}\"}}"));
        }
    }
}

#[test]
fn numbers_have_all_their_digits() {
    let mut out = Vec::new();
    for power in 0..20 {
        for number in [10u64.pow(power) - 1, 10u64.pow(power), 10u64.pow(power) + 7, 10u64.pow(power) / 2 * 3]
        {
            for text in [number.to_string(), format!("-{number}")] {
                let Ok(_) = text.parse::<i64>() else { continue };
                if text == "-0" {
                    continue;
                }
                let mut builder = Builder::new();
                parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
                assert_eq!(text_of(&builder.into_vec(), 0), text);
                let whole: f64 = text.parse().unwrap();
                if whole.abs() < 9e15 {
                    out.clear();
                    write_f64(whole, &mut out);
                    assert_eq!(std::str::from_utf8(&out), Ok(text.as_str()));
                }
            }
        }
    }
    for text in ["18446744073709551615", "-9223372036854775808", "10000000000000000000"] {
        let mut builder = Builder::new();
        parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
        assert_eq!(text_of(&builder.into_vec(), 0), text);
    }
}

#[test]
fn decimals_are_the_shortest_text_of_their_double() {
    let mut out = Vec::new();
    let mut check = |value: f64| {
        out.clear();
        write_f64(value, &mut out);
        // Rust prints the shortest digits too, and no exponents.
        assert_eq!(std::str::from_utf8(&out), Ok(value.to_string().as_str()));
    };
    let mut state = 1_u64;
    for round in 0..200_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let digits = state >> 33;
        let decimal = digits as f64 / 10_f64.powi(round % 10);
        // The neighbours have many digits.
        for value in
            [decimal, decimal.next_up(), decimal.next_down(), digits as f64 / 3e7, digits as f64 / 128.0]
        {
            check(value);
            check(-value);
        }
    }
    for value in [1e-6, 1.5e-6, 0.000_001_23, 0.1, 0.3, 0.1 + 0.2, 9_999_999.999_999_99, 1e7 + 0.5, 0.5, 1e-5]
    {
        check(value);
        check(value.next_up());
    }
    for (value, text) in [(1e-7, "1e-7"), (9.5e-7, "9.5e-7"), (-1e-8, "-1e-8")] {
        let mut out = Vec::new();
        write_f64(value, &mut out);
        assert_eq!(std::str::from_utf8(&out), Ok(text));
    }
}

#[test]
fn arrays_and_objects_are_written_in_all_their_forms() {
    let texts = [
        r#"{"a":[],"b":{},"c":[[],[[]],{}],"d":[1,[2,"x"],3],"e":[{"f":[true,null]},false]}"#.to_owned(),
        r#"[[1.5,2.5],["a","bc"],[[1,22],[3,444]],[{"a":[0]}]]"#.to_owned(),
        // Numbers of two and of four bytes.
        format!(r#"{{"long":["{}",[1,2],"b"],"c":1}}"#, "x".repeat(300)),
        format!(r#"{{"one":"{}"}}"#, "x".repeat(300)),
        format!(r#"[["{}",{{"a":["b",1]}}]]"#, "x".repeat(70_000)),
    ];
    for text in texts {
        let mut builder = Builder::new();
        parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
        let value = builder.into_vec();
        assert_eq!(text_of(&value, 0), text);
        assert_eq!(text_of(&[value, vec![0x41; 30]].concat(), 0), text);
    }
}

#[test]
fn cut_off_and_broken_containers_end_before_their_broken_member() {
    let mut builder = Builder::new();
    let text = r#"{"a":["b",1,{"c":[1,"d"]}],"e":2}"#;
    parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    let value = builder.into_vec();
    for length in 0..value.len() {
        let broken = text_of(&value[..length], 0);
        assert!(["{}", "null", ""].contains(&broken.as_str()), "{broken}");
    }
    for position in 1..value.len() {
        for byte in [0, 1, 2, 6, 7, 0x0B, 0x0C, 0x41, 0xBE, 0xBF, 0xFF] {
            let mut broken = value.clone();
            broken[position] = byte;
            // Nothing is promised but an end.
            let mut out = Vec::new();
            write(Slice::new(&broken), None, &mut out);
            assert!(out.len() < 10 * text.len());
        }
    }
}

#[test]
fn any_room_that_there_is_will_do() {
    let text = r#"{"_key":"a key","list":[1,-22,333.5,null,true,false,"",{},[]],"inner":{"größe":{"x":"a text of some length"}}}"#;
    let mut builder = Builder::new();
    parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    let value = builder.into_vec();
    for capacity in 0..300 {
        assert_eq!(text_of(&value, capacity), text);
    }
    // Sufficient capacity does not grow.
    let mut out = Vec::with_capacity(text.len() + 80);
    let capacity = out.capacity();
    write(Slice::new(&value), None, &mut out);
    assert_eq!((out.len(), out.capacity()), (text.len(), capacity));
}

#[test]
fn an_id_is_that_of_the_key_wherever_it_stands() {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    builder.key("a").unwrap();
    builder.add_u64(1).unwrap();
    builder.key("_id").unwrap();
    builder.add_slice(Slice::new(&crate::ID_MARKER)).unwrap();
    builder.key("_key").unwrap();
    builder.add_str("k\"1").unwrap();
    builder.close().unwrap();
    let mut out = Vec::new();
    write(builder.as_slice(), Some("c\nd"), &mut out);
    assert_eq!(String::from_utf8(out).unwrap(), r#"{"a":1,"_id":"c\nd/k\"1","_key":"k\"1"}"#);
    let mut out = Vec::new();
    write_pretty(builder.as_slice(), None, &mut out);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{\n  \"a\": 1,\n  \"_id\": null,\n  \"_key\": \"k\\\"1\"\n}"
    );
}
