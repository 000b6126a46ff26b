//! Feeds of changes on a running server: what arrives, where it resumes, and how it ends.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Server, post};

/// A reply without end, read line by line.
struct Feed {
    reader: BufReader<TcpStream>,
    status: String,
}

impl Feed {
    fn open(server: &Server, path: &str, headers: &[(&str, &str)]) -> Feed {
        let mut socket = TcpStream::connect(server.address()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        write!(socket, "GET {path} HTTP/1.1\r\nhost: test\r\n{headers}\r\n").unwrap();
        let mut reader = BufReader::new(socket);
        let mut status = String::new();
        reader.read_line(&mut status).unwrap();
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
        }
        Feed { reader, status }
    }

    fn lines(server: &Server, path: &str) -> Feed {
        Feed::open(server, path, &[("accept", "application/x-ndjson")])
    }

    /// Returns the next line of the body that is not empty; `None` at the end. Chunks are whole
    /// lines, so the sizes between them are lines too, which this leaves out.
    fn line(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let line = line.trim_end();
            if line == "0" {
                return None;
            }
            if !line.is_empty() && !line.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Some(line.to_owned());
            }
        }
    }

    /// Returns the next change; `None` at the end. Leaves heartbeats out.
    fn change(&mut self) -> Option<Value> {
        loop {
            let change: Value = serde_json::from_str(&self.line()?).unwrap();
            if change["operation"] != "heartbeat" {
                return Some(change);
            }
        }
    }
}

#[test]
fn events_arrive_as_they_happen_and_a_browser_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    let accept = ("accept", "text/event-stream");
    let mut feed = Feed::open(&server, "/_api/changes?collections=docs", &[accept]);
    assert!(feed.status.contains("200"), "{}", feed.status);
    post(&mut client, "/_api/document/docs", &json!({"_key": "a"}));
    let id = feed.line().unwrap();
    let id = id.strip_prefix("id: ").unwrap().to_owned();
    let data = feed.line().unwrap();
    let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!((data["key"].as_str(), data["token"].as_str()), (Some("a"), Some(&*id)));
    drop(feed);
    post(&mut client, "/_api/document/docs", &json!({"_key": "b"}));
    // The server is killed meanwhile.
    server.kill();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut feed = Feed::open(&server, "/_api/changes?collections=docs", &[accept, ("last-event-id", &id)]);
    let lines = [feed.line().unwrap(), feed.line().unwrap()];
    assert!(lines[1].contains(r#""key":"b""#), "{lines:?}");
}

#[test]
fn a_feed_shows_signs_of_life_and_ends_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut feed = Feed::lines(&server, "/_api/changes?heartbeat=0.1");
    assert!(feed.line().unwrap().contains("heartbeat"));
    let since = Instant::now();
    assert_eq!(server.stop(), Some(0));
    assert!(since.elapsed() < Duration::from_secs(20), "the server waited for its readers");
    let mut rest = Vec::new();
    let _ = feed.reader.read_to_end(&mut rest);
    assert!(String::from_utf8_lossy(&rest).contains("errorNum"), "the reader is told");
}

#[test]
fn rights_count_from_the_next_change_on() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--server.authentication", "true", "--database.password", "root"];
    let server = Server::start(&folder.path().join("data"), &options);
    let mut client = server.connect();
    let root = [("authorization".to_owned(), "Basic cm9vdDpyb290".to_owned())];
    let mut send = |method: &str, path: &str, body: &str| {
        let status = client.send(method, path, &root, body.as_bytes()).status;
        assert!(status < 300, "{method} {path}: {status}");
    };
    send("POST", "/_api/user", r#"{"user": "eve", "passwd": "eve"}"#);
    send("PUT", "/_api/user/eve/database/_system", r#"{"grant": "ro"}"#);
    for name in ["open", "secret"] {
        send("POST", "/_api/collection", &format!(r#"{{"name": "{name}"}}"#));
    }
    send("PUT", "/_api/user/eve/database/_system/open", r#"{"grant": "ro"}"#);
    send("PUT", "/_api/user/eve/database/_system/secret", r#"{"grant": "none"}"#);
    let headers = [("accept", "application/x-ndjson"), ("authorization", "Basic ZXZlOmV2ZQ==")];
    let mut feed = Feed::open(&server, "/_api/changes", &headers);
    assert!(Feed::open(&server, "/_api/changes?global=true", &headers).status.contains("403"));
    assert!(Feed::open(&server, "/_api/changes?collections=secret", &headers).status.contains("403"));
    send("POST", "/_api/document/secret", r#"{"_key": "hidden"}"#);
    send("POST", "/_api/document/open", r#"{"_key": "first"}"#);
    assert_eq!(feed.change().unwrap()["key"], "first");
    send("PUT", "/_api/user/eve/database/_system/open", r#"{"grant": "none"}"#);
    send("POST", "/_api/document/open", r#"{"_key": "second"}"#);
    send("PUT", "/_api/user/eve/database/_system/open", r#"{"grant": "ro"}"#);
    send("POST", "/_api/document/open", r#"{"_key": "third"}"#);
    // It is a matter of time whether the second one was read before the right came back.
    let next = feed.change().unwrap();
    let next = if next["key"] == "second" { feed.change().unwrap() } else { next };
    assert_eq!(next["key"], "third");
    send("DELETE", "/_api/user/eve/database/_system", "");
    send("POST", "/_api/document/open", r#"{"_key": "fourth"}"#);
    let end = feed.change().unwrap();
    assert_eq!((end["error"].as_bool(), end["errorNum"].as_u64()), (Some(true), Some(11)), "{end}");
    assert_eq!(feed.change(), None);
}

#[test]
fn the_present_documents_and_their_changes_have_no_gap() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    // The log must be there before the writers begin.
    drop(Feed::lines(&server, "/_api/changes?limit=0"));
    let writers = 3;
    let documents = 400;
    let seen = std::thread::scope(|threads| {
        for writer in 0..writers {
            let server = &server;
            threads.spawn(move || {
                let mut client = server.connect();
                for n in 0..documents {
                    let body = json!({"_key": format!("{writer}-{n}")}).to_string();
                    assert_eq!(client.json("POST", "/_api/document/docs", &body).status, 202);
                }
            });
        }
        let mut feed = Feed::lines(&server, "/_api/changes?initial=true&collections=docs");
        let mut seen = BTreeMap::new();
        while seen.len() < writers * documents {
            let change = feed.change().unwrap();
            if change["operation"] != "ready" {
                let key = change["document"]["_key"].as_str().unwrap().to_owned();
                assert_eq!(seen.insert(key.clone(), ()), None, "{key} comes twice");
            }
        }
        seen
    });
    assert_eq!(seen.len(), writers * documents);
}

#[test]
fn a_filter_that_never_ends_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    let mut feed = Feed::lines(&server, "/_api/changes?filter=SLEEP(1000)");
    post(&mut client, "/_api/document/docs", &json!({}));
    let end = feed.change().unwrap();
    assert_eq!(end["error"], true, "{end}");
    assert_eq!(feed.change(), None);
}

#[test]
fn a_feed_is_listed_and_can_be_ended() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    let mut feed = Feed::lines(&server, "/_api/changes?filter=document.n");
    let listed = client.json("GET", "/_api/changes/readers", "").json();
    let reader = &listed["readers"][0];
    assert_eq!(
        (&reader["filter"], &reader["database"]),
        (&json!("document.n"), &json!("_system")),
        "{listed}"
    );
    let path = format!("/_api/changes/readers/{}", reader["id"].as_str().unwrap());
    assert_eq!(client.json("DELETE", &path, "").status, 200);
    assert_eq!(feed.change().unwrap()["errorNum"], 1500);
    assert_eq!(feed.change(), None);
    assert_eq!(client.json("DELETE", &path, "").status, 404);
}

#[test]
fn a_tail_in_velocypack_has_the_entries_of_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    let start = client.json("GET", "/_api/wal/lastTick", "").json()["tick"].as_str().unwrap().to_owned();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    post(&mut client, "/_api/document/docs", &json!({"_key": "a", "list": [1, null, "x"]}));
    post(&mut client, "/_api/cursor", &json!({"query": "FOR i IN 1..3 INSERT {} INTO docs"}));
    let path = format!("/_api/wal/tail?from={start}");
    let lines = client.json("GET", &path, "");
    let lines: Vec<Value> = String::from_utf8(lines.body.clone())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let accept = ("accept".to_owned(), "application/x-velocypack".to_owned());
    let reply = client.send("GET", &path, &[accept], b"");
    let (mut entries, mut rest) = (Vec::new(), &reply.body[..]);
    while !rest.is_empty() {
        let entry = velocypack::Slice::new(rest);
        let mut text = Vec::new();
        velocypack::json::write(entry, None, &mut text);
        entries.push(serde_json::from_slice::<Value>(&text).unwrap());
        rest = &rest[entry.byte_len()..];
    }
    assert_eq!(entries.len(), 7, "one collection, one document, a transaction of three with both its ends");
    assert_eq!(entries, lines);
}

#[test]
fn a_reader_sees_its_collection_renamed_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    for name in ["first", "second"] {
        post(&mut client, "/_api/collection", &json!({"name": name}));
    }
    let mut feed = Feed::lines(&server, "/_api/changes?collections=first,second");
    let rename = json!({"name": "other"}).to_string();
    assert_eq!(client.json("PUT", "/_api/collection/first/rename", &rename).status, 200);
    post(&mut client, "/_api/document/other", &json!({"_key": "unseen"}));
    assert_eq!(client.json("DELETE", "/_api/collection/second", "").status, 200);
    let renamed = feed.change().unwrap();
    assert_eq!(renamed["operation"], "renameCollection");
    assert_eq!((&renamed["collection"], &renamed["definition"]["name"]), (&json!("first"), &json!("other")));
    let dropped = feed.change().unwrap();
    assert_eq!((&dropped["operation"], &dropped["collection"]), (&json!("dropCollection"), &json!("second")));
    // A collection of the same name is followed again.
    post(&mut client, "/_api/collection", &json!({"name": "second"}));
    assert_eq!(feed.change().unwrap()["operation"], "createCollection");
    let missing = Feed::lines(&server, "/_api/changes?collections=first");
    assert!(missing.status.contains("404"), "{}", missing.status);
}
