//! `persea foxx` against a server: the life of a service by its commands.

use std::fs;

use crate::support::tool::{command, run, said};
use crate::support::{Client, Server};

fn text(client: &mut Client, path: &str) -> String {
    super::get(client, path).1
}

#[test]
fn a_service_is_made_installed_tested_changed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    let shop = folder.path().join("shop");
    fs::create_dir(&shop).unwrap();
    let (shop, foxx) = (shop.to_str().unwrap(), |arguments: &[&str]| run(&server, "foxx", arguments));
    foxx(&["init", shop, "--example"]).success();
    foxx(&["install", "/shop", shop]).success();
    assert!(foxx(&["list"]).success().stdout.contains("/shop"));
    assert!(foxx(&["info", "/shop"]).success().stdout.contains("shop"));
    let report = foxx(&["test", "/shop", "--reporter", "json"]).success().stdout;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report["stats"]["passes"].as_u64() > Some(0), "{report}");
    // A test that fails is the exit code.
    fs::write(
        folder.path().join("shop/test/bad.js"),
        "it('fails', () => { throw new Error('on purpose'); });",
    )
    .unwrap();
    foxx(&["upgrade", "/shop", shop]).success();
    let said_of_failure = foxx(&["test", "/shop"]);
    assert_eq!(said_of_failure.code, Some(1), "{said_of_failure:?}");
    assert!(said_of_failure.stdout.contains("on purpose"), "{said_of_failure:?}");
    let archive = folder.path().join("shop.zip");
    let archive = archive.to_str().unwrap();
    foxx(&["download", "/shop", "--outfile", archive]).success();
    foxx(&["uninstall", "/shop"]).success();
    assert!(!foxx(&["list"]).success().stdout.contains("/shop"));
    // The archive is the service.
    foxx(&["install", "/again", archive]).success();
    assert!(foxx(&["scripts", "/again"]).success().stdout.contains("setup"));
    foxx(&["set-dev", "/again"]).success();
    assert!(text(&mut client, "/_api/foxx/service?mount=/again").contains(r#""development":true"#));
}

#[test]
fn settings_come_from_the_command_line_and_a_script_from_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    let files = [
        (
            "index.js",
            "const router = require('@arangodb/foxx/router')(); module.context.use(router);
             router.get('/', (req, res) => res.json(module.context.configuration));",
        ),
        ("double.js", "module.exports = module.context.argv[0] * 2;"),
    ];
    let manifest = serde_json::json!({
        "main": "index.js",
        "scripts": {"double": "double.js"},
        "configuration": {"currency": {"type": "string"}, "rate": {"type": "number", "default": 1}}
    });
    let source = super::service(folder.path(), "shop", &manifest, &files);
    let foxx = |arguments: &[&str]| run(&server, "foxx", arguments);
    foxx(&["install", "/shop", &source, "--cfg", "currency=EUR"]).success();
    assert_eq!(text(&mut client, "/shop"), r#"{"currency":"EUR","rate":1}"#);
    foxx(&["config", "/shop", "rate=2.5"]).success();
    assert_eq!(text(&mut client, "/shop"), r#"{"currency":"EUR","rate":2.5}"#);
    let refused = foxx(&["config", "/shop", "rate=much"]).failure();
    assert!(refused.contains("rate"), "{refused}");
    let doubled = foxx(&["run", "/shop", "double", "21"]).success();
    assert_eq!(doubled.stdout.trim(), "42");
    for (arguments, part) in [
        (["info", "/nowhere"].as_slice(), "/nowhere"),
        (&["install", "/shop", &source], "/shop"),
        (&["install", "/other", "/no/such/folder"], "/no/such/folder"),
        (&["run", "/shop", "missing"], "missing"),
    ] {
        let failure = foxx(arguments).failure();
        assert!(failure.contains(part), "{arguments:?}: {failure}");
    }
    let script = "require('@arangodb/foxx/router')";
    let mut input = command(&server, "foxx", &["install", "/script", "-"]);
    let mut child = input.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    said(child).success();
    assert!(foxx(&["list"]).success().stdout.contains("/script"));
}
