//! Errors of handlers, and the replies to them.

use super::host::{Answer, Fixture};

fn routed(source: &str, extra: &str) -> Fixture {
    let index = format!(
        "const {{ db, ArangoError, errors }} = require('@arangodb');
         const router = require('@arangodb/foxx/router')();
         module.context.use(router);
         router.get('/', (req, res) => {{ {source} }});"
    );
    Fixture::new(&[("/test", extra, &[("index.js", index.as_str())])])
}

fn reply(source: &str) -> Answer {
    routed(source, "{}").get("/")
}

/// Returns status, number and message of the reply to an error.
fn error(source: &str) -> (u16, String, String) {
    let answer = reply(source);
    assert_eq!(answer.attribute("error"), "true", "{source}: {}", answer.text());
    assert_eq!(answer.attribute("code"), answer.status.to_string());
    assert_eq!(answer.header("content-type"), "application/json; charset=utf-8");
    (
        answer.status,
        answer.attribute("errorNum"),
        answer.attribute("errorMessage").trim_matches('"').to_owned(),
    )
}

#[test]
fn errors_have_the_status_that_they_name() {
    for (source, status, number, message) in [
        ("res.throw(404)", 404, "404", "Not Found"),
        ("res.throw('not found', 'no such thing')", 404, "404", "no such thing"),
        ("res.throw(403, new Error('cause'))", 403, "403", "cause"),
        ("res.throw(400, 'reason', new Error('cause'))", 400, "400", "reason"),
        ("res.throw(200, 'no error')", 500, "500", "no error"),
        ("throw new Error('secret')", 500, "500", "internal server error"),
        ("throw 'text'", 500, "500", "internal server error"),
        ("throw undefined", 500, "500", "internal server error"),
        ("throw null", 500, "500", "internal server error"),
        ("throw Object.assign(new Error('mine'), { statusCode: 418 })", 418, "418", "mine"),
        ("throw Object.assign(new Error('mine'), { statusCode: 200 })", 500, "500", "internal server error"),
        ("throw new ArangoError({ errorNum: 1202, errorMessage: 'lost', code: 404 })", 404, "1202", "lost"),
        ("db._collection('nothing').save({})", 500, "500", "internal server error"),
        ("db._query('RETURN 1').nothing()", 500, "500", "internal server error"),
        ("db._document('nonsense')", 400, "1205", "illegal document identifier"),
        (
            "try { db._document('nonsense') } catch (e) { res.throw(409, e) }",
            409,
            "1205",
            "illegal document identifier",
        ),
        ("null.x", 500, "500", "internal server error"),
        ("res.throw('no such status')", 500, "500", "internal server error"),
    ] {
        assert_eq!(error(source), (status, number.to_owned(), message.to_owned()), "{source}");
    }
}

#[test]
fn exceptions_may_be_any_value() {
    for thrown in [
        "Symbol('x')",
        "{ get statusCode() { throw 1; } }",
        "new Proxy({}, { get() { throw 1; } })",
        "Object.assign(new Error('x'), { statusCode: 400, message: Symbol('y') })",
        "Object.assign(new Error('x'), { statusCode: 400, extra: new Proxy({}, { ownKeys() { throw 1; } }) })",
        "Object.assign(new Error('x'), { stack: 7, name: null })",
        "Object.create(null)",
        "() => {}",
        "10n",
    ] {
        let answer = reply(&format!("throw {thrown}"));
        assert_eq!(answer.attribute("error"), "true", "{thrown}: {}", answer.text());
        let files = [("s.js", format!("throw {thrown}"))];
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let extra = r#"{"manifest":{"scripts":{"s":"s.js"}}}"#;
        let (value, _) =
            Fixture::new(&[("/test", extra, &files)]).call("script", &["\"/test\"", "\"s\"", "[]"], b"");
        assert!(value.contains("\"errorNum\":3016"), "{thrown}: {value}");
    }
    let deep = reply("const f = () => f() + 1; f()");
    assert_eq!(deep.status, 500);
}

#[test]
fn errors_carry_more_and_are_logged() {
    let answer = reply("res.throw(422, 'reason', { extra: { fields: ['a'], code: 7 } })");
    assert_eq!((answer.status, answer.attribute("fields").as_str()), (422, "[\"a\"]"));
    let circular = reply("const extra = {}; extra.extra = extra; res.throw(422, 'reason', { extra })");
    assert_eq!((circular.status, circular.attribute("errorMessage").as_str()), (422, "\"reason\""));
    let fixture = routed(
        "const inner = new TypeError('inner'); res.throw(503, 'outer', { cause: Object.assign(new Error('middle'), { cause: inner }) })",
        "{}",
    );
    let answer = fixture.get("/");
    assert_eq!((answer.status, answer.attribute("stacktrace").as_str()), (503, ""));
    let log = fixture.log();
    assert!(log.contains("Error: service \"/test\": HttpError: outer"), "{log}");
    assert!(log.contains("via Error: middle") && log.contains("via TypeError: inner"), "{log}");
    assert!(log.contains("index.js:4") && !log.contains("persea:"), "{log}");
    let fixture = routed("res.throw(404)", "{}");
    fixture.get("/");
    assert_eq!(fixture.log(), "");
    let endless = routed("const e = new Error('x'); e.cause = e; throw e", "{}");
    assert_eq!(endless.get("/").status, 500);
}

#[test]
fn development_mode_shows_the_place() {
    let fixture = routed("throw new TypeError('mine')", r#"{"development":true}"#);
    let answer = fixture.get("/");
    assert_eq!((answer.status, answer.attribute("exception").as_str()), (500, "\"TypeError: mine\""));
    assert!(answer.attribute("stacktrace").contains("index.js:4"), "{}", answer.text());
    let fixture = routed("res.throw(404, 'no')", r#"{"development":true}"#);
    assert_eq!(fixture.get("/").attribute("errorMessage"), "\"no\"");
    assert!(fixture.log().starts_with("Warning: service"), "{}", fixture.log());
}

#[test]
fn headers_and_cookies_outlive_an_error_and_the_body_does_not() {
    let answer = reply(
        "res.set({ 'www-authenticate': 'Basic', 'content-type': 'text/csv', etag: 'x', 'content-disposition': 'attachment' });
         res.headers['x-bad'] = 'a\\nb'; res.cookie('a', 'b'); res.write('rows'); res.throw(401)",
    );
    assert_eq!((answer.status, answer.header("www-authenticate").as_str()), (401, "Basic"));
    assert_eq!(answer.header("content-type"), "application/json; charset=utf-8");
    assert_eq!(
        (answer.header("etag") + &answer.header("content-disposition") + &answer.header("x-bad")).as_str(),
        ""
    );
    assert_eq!(answer.header("set-cookie"), "a=b");
    assert_eq!(answer.attribute("errorMessage"), "\"Unauthorized\"");
}

#[test]
fn middleware_may_catch_errors() {
    let fixture = Fixture::of(
        "const router = require('@arangodb/foxx/router')();
         module.context.use(router);
         router.use((req, res, next) => { try { next(); } catch (e) { res.status(409).json({ caught: e.message, id: req.param('id') }); } });
         router.get('/:id', (req, res) => res.throw(400, 'bad'));",
    );
    let answer = fixture.get("/7");
    assert_eq!((answer.status, answer.text().as_str()), (409, r#"{"caught":"bad","id":"7"}"#));
}
