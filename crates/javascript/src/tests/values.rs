//! Values between JavaScript and VelocyPack.

use super::host::{pass, run};
use crate::Failure;

#[test]
fn values_pass_unchanged() {
    let nested = format!("{}{}", "[".repeat(199), "]".repeat(199));
    let values = [
        "null",
        "true",
        "0",
        "-1",
        "2147483648",
        "9007199254740992",
        "-9007199254740992",
        "0.1",
        "1e+300",
        "\"\"",
        "\"\\u0000\\u0001\\u007f\\u0080äöü€😀\"",
        "[]",
        "{}",
        "[1,[2,[3,{\"a\":[]}]]]",
        "{\"__proto__\":{\"a\":1},\"constructor\":2,\"toJSON\":3,\"\":4}",
        nested.as_str(),
    ];
    for value in values {
        let expected = value.replace("\\u007f", "\u{7f}").replace("\\u0080", "\u{80}");
        assert_eq!(pass("return value", value).unwrap(), expected, "{value}");
    }
}

#[test]
fn integers_beyond_2_to_53_become_doubles() {
    assert_eq!(pass("return value", "9223372036854775807").unwrap(), "9223372036854775808.0");
    assert_eq!(pass("return value", "9007199254740993").unwrap(), "9007199254740992");
    assert_eq!(pass("return BigInt(2) ** 63n - 1n", "0").unwrap(), "9223372036854775807");
    assert_eq!(pass("return BigInt(2) ** 64n - 1n", "0").unwrap(), "18446744073709551615");
    assert_eq!(pass("return typeof value", "9223372036854775807").unwrap(), "\"number\"");
}

#[test]
fn values_without_a_form_in_json() {
    assert_eq!(
        pass("return [NaN, 1 / 0, undefined, print, Symbol()]", "0").unwrap(),
        "[null,null,null,null,null]"
    );
    assert_eq!(pass("return { a: undefined, b: print, c: 1 }", "0").unwrap(), "{\"c\":1}");
    assert_eq!(pass("return new Date(0)", "0").unwrap(), "\"1970-01-01T00:00:00.000Z\"");
    assert_eq!(pass("return '\\ud800x'", "0").unwrap(), "\"\u{fffd}x\"");
    assert_eq!(pass("return undefined", "0").unwrap(), "null");
}

#[test]
fn circles_and_deep_values_are_refused() {
    for body in
        ["var a = {}; a.a = a; return a", "var a = []; for (var i = 0; i < 300; ++i) a = [a]; return a"]
    {
        match pass(body, "0") {
            Err(Failure::Exception(exception)) => {
                assert!(exception.message.contains("nested"), "{exception:?}")
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn small_values_with_huge_forms_are_refused() {
    for body in [
        "var a = []; a.length = 4e9; return a",
        "return new Array(1000).fill('x'.repeat(1 << 20))",
        "var a = ['x']; for (var i = 0; i < 60; ++i) a = [a, a]; return a",
        "var o = {}; o['x'.repeat(1 << 20)] = 1; return new Array(1000).fill(o)",
    ] {
        match pass(body, "0") {
            Err(Failure::Exception(exception)) => {
                assert!(exception.message.contains("too much memory"), "{body}: {exception:?}");
            }
            other => panic!("{body}: {:?}", other.map(|value| value.len())),
        }
    }
}

#[test]
fn replies_in_json_are_values() {
    let script = "print(arango.POST('/echo', { a: [1, 9007199254740993, '\\u0000'] }))";
    assert_eq!(
        run(&script.replace("print(", "print_plain(")).unwrap(),
        "{ \"a\" : [ 1, 9007199254740992, \"\\u0000\" ] }\n"
    );
}
