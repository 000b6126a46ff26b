//! The request as handlers see it.

use std::time::Duration;

use super::host::Fixture;

/// Makes a service whose root answers with the value of an expression of `req`.
fn shows(expression: &str) -> Fixture {
    Fixture::of(&format!(
        "const router = require('@arangodb/foxx/router')();
         module.context.use(router);
         router.all('/*', (req, res) => {{ const value = {expression}; res.json(value === undefined ? 'undefined' : value); }});"
    ))
}

/// Returns the value of an expression for a request with some headers.
fn shown(expression: &str, path: &str, headers: &str) -> String {
    let answer = shows(expression).send("GET", path, headers, b"");
    assert_eq!(answer.status, 200, "{expression}: {}", answer.text());
    answer.text()
}

#[test]
fn urls_have_their_parts() {
    let parts = "[req.method, req.database, req.baseUrl, req.path, req.url, req.originalUrl, req.suffix, req.context.mount]";
    assert_eq!(
        shown(parts, "/a%20b/c?x=1&y", "{}"),
        r#"["GET","mydb","/_db/mydb","/test/a%20b/c","/test/a%20b/c?x=1&y","/_db/mydb/test/a%20b/c?x=1&y","a%20b/c","/test"]"#
    );
    let queries = "req.queryParams";
    assert_eq!(
        shown(queries, "/?a=1&a=2&b[]=1&b[]=2&c&d=x+y%21&e=%zz&f=a=b", "{}"),
        r#"{"a":"2","b":["1","2"],"c":"","d":"x y!","e":"%zz","f":"a=b"}"#
    );
    assert_eq!(
        shown("JSON.stringify(req.queryParams) + ({}).a", "/?__proto__=1&__proto__[]=2", "{}"),
        r#""{\"__proto__\":[\"2\"]}undefined""#
    );
}

#[test]
fn a_request_and_its_context_can_be_printed() {
    let as_json = shown("(req.session = { uid: 7 }, req)", "/x?a=1", "{}");
    for part in [
        r#""method":"GET""#,
        r#""queryParams":{"a":"1"}"#,
        r#""session":{"uid":7}"#,
        r#""url":"/test/x?a=1""#,
    ] {
        assert!(as_json.contains(part), "{as_json}");
    }
    assert!(!as_json.contains("_facts") && !as_json.contains("context"), "{as_json}");
    let context = shown("req.context", "/", "{}");
    assert!(context.contains(r#""mount":"/test""#) && context.contains(r#""manifest":{"#), "{context}");
    let inspect = "require('@arangodb').inspect";
    let text = shown(&format!("{inspect}({{ request: req }}) + {inspect}(module.context)"), "/", "{}");
    assert!(text.contains("GET") && text.contains("/test"), "{text}");
}

#[test]
fn the_place_of_the_server_follows_host_and_trusted_proxies() {
    let place = "[req.protocol, req.secure, req.hostname, req.port, req.remoteAddress, req.remoteAddresses, req.remotePort, req.trustProxy]";
    assert_eq!(
        shown(place, "/", "{}"),
        r#"["http",false,"127.0.0.1",8529,"10.0.0.1",["10.0.0.1"],4242,false]"#
    );
    assert_eq!(
        shown("[req.hostname, req.port]", "/", r#"{"host":"example.org:81"}"#),
        r#"["example.org",81]"#
    );
    assert_eq!(shown("[req.hostname, req.port]", "/", r#"{"host":"[::1]:82"}"#), r#"["[::1]",82]"#);
    assert_eq!(shown("[req.hostname, req.port]", "/", r#"{"host":"example.org"}"#), r#"["example.org",80]"#);
    let forwarded = r#"{"host":"inner:1","x-forwarded-proto":"https","x-forwarded-host":"outer.org",
        "x-forwarded-for":"1.2.3.4, 5.6.7.8"}"#;
    assert_eq!(
        shown(place, "/", forwarded),
        r#"["http",false,"inner",1,"10.0.0.1",["10.0.0.1"],4242,false]"#
    );
    let trusting = format!("(() => {{ module.context.trustProxy = true; return {place}; }})()");
    assert_eq!(
        shown(&trusting, "/", forwarded),
        r#"["https",true,"outer.org",443,"1.2.3.4",["1.2.3.4","5.6.7.8"],4242,true]"#
    );
    let absolute = "req.makeAbsolute('/x/../y', 'q=1')";
    assert_eq!(
        shown(absolute, "/", r#"{"host":"example.org:80"}"#),
        "\"http://example.org/_db/mydb/test/y?q=1\""
    );
}

#[test]
fn users_versions_and_logins() {
    let fixture = shows("[req.arangoUser, req.arangoVersion, req.auth]");
    assert_eq!(fixture.get("/").text(), "[null,31205,null]");
    let basic = r#"{"authorization":"Basic cm9vdDpzZTpjcmV0","x-arango-version":"30807"}"#;
    assert_eq!(
        fixture.send_as("GET", "/", basic, b"", "\"root\"").text(),
        r#"["root",30807,{"basic":{"username":"root","password":"se:cret"}}]"#
    );
    for (header, auth) in [
        ("bearer abc.def", r#"{"bearer":"abc.def"}"#),
        ("Basic", r#"{"basic":{}}"#),
        ("basic cm9vdA==", r#"{"basic":{"username":"root"}}"#),
        ("Digest x", "null"),
    ] {
        let headers = format!(r#"{{"authorization":"{header}"}}"#);
        assert_eq!(shown("req.auth", "/", &headers), auth, "{header}");
    }
}

#[test]
fn headers_in_any_case() {
    let headers = r#"{"x-a":"1","referer":"r","x-requested-with":"XMLHttpRequest"}"#;
    assert_eq!(
        shown(
            "[req.get('X-A'), req.header('x-a'), req.get('Referrer'), req.headers['x-a'], req.xhr, req.get('no') === undefined]",
            "/",
            headers
        ),
        r#"["1","1","r","1",true,true]"#
    );
}

#[test]
fn cookies_are_read_and_their_signatures_checked() {
    let signed = "require('@arangodb/crypto').hmac('key', 'v w', 'sha256')";
    let fixture = shows(
        "[req.cookie('a'), req.cookie('b', 'key'), req.cookie('b', { secret: 'other' }), req.cookie('c', 'key'), req.cookie('none')]",
    );
    let signature = shown(signed, "/", "{}");
    let signature = signature.trim_matches('"');
    let headers = format!(r#"{{"cookie":"a=1; a=2; b=v%20w; b.sig={signature}; c=%zz; =x; novalue"}}"#);
    assert_eq!(fixture.send("GET", "/", &headers, b"").text(), r#"["1","v w",null,null,null]"#);
    assert_eq!(shown("req.cookie('__proto__')", "/", r#"{"cookie":"x=1"}"#), "null");
    assert_eq!(shown("req.cookie('c')", "/", r#"{"cookie":"c=\"%zz\""}"#), "\"%zz\"");
}

#[test]
fn representations_are_negotiated() {
    let accept = r#"{"accept":"text/*;q=0.3, text/html;q=0.7, application/json, */*;q=0.1","accept-encoding":"gzip;q=0.5, br",
        "accept-language":"de, en-GB;q=0.8","accept-charset":"utf-8, iso-8859-1;q=0.5"}"#;
    for (expression, value) in [
        ("req.accepts('html', 'json')", "\"json\""),
        ("req.accepts(['html', 'text'])", "\"html\""),
        ("req.accepts('text/plain')", "\"text/plain\""),
        ("req.accepts('png')", "\"png\""),
        ("req.accepts()", r#"["application/json","text/html","text/*","*/*"]"#),
        ("req.acceptsEncodings('gzip', 'br')", "\"br\""),
        ("req.acceptsEncodings('deflate', 'identity')", "\"identity\""),
        ("req.acceptsLanguages('en', 'de-AT')", "\"de-AT\""),
        ("req.acceptsLanguages('fr')", "false"),
        ("req.acceptsCharsets('iso-8859-1')", "\"iso-8859-1\""),
    ] {
        assert_eq!(shown(expression, "/", accept), value, "{expression}");
    }
    assert_eq!(shown("req.accepts('html', 'json')", "/", "{}"), "\"html\"");
    assert_eq!(shown("req.accepts('html')", "/", r#"{"accept":"application/json"}"#), "false");
    assert_eq!(shown("req.accepts('html')", "/", r#"{"accept":"text/html;q=0, */*"}"#), "false");
}

#[test]
fn types_of_bodies_are_recognized() {
    let is = |expression: &str, kind: &str| shows(expression).post("/", kind, "{}").text();
    for (expression, kind, value) in [
        ("req.is('html', 'json')", "application/json; charset=utf-8", "\"json\""),
        ("req.is(['text/*'])", "text/plain", "\"text/plain\""),
        ("req.is('+json')", "application/hal+json", "\"application/hal+json\""),
        ("req.is('application/*+xml')", "application/atom+xml", "\"application/atom+xml\""),
        ("req.is('urlencoded', 'multipart')", "multipart/mixed; boundary=x", "\"multipart\""),
        ("req.is('html')", "application/json", "false"),
        ("req.is()", "Text/HTML", "\"text/html\""),
        ("req.is('json')", "nonsense", "false"),
    ] {
        assert_eq!(is(expression, kind), value, "{expression}");
    }
    assert_eq!(shown("req.is('json')", "/", r#"{"content-type":"application/json"}"#), "null");
}

#[test]
fn ranges_are_parsed() {
    for (header, expression, value) in [
        ("bytes=40-80", "[req.range(100), req.range(100).type]", r#"[[{"start":40,"end":80}],"bytes"]"#),
        ("bytes=40-", "req.range(100)", r#"[{"start":40,"end":99}]"#),
        ("bytes=-10, 0-0", "req.range(100)", r#"[{"start":90,"end":99},{"start":0,"end":0}]"#),
        ("bytes=200-300", "req.range(100)", "-1"),
        ("bytes=9-1", "req.range()", "-1"),
        ("bytes", "req.range()", "-2"),
    ] {
        assert_eq!(shown(expression, "/", &format!(r#"{{"range":"{header}"}}"#)), value, "{header}");
    }
    assert_eq!(shown("req.range()", "/", "{}"), "\"undefined\"");
}

#[test]
fn bodies_come_as_they_were_sent() {
    let raw = shows("[req.body === req.rawBody, Buffer.isBuffer(req.body), req.rawBody.toString('hex')]");
    assert_eq!(raw.post("/", "application/json", b"\x00\xffa").text(), r#"[true,true,"00ff61"]"#);
    let json = shows("req.json()");
    assert_eq!(json.post("/", "text/plain", r#"{"ä":[1]}"#).text(), r#"{"ä":[1]}"#);
    assert_eq!(json.post("/", "text/plain", "").text(), "\"undefined\"");
    assert_eq!(json.post("/", "text/plain", "{").status, 500);
}

#[test]
fn long_headers_take_no_long_time() {
    let fixture = shows(
        "[req.auth, req.hostname, req.range(9), req.cookie('a'), req.accepts('x/y'), req.acceptsLanguages('en'), req.is('json'), req.xhr] && 1",
    );
    fixture.limit(Duration::from_secs(60));
    for unit in [" ", "a ", "a;", "a,", ";q=", "=", "\\\"", "a:", "0-", "bytes=", "a/b,", ";name=\\\""] {
        let long = unit.repeat(100_000 / unit.len());
        let names = [
            "authorization",
            "host",
            "range",
            "cookie",
            "accept",
            "accept-language",
            "content-type",
            "x-requested-with",
        ];
        let members: Vec<String> =
            names.iter().map(|name| format!("\"{name}\":\"basic {long}x y\"")).collect();
        let answer = fixture.send("POST", "/", &format!("{{{}}}", members.join(",")), b"1");
        assert_eq!(answer.status, 200, "{unit}: {}", answer.text());
    }
}

#[test]
fn nothing_stays_from_one_request_to_the_next() {
    let fixture = shows(
        "(() => { const { db } = require('@arangodb'); const before = [req.mine, db._name()]; req.mine = 1; db._useDatabase('other'); return before; })()",
    );
    for _ in 0..2 {
        assert_eq!(fixture.get("/").text(), "[null,\"mydb\"]");
    }
}
