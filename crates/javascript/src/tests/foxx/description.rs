//! The description of the API, and the page that shows it.

use velocypack::Slice;

use super::host::{Fixture, parse};

const INDEX: &str = "const joi = require('joi');
    const createRouter = require('@arangodb/foxx/router');
    const router = createRouter().tag('all').header('x-common', joi.string().required(), 'Everywhere');
    module.context.use('/v1', router).securityScheme('basic', 'Login').securityScheme('oauth2', { id: 'o', flow: 'implicit', authorizationUrl: 'https://a', scopes: { r: 'Read' } });
    router.post('/items/:id', () => {}, 'item').pathParam('id', joi.number().integer().min(1), 'The id')
      .queryParam('mode', joi.string().valid('a', 'b').default('a'), 'The mode').queryParam('list', joi.array().items(joi.number()))
      .body(joi.object({ name: joi.string().min(2).max(9).required(), when: joi.date(), inner: joi.array().items(joi.object({ a: joi.boolean() })) }).required(), 'An item')
      .response(201, joi.object({ id: joi.number() }), 'Made').error('conflict', 'There is one').error(404)
      .summary('Makes an item').description('At length').deprecated().tag('items').securityScope('o', 'r');
    router.get('/files/*', () => {}).response(['text/plain'], 'A file').security('o', false).header('x-common', joi.number(), 'Here');
    router.delete('/items/:id', () => {}).response(null);
    router.all('/any', () => {});
    module.context.use('/docs', module.context.createDocumentationRouter());
    module.context.use('/own', module.context.createDocumentationRouter((req, res) => {
      if (req.suffix === 'stop') { res.send('stopped'); return false; }
      if (req.suffix === 'swagger.json' && !req.arangoUser) res.throw(401);
      return { mount: '/other' };
    }));
    const old = createRouter();
    old.get('/old/*', module.context.apiDocumentation({ swaggerRoot: module.context.fileName('assets'), indexFile: 'i.html' }));
    module.context.use(old);";

fn fixture() -> Fixture {
    let extra = r#"{"manifest":{"main":"index.js","name":"mine","version":"1.0.0","description":"A service","license":"MIT"}}"#;
    let files = [("index.js", INDEX), ("assets/i.html", "own page"), ("assets/x.css", "css")];
    Fixture::new(&[("/test", extra, &files), ("/other", "{}", &[("index.js", "")])])
}

/// Returns a part of a value by a path of names and indexes.
fn part(value: &[u8], path: &str) -> String {
    let mut slice = Slice::new(value);
    for name in path.split(' ').filter(|name| !name.is_empty()) {
        let next = match name.parse::<usize>() {
            Ok(index) if slice.kind() == velocypack::Kind::Array => slice.elements().nth(index),
            _ => slice.get(name),
        };
        match next {
            Some(next) => slice = next,
            None => return String::new(),
        }
    }
    slice.to_json_string()
}

#[test]
fn routes_are_described_as_openapi() {
    let (value, body) = fixture().call("apiDescription", &["\"/test\""], b"");
    assert!(body.is_empty());
    let value = parse(&value);
    let at = |path: &str| part(&value, &format!("result {path}"));
    assert_eq!(at("swagger") + &at("basePath"), "\"2.0\"\"/_db/mydb/test\"");
    assert_eq!(
        at("info"),
        r#"{"title":"mine","description":"A service","version":"1.0.0","license":{"name":"MIT"}}"#
    );
    let post = |path: &str| at(&format!("paths /v1/items/{{id}} post {path}"));
    assert_eq!(
        post("summary") + &post("description") + &post("deprecated"),
        "\"Makes an item\"\"At length\"true"
    );
    assert_eq!(post("tags") + &post("operationId"), "[\"all\",\"items\"]\"post_item\"");
    assert_eq!(
        post("parameters 0"),
        r#"{"description":"The id","type":"integer","minimum":1,"required":true,"name":"id","in":"path"}"#
    );
    assert_eq!(
        post("parameters 1"),
        r#"{"type":"string","enum":["a","b"],"default":"a","required":false,"name":"mode","in":"query","description":"The mode"}"#
    );
    assert_eq!(
        post("parameters 2"),
        r#"{"type":"array","items":{"type":"number"},"required":false,"name":"list","in":"query"}"#
    );
    assert_eq!(post("parameters 3 name") + &post("parameters 3 required"), "\"x-common\"true");
    assert_eq!(
        post("parameters 4 schema"),
        r#"{"type":"object","properties":{"name":{"type":"string","minLength":2,"maxLength":9},"when":{"type":"string","format":"date-time"},"inner":{"type":"array","items":{"type":"object","properties":{"a":{"type":"boolean"}}}}},"required":["name"]}"#
    );
    assert_eq!(
        post("parameters 4 in") + &post("parameters 4 required") + &post("consumes"),
        "\"body\"true[\"application/json; charset=utf-8\"]"
    );
    assert_eq!(
        post("responses 201 description") + &post("responses 201 schema properties id"),
        "\"Made\"{\"type\":\"number\"}"
    );
    assert_eq!(
        post("responses 409 description") + &post("responses 404 description"),
        "\"There is one\"\"Not Found\""
    );
    assert_eq!(post("security"), r#"[{"basic":[]},{"o":["r"]}]"#);
    let get = |path: &str| at(&format!("paths /v1/files/* get {path}"));
    assert_eq!(get("produces") + &get("security"), r#"["text/plain; charset=utf-8"][{"basic":[]}]"#);
    assert_eq!(get("parameters 0 description"), "\"Here\"");
    assert_eq!(at("paths /v1/items/{id} delete responses 204 description"), "\"No Content\"");
    for method in ["get", "post", "put", "patch", "delete", "head", "options"] {
        assert_ne!(at(&format!("paths /v1/any {method}")), "", "{method}");
    }
    assert_eq!(at("securityDefinitions basic"), r#"{"type":"basic","description":"Login"}"#);
    assert_eq!(at("securityDefinitions o flow"), "\"implicit\"");
}

#[test]
fn pages_show_the_description() {
    let fixture = fixture();
    let redirect = fixture.get("/docs");
    assert_eq!((redirect.status, redirect.header("location").as_str()), (301, "docs/"));
    for path in ["/docs/", "/docs/index.html"] {
        let page = fixture.get(path);
        assert_eq!((page.status, page.header("content-type").as_str()), (200, "text/html; charset=utf-8"));
        assert!(page.text().contains("fetch('swagger.json')"));
    }
    assert_eq!(fixture.get("/docs/swagger.json").attribute("swagger"), "\"2.0\"");
    assert_eq!(fixture.get("/docs/other").status, 404);
    assert_eq!(fixture.get("/own/stop").text(), "stopped");
    assert_eq!(fixture.get("/own/swagger.json").status, 401);
    let other = fixture.send_as("GET", "/own/swagger.json", "{}", b"", "\"root\"");
    assert_eq!(other.attribute("basePath"), "\"/_db/mydb/other\"");
    assert_eq!(fixture.get("/old/").text(), "own page");
    assert_eq!(fixture.get("/old/x.css").text(), "css");
    assert_eq!(fixture.get("/old/../index.js").status, 404);
}
