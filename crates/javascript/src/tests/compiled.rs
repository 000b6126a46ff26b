//! Compiled scripts that isolates share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use owner::MemoryAccount;
use rquickjs::{CatchResultExt, Coerced};

use super::host::{EchoHost, isolate};
use crate::compiled::evaluate;
use crate::{CompiledScripts, Isolate, Limits};

/// A limit that no test reaches.
const ROOM: u64 = 8 << 20;

fn scripts(account_bytes: u64, max_bytes: u64) -> (CompiledScripts, Arc<MemoryAccount>) {
    let account = Arc::new(MemoryAccount::new(Some(account_bytes), None));
    (CompiledScripts::new(Arc::clone(&account), max_bytes), account)
}

/// A script that is long enough to be kept.
fn long(source: &str) -> String {
    format!("/*{}*/\n{source}", " ".repeat(600))
}

/// Returns the text of a script's value in a new isolate, or of its exception and stack.
fn value(scripts: &CompiledScripts, source: &str, file: &str) -> String {
    let (isolate, _) = isolate(&Limits::default());
    isolate.context.with(|ctx| {
        let value = evaluate(&ctx, Some(scripts), source, file);
        match value.and_then(|value| value.get::<Coerced<String>>()).catch(&ctx) {
            Ok(text) => text.0,
            Err(error) => error.to_string(),
        }
    })
}

#[test]
fn a_script_is_the_same_however_it_came_into_the_isolate() {
    let (scripts, account) = scripts(ROOM, ROOM);
    let cases = [
        ("1 + 1", "2"),
        ("(function named(a, b) { /* its text */ return a + b; })", "/* its text */"),
        (
            "[1n << 70n, 'ä€😀', 0.1, /a+b/giu, `t${1}`, -0].join()",
            "1180591620717411303424,ä€😀,0.1,/a+b/giu,t1,0",
        ),
        ("class A { #own = 3; get own() { return this.#own; } } new A().own", "3"),
        ("let last; for (const n of (function* () { yield 1; yield 2; })()) last = n; last", "2"),
        ("(function () { throw new Error('on the third line'); })", "third"),
        ("\n(() => { throw new Error('broken'); })()", "a.js:3"),
    ];
    for (number, (source, expected)) in cases.into_iter().enumerate() {
        let source = long(source);
        let first = value(&scripts, &source, "a.js");
        assert_eq!(scripts.len(), number + 1, "{source}");
        assert!(first.contains(expected), "{source}: {first}");
        assert_eq!(value(&scripts, &source, "a.js"), first);
        assert_eq!(scripts.len(), number + 1, "{source}");
    }
    assert_eq!(account.used_bytes(), scripts.used_bytes());
    drop(scripts);
    assert_eq!(account.used_bytes(), 0);
}

#[test]
fn a_script_has_its_own_name_in_errors() {
    let (scripts, _) = scripts(ROOM, ROOM);
    let source = long("(() => { throw new Error('broken'); })()");
    for file in ["one.js", "two.js", "one.js"] {
        let error = value(&scripts, &source, file);
        assert!(error.contains(&format!("{file}:2")), "{error}");
    }
    assert_eq!(scripts.len(), 2);
}

#[test]
fn what_cannot_be_kept_still_runs() {
    let (empty, _) = scripts(ROOM, ROOM);
    assert_eq!(value(&empty, "'short'", "a.js"), "short");
    assert_eq!(value(&empty, &format!("/*{}*/ 'long'", " ".repeat(1 << 20)), "a.js"), "long");
    assert!(value(&empty, &long("return"), "a.js").contains("return not in"));
    assert!(empty.is_empty());
    let (small, _) = scripts(ROOM, 100);
    let (poor, _) = scripts(100, ROOM);
    for scripts in [small, poor] {
        assert_eq!(value(&scripts, &long("'kept'"), "a.js"), "kept");
        assert!(scripts.is_empty());
    }
}

#[test]
fn the_scripts_that_were_used_last_stay() {
    let text = |number: usize| long(&format!("'the script {number}'"));
    let (unbounded, _) = scripts(ROOM, ROOM);
    value(&unbounded, &text(0), "a.js");
    let (scripts, _) = scripts(ROOM, unbounded.used_bytes() * 4);
    for number in 0..40 {
        assert_eq!(value(&scripts, &text(number), "a.js"), format!("the script {number}"));
        // The first one is used all the time, so it is not displaced.
        let before = scripts.used_bytes();
        value(&scripts, &text(0), "a.js");
        assert_eq!(scripts.used_bytes(), before);
    }
    assert!((2..=4).contains(&scripts.len()), "{}", scripts.len());
}

#[test]
fn modules_and_packages_are_compiled_once() {
    let scripts = Arc::new(scripts(ROOM, ROOM).0);
    let mut lengths = Vec::new();
    for _ in 0..2 {
        let host = EchoHost { scripts: Some(Arc::clone(&scripts)), ..EchoHost::default() };
        let interrupt = Arc::new(AtomicBool::new(false));
        let isolate = Isolate::new(Box::new(host), &Limits::default(), interrupt).unwrap();
        isolate.run("test.js", "if (require('joi').number().validate('7').value !== 7) throw 1;").unwrap();
        lengths.push(scripts.len());
    }
    assert!(lengths[0] > 10 && lengths[0] == lengths[1], "{lengths:?}");
}
