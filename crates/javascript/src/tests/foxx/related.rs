//! The modules beside the router in services: sessions, GraphQL, scripts of jobs, and tests.

use velocypack::Slice;

use super::host::{Fixture, parse};

const SESSIONS: &str = "
const createRouter = require('@arangodb/foxx/router');
const sessions = require('@arangodb/foxx/sessions');
const jwt = require('@arangodb/foxx/sessions/storages/jwt');
const cookie = require('@arangodb/foxx/sessions/transports/cookie');
module.context.use(sessions({ storage: jwt('secret'), transport: [cookie({ name: 'S', algorithm: 'sha256', secret: 'x', httpOnly: true }), 'header'] }));
const router = createRouter();
module.context.use(router);
router.get((req, res) => res.send(String(req.session.uid)));
router.post('/login/:name', (req, res) => { req.session.uid = req.pathParams.name; res.send('in'); });
router.post('/logout', (req, res) => { req.session = null; res.send('out'); });
";

#[test]
fn sessions_live_from_one_request_to_the_next() {
    let fixture = Fixture::of(SESSIONS);
    assert_eq!(fixture.get("").text(), "null");
    let login = fixture.post("/login/anna", "text/plain", "");
    let token = login.header("x-session-id");
    assert_eq!(fixture.send("GET", "", &format!(r#"{{"x-session-id":"{token}"}}"#), b"").text(), "anna");
    let cookies: Vec<String> = login
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie")
        .map(|(_, value)| value.split(';').next().unwrap().to_owned())
        .collect();
    assert_eq!(cookies.len(), 2, "{login:?}");
    let jar = format!(r#"{{"cookie":"{}"}}"#, cookies.join("; "));
    assert_eq!(fixture.send("GET", "", &jar, b"").text(), "anna");
    // A cookie without its signature is none.
    let half = format!(r#"{{"cookie":"{}"}}"#, cookies[0]);
    assert_eq!(fixture.send("GET", "", &half, b"").text(), "null");
    let logout = fixture.send("POST", "/logout", &jar, b"");
    assert!(
        logout.header("set-cookie").contains("S=;") && logout.header("x-session-id").is_empty(),
        "{logout:?}"
    );
}

#[test]
fn a_router_of_graphql_is_part_of_a_service() {
    let fixture = Fixture::of(
        "const graphql = require('graphql-sync');
         const schema = graphql.buildSchema('type Query { hello(name: String): String }');
         const rootValue = { hello: ({ name }) => 'hello ' + name };
         module.context.use('/graphql', require('@arangodb/foxx/graphql')({ schema, rootValue, graphiql: true }));",
    );
    let query = r#"{ hello(name: "you") }"#;
    let expected = r#"{"data":{"hello":"hello you"}}"#;
    let encoded = "%7B%20hello(name%3A%20%22you%22)%20%7D";
    assert_eq!(fixture.get(&format!("/graphql?query={encoded}")).text(), expected);
    assert_eq!(fixture.post("/graphql", "application/graphql", query).text(), expected);
    assert_eq!(
        fixture.post("/graphql", "application/x-www-form-urlencoded", format!("query={encoded}")).text(),
        expected
    );
    let body = r#"{"query":"query A($n: String) { hello(name: $n) }","variables":{"n":"you"}}"#;
    let answer = fixture.post("/graphql", "application/json", body);
    assert_eq!((answer.status, answer.text().as_str()), (200, expected));
    assert_eq!(answer.header("content-type"), "application/json; charset=utf-8");
    assert_eq!(fixture.send("POST", &format!("/graphql?query={encoded}"), "{}", b"").text(), expected);
    assert_eq!(fixture.post("/graphql", "application/json", "{}").status, 400);
    let page = fixture.send("GET", "/graphql", r#"{"accept":"text/html,*/*;q=0.8"}"#, b"");
    assert_eq!((page.status, page.header("content-type").as_str()), (200, "text/html; charset=utf-8"));
}

#[test]
fn callbacks_of_jobs_are_texts_of_functions() {
    let fixture = Fixture::of("");
    let source = "\"(result, data, job) => [result, data.x, job.status, module.context.mount]\"";
    let (value, _) =
        fixture.call("callback", &["\"/test\"", source, r#"[7,{"x":1},{"status":"complete"}]"#], b"");
    assert_eq!(value, r#"{"result":[7,1,"complete","/test"]}"#);
}

/// A service with two files of tests.
fn tested() -> Fixture {
    let first = "'use strict'; const { expect } = require('chai');
        const counter = require('./counter'); counter.count += 1;
        describe('boolean', () => {
          it('is', () => expect(counter.count).to.equal(1));
          it('is not', () => expect(true).to.equal(false));
        });";
    let second = "const counter = require('../lib-test/counter'); counter.count += 1;
        exports['own context'] = { 'is fresh': () => { if (counter.count !== 1 || module.context.mount !== '/test') throw new Error('shared'); } };";
    Fixture::new(&[(
        "/test",
        "{}",
        &[
            ("index.js", "throw new Error('the main file does not run');"),
            ("lib-test/a.js", first),
            ("lib-test/counter.js", "exports.count = 0;"),
            ("test/b.js", second),
            ("bad.js", "describe('x', () => {"),
        ],
    )])
}

#[test]
fn tests_run_each_file_in_a_fresh_context() {
    let fixture = tested();
    let files = r#"["lib-test/a.js","test/b.js"]"#;
    let (value, body) =
        fixture.call("tests", &["\"/test\"", files, r#"{"reporter":"suite","idiomatic":true}"#], b"");
    assert!(body.is_empty());
    let value = parse(&value);
    let result = Slice::new(&value).get("result").unwrap();
    let number = |name: &str| result.get("stats").unwrap().get(name).unwrap().as_f64().unwrap();
    assert_eq!(
        (number("passes"), number("failures"), number("tests")),
        (2.0, 1.0, 3.0),
        "{}",
        result.to_json_string()
    );
    let failed = result.to_json_string();
    assert!(
        failed.contains("AssertionError: expected true to equal false\\n    at ")
            && !failed.contains("persea:"),
        "{failed}"
    );
    let options = r#"{"reporter":"tap","idiomatic":true,"filter":"own"}"#;
    let (value, body) = fixture.call("tests", &["\"/test\"", files, options], b"");
    assert_eq!(value, r#"{"result":null}"#);
    assert_eq!(
        String::from_utf8(body).unwrap(),
        "1..1\nok 1 own context is fresh\n# tests 1\n# pass 1\n# fail 0\n"
    );
}

#[test]
fn files_of_tests_that_do_not_load_are_errors() {
    let fixture = tested();
    for (arguments, number) in [
        (["\"/test\"", r#"["bad.js"]"#, "{}"], 3101.0),
        (["\"/test\"", r#"["none.js"]"#, "{}"], 3100.0),
        (["\"/test\"", r#"["index.js"]"#, "{}"], 3103.0),
        (["\"/none\"", "[]", "{}"], 3009.0),
        (["\"/test\"", "[]", r#"{"reporter":"loud"}"#], 10.0),
    ] {
        let (value, _) = fixture.call("tests", &arguments, b"");
        let value = parse(&value);
        let found = Slice::new(&value).get("exception").and_then(|exception| exception.get("errorNum"));
        assert_eq!(found.and_then(|found| found.as_f64()), Some(number), "{arguments:?}");
    }
    let unmet = Fixture::new(&[("/test", r#"{"unmet":["key"]}"#, &[])]);
    assert!(unmet.call("tests", &["\"/test\"", "[]", "{}"], b"").0.contains("3010"));
}
