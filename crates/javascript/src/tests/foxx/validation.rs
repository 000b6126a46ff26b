//! Parameters, headers and bodies by schemas and models.

use super::host::Fixture;

fn routed(source: &str) -> Fixture {
    Fixture::of(&format!(
        "const joi = require('joi');
         const router = require('@arangodb/foxx/router')();
         module.context.use(router);
         {source}"
    ))
}

#[test]
fn parameters_become_the_values_of_their_schemas() {
    let fixture = routed(
        "router.get('/p/:id/:other', (req, res) => res.json(req.pathParams)).pathParam('id', joi.number().integer().required(), 'The id');
         router.get('/p/:id/:other', (req, res) => res.json('fallback ' + req.pathParams.id));
         router.get('/q', (req, res) => res.json(req.queryParams))
           .queryParam('n', joi.number().default(7)).queryParam('free', 'described only').queryParam('list', joi.array().items(joi.number()));
         router.get('/h', (req, res) => res.json([req.headers['x-n'], req.get('X-Default')]))
           .header('X-N', joi.number().required()).header('x-default', joi.string().default('none'));",
    );
    assert_eq!(fixture.get("/p/12/x").text(), r#"{"id":12,"other":"x"}"#);
    assert_eq!(fixture.get("/p/zwölf/x").text(), "\"fallback zwölf\"");
    assert_eq!(fixture.get("/q").text(), r#"{"n":7}"#);
    assert_eq!(
        fixture.get("/q?n=1&free=f&extra=e&list[]=1&list[]=2").text(),
        r#"{"n":1,"free":"f","extra":"e","list":[1,2]}"#
    );
    let bad = fixture.get("/q?n=x");
    assert_eq!((bad.status, bad.attribute("errorNum").as_str()), (400, "400"));
    assert_eq!(bad.attribute("errorMessage"), "\"the query parameter \\\"n\\\" must be a number\"");
    assert_eq!(fixture.send("GET", "/h", r#"{"x-n":"3"}"#, b"").text(), "[3,\"none\"]");
    let bad = fixture.get("/h");
    assert_eq!(
        (bad.status, bad.attribute("errorMessage").as_str()),
        (400, "\"the header \\\"x-n\\\" is required\"")
    );
}

#[test]
fn bodies_are_parsed_and_checked() {
    let fixture = routed(
        "const show = (req, res) => res.json(req.body === undefined ? 'undefined' : req.body);
         router.post('/json', show).body(joi.object({ a: joi.number().required() }).required(), 'A body');
         router.post('/list', show).body([joi.number()]);
         router.post('/keys', show).body({ a: joi.number() });
         router.post('/optional', show).body(joi.object());
         router.post('/none', show).body(null);
         router.post('/text', show).body(['text/plain'], 'A text');
         router.post('/form', show).body(joi.object({ a: joi.number(), b: joi.array() }), ['urlencoded', 'json']);
         router.post('/bytes', (req, res) => res.json(Buffer.isBuffer(req.body))).body(['application/x-own']);
         router.post('/described', (req, res) => res.json(Buffer.isBuffer(req.body))).body('Only described');",
    );
    let post = |path: &str, kind: &str, body: &str| {
        let answer = fixture.post(path, kind, body);
        (answer.status, answer.text())
    };
    let ok = |text: &str| (200, text.to_owned());
    assert_eq!(post("/json", "application/json", r#"{"a":"1"}"#), ok(r#"{"a":1}"#));
    // A type that is not declared counts as the first one that is.
    assert_eq!(post("/json", "text/plain", r#"{"a":1}"#), ok(r#"{"a":1}"#));
    let bad = fixture.post("/json", "application/json", "{\"a\":");
    assert_eq!(bad.status, 400);
    assert!(bad.attribute("errorMessage").contains("not valid JSON"), "{}", bad.text());
    assert_eq!(
        fixture.post("/json", "application/json", "").attribute("errorMessage"),
        "\"the request body is required\""
    );
    assert!(fixture.post("/json", "application/json", "{}").text().contains("\\\"a\\\" is required"));
    assert_eq!(post("/list", "application/json", "[1,\"2\"]"), ok("[1,2]"));
    assert_eq!(fixture.post("/list", "application/json", "1").status, 400);
    assert!(
        fixture
            .post("/list", "application/json", "[1,{}]")
            .text()
            .contains("item 1 of the request body must be a number")
    );
    assert_eq!(post("/keys", "application/json", r#"{"a":"3"}"#), ok(r#"{"a":3}"#));
    assert_eq!(post("/optional", "application/json", ""), ok("\"undefined\""));
    assert_eq!(post("/none", "application/json", "1"), ok("\"undefined\""));
    assert_eq!(post("/text", "text/plain; charset=utf-8", "ä"), ok("\"ä\""));
    assert_eq!(
        post("/form", "application/x-www-form-urlencoded", "a=1&b=x&b=y"),
        ok(r#"{"a":1,"b":["x","y"]}"#)
    );
    assert_eq!(post("/form", "application/json", r#"{"a":2}"#), ok(r#"{"a":2}"#));
    assert_eq!(post("/bytes", "application/x-own", "x"), ok("true"));
    assert_eq!(post("/described", "application/json", "x"), ok("true"));
}

#[test]
fn multipart_bodies_have_parts() {
    let fixture = routed(
        "router.post('/', (req, res) => res.json(req.body.map((part) => [part.name, part.filename, part.headers, part.data.toString('hex')]))).body(['multipart/form-data']);",
    );
    let kind = "multipart/form-data; boundary=\\\"a b\\\"";
    let body = b"preamble\r\n--a b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\xc3\xa4.txt\"\r\nX-Y:  z \r\n\r\n\x00\xff\r\n\r\n--a b\r\n\r\n\r\n--a b--\r\nend";
    assert_eq!(
        fixture.post("/", kind, body).text(),
        r#"[["f","ä.txt",{"content-disposition":"form-data; name=\"f\"; filename=\"ä.txt\"","x-y":"z"},"00ff0d0a"],[null,null,{},""]]"#
    );
    assert_eq!(fixture.post("/", "multipart/form-data; boundary=x", "--x--").text(), "[]");
    for (kind, body) in [
        ("multipart/form-data", "--x--"),
        ("multipart/form-data; boundary=x", ""),
        ("multipart/form-data; boundary=x", "--x\r\nA: b"),
        ("multipart/form-data; boundary=x", "--x\r\nA: b\r\n\r\ndata"),
        ("multipart/form-data; boundary=x", "--x"),
    ] {
        let answer = fixture.post("/", kind, body);
        assert_eq!(answer.status, 400, "{kind} {body:?}: {}", answer.text());
    }
    let many = format!("{}--x--", "--x\r\n\r\na\r\n".repeat(1001));
    assert!(
        fixture.post("/", "multipart/form-data; boundary=x", many).text().contains("more than 1000 parts")
    );
    let long = format!("--x\r\nA: {}\r\n\r\n\r\n--x--", "b".repeat(20_000));
    assert_eq!(fixture.post("/", "multipart/form-data; boundary=x", long).status, 400);
}

#[test]
fn models_change_bodies_in_both_directions() {
    let fixture = routed(
        "const Model = { schema: { a: joi.number().required() }, factor: 10,
           fromClient(body) { return { a: body.a * this.factor }; }, forClient(data) { return { shown: data.a }; } };
         router.post('/one', (req, res) => res.send(req.body)).body(Model).response(Model);
         router.post('/many', (req, res) => res.send(req.body)).body([Model]).response([Model], 'All');
         router.post('/created', (req, res) => { res.status(201); res.send({ a: 5 }); }).response(201, Model);
         router.post('/form', (req, res) => res.send({ a: 6 })).response(Model, ['application/x-www-form-urlencoded']);
         router.post('/text', (req, res) => res.send('x')).response('ok', ['text/plain'], 'A text');
         router.post('/other', (req, res) => { res.status(202); res.send({ a: 5 }); }).response(201, Model);
         router.response(joi.array()).post('/inherited', (req, res) => res.send('x'));",
    );
    let post = |path: &str, body: &str| {
        let answer = fixture.post(path, "application/json", body);
        (answer.text(), answer.header("content-type"))
    };
    let json = |text: &str| (text.to_owned(), "application/json; charset=utf-8".to_owned());
    assert_eq!(post("/one", r#"{"a":1}"#), json(r#"{"shown":10}"#));
    assert_eq!(post("/many", r#"[{"a":1},{"a":2}]"#), json(r#"[{"shown":10},{"shown":20}]"#));
    assert_eq!(post("/created", ""), json(r#"{"shown":5}"#));
    assert_eq!(post("/form", ""), ("shown=6".to_owned(), "application/x-www-form-urlencoded".to_owned()));
    assert_eq!(post("/text", ""), ("x".to_owned(), "text/plain; charset=utf-8".to_owned()));
    assert_eq!(post("/other", ""), json(r#"{"a":5}"#));
    assert_eq!(post("/inherited", ""), json("\"x\""));
}

#[test]
fn a_middleware_parses_the_body_once() {
    let fixture = routed(
        "router.use((req, res, next) => { req.kind = typeof req.body; next(); }).body(['text/plain']);
         router.post('/', (req, res) => res.json([req.kind, req.body])).body(joi.string().max(3), ['application/json']);",
    );
    assert_eq!(fixture.post("/", "application/json", "\"a").text(), "[\"string\",\"\\\"a\"]");
    assert_eq!(fixture.post("/", "application/json", "abcd").status, 400);
}

#[test]
fn any_object_with_a_validation_is_a_schema() {
    let fixture = routed(
        "const even = { validate: (value) => (Number(value) % 2 === 0 ? { value: Number(value) } : { error: new Error('not even') }) };
         router.get('/even', (req, res) => res.json(req.queryParams.n)).queryParam('n', even);
         router.get('/throws', (req, res) => res.json(1)).queryParam('n', { validate() { throw new Error('inside'); } });
         router.get('/nothing', (req, res) => res.json(1)).queryParam('n', { validate() {} });
         router.get('/path/:n', (req, res) => res.json(1)).pathParam('n', { validate() { throw new Error('inside'); } });",
    );
    assert_eq!(fixture.get("/even?n=4").text(), "4");
    assert_eq!(
        fixture.get("/even?n=3").attribute("errorMessage"),
        "\"the query parameter \\\"n\\\": not even\""
    );
    assert_eq!(fixture.get("/throws").status, 500);
    assert_eq!(fixture.get("/nothing").status, 500);
    assert_eq!(fixture.get("/path/1").status, 500);
    assert!(fixture.log().contains("must return an object"), "{}", fixture.log());
}

#[test]
fn own_types_are_read_and_written() {
    let fixture = routed(
        "module.context.registerType('application/x-own', {
           fromClient: (body, req, type) => body.toString().split(','),
           forClient: (data) => ({ data: data.join(';'), headers: { 'x-own': 'yes' } }),
         });
         router.post('/', (req, res) => res.send(req.body)).body(['application/x-own']).response(['application/x-own']);",
    );
    let answer = fixture.post("/", "application/x-own", "a,b");
    assert_eq!((answer.text().as_str(), answer.header("x-own").as_str()), ("a;b", "yes"));
    assert_eq!(answer.header("content-type"), "application/x-own");
}
