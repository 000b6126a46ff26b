//! The audit log: logins, denied requests and changes of definitions, with user and address,
//! and slow queries.

use std::fs;

use harness::wait_until;

use crate::support::Server;

/// The headers of a user whose password is the name.
fn user(basic: &str) -> [(String, String); 1] {
    [("authorization".to_owned(), format!("Basic {basic}"))]
}

#[test]
fn the_log_names_who_changed_what_and_who_was_denied() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let output = format!("file://{}", log.display());
    let options = ["--server.authentication", "true", "--database.password", "root"];
    let options = [&options[..], &["--log.output", &output, "--log.level", "info"]].concat();
    let options =
        [&options[..], &["--query.slow-threshold", "0.2", "--mcp.enabled", "true", "--mcp.write", "true"]]
            .concat();
    let server = Server::start(&folder.path().join("data"), &options);
    let mut client = server.connect();
    let (root, eve, wrong) = (user("cm9vdDpyb290"), user("ZXZlOmV2ZQ=="), user("ZXZlOndyb25n"));
    let mut send = |method: &str, path: &str, user: &[(String, String)], body: &str| {
        client.send(method, path, user, body.as_bytes()).status
    };
    assert_eq!(send("POST", "/_api/user", &root, r#"{"user": "eve", "passwd": "eve"}"#), 201);
    assert_eq!(send("PUT", "/_api/user/eve/database/_system", &root, r#"{"grant": "ro"}"#), 200);
    assert_eq!(send("POST", "/_api/collection", &root, r#"{"name": "docs"}"#), 200);
    assert_eq!(send("POST", "/_api/collection", &root, r#"{"name": "docs"}"#), 409);
    assert_eq!(
        send("POST", "/_api/index?collection=docs", &root, r#"{"type": "persistent", "fields": ["a"]}"#),
        201
    );
    assert_eq!(send("POST", "/_api/database", &root, r#"{"name": "shop"}"#), 201);
    assert_eq!(send("PUT", "/_api/user/eve/database/shop", &root, r#"{"grant": "none"}"#), 200);
    assert_eq!(send("POST", "/_api/collection", &eve, r#"{"name": "eves"}"#), 403);
    assert_eq!(send("POST", "/_admin/backup/create", &eve, "{}"), 403);
    assert_eq!(send("GET", "/_db/shop/_api/collection", &eve, ""), 401);
    assert_eq!(send("GET", "/_api/version", &wrong, ""), 401);
    let slow = r#"{"query": "RETURN SLEEP(@time)", "bindVars": {"time": 0.3}}"#;
    assert_eq!(send("POST", "/_api/cursor", &root, slow), 201);
    assert_eq!(send("POST", "/_admin/backup/create", &root, r#"{"label": "night"}"#), 201);
    assert_eq!(send("DELETE", "/_api/collection/docs", &root, ""), 200);
    let analyzer = r#"{"name": "words", "type": "text", "properties": {"locale": "en"}}"#;
    assert_eq!(send("POST", "/_api/analyzer", &root, analyzer), 201);
    assert_eq!(send("PUT", "/_admin/log/level", &root, r#"{"queries": "info"}"#), 200);
    let task = r#"{"command": "1", "offset": 1000, "name": "later"}"#;
    assert_eq!(send("POST", "/_api/tasks", &root, task), 200);
    let tool = |name: &str, arguments: &str| {
        format!(
            r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {{"name": "{name}", "arguments": {arguments}}}}}"#
        )
    };
    assert_eq!(send("POST", "/_mcp", &root, &tool("list_databases", "{}")), 200);
    assert_eq!(send("POST", "/_mcp", &root, &tool("create_collection", r#"{"name": "made"}"#)), 200);
    assert_eq!(send("POST", "/_mcp", &root, &tool("query", r#"{"aql": "INSERT {} INTO docs"}"#)), 200);
    let wanted: &[&[&str]] = &[
        &["{audit-document}", "MCP tool list_databases", "user: root", "127.0.0.1", "outcome: 0"],
        &["{audit-collection}", "MCP tool create_collection", "user: root", "name: made", "outcome: 0"],
        &["{audit-document}", "MCP tool query", "user: root", "database: _system", "outcome: 1203"],
        &["{audit-authentication}", "logged in", "user: root", "127.0.0.1"],
        &["{audit-authorization}", "POST /_api/user", "user: root", "name: eve", "outcome: 0"],
        &["{audit-authorization}", "PUT /_api/user/eve/database/_system", "user: root"],
        &[
            "{audit-collection}",
            "POST /_api/collection",
            "user: root",
            "name: docs",
            "database: _system",
            "outcome: 0",
        ],
        &["{audit-collection}", "POST /_api/collection", "name: docs", "outcome: 1207"],
        &["{audit-collection}", "POST /_api/index", "outcome: 0"],
        &["{audit-database}", "POST /_api/database", "name: shop"],
        &["{audit-authentication}", "logged in", "user: eve"],
        &["{audit-authorization}", "denied: POST /_api/collection", "user: eve", "127.0.0.1"],
        &["{audit-authorization}", "denied: POST /_admin/backup/create", "user: eve"],
        &["{audit-authorization}", "denied: GET /_db/shop/_api/collection", "user: eve", "database: shop"],
        &["{audit-authentication}", "login failed", "user: eve", "127.0.0.1"],
        &[
            "{queries}",
            "slow query: 'RETURN SLEEP(@time)', bind vars: {\"time\":0.3}, took: 0.3",
            "user: root",
        ],
        &["{audit-hotbackup}", "POST /_admin/backup/create", "name: night", "outcome: 0"],
        &["{audit-collection}", "DELETE /_api/collection/docs", "outcome: 0"],
        &["{audit-database}", "POST /_api/analyzer", "name: words", "outcome: 0"],
        &["{audit-service}", "PUT /_admin/log/level", "user: root", "outcome: 0"],
        &["{audit-service}", "POST /_api/tasks", "name: later", "user: root", "outcome: 0"],
    ];
    let missing = || {
        let text = fs::read_to_string(&log).unwrap();
        let has = |parts: &&&[&str]| text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
        let missing: Vec<_> = wanted.iter().filter(|parts| !has(parts)).copied().collect();
        (missing, text)
    };
    let logged = wait_until("lines are missing", || missing().0.is_empty());
    let (missing, text) = missing();
    assert_eq!(logged, Ok(()), "{missing:#?} are missing in\n{text}");
    assert!(!text.contains("\"eve\"") && !text.contains("passwd"), "{text}");
}
