//! Tests of command lines: their requests, and the messages about mistakes and errors.

use std::fs;

use mock_http::Request;
use tempfile::TempDir;

use super::mock::Mock;
use super::{mistake, run};

const INSTALLED: &str = r#"{"mount": "/m", "name": "n", "version": "1.0.0", "development": false}"#;

/// Returns a folder with a service.
fn service() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("manifest.json"), r#"{"main": "index.js"}"#).unwrap();
    fs::write(folder.path().join("index.js"), "'use strict';").unwrap();
    folder
}

/// Returns the request of a command line, which the server answers with a body.
fn request(arguments: &[&str], status: u16, body: &str) -> Request {
    let mock = Mock::new(status, body);
    run(&[arguments, &[mock.endpoint.as_str()]].concat()).unwrap();
    mock.request()
}

fn line(request: &Request) -> String {
    format!("{} {}", request.method, request.target.replace("/_db/_system", ""))
}

#[test]
fn commands_are_requests() {
    let cases: &[(&[&str], u16, &str, &str)] = &[
        (&["list"], 200, "[]", "GET /_api/foxx?excludeSystem=true"),
        (&["ls", "-a"], 200, "[]", "GET /_api/foxx?excludeSystem=false"),
        (&["info", "/m"], 200, INSTALLED, "GET /_api/foxx/service?mount=%2Fm"),
        (&["uninstall", "/m"], 204, "", "DELETE /_api/foxx/service?teardown=true&mount=%2Fm"),
        (&["purge", "/m", "--no-teardown"], 204, "", "DELETE /_api/foxx/service?teardown=false&mount=%2Fm"),
        (&["config", "/m"], 200, "{}", "GET /_api/foxx/configuration?mount=%2Fm"),
        (&["deps", "/m", "-f"], 200, "{}", "PUT /_api/foxx/dependencies?minimal=false&mount=%2Fm"),
        (&["scripts", "/m"], 200, "{}", "GET /_api/foxx/scripts?mount=%2Fm"),
        (&["run", "/m", "a b"], 200, "null", "POST /_api/foxx/scripts/a%20b?mount=%2Fm"),
        (&["set-dev", "/m"], 200, INSTALLED, "POST /_api/foxx/development?mount=%2Fm"),
        (&["set-production", "/m"], 200, INSTALLED, "DELETE /_api/foxx/development?mount=%2Fm"),
    ];
    for (arguments, status, body, expected) in cases {
        assert_eq!(line(&request(arguments, *status, body)), *expected, "{arguments:?}");
    }
}

#[test]
fn a_folder_is_installed_as_an_archive() {
    let folder = service();
    let path = folder.path().to_str().unwrap();
    let found = request(&["install", "/m", path], 201, INSTALLED);
    assert_eq!(line(&found), "POST /_api/foxx?mount=%2Fm&setup=true");
    assert_eq!(found.header("content-type"), Some("application/zip"));
    assert!(found.body.starts_with(b"PK\x03\x04"));
    let found = request(&["upgrade", "/m", path, "--no-setup", "--force"], 200, INSTALLED);
    assert_eq!(line(&found), "PATCH /_api/foxx/service?mount=%2Fm&setup=false&teardown=false&force=true");
    let found = request(&["replace", "/m", path, "--setup", "false", "--legacy"], 200, INSTALLED);
    assert_eq!(
        line(&found),
        "PUT /_api/foxx/service?mount=%2Fm&setup=false&teardown=true&force=false&legacy=true"
    );
    let script = folder.path().join("index.js");
    let found = request(&["install", "/m", script.to_str().unwrap()], 201, INSTALLED);
    assert_eq!(found.header("content-type"), Some("application/javascript"));
    assert_eq!(found.body, b"'use strict';");
}

#[test]
fn settings_are_sent_with_the_source() {
    let folder = service();
    let path = folder.path().to_str().unwrap();
    let file = folder.path().join("c.json");
    fs::write(&file, "[1, 2]").unwrap();
    let from_file = format!("list=@{}", file.display());
    let line = [
        "install", "/m", path, "-c", "n=3", "-c", "t=a=b", "-c", &from_file, "-d", "a=/x", "-d", "b=/y",
        "--dep", "b=/z",
    ];
    let found = request(&line, 201, INSTALLED);
    let boundary = found.header("content-type").unwrap().split_once("boundary=").unwrap().1.to_owned();
    let body = String::from_utf8_lossy(&found.body);
    let parts: Vec<&str> = body.split(&format!("--{boundary}")).collect();
    assert_eq!(parts.len(), 5, "{body}");
    assert!(parts[1].contains("name=\"source\"; filename=\"service.zip\"\r\ncontent-type: application/zip"));
    assert!(
        parts[2].ends_with("name=\"configuration\"\r\n\r\n{\"n\":3,\"t\":\"a=b\",\"list\":[1,2]}\r\n"),
        "{body}"
    );
    assert!(
        parts[3].ends_with("name=\"dependencies\"\r\n\r\n{\"a\":\"/x\",\"b\":[\"/y\",\"/z\"]}\r\n"),
        "{body}"
    );
    let found = request(&["install", "/m", "/srv/a.zip", "--remote", "-c", "n=\"3\""], 201, INSTALLED);
    assert_eq!(found.body, br#"{"source":"/srv/a.zip","configuration":{"n":"3"}}"#);
}

#[test]
fn settings_are_changed() {
    let found = request(&["config", "/m", "a=true", "b=text"], 200, "{}");
    assert_eq!(line(&found), "PATCH /_api/foxx/configuration?minimal=false&mount=%2Fm");
    assert_eq!(found.body, br#"{"a":true,"b":"text"}"#);
    let reply = r#"{"a": {"type": "integer", "current": 1, "warning": "must be an integer"}}"#;
    let mock = Mock::new(200, reply);
    assert_eq!(mistake(&["config", "/m", "a=x", &mock.endpoint]), "config /m: a: must be an integer");
    let reply =
        r#"{"a": {"type": "integer", "current": 1}, "b": {"type": "string", "warning": "is required"}}"#;
    request(&["config", "/m", "a=1"], 200, reply);
    request(&["config", "/m", "--force"], 200, reply);
}

#[test]
fn scripts_get_an_argument() {
    let found = request(&["run", "/m", "s", r#"{"a": [1]}"#], 200, "[1]");
    assert_eq!(
        (found.body.as_slice(), found.header("content-type")),
        (&br#"{"a":[1]}"#[..], Some("application/json"))
    );
    assert_eq!(request(&["script", "/m", "s", "text"], 200, "null").body, br#""text""#);
    assert!(mistake(&["run", "/m", "s", "{a"]).contains("cannot connect"));
    let mock = Mock::new(200, "null");
    assert!(mistake(&["run", "/m", "s", "{a", &mock.endpoint]).contains("{a is not valid JSON"));
}

#[test]
fn the_exit_code_says_whether_tests_fail() {
    let report = r#"{"stats": {"failures": 0, "passes": 1}, "suites": [], "tests": []}"#;
    let found = request(&["test", "/m", "a filter"], 200, report);
    assert_eq!(line(&found), "POST /_api/foxx/tests?reporter=suite&filter=a%20filter&mount=%2Fm");
    let cases = [
        ("json", "default", r#"{"stats": {"failures": 2}}"#),
        ("tap", "tap&idiomatic=true", "1..2\nnot ok 1 a\nnot ok 2 b\n"),
        ("stream", "stream&idiomatic=true", "[\"start\",{}]\r\n[\"end\",{\"failures\":2}]\r\n"),
        ("xunit", "xunit&idiomatic=true", "<testsuite failures=\"1\" errors=\"1\"></testsuite>"),
    ];
    for (reporter, expected, body) in cases {
        let mock = Mock::new(200, body);
        assert_eq!(
            mistake(&["test", "/m", "-R", reporter, &mock.endpoint]),
            "2 tests of /m fail",
            "{reporter}"
        );
        let expected = format!("POST /_api/foxx/tests?reporter={expected}&mount=%2Fm");
        assert_eq!(line(&mock.request()), expected);
    }
    let mock = Mock::new(200, "[\"start\",{}]\r\n");
    assert!(mistake(&["test", "/m", "-R", "stream", &mock.endpoint]).contains("does not say how many"));
}

#[test]
fn errors_name_mount_source_and_number() {
    let folder = service();
    let path = folder.path().to_str().unwrap();
    let reply = |number: u64| format!(r#"{{"error": true, "errorNum": {number}, "errorMessage": "M"}}"#);
    let mock = Mock::new(409, &reply(3011));
    let text = mistake(&["install", "/m", path, &mock.endpoint]);
    assert!(text.starts_with(&format!("install of {path} at /m: error 3011: M; `upgrade`")), "{text}");
    let cases = [
        (400, 3009, "info /m: error 3009: M; `persea foxx list` shows"),
        (403, 3099, "info /m: error 3099: M; the server was started with --foxx.api false"),
        (403, 11, "info /m: error 11: M; the user must have the right"),
        (500, 3103, "info /m: error 3103: M"),
    ];
    for (status, number, expected) in cases {
        let mock = Mock::new(status, &reply(number));
        let text = mistake(&["info", "/m", &mock.endpoint]);
        assert!(text.starts_with(expected), "{text}");
    }
}

#[test]
fn mistakes_of_the_command_line_say_what_is_right() {
    let cases: &[(&[&str], &str)] = &[
        (&[], "there is no command; the commands are list, info, install"),
        (&["instal"], "there is no command \"instal\""),
        (&["info"], "`info` has 0 arguments; it must be `persea foxx info MOUNT`"),
        (&["install", "/a", "b", "c"], "it must be `persea foxx install MOUNT [SOURCE]`"),
        (&["info", "shop"], "the mount point is \"shop\"; it must begin with a slash, such as /shop"),
        (&["info", "/a", "--force"], "`info` does not take --force; it takes --raw"),
        (&["install", "/a", "-R", "spec"], "`install` does not take --reporter; it takes --cfg, --dep"),
        (&["set-dev", "/a", "--raw"], "`set-dev` does not take --raw; it takes none of its own"),
        (&["server", "set"], "there is no `server set`"),
        (&["bundle", "/nonexistent", "-O"], "/nonexistent is not a folder"),
        (&["bundle", "-O", "-o", "x"], "--outfile and --stdout are different outputs"),
    ];
    for (arguments, expected) in cases {
        let text = mistake(arguments);
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    let mock = Mock::new(201, INSTALLED);
    let cases: &[(&[&str], &str)] = &[
        (&["install", "/a", "/nonexistent"], "/nonexistent cannot be read"),
        (&["install", "/a", "/etc/hostname"], "/etc/hostname is not the source of a service"),
        (&["config", "/a", "b"], "\"b\" must have the form NAME=VALUE"),
        (&["config", "/a", "b=1", "b=2"], "b is given twice"),
        (&["config", "/a", "b=@/nonexistent"], "b: /nonexistent cannot be read"),
    ];
    for (arguments, expected) in cases {
        let text = mistake(&[arguments, &[mock.endpoint.as_str()][..]].concat());
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn urls_are_downloaded() {
    let folder = service();
    let archive = super::super::archive::pack(folder.path(), false).unwrap();
    let host = Mock::with_headers(200, Vec::new(), archive.clone());
    let url = format!("http://{}/a/service.zip?b=c", host.address);
    let found = request(&["install", "/m", &url], 201, INSTALLED);
    assert_eq!((found.body, host.request().target.as_str()), (archive.clone(), "/a/service.zip?b=c"));
    let first = Mock::with_headers(302, vec![("location", url)], Vec::new());
    let found = request(&["install", "/m", &format!("http://{}/x", first.address)], 201, INSTALLED);
    assert_eq!(found.body, archive);
    let mock = Mock::new(201, INSTALLED);
    let missing = Mock::new(404, "");
    let url = format!("http://{}/x.zip", missing.address);
    assert!(mistake(&["install", "/m", &url, &mock.endpoint]).contains("answers with 404"));
    let endless = Mock::with_headers(302, vec![("location", "/again".to_owned())], Vec::new());
    let url = format!("http://{}/x.zip", endless.address);
    assert!(mistake(&["install", "/m", &url, &mock.endpoint]).contains("redirects more than 5 times"));
}
