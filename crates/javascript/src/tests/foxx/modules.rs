//! The modules of services, and what becomes of those that do not load.

use super::host::Fixture;

/// Returns the exception of loading a service of some files.
fn load(files: &[(&str, &str)]) -> String {
    Fixture::new(&[("/test", "{}", files)]).call("load", &["\"/test\""], b"").0
}

#[test]
fn files_of_a_service_find_each_other_and_the_packages() {
    let files = [
        ("index.js", "const router = require('@arangodb/foxx/router')(); module.context.use(router);
            const values = [require('./lib/a').name, require('./lib'), require('./data').x, require('own'), require('own/part'),
              require('lodash').VERSION, typeof require('joi').object, require('@arangodb/locals').context === module.context,
              require('./lib/a') === require('./lib/a.js'), module.context.mount, typeof host, require('./lib/a').same,
              require(module.context.fileName('lib/a.js')).name, require('assert') !== undefined];
            router.get((req, res) => res.json(values));"),
        ("lib/a.js", "exports.name = __filename.split('/').slice(-3).join('/'); exports.same = module.context.mount === require('../data').mount;"),
        ("lib/index.js", "module.exports = 'index of ' + __dirname.split('/').pop();"),
        ("data.json", r#"{"x":1,"mount":"/test"}"#),
        ("node_modules/own/package.json", r#"{"main":"main"}"#),
        ("node_modules/own/main.js", "module.exports = require('./part') + require('inner') + module.context.mount;"),
        ("node_modules/own/part.js", "module.exports = 'part';"),
        ("node_modules/own/node_modules/inner/index.js", "module.exports = 'inner';"),
        ("node_modules/lodash/index.js", "exports.VERSION = 'mine';"),
    ];
    let fixture = Fixture::new(&[("/test", "{}", &files)]);
    assert_eq!(
        fixture.get("/").text(),
        r#"["test/lib/a.js","index of lib",1,"partinner/test","part","mine","function",true,true,"/test","undefined",true,"test/lib/a.js",true]"#
    );
}

#[test]
fn nothing_outside_of_the_folder_is_found() {
    for name in
        ["../other/secret", "../../x/../other/secret", "/etc/hostname", "persea/foxx/entry", "..", "/"]
    {
        let index = format!("require('{name}')");
        let services: [super::host::Service<'_>; 2] = [
            ("/test", "{}", &[("index.js", index.as_str())]),
            ("/other", "{}", &[("secret.js", "module.exports = 1;"), ("index.js", "")]),
        ];
        let (value, _) = Fixture::new(&services).call("load", &["\"/test\""], b"");
        assert!(value.contains("\"errorNum\":3100"), "{name}: {value}");
    }
    let global = load(&[("index.js", "global.require(module.context.fileName('x.js'))"), ("x.js", "")]);
    assert!(global.contains("\"errorNum\":3100"), "{global}");
}

#[test]
fn modules_that_do_not_load_say_why() {
    let missing = load(&[("index.js", "require('./a')"), ("a.js", "\nrequire('left-pad')")]);
    assert!(missing.contains("\"errorNum\":3100"), "{missing}");
    assert!(
        missing.contains("there is no module \\\"left-pad\\\" for ") && missing.contains("/test/a.js"),
        "{missing}"
    );
    for name in ["http", "node:child_process", "zlib", "crypto"] {
        let found = load(&[("index.js", &format!("require('{name}')"))]);
        assert!(found.contains("\"errorNum\":3100"), "{found}");
        assert!(
            found.contains(&format!("the module \\\"{name}\\\" of Node.js does not exist here")),
            "{found}"
        );
    }
    let syntax = load(&[("index.js", "require('./a')"), ("a.js", "\n\nlet = = 1;")]);
    assert!(syntax.contains("\"errorNum\":3101") && syntax.contains("/test/a.js:3"), "{syntax}");
    let json = load(&[("index.js", "require('./a')"), ("a.json", "{")]);
    assert!(json.contains("\"errorNum\":3101") && json.contains("/test/a.json"), "{json}");
    let thrown = load(&[("index.js", "throw new RangeError('too far')")]);
    assert!(thrown.contains("\"errorNum\":3103") && thrown.contains("RangeError: too far"), "{thrown}");
    // A syntax error of data is no syntax error of the file.
    let data = load(&[("index.js", "JSON.parse('{')")]);
    assert!(data.contains("\"errorNum\":3103"), "{data}");
    let main = load(&[("other.js", "")]);
    assert!(main.contains("\"errorNum\":3100"), "{main}");
    assert_eq!(load(&[("index.js", "")]), r#"{"result":null}"#);
}

#[test]
fn a_service_that_does_not_load_answers_with_an_error() {
    let files = [(
        "index.js",
        "if (!global.ready) throw new Error('not yet'); \
        const router = require('@arangodb/foxx/router')(); module.context.use(router); router.get((req, res) => res.send('ready'));",
    )];
    let fixture =
        Fixture::new(&[("/test", "{}", &files), ("/other", "{}", &[("index.js", "global.ready = true;")])]);
    let answer = fixture.get("/");
    assert_eq!((answer.status, answer.attribute("errorNum").as_str()), (500, "3103"));
    // Anybody may ask, so the reason is in the log only.
    assert_eq!(answer.attribute("errorMessage"), "\"failed to invoke module\"");
    assert!(fixture.log().contains("not yet"), "{}", fixture.log());
    // The next request tries again.
    fixture.call("load", &["\"/other\""], b"");
    assert_eq!(fixture.get("/").text(), "ready");
    let fixture =
        Fixture::new(&[("/test", r#"{"development":true}"#, &[("index.js", "throw new Error('shown')")])]);
    assert!(fixture.get("/").attribute("errorMessage").contains("shown"));
}

#[test]
fn a_service_without_its_settings_answers_3010() {
    let files = [("index.js", "throw new Error('must not run')")];
    let fixture = Fixture::new(&[("/test", r#"{"unmet":["configuration \"secret\""]}"#, &files)]);
    let answer = fixture.get("/");
    assert_eq!((answer.status, answer.attribute("errorNum").as_str()), (500, "3010"));
    assert!(answer.attribute("errorMessage").contains("secret"), "{}", answer.text());
    let (value, _) = fixture.call("load", &["\"/none\""], b"");
    assert!(value.contains("\"errorNum\":3009"), "{value}");
}

#[test]
fn main_files_are_in_the_folder_lib() {
    let files = [(
        "dist/start.js",
        "exports.x = 1; module.context.use((req, res) => {}); const r = require('@arangodb/foxx/router')(); \
        r.get((req, res) => res.json(module.context.fileName('a') === module.context.basePath + '/a')); module.context.use('/x', r);",
    )];
    let manifest = r#"{"manifest":{"main":"start","lib":"dist"}}"#;
    assert_eq!(Fixture::new(&[("/test", manifest, &files)]).get("/x").text(), "");
    let manifest = r#"{"manifest":{}}"#;
    assert_eq!(Fixture::new(&[("/test", manifest, &[])]).get("/").status, 404);
}

#[test]
fn the_parts_of_foxx_are_modules() {
    let fixture = Fixture::of(
        "const foxx = require('@arangodb/foxx');
         const router = foxx.createRouter();
         module.context.use(router);
         router.get((req, res) => res.json([foxx.createRouter === require('@arangodb/foxx/router'), typeof foxx.queues.create]));",
    );
    assert_eq!(fixture.get("/").text(), "[true,\"function\"]");
}
