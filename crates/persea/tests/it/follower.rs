//! Servers that copy another one and follow it: what they show, refuse and become.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use harness::{wait_until, wait_within};
use serde_json::{Value, json};

use crate::follow::{state, write};
use crate::support::{Client, Raise, Server, post, query};

const DIRTY: (&str, &str) = ("x-arango-allow-dirty-read", "true");

/// Starts a server that follows another one.
fn follower(folder: &Path, leader: &Server, options: &[&str]) -> Server {
    let endpoint = leader.endpoint();
    Server::start(folder, &[&["--follow", &endpoint], options].concat())
}

fn follow_view(server: &Server) -> Value {
    server.connect().json("GET", "/_api/follow", "").json()
}

/// Waits until a follower has applied everything that its leader has written so far.
#[track_caller]
fn wait_for(follower: &Server, leader: &Server) {
    let last = leader.connect().json("GET", "/_api/wal/lastTick", "").json();
    let last: u64 = last["tick"].as_str().unwrap().parse().unwrap();
    let is_level = || {
        let view = follow_view(follower);
        assert_ne!(view["phase"], "failed", "{view}");
        let applied: u64 = view["log"]["applied"].as_str().unwrap().parse().unwrap();
        view["phase"] == "following" && applied >= last
    };
    wait_until("the follower has not caught up", is_level).unwrap();
}

/// Makes databases, collections of all kinds, indexes, a view, a graph, an Analyzer, a function and
/// a user.
fn fill(client: &mut Client) {
    post(client, "/_api/collection", &json!({"name": "docs"}));
    post(client, "/_api/database", &json!({"name": "shop ü"}));
    for (path, body) in [
        ("/_api/collection", json!({"name": "articles", "schema": null})),
        (
            "/_api/index?collection=articles",
            json!({"type": "persistent", "fields": ["n"], "unique": true, "name": "by_n"}),
        ),
        (
            "/_api/analyzer",
            json!({"name": "own", "type": "text", "properties": {"locale": "en"}, "features": ["frequency"]}),
        ),
        (
            "/_api/view",
            json!({"name": "found", "type": "arangosearch",
                   "links": {"articles": {"fields": {"text": {"analyzers": ["own"]}}}}}),
        ),
        (
            "/_api/gharial",
            json!({"name": "net", "edgeDefinitions": [{"collection": "links", "from": ["articles"], "to": ["articles"]}]}),
        ),
        (
            "/_api/aqlfunction",
            json!({"name": "own::twice", "code": "function (x) { return 2 * x; }", "isDeterministic": true}),
        ),
    ] {
        post(client, &format!("/_db/shop%20%C3%BC{path}"), &body);
    }
    let insert = "FOR i IN 1..3000 INSERT {_key: TO_STRING(i), n: i, text: CONCAT('running number ', i)} INTO articles";
    post(client, "/_db/shop%20%C3%BC/_api/cursor", &json!({"query": insert}));
    let link =
        "FOR i IN 1..2999 INSERT {_from: CONCAT('articles/', i), _to: CONCAT('articles/', i + 1)} INTO links";
    post(client, "/_db/shop%20%C3%BC/_api/cursor", &json!({"query": link}));
    post(client, "/_api/user", &json!({"user": "anna", "passwd": "secret"}));
    let grant = client.json("PUT", "/_api/user/anna/database/shop%20%C3%BC", r#"{"grant": "ro"}"#);
    assert_eq!(grant.status, 200, "{}", grant.text());
}

/// Returns what queries of all kinds show of the database.
fn shop(server: &Server) -> Value {
    let mut client = server.connect();
    let mut ask = |text: &str| {
        let body = json!({"query": text, "batchSize": 100_000});
        post(&mut client, "/_db/shop%20%C3%BC/_api/cursor", &body)["result"].clone()
    };
    json!([
        ask("FOR d IN articles SORT d._key RETURN d"),
        ask("FOR d IN articles FILTER d.n == 17 RETURN d._rev"),
        ask("FOR e IN links SORT e._key RETURN e"),
        ask("FOR v IN 1..3 OUTBOUND 'articles/5' GRAPH 'net' RETURN v._key"),
        ask("FOR d IN found SEARCH ANALYZER(d.text == 'run', 'own') COLLECT WITH COUNT INTO n RETURN n"),
        ask("RETURN own::twice(21)"),
    ])
}

#[test]
fn a_follower_shows_what_its_leader_has() {
    let folder = tempfile::tempdir().unwrap();
    let leader = Server::start(&folder.path().join("leader"), &[]);
    fill(&mut leader.connect());
    let stop = AtomicBool::new(false);
    let data = folder.path().join("follower");
    let (copy, second) = std::thread::scope(|threads| {
        let writers = Raise(&stop);
        threads.spawn(|| write(&leader, &stop));
        // A crash during the copy, and one later.
        follower(&data, &leader, &["--follow.reads", "always"]).kill();
        let copy = follower(&data, &leader, &["--follow.reads", "always"]);
        wait_until("no copy was made", || follow_view(&copy)["phase"] == "following").unwrap();
        copy.kill();
        let copy = follower(&data, &leader, &["--follow.reads", "always"]);
        let second = follower(&folder.path().join("second"), &copy, &["--follow.reads", "always"]);
        drop(writers);
        (copy, second)
    });
    let mut client = leader.connect();
    let cursor = "/_db/shop%20%C3%BC/_api/cursor";
    post(&mut client, cursor, &json!({"query": "FOR d IN articles FILTER d.n < 100 REMOVE d IN articles"}));
    let change = client.json(
        "PATCH",
        "/_db/shop%20%C3%BC/_api/view/found/properties",
        r#"{"links": {"links": {"includeAllFields": true}}}"#,
    );
    assert_eq!(change.status, 200, "{}", change.text());
    assert_eq!(client.json("DELETE", "/_api/user/anna", "").status, 202);
    post(&mut client, "/_api/user", &json!({"user": "bert", "passwd": "secret"}));
    wait_for(&copy, &leader);
    wait_for(&second, &copy);
    for other in [&copy, &second] {
        assert_eq!(state(other), state(&leader));
        let mut client = other.connect();
        let users = client.json("GET", "/_api/user", "").json();
        let users: Vec<&Value> =
            users["result"].as_array().unwrap().iter().map(|user| &user["user"]).collect();
        assert_eq!(users, ["bert", "root"]);
        let view = client.json("GET", "/_db/shop%20%C3%BC/_api/view/found/properties", "").json();
        assert!(view["links"]["links"].is_object() && view["links"]["articles"].is_object(), "{view}");
        wait_until("the view is late", || shop(other) == shop(&leader)).unwrap();
    }
}

#[test]
fn a_follower_refuses_writes_and_becomes_a_leader() {
    let folder = tempfile::tempdir().unwrap();
    let leader = Server::start(&folder.path().join("leader"), &[]);
    post(&mut leader.connect(), "/_api/collection", &json!({"name": "docs"}));
    query(&mut leader.connect(), "FOR i IN 1..10 INSERT {n: i} INTO docs");
    let data = folder.path().join("follower");
    let copy = follower(&data, &leader, &["--mcp.enabled", "true", "--mcp.write", "true"]);
    wait_for(&copy, &leader);
    let mut client = copy.connect();
    let tool = |aql: &str| {
        let parameters = json!({"name": "query", "arguments": {"aql": aql}});
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}).to_string()
    };
    let accepts = [(DIRTY.0.to_owned(), DIRTY.1.to_owned())];
    for (method, path, body) in [
        ("GET", "/_api/collection/docs/count", ""),
        ("POST", "/_api/document/docs", "{}"),
        ("POST", "/_api/cursor", r#"{"query": "FOR d IN docs RETURN d"}"#),
        ("POST", "/_mcp", &tool("FOR d IN docs RETURN d")),
    ] {
        let refused = client.json(method, path, body);
        assert_eq!((refused.status, &refused.json()["errorNum"]), (503, &json!(1496)), "{path}");
        assert_eq!(refused.header("x-arango-endpoint"), Some(leader.endpoint().as_str()));
    }
    for (method, path, body) in [
        ("POST", "/_api/document/docs", r#"{"n": 11}"#),
        ("POST", "/_api/cursor", r#"{"query": "INSERT {n: 11} INTO docs"}"#),
        ("POST", "/_api/collection", r#"{"name": "more"}"#),
        ("POST", "/_api/database", r#"{"name": "more"}"#),
        ("DELETE", "/_api/collection/docs", ""),
        ("PUT", "/_api/collection/docs/truncate", ""),
        ("POST", "/_api/user", r#"{"user": "carl"}"#),
    ] {
        let refused = client.send(method, path, &accepts, body.as_bytes());
        assert_eq!((refused.status, &refused.json()["errorNum"]), (503, &json!(1496)), "{path}");
    }
    let refused = client.send("POST", "/_mcp", &accepts, tool("INSERT {n: 11} INTO docs").as_bytes());
    assert_eq!(refused.json()["result"]["isError"], true, "{}", refused.text());
    let read = client.send("POST", "/_mcp", &accepts, tool("RETURN LENGTH(docs)").as_bytes());
    assert_eq!(read.json()["result"]["isError"], false, "{}", read.text());
    let read = client.send("GET", "/_api/collection/docs/count", &accepts, b"");
    assert_eq!((read.status, &read.json()["count"]), (200, &json!(10)));
    assert_eq!(read.header("x-arango-potential-dirty-read"), Some("true"));
    assert!(read.header("x-persea-lag-seconds").is_some());
    assert_eq!(client.json("GET", "/_admin/server/mode", "").json()["mode"], "readonly");

    assert_eq!(client.json("POST", "/_api/follow/cut-over", "{}").json()["errorNum"], 1407);
    assert_eq!(client.json("POST", "/_api/follow/promote", "").status, 202);
    wait_until("no promotion", || follow_view(&copy)["phase"] == "ended").unwrap();
    post(&mut client, "/_api/document/docs", &json!({"n": 11}));
    assert!(client.json("GET", "/_api/version", "").header("x-persea-lag-seconds").is_none());
    copy.kill();
    // The option of the last start does not make it a copy again.
    let copy = follower(&data, &leader, &[]);
    assert_eq!(query(&mut copy.connect(), "RETURN LENGTH(docs)"), json!([11]));
}

/// Returns the lag in seconds that replies of a follower show; `None` before it is known.
fn lag(server: &Server) -> Option<f64> {
    let reply = server.connect().json("GET", "/_api/version", "");
    reply.header("x-persea-lag-seconds").map(|seconds| seconds.parse().unwrap())
}

/// A leader that stands still, or whose network drops everything, closes no connection.
#[test]
fn the_silence_of_a_leader_shows_in_the_lag_and_in_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let leader = Server::start(&folder.path().join("leader"), &[]);
    post(&mut leader.connect(), "/_api/collection", &json!({"name": "docs"}));
    let copy = follower(&folder.path().join("follower"), &leader, &["--follow.reads", "always"]);
    wait_for(&copy, &leader);
    let is_level = || lag(&copy).is_some_and(|lag| lag < 1.0);
    wait_until("the lag is not known", is_level).unwrap();
    let paused = Instant::now();
    leader.process().pause();
    wait_until("the lag does not grow", || lag(&copy) > Some(5.0)).unwrap();
    // It counts from the last answer, which may have come a whole wait before the pause.
    let (shown, since) = (lag(&copy).unwrap(), paused.elapsed().as_secs_f64());
    // The header is rounded to milliseconds.
    let at_least = shown - 0.001;
    assert!(shown >= since - 0.5 && shown < since + 7.0, "{shown} s after {since} s");
    let view = follow_view(&copy);
    assert!(view["log"]["lagSeconds"].as_f64().unwrap() >= at_least, "{view}");
    let metrics = copy.connect().json("GET", "/_admin/metrics/v2", "");
    let metrics = metrics.text();
    let metric = metrics.lines().find(|line| line.starts_with("persea_follow_lag_seconds")).unwrap();
    assert!(metric.rsplit(' ').next().unwrap().parse::<f64>().unwrap() >= at_least, "{metric}");
    let mut seen = Value::Null;
    wait_until("the state does not say it", || {
        seen = follow_view(&copy);
        seen["error"]["errorNum"] == 1400
    })
    .unwrap();
    assert!(seen["error"]["errorMessage"].as_str().unwrap().contains("did not answer"), "{seen}");
    assert_eq!(seen["phase"], "following");
    leader.process().resume();
    query(&mut leader.connect(), "INSERT {_key: 'later'} INTO docs");
    wait_for(&copy, &leader);
    assert_eq!(copy.connect().json("GET", "/_api/document/docs/later", "").status, 200);
    wait_until("the lag stays", || is_level() && follow_view(&copy)["error"].is_null()).unwrap();
}

#[test]
fn a_migration_ends_with_a_comparison_or_leaves_both_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let source = Server::start(&folder.path().join("source"), &[]);
    fill(&mut source.connect());
    let target = Server::start(&folder.path().join("target"), &[]);
    let mut client = target.connect();
    let body = json!({"endpoint": source.endpoint(), "kind": "migration", "threads": 2}).to_string();
    let probe = client.json("POST", "/_api/follow/probe", &body).json();
    assert_eq!(
        (&probe["canFollow"], &probe["source"]["product"]),
        (&json!(true), &json!("persea")),
        "{probe}"
    );
    for abort in [true, false] {
        let begun = client.json("PUT", "/_api/follow", &body);
        assert_eq!(begun.status, 200, "{}", begun.text());
        assert_eq!(client.json("PUT", "/_api/follow", &body).json()["errorNum"], 1411);
        wait_for(&target, &source);
        if abort {
            assert_eq!(client.json("POST", "/_api/follow/abort", "").status, 202);
            wait_until("no abort", || follow_view(&target)["phase"] == "none").unwrap();
            assert_eq!(client.json("GET", "/_api/database", "").json()["result"], json!(["_system"]));
            assert!(client.json("GET", "/_api/user/anna", "").status == 404);
            post(&mut source.connect(), "/_api/document/docs", &json!({}));
        }
    }
    assert_eq!(client.json("POST", "/_api/follow/cut-over", "{}").status, 202);
    let is_ended = || {
        let view = follow_view(&target);
        assert_eq!(view["error"], Value::Null, "{view}");
        view["phase"] == "ended"
    };
    wait_until("no cut-over", is_ended).unwrap();
    let view = follow_view(&target);
    let compared = view["comparison"].as_array().unwrap();
    assert!(compared.len() >= 3 && compared.iter().all(|one| one["equal"] == true), "{view}");
    let refused = source.connect().json("POST", "/_api/document/docs", "{}");
    assert_eq!(refused.json()["errorNum"], 1004);
    post(&mut client, "/_api/document/docs", &json!({}));
    wait_until("the view is late", || shop(&target) == shop(&source)).unwrap();
}

#[test]
fn a_gap_in_the_log_is_copied_again() {
    let folder = tempfile::tempdir().unwrap();
    let leader = Server::start(&folder.path().join("leader"), &["--changes.retention", "1"]);
    fill(&mut leader.connect());
    let data = folder.path().join("follower");
    let copy = follower(&data, &leader, &["--follow.reads", "always"]);
    wait_for(&copy, &leader);
    copy.kill();
    let mut client = leader.connect();
    let reader = client.json("GET", "/_api/replication/logger-state", "").json();
    let reader = reader["clients"][0]["syncerId"].as_str().unwrap().to_owned();
    assert_eq!(client.json("DELETE", &format!("/_api/wal/tail?syncerId={reader}"), "").status, 204);
    let cursor = "/_db/shop%20%C3%BC/_api/cursor";
    post(&mut client, cursor, &json!({"query": "FOR d IN articles UPDATE d WITH {m: 1} IN articles"}));
    post(&mut client, "/_api/collection", &json!({"name": "later"}));
    assert_eq!(client.json("DELETE", "/_api/collection/docs", "").status, 200);
    let first = || {
        let range = leader.connect().json("GET", "/_api/wal/range", "").json();
        range["tickMin"].as_str().unwrap().parse::<u64>().unwrap()
    };
    let last = client.json("GET", "/_api/wal/lastTick", "").json();
    let last: u64 = last["tick"].as_str().unwrap().parse().unwrap();
    // The log is looked after once a minute. A request that the killed copy had sent may make it a
    // reader again.
    let is_short = || {
        client.json("DELETE", &format!("/_api/wal/tail?syncerId={reader}"), "");
        (first() >= last).then_some(())
    };
    wait_within(Duration::from_secs(150), "the log keeps what nobody reads", is_short).unwrap();
    let copy = follower(&data, &leader, &["--follow.reads", "always"]);
    wait_for(&copy, &leader);
    assert_eq!(state(&copy), state(&leader));
    wait_until("the view is late", || shop(&copy) == shop(&leader)).unwrap();
}

/// Copies the data of a server that runs: the state that a loss of power leaves on its disk.
fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn commits_that_the_leader_has_lost_are_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let (data, left) = (folder.path().join("leader"), folder.path().join("left"));
    let leader = Server::start(&data, &[]);
    let mut client = leader.connect();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    query(&mut client, "FOR i IN 1..10 INSERT {_key: TO_STRING(i)} INTO docs");
    let copy_data = folder.path().join("follower");
    let copy = follower(&copy_data, &leader, &["--follow.reads", "always"]);
    wait_for(&copy, &leader);
    post(&mut client, "/_api/document/docs?waitForSync=true", &json!({"_key": "kept"}));
    copy_folder(&data, &left);
    query(&mut client, "INSERT {_key: 'lost'} INTO docs");
    query(&mut client, "UPDATE 'kept' WITH {n: 'lost'} IN docs");
    wait_for(&copy, &leader);
    let token = client.json("GET", "/_api/changes?since=earliest", "").json()["token"].clone();
    copy.kill();
    leader.kill();

    let leader = Server::start(&left, &[]);
    let mut client = leader.connect();
    // The log grows beyond the position of the follower.
    query(&mut client, "FOR i IN 11..100 INSERT {_key: TO_STRING(i)} INTO docs");
    let refused = client.json("GET", &format!("/_api/changes?since={}", token.as_str().unwrap()), "");
    assert_eq!((refused.status, &refused.json()["errorNum"]), (410, &json!(1414)));
    assert!(refused.text().contains("were lost"), "{}", refused.text());
    let copy = follower(&copy_data, &leader, &["--follow.reads", "always"]);
    wait_for(&copy, &leader);
    assert_eq!(state(&copy), state(&leader));
    assert_eq!(copy.connect().json("GET", "/_api/document/docs/lost", "").status, 404);
}

#[test]
fn what_cannot_be_followed_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let source = Server::start(
        &folder.path().join("source"),
        &["--server.authentication", "true", "--server.password", "right"],
    );
    let target = Server::start(&folder.path().join("target"), &[]);
    let mut client = target.connect();
    let endpoint = source.endpoint();
    for (body, number, words) in [
        (json!({"endpoint": endpoint, "username": "root", "password": "wrong"}), 1402, "401"),
        (json!({"endpoint": target.endpoint()}), 1405, "this one"),
        (json!({"endpoint": "nonsense"}), 10, "endpoint"),
        (json!({"endpoint": "tcp://127.0.0.1:1"}), 1400, "cannot connect"),
        (json!({"endpoint": endpoint, "threads": 1_000}), 10, "threads"),
        (json!({"endpoint": endpoint, "databases": "x"}), 10, "databases"),
        (
            json!({"endpoint": endpoint, "username": "root", "password": "right", "databases": ["none"]}),
            10,
            "none",
        ),
        (json!({"endpoint": endpoint, "kind": "other"}), 10, "kind"),
    ] {
        let refused = client.json("PUT", "/_api/follow", &body.to_string()).json();
        assert_eq!(refused["errorNum"], number, "{body}: {refused}");
        assert!(refused["errorMessage"].as_str().unwrap().contains(words), "{refused}");
    }
    post(&mut client, "/_api/collection", &json!({"name": "own"}));
    let body = json!({"endpoint": endpoint, "username": "root", "password": "right"}).to_string();
    let refused = client.json("PUT", "/_api/follow", &body).json();
    assert!(refused["errorMessage"].as_str().unwrap().contains("'own'"), "{refused}");
    for order in ["pause", "resume", "cut-over", "abort", "promote"] {
        assert_eq!(client.json("POST", &format!("/_api/follow/{order}"), "{}").json()["errorNum"], 1407);
    }
}
