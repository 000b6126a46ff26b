//! Static files and the default document.

use std::fs::File;
use std::io::Read;
use std::time::{Duration, UNIX_EPOCH};

use flate2::read::GzDecoder;

use super::host::Fixture;

const MANIFEST: &str = r#"{"manifest":{"main":"index.js","lib":"lib","defaultDocument":"start.html","files":{
    "static":"public","/favicon.ico":{"path":"public/icon","type":"image/x-icon"},
    "packed":{"path":"public","gzip":true},"static/inner":"other","escape":"../other","start.html":"public/a.html"}}}"#;

const INDEX: &str = "const router = require('@arangodb/foxx/router')(); module.context.use(router); \
    router.get('/static/a.html', (req, res) => res.send('route')); router.get('/static/*', (req, res) => res.send('rest')); \
    router.post('/static/a.html', (req, res) => res.send('posted'));";

fn fixture() -> Fixture {
    let files = [
        ("lib/index.js", INDEX),
        ("public/a.html", "<p>"),
        ("public/deep/b c.js", "1"),
        ("public/icon", "icon"),
        ("public/empty.txt", ""),
        ("other/x.css", "css"),
    ];
    Fixture::new(&[("/test", MANIFEST, &files), ("/other", "{}", &[("secret.txt", "secret")])])
}

#[test]
fn files_are_served_before_routes() {
    let fixture = fixture();
    for (path, text, kind) in [
        ("/static/a.html", "<p>", "text/html; charset=utf-8"),
        ("/static/deep/b%20c.js", "1", "application/javascript; charset=utf-8"),
        ("/favicon.ico", "icon", "image/x-icon"),
        ("/static/inner/x.css", "css", "text/css; charset=utf-8"),
        ("/static/empty.txt", "", "text/plain; charset=utf-8"),
        ("/static/none", "rest", "text/html; charset=utf-8"),
        ("/static", "rest", "text/html; charset=utf-8"),
        ("/static/deep", "rest", "text/html; charset=utf-8"),
    ] {
        let answer = fixture.get(path);
        assert_eq!(
            (answer.status, answer.text().as_str(), answer.header("content-type").as_str()),
            (200, text, kind),
            "{path}"
        );
    }
    assert_eq!(fixture.send("POST", "/static/a.html", "{}", b"").text(), "posted");
    assert_eq!(
        fixture.send("HEAD", "/static/a.html", "{}", b"").header("content-type"),
        "text/html; charset=utf-8"
    );
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let fixture = fixture();
    for path in [
        "/static/../lib/index.js",
        "/static/%2e%2e/lib/index.js",
        "/static/..%2flib%2findex.js",
        "/static/deep/../../../other/secret.txt",
        "/static/a.html%00.js",
    ] {
        let answer = fixture.get(path);
        assert_eq!(answer.text(), "rest", "{path}");
    }
    for path in ["/escape/secret.txt", "/favicon.ico/x", "/lib/index.js"] {
        assert_eq!(fixture.get(path).status, 404, "{path}");
    }
}

#[test]
fn known_files_are_not_sent_again() {
    let fixture = fixture();
    let file = File::options().append(true).open(fixture.folder().join("test/public/a.html")).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    let first = fixture.get("/static/a.html");
    assert_eq!(first.header("last-modified"), "Sun, 09 Sep 2001 01:46:40 GMT");
    let tag = first.header("etag").replace('"', "\\\"");
    for (headers, status) in [
        (format!(r#"{{"if-none-match":"{tag}"}}"#), 304),
        (format!(r#"{{"if-none-match":"\"x\", W/{tag}"}}"#), 304),
        (r#"{"if-none-match":"\"x\"","if-modified-since":"Sun, 09 Sep 2001 01:46:40 GMT"}"#.to_owned(), 200),
        (r#"{"if-modified-since":"Sun, 09 Sep 2001 01:46:40 GMT"}"#.to_owned(), 304),
        (r#"{"if-modified-since":"Sun, 09 Sep 2001 01:46:39 GMT"}"#.to_owned(), 200),
        (r#"{"if-modified-since":"nonsense"}"#.to_owned(), 200),
    ] {
        let answer = fixture.send("GET", "/static/a.html", &headers, b"");
        assert_eq!((answer.status, answer.body.is_empty()), (status, status == 304), "{headers}");
    }
}

#[test]
fn files_are_packed_for_clients_that_unpack() {
    let fixture = fixture();
    let packed = fixture.send("GET", "/packed/a.html", r#"{"accept-encoding":"gzip, br"}"#, b"");
    assert_eq!(
        (packed.header("content-encoding").as_str(), packed.header("vary").as_str()),
        ("gzip", "accept-encoding")
    );
    let mut text = String::new();
    GzDecoder::new(packed.body.as_slice()).read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), packed.header("content-type").as_str()), ("<p>", "text/html; charset=utf-8"));
    let plain = fixture.get("/packed/a.html");
    assert_eq!((plain.text().as_str(), plain.header("content-encoding").as_str()), ("<p>", ""));
    assert_eq!(
        fixture
            .send("GET", "/packed/a.html", r#"{"accept-encoding":"gzip;q=0"}"#, b"")
            .header("content-encoding"),
        ""
    );
    assert_ne!(packed.header("etag"), plain.header("etag"));
}

#[test]
fn the_root_leads_to_the_default_document() {
    let fixture = fixture();
    let answer = fixture.get("/");
    assert_eq!((answer.status, answer.header("location").as_str()), (302, "start.html"));
    // A relative URL would begin at the parent.
    assert_eq!(fixture.get("").header("location"), "/_db/mydb/test/start.html");
    assert_eq!(fixture.get("/start.html").text(), "<p>");
    // A route of the root comes first.
    let index = "const router = require('@arangodb/foxx/router')(); module.context.use(router); router.get((req, res) => res.send('root'));";
    let files = [("lib/index.js", index)];
    assert_eq!(Fixture::new(&[("/test", MANIFEST, &files)]).get("/").text(), "root");
}
