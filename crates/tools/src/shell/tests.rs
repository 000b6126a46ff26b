//! Options and ends of statements, without a server.

use ::options::{Options, Request, Version};

use super::options::{PROGRAM, Settings, Work};
use super::statement::is_open;
use crate::Failure;

const VERSION: Version = Version { compatible: "3.12.0", own: "1", license: "L", commit: "" };

fn read(arguments: &[&str]) -> Result<Settings, Failure> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    match Options::read(&PROGRAM, VERSION, &arguments, &|_| None)? {
        Request::Run(options) => Settings::read(&options),
        Request::Print(text) => panic!("{text}"),
    }
}

fn scripts(files: &[&str], texts: &[&str]) -> Work {
    let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Work::Scripts { files: list(files), texts: list(texts) }
}

#[test]
fn scripts_and_their_arguments() {
    assert_eq!(read(&[]).unwrap().work, Work::Statements);
    let settings = read(&["a.js", "1", "2"]).unwrap();
    assert_eq!((settings.work, settings.arguments), (scripts(&["a.js"], &[]), vec!["1".into(), "2".into()]));
    let settings = read(&["--javascript.execute", "a.js", "--javascript.execute", "b.js", "1"]).unwrap();
    assert_eq!((settings.work, settings.arguments), (scripts(&["a.js", "b.js"], &[]), vec!["1".into()]));
    let settings = read(&["--quiet", "--javascript.execute-string", "print(1)"]).unwrap();
    assert_eq!(settings.work, scripts(&[], &["print(1)"]));
}

#[test]
fn options_of_other_programs_are_refused_with_a_reason() {
    for (option, reason) in [
        ("--javascript.unit-tests", "ArangoDB's tests"),
        ("--javascript.files-denylist", "fewer rights"),
        ("--javascript.harden", "fewer rights"),
    ] {
        let failure = read(&[option, "x"]).err().unwrap();
        assert!(failure.text().contains(reason), "{option}: {}", failure.text());
    }
    assert!(read(&["--javascript.v8-options=--x", "--javascript.gc-interval", "10"]).is_ok());
}

#[test]
fn statements_end_where_everything_is_closed() {
    let closed = [
        "1 + 1",
        "f()",
        "a = { b: [1, 2] }",
        "'it''s'",
        "\"{\"",
        "/[/]/.test('/')",
        "a / b / c",
        "x = 1; // {",
        "`a ${b + `c ${d}`} e`",
        "i++",
        "}",
        "return /}/",
        "",
        "'not closed",
        "a ? b : c;",
        "label:",
    ];
    for statement in closed {
        assert!(!is_open(statement), "{statement:?} is complete");
    }
    let open = [
        "function f() {",
        "[1,",
        "f(1,\n2",
        "`a",
        "`a ${b",
        "/* a",
        "a +",
        "a =",
        "db.",
        "x =>",
        "'a\\",
        "if (a) { // }",
        "a &&",
        "db._query(`FOR i IN 1..3\n",
    ];
    for statement in open {
        assert!(is_open(statement), "{statement:?} continues");
    }
}
