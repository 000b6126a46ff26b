//! Public services, unmodified: installed, their own tests run, their routes called.
//!
//! Their repositories are fetched with Git. The test of a service that cannot be had is skipped.
//! `PERSEA_PUBLIC_SERVICES` names a folder that has them already, each in a folder with its name.
//! There, a service may have packages of npm in `node_modules`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{get, install};
use crate::support::{Client, Server};

/// The time for fetching a repository.
const FETCH_MAX: Duration = Duration::from_secs(60);

/// A public service in its own server.
struct Public {
    client: Client,
    _server: Server,
    _folder: tempfile::TempDir,
}

impl Public {
    /// Installs the service of a repository at `/it`; `None` if it cannot be had.
    fn install(repository: &str, commit: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let source = sources(folder.path(), repository, commit)?;
        let server = Server::start(&folder.path().join("data"), &["--javascript.v8-max-heap", "256"]);
        let mut client = server.connect();
        let reply = install(&mut client, "/it", source.to_str().unwrap());
        assert_eq!(reply.status, 201, "{}", reply.text());
        Some(Public { client, _server: server, _folder: folder })
    }

    /// Runs the tests whose titles contain a text. Returns what the reporter `default` says.
    fn test(&mut self, filter: &str) -> Value {
        let path =
            format!("/_api/foxx/tests?mount=/it&reporter=default&filter={}", filter.replace(' ', "%20"));
        let report = self.client.json("POST", &path, "").json();
        assert!(report["stats"]["tests"].as_u64() > Some(0), "{report}");
        report
    }

    #[track_caller]
    fn answers(&mut self, path: &str, status: u16, part: &str) {
        let (found, text) = get(&mut self.client, &format!("/it{path}"));
        assert!(found == status && text.contains(part), "{path}: {found} {text}");
    }

    /// Sends a body, and returns the answer, which must have status 200.
    #[track_caller]
    fn post(&mut self, path: &str, body: &Value) -> Value {
        let reply = self.client.json("POST", &format!("/it{path}"), &body.to_string());
        assert!(reply.status < 300, "{path}: {} {}", reply.status, reply.text());
        reply.json()
    }
}

/// Returns the folder of a repository's files.
fn sources(folder: &Path, repository: &str, commit: &str) -> Option<PathBuf> {
    if let Some(all) = std::env::var_os("PERSEA_PUBLIC_SERVICES") {
        let name = repository.rsplit('/').next().unwrap();
        return Some(PathBuf::from(all).join(name)).filter(|folder| folder.exists());
    }
    let folder = folder.join("sources");
    let url = format!("https://github.com/{repository}");
    let fetched = succeeds(Command::new("git").args(["clone", "--quiet", &url]).arg(&folder))
        && succeeds(Command::new("git").arg("-C").arg(&folder).args(["checkout", "--quiet", commit]));
    if !fetched {
        println!("skipped: {url} cannot be fetched");
    }
    fetched.then_some(folder)
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok_and(|mut child| ends_well(&mut child))
}

fn ends_well(child: &mut Child) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < FETCH_MAX {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

#[test]
fn hello_foxx_shows_all_its_examples() {
    let commit = "4afcf4d";
    let Some(mut hello) = Public::install("arangodb-foxx/demo-hello-foxx", commit) else { return };
    hello.answers("/index.html", 200, "<html");
    hello.answers("/layout.css", 200, "{");
    hello.answers("/hello", 200, "Hello World!");
    hello.answers("/hello_json", 200, r#"{"result":"Hello World!\n"}"#);
    hello.answers("/hello_name/ann", 200, "Hello ann");
    hello.answers("/sum?a=1&b=2", 200, "Result is 3");
    hello.answers("/get_from_db", 200, "entry");
    hello.answers("/run_aql", 200, "[2,4]");
    hello.answers("/tiger/x", 200, "Rrr");
    hello.answers("/echo_response", 200, r#""method":"GET""#);
    hello.answers("/inspect_response", 200, "GET");
    hello.answers("/context", 200, "Context");
    hello.answers("/error", 403, "Sorry");
    hello.answers("/global_var", 200, "accessed through a global variable");
    hello.answers("/local_require", 200, "accessed with a local require");
}

#[test]
fn the_graphql_demonstration_answers_queries() {
    let commit = "9ac57d4";
    let Some(mut demo) = Public::install("arangodb-foxx/demo-graphql", commit) else { return };
    let answer = demo.post("", &json!({"query": "{hero{name friends{name}}}"}));
    assert_eq!(answer["data"]["hero"]["name"], "R2-D2", "{answer}");
    assert_eq!(answer["data"]["hero"]["friends"][0]["name"], "Luke Skywalker", "{answer}");
    // The other 21 look for the data of a promise, which `graphql` returns since its version 14.
    let report = demo.test("");
    assert_eq!((&report["stats"]["tests"], &report["stats"]["passes"]), (&json!(28), &json!(7)), "{report}");
    for failure in report["failures"].as_array().unwrap() {
        let message = failure["err"]["message"].as_str().unwrap();
        assert!(message.starts_with("expected undefined to"), "{failure}");
    }
}

#[test]
fn fine_grained_permissions_refuses_strangers() {
    let commit = "1a8fd56";
    let Some(mut demo) = Public::install("arangodb-foxx/fine-grained-permissions", commit) else { return };
    assert_eq!(demo.test("")["stats"]["failures"], 0);
    demo.answers("/patients", 403, "Not authorized");
    let signup = demo.post("/auth/signup", &json!({"username": "ann", "password": "secret"}));
    assert_eq!(signup["success"], true, "{signup}");
    demo.answers("/auth/whoami", 200, r#"{"username":null}"#);
}

#[test]
fn the_grafana_connector_answers_grafana() {
    let commit = "aefd319";
    let Some(mut connector) = Public::install("arangodb-foxx/grafana-connector", commit) else { return };
    let query = "FOR n IN 1..3 LET doc = {time: n * 1000, value: n * 10}";
    let settings = json!({"target": "numbers", "query": query});
    let set = connector.client.json("PATCH", "/_api/foxx/configuration?mount=/it", &settings.to_string());
    assert_eq!(set.status, 200, "{}", set.text());
    connector.answers("/", 200, r#"{"ok":true}"#);
    assert_eq!(connector.post("/search", &json!({})), json!(["numbers"]));
    let range = json!({"from": "1970-01-01T00:00:00Z", "to": "1970-01-01T01:00:00Z"});
    let targets = json!([{"target": "numbers", "type": "timeserie"}]);
    let found = connector.post("/query", &json!({"intervalMs": 1000, "range": range, "targets": targets}));
    assert_eq!(found[0]["datapoints"], json!([[10, 1000], [20, 2000], [30, 3000]]), "{found}");
}

#[test]
fn a_service_of_foxx_builder_signs_users_up_and_in() {
    let commit = "5712c8e";
    let Some(mut builder) = Public::install("skitsanos/foxx-builder", commit) else { return };
    builder.answers("/health", 200, r#""status":"ok""#);
    let user = json!({
        "username": "anna", "password": "secret-word", "email": "anna@example.org", "acceptTerms": true
    });
    assert_eq!(builder.post("/signup", &user)["success"], true);
    let login = builder.post("/login", &json!({"username": "anna", "password": "secret-word"}));
    assert!(login["result"]["auth"]["token"].is_string(), "{login}");
}

/// It needs its packages of npm, and its tests of all paths take minutes.
#[test]
fn recallgraph_keeps_the_former_states_of_documents() {
    let (repository, commit) = ("RecallGraph/RecallGraph", "6b3a54e");
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = sources(folder.path(), repository, commit) else { return };
    if !files.join("node_modules").exists() {
        println!("skipped: the packages of npm of {repository} are missing");
        return;
    }
    let Some(mut graph) = Public::install(repository, commit) else { return };
    for part in ["Create", "Commit Helpers", "Update Provider", "Replace", "Remove", "Routes - update"] {
        assert_eq!(graph.test(part)["failures"], json!([]), "{part}");
    }
}
