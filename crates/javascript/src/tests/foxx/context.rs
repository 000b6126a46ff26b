//! The context of a service: settings, collections, dependencies, scripts and functions of jobs.

use super::host::{Fixture, Service};

/// Makes a service whose root answers with the value of an expression.
fn shown(expression: &str, extra: &str, others: &[Service<'_>]) -> String {
    let index = format!(
        "const router = require('@arangodb/foxx/router')(); const {{ context }} = module;
         context.use(router); router.get((req, res) => res.json({expression}));"
    );
    let files = [("index.js", index.as_str()), ("data/x.txt", "ä")];
    let services: Vec<Service<'_>> =
        [("/test", extra, files.as_slice())].into_iter().chain(others.iter().copied()).collect();
    let fixture = Fixture::new(&services);
    let answer = fixture.get("/");
    assert_eq!(answer.status, 200, "{expression}: {} {}", answer.text(), fixture.log());
    answer.text()
}

#[test]
fn facts_of_the_service() {
    let extra = r#"{"configuration":{"currency":"€"},"manifest":{"main":"index.js","name":"mine","version":"1.2.3"}}"#;
    assert_eq!(
        shown(
            "[context.mount, context.baseUrl, context.collectionPrefix, context.configuration, context.isDevelopment, \
            context.isProduction, context.manifest.name, context.service.version, context.argv === undefined, context.trustProxy]",
            extra,
            &[]
        ),
        r#"["/test","/_db/mydb/test","test",{"currency":"€"},false,true,"mine","1.2.3",true,false]"#
    );
    assert_eq!(
        shown("[context.isDevelopment, context.isProduction]", r#"{"development":true}"#, &[]),
        "[true,false]"
    );
}

#[test]
fn collections_have_the_services_prefix() {
    let names = "['things', 'my-things', '_x_', 'a.b'].map((name) => context.collectionName(name))";
    assert_eq!(shown(names, "{}", &[]), r#"["test_things","test_my_things","test_x","test_a_b"]"#);
    assert_eq!(shown("context.collectionName('a')", r#"{"collectionPrefix":"p_"}"#, &[]), "\"p_a\"");
    assert_eq!(
        shown(
            "[context.collection('things').name(), context.collection('things').document('a').value, context.collection('none')]",
            "{}",
            &[]
        ),
        r#"["test_things",1,null]"#
    );
    assert_eq!(
        shown(
            "(() => { try { return context.collectionName('-'); } catch (e) { return e.name; } })()",
            "{}",
            &[]
        ),
        "\"TypeError\""
    );
}

#[test]
fn files_of_the_service() {
    assert_eq!(
        shown(
            "[context.file('data/x.txt', 'utf-8'), context.file('data/x.txt').length, context.fileName('../../a').slice(context.basePath.length)]",
            "{}",
            &[]
        ),
        r#"["ä",2,"/a"]"#
    );
}

#[test]
fn dependencies_are_the_exports_of_other_services() {
    let extra = r#"{"dependencies":{"one":"/one","all":["/one","/two"],"none":null,"lost":"/lost"}}"#;
    let others: [Service<'_>; 2] = [
        (
            "/one",
            r#"{"dependencies":{"back":"/test"}}"#,
            &[(
                "index.js",
                "exports.mount = module.context.mount; exports.back = () => typeof module.context.dependencies.back;",
            )],
        ),
        (
            "/two",
            "{}",
            &[("index.js", "module.exports = { mount: require('@arangodb/locals').context.mount };")],
        ),
    ];
    assert_eq!(
        shown(
            "[context.dependencies.one.mount, context.dependencies.one.back(), context.dependencies.all.map((one) => one.mount), \
            context.dependencies.none, Object.keys(context.dependencies)]",
            extra,
            &others
        ),
        r#"["/one","object",["/one","/two"],null,["one","all","none","lost"]]"#
    );
    let failed = "(() => { try { return context.dependencies.lost; } catch (e) { return [e.errorNum, e.message]; } })()";
    assert_eq!(shown(failed, extra, &others), r#"[3009,"there is no service at the mount point \"/lost\""]"#);
}

#[test]
fn a_router_of_another_service_has_the_context_of_its_place() {
    let extra = r#"{"dependencies":{"other":"/other"}}"#;
    let other = "const router = require('@arangodb/foxx/router')(); module.exports = { router }; \
        router.get('/where', (req, res) => res.json([module.context.mount, req.context.mount, res.context.mount]));";
    let index = "module.context.use(module.context.dependencies.other.router);";
    let fixture =
        Fixture::new(&[("/test", extra, &[("index.js", index)]), ("/other", "{}", &[("index.js", other)])]);
    assert_eq!(fixture.get("/where").text(), r#"["/other","/test","/test"]"#);
}

#[test]
fn scripts_get_arguments_and_export_results() {
    let manifest = r#"{"manifest":{"main":"index.js","lib":"lib","scripts":{"echo":"scripts/echo.js","none":"scripts/none.js",
        "circle":"scripts/circle.js","value":"scripts/value.js","fail":"scripts/fail","status":"scripts/status","lost":"scripts/lost.js","syntax":"scripts/syntax.js"}}}"#;
    let files = [
        ("lib/index.js", "throw new Error('a script must not need the main file')"),
        (
            "lib/scripts/echo.js",
            "global.count = (global.count || 0) + 1; \
            module.exports = [module.context.argv, require('@arangodb/locals').context.argv, require('../other'), global.count];",
        ),
        ("lib/other.js", "module.exports = module.context.argv === undefined;"),
        ("lib/scripts/none.js", "module.exports = undefined;"),
        ("lib/scripts/circle.js", "exports.self = exports;"),
        ("lib/scripts/value.js", "module.exports = { date: new Date(0), f() {}, n: NaN };"),
        ("lib/scripts/fail.js", "throw new TypeError('no');"),
        (
            "lib/scripts/status.js",
            "throw Object.assign(new Error('own'), { statusCode: 409, errorNum: 1200 });",
        ),
        ("lib/scripts/syntax.js", "let = ;"),
    ];
    let fixture = Fixture::new(&[("/test", manifest, &files)]);
    let script =
        |name: &str, argv: &str| fixture.call("script", &["\"/test\"", &format!("\"{name}\""), argv], b"").0;
    assert_eq!(script("echo", "[1,{\"a\":2}]"), r#"{"result":[[1,{"a":2}],[1,{"a":2}],true,1]}"#);
    // A script runs anew each time.
    assert_eq!(script("echo", "[]"), r#"{"result":[[],[],true,2]}"#);
    assert_eq!(script("none", "[]"), r#"{"result":null}"#);
    assert_eq!(script("value", "[]"), r#"{"result":{"date":"1970-01-01T00:00:00.000Z","n":null}}"#);
    for (name, expected) in [
        ("circle", "\"errorNum\":3016"),
        ("fail", r#""name":"TypeError","message":"no","errorNum":3016"#),
        ("status", r#""message":"own","errorNum":1200,"code":409"#),
        ("unknown", "has no script \\\"unknown\\\"\",\"errorNum\":3016"),
        ("constructor", "\"errorNum\":3016"),
        ("lost", "\"errorNum\":3100"),
        ("syntax", "\"errorNum\":3101"),
    ] {
        let found = script(name, "[]");
        assert!(found.contains(expected), "{name}: {found}");
    }
}

#[test]
fn functions_of_jobs_run_in_the_service() {
    let files = [("index.js", ""), ("lib.js", "module.exports = 5;")];
    let fixture = Fixture::new(&[("/test", "{}", &files)]);
    let callback =
        |source: &str| fixture.call("callback", &["\"/test\"", &format!("{source:?}"), "[1, 2]"], b"").0;
    assert_eq!(
        callback("function (a, b) { return [a, b, require('./lib'), module.context.mount]; }"),
        r#"{"result":[1,2,5,"/test"]}"#
    );
    assert_eq!(callback("(a) => { } // end"), r#"{"result":null}"#);
    assert!(callback("() => { throw new Error('x') }").contains("\"errorNum\":3103"));
    assert!(callback("nonsense (").contains("\"errorNum\":3101"));
}
