//! Paths, methods, middleware, child routers and names of routes.

use super::host::Fixture;

const HEAD: &str = "const createRouter = require('@arangodb/foxx/router'); const router = createRouter(); \
    module.context.use(router);\n";

/// Makes a service with a router.
fn routed(source: &str) -> Fixture {
    Fixture::of(&format!("{HEAD}{source}"))
}

#[test]
fn paths_lead_to_their_routes() {
    let fixture = routed(
        "router.get((req, res) => res.send('root'));
         router.get('/a', (req, res) => res.send('a'));
         router.get('/a/:x', (req, res) => res.send('x=' + req.pathParams.x));
         router.get('/a/b', (req, res) => res.send('b'));
         router.get('/a/:x/c', (req, res) => res.send('c ' + req.param('x')));
         router.get('/rest/*', (req, res) => res.send('rest ' + req.suffix));
         router.get('/a/*', (req, res) => res.send('other ' + req.suffix));",
    );
    for (path, expected) in [
        ("", "root"),
        ("/", "root"),
        ("/a", "a"),
        ("/a/", "a"),
        ("//a", "a"),
        ("/a/b", "b"),
        ("/a/d", "x=d"),
        ("/a/b/c", "c b"),
        ("/a/%C3%A4%2F%20", "x=ä/ "),
        ("/a/b/d", "other b/d"),
        ("/rest", "rest "),
        ("/rest/x/y%2Fz/../w", "rest x/y%2Fz/../w"),
    ] {
        let answer = fixture.get(path);
        assert_eq!((answer.status, answer.text().as_str()), (200, expected), "{path}");
    }
    let lost = fixture.get("/b");
    assert_eq!((lost.status, lost.attribute("errorNum").as_str()), (404, "404"));
    assert_eq!(lost.attribute("errorMessage"), "\"unknown path '/test/b'\"");
    let bad = fixture.get("/a/%zz");
    assert_eq!(bad.status, 400);
    assert!(bad.attribute("errorMessage").contains("percent escape"), "{}", bad.text());
    assert_eq!(fixture.get("/a/%ff").status, 400);
}

#[test]
fn methods_choose_among_the_routes_of_a_path() {
    let fixture = routed(
        "for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
           router[method]('/x', (req, res) => res.send(method + ' ' + req.method));
         }
         router.post('/only', (req, res) => res.send('posted'));
         router.all('/all', (req, res) => res.send(req.method));",
    );
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        let expected = format!("{} {method}", method.to_lowercase());
        assert_eq!(fixture.send(method, "/x", "{}", b"").text(), expected);
        assert_eq!(fixture.send(method, "/all", "{}", b"").text(), method);
    }
    assert_eq!(fixture.send("HEAD", "/x", "{}", b"").status, 200);
    assert_eq!(fixture.send("OPTIONS", "/all", "{}", b"").text(), "OPTIONS");
    let refused = fixture.get("/only");
    assert_eq!((refused.status, refused.header("allow").as_str()), (405, "OPTIONS, POST"));
    assert_eq!(refused.attribute("errorNum"), "405");
    let options = fixture.send("OPTIONS", "/only", "{}", b"");
    assert_eq!((options.status, options.header("allow").as_str()), (200, "OPTIONS, POST"));
}

#[test]
fn middleware_runs_around_its_routes() {
    let fixture = routed(
        "const seen = (name) => (req, res, next) => { req.seen = (req.seen || '') + name; next(); res.write(name); };
         router.get('/a/b', seen('1'), seen('2'), (req, res) => res.write(req.seen + ':'));
         router.use('/a', seen('A'));
         router.use(seen('R'));
         router.use('/:x', seen('X'));
         module.context.use('/a', seen('C'));
         router.use('/b', seen('no'));
         router.get('/stop', (req, res, next) => res.write('stopped'), (req, res) => res.write('never'));
         router.get('/fail', (req, res, next) => next(new Error('given')), (req, res) => res.write('never'));
         router.get('/z/:id', (req, res) => res.json([req.param('x'), req.param('id')]));
         module.context.use('/z/:name', (req, res, next) => { res.set('x-name', req.pathParams.name); next(); });",
    );
    assert_eq!(fixture.get("/a/b").text(), "CRAX12:21XARC");
    assert_eq!(fixture.get("/stop").text(), "stoppedXR");
    let failed = fixture.get("/fail");
    assert_eq!(
        (failed.status, failed.attribute("errorMessage").as_str()),
        (500, "\"internal server error\"")
    );
    let named = fixture.get("/z/7");
    assert_eq!((named.text().as_str(), named.header("x-name").as_str()), ("[null,\"7\"]XR", "7"));
}

#[test]
fn middleware_sees_its_own_parameters_and_suffix() {
    let fixture = routed(
        "router.use('/:outer', (req, res, next) => {
           const before = [req.pathParams.outer, req.suffix];
           next();
           res.json({ before, after: [req.pathParams.outer, req.suffix], inner: req.inner });
         });
         router.get('/:inner/:second/*', (req) => { req.inner = [req.pathParams, req.suffix]; });",
    );
    assert_eq!(
        fixture.get("/a/b/c/d").text(),
        r#"{"before":["a","b/c/d"],"after":["a","b/c/d"],"inner":[{"inner":"a","second":"b"},"c/d"]}"#
    );
}

#[test]
fn a_middleware_may_register_definitions() {
    let fixture = routed(
        "const joi = require('joi');
         router.use({ register(endpoint) {
           endpoint.queryParam('n', joi.number().required());
           return (req, res, next) => { next(); };
         } });
         router.get('/n', (req, res) => res.json(req.queryParams.n + 1));",
    );
    assert_eq!(fixture.get("/n?n=41").text(), "42");
    assert_eq!(fixture.get("/n").status, 400);
}

#[test]
fn child_routers_have_definitions_by_place() {
    let fixture = routed(
        "const joi = require('joi');
         const child = createRouter();
         router.use('/a', child);
         router.use('/b', child).queryParam('number', joi.number().required());
         child.get((req, res) => res.json([req.queryParams.number === undefined, typeof req.queryParams.number]));
         child.get('/more', (req, res) => res.json(req.context.mount)).queryParam('number', joi.string().required());
         const both = createRouter().queryParam('flag', joi.boolean().required());
         both.get((req, res) => res.json(req.queryParams.flag));
         router.use('/c', both);
         router.use('/d/*', both);",
    );
    assert_eq!(fixture.get("/a?number=1").text(), "[false,\"string\"]");
    assert_eq!(fixture.get("/a").text(), "[true,\"undefined\"]");
    assert_eq!(fixture.get("/b?number=1").text(), "[false,\"number\"]");
    assert_eq!(fixture.get("/b").status, 400);
    // The route's own definition replaces the one of the place.
    assert_eq!(fixture.get("/b/more?number=x").text(), "\"/test\"");
    for path in ["/c", "/d"] {
        assert_eq!(fixture.get(&format!("{path}?flag=true")).text(), "true");
        assert_eq!(fixture.get(path).status, 400);
    }
}

#[test]
fn names_lead_to_urls() {
    let fixture = routed(
        "const child = createRouter();
         child.get('/items/:id', (req, res) => res.json(req.reverse('top')), 'item');
         child.get('/self', (req, res) => res.json(req.reverse('item', { id: 'ä/b', q: [1, 2] })));
         const unnamed = createRouter();
         unnamed.get('/deep/*', () => {}, 'deep');
         router.use('/child', child, 'kid');
         router.use(unnamed);
         router.get('/top', (req, res) => res.json([req.reverse('kid.item', { id: 1 }), req.reverse('deep', {}, 'x/y'),
           req.makeAbsolute(req.reverse('top', { a: 1 }), { b: 2 })]), 'top');
         router.get('/lost', (req, res) => req.reverse('nothing'));
         router.get('/missing', (req, res) => req.reverse('kid.item'));",
    );
    assert_eq!(fixture.get("/child/items/1").text(), "\"/top\"");
    assert_eq!(fixture.get("/child/self").text(), "\"/child/items/%C3%A4%2Fb?q%5B%5D=1&q%5B%5D=2\"");
    assert_eq!(
        fixture.get("/top").text(),
        "[\"/child/items/1\",\"/deep/x/y\",\"http://127.0.0.1:8529/_db/mydb/test/top?a=1&b=2\"]"
    );
    assert_eq!(fixture.get("/lost").status, 500);
    assert_eq!(fixture.get("/missing").status, 500);
    assert!(fixture.log().contains("needs the path parameter \"id\""), "{}", fixture.log());
}

#[test]
fn wrong_routers_are_refused_with_a_reason() {
    for (source, text) in [
        ("router.get('/x')", "router.get needs a function"),
        ("router.get('/x', 7)", "must be functions"),
        ("router.get('/*/x', () => {})", "must be its last part"),
        ("router.get('/:/x', () => {})", "a different name behind each"),
        ("router.get('/:a/:a', () => {})", "a different name behind each"),
        ("router.use('/x', {})", "needs a router, a function"),
        ("router.use({ register() {} })", "must return a function"),
        ("router.get(() => {}).pathParam('x', 7)", "an object with a method \\\"validate\\\""),
        ("router.get(() => {}).body([1, 2])", "must have exactly one"),
        ("router.get(() => {}).securityScheme('magic')", "basic, apiKey, oauth2"),
        ("router.get(() => {}).error('nothing known')", "a phrase such as"),
    ] {
        let (value, _) = routed(source).call("load", &["\"/test\""], b"");
        assert!(value.contains("\"errorNum\":3103") && value.contains(text), "{source}: {value}");
    }
    let endless = routed("router.use('/x', router);");
    assert_eq!(endless.get("/x").status, 500);
    assert!(endless.log().contains("deeper than 64"), "{}", endless.log());
}
