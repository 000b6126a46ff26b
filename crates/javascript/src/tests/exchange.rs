//! Calls with a body in either direction.

use velocypack::{Builder, Slice};

use super::host::isolate;
use crate::{Exchanged, Failure, Isolate, Limits};

/// Calls a function of the global scope with 1 and a body.
fn exchange(isolate: &Isolate, function: &str, body: &[u8]) -> Result<Exchanged, Failure> {
    isolate.run("test.js", &format!("require('internal').pass = {function}")).unwrap();
    let mut builder = Builder::new();
    builder.add_i64(1).unwrap();
    isolate.exchange("internal", "pass", &[builder.as_slice()], body)
}

fn json(exchanged: &Exchanged) -> String {
    Slice::new(&exchanged.value).to_json_string()
}

#[test]
fn values_and_bodies_pass_in_both_directions() {
    let (isolate, _) = isolate(&Limits::default());
    let done =
        exchange(&isolate, "(one, body) => [{ one, length: body.length }, body]", b"a\xff\0b").unwrap();
    assert_eq!((json(&done).as_str(), done.body.as_slice()), (r#"{"one":1,"length":4}"#, &b"a\xff\0b"[..]));
    let done = exchange(&isolate, "(one, body) => [null, 'text \\u00e4']", b"").unwrap();
    assert_eq!((json(&done).as_str(), done.body.as_slice()), ("null", "text ä".as_bytes()));
    let done = exchange(&isolate, "() => [[1], undefined]", b"").unwrap();
    assert_eq!((json(&done).as_str(), done.body.as_slice()), ("[1]", &b""[..]));
    let part = "(one, body) => [1, Buffer.from(body.buffer).slice(1, 3)]";
    assert_eq!(exchange(&isolate, part, b"abcd").unwrap().body, b"bc");
}

#[test]
fn a_result_of_another_shape_is_an_exception() {
    let (isolate, _) = isolate(&Limits::default());
    for (function, text) in [
        ("() => 1", "no array of a value and a body"),
        ("() => [1]", "no array of a value and a body"),
        ("() => [1, 2]", "a body must be a text or bytes"),
        ("() => [1, new Uint32Array(3)]", "a body must be a text or bytes"),
        ("() => { throw new RangeError('mine') }", "RangeError: mine"),
    ] {
        let failure = exchange(&isolate, function, b"").unwrap_err();
        assert!(failure.to_string().contains(text), "{function}: {failure}");
    }
    // The isolate is as good as before.
    assert_eq!(json(&exchange(&isolate, "() => [7, '']", b"").unwrap()), "7");
}

#[test]
fn a_body_counts_for_the_isolates_memory() {
    let limits = Limits { memory_bytes: 4 << 20, ..Limits::default() };
    let (isolate, _) = isolate(&limits);
    assert!(exchange(&isolate, "(one, body) => [body.length, '']", &[0; 8 << 20]).is_err());
    assert_eq!(
        json(&exchange(&isolate, "(one, body) => [body.length, '']", &[0; 1 << 20]).unwrap()),
        "1048576"
    );
}
