//! Traces as a collector receives them from a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Server;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

/// Starts a collector, and returns its address and the spans that it receives.
fn collector() -> (String, Receiver<Value>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, spans) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut length = 0;
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|count| count > 0) {
                if let Some(value) = line.strip_prefix("content-length: ") {
                    length = value.trim().parse().unwrap();
                }
                if line == "\r\n" {
                    let mut body = vec![0; length];
                    stream.read_exact(&mut body).unwrap();
                    let body: Value = serde_json::from_slice(&body).unwrap();
                    let received =
                        body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
                    received.into_iter().for_each(|span| drop(sender.send(span)));
                    stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
                }
                line.clear();
            }
        }
    });
    (address, spans)
}

/// Waits for the spans of the trace until all are there that `is_done` wants.
fn wait_until(spans: &Receiver<Value>, is_done: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let mut received: Vec<Value> = Vec::new();
    let start = Instant::now();
    while !is_done(&received) {
        assert!(start.elapsed() < Duration::from_secs(60), "only these came: {received:#?}");
        let next = spans.recv_timeout(Duration::from_millis(100)).ok();
        received.extend(next.filter(|span| span["traceId"] == TRACE));
    }
    received
}

/// Waits until a span of each name is there.
fn wait_for(spans: &Receiver<Value>, names: &[&str]) -> Vec<Value> {
    wait_until(spans, |received| names.iter().all(|name| received.iter().any(|span| span["name"] == *name)))
}

fn attribute(span: &Value, name: &str) -> Value {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == name);
    found.map_or(Value::Null, |attribute| attribute["value"].clone())
}

#[test]
fn a_caller_sees_its_query_down_to_the_nodes() {
    let (address, spans) = collector();
    let folder = tempfile::tempdir().unwrap();
    let options =
        ["--traces.endpoint", &address, "--traces.sample-ratio", "0", "--traces.node-threshold", "0"];
    let server = Server::start(folder.path(), &options);
    let mut client = server.connect();
    let mut query = |text: &str, flags: &str| {
        let header = ("traceparent".to_owned(), format!("00-{TRACE}-{CALLER}-{flags}"));
        let body = json!({"query": text}).to_string();
        client.send("POST", "/_api/cursor", &[header], body.as_bytes()).status
    };
    let text = "FOR i IN 1..1000 FILTER i % 2 == 0 RETURN i";
    assert_eq!(query("RETURN 'not traced'", "00"), 201);
    assert_eq!(query(text, "01"), 201);
    let received = wait_for(&spans, &["POST /_api/cursor", "query", "plan", "execute", "EnumerateListNode"]);
    let find = |name: &str| received.iter().find(|span| span["name"] == name).unwrap();
    let parent = |name: &str| find(name)["parentSpanId"].clone();
    assert_eq!(parent("POST /_api/cursor"), CALLER);
    assert_eq!(parent("query"), find("POST /_api/cursor")["spanId"]);
    assert_eq!(
        (parent("plan"), parent("execute")),
        (find("query")["spanId"].clone(), find("query")["spanId"].clone())
    );
    assert_eq!(parent("EnumerateListNode"), find("execute")["spanId"]);
    assert_eq!(attribute(find("query"), "db.query.text")["stringValue"], text);
    assert_eq!(attribute(find("plan"), "persea.plan_cache.hit")["boolValue"], false);
    assert_eq!(attribute(find("POST /_api/cursor"), "http.response.status_code")["intValue"], "201");
    assert_eq!(attribute(find("EnumerateListNode"), "persea.node.items")["intValue"], "500");
    assert!(received.iter().all(|span| !span.to_string().contains("not traced")));

    assert_eq!(query(text, "01"), 201);
    let received = wait_for(&spans, &["plan"]);
    assert_eq!(
        attribute(received.iter().find(|span| span["name"] == "plan").unwrap(), "persea.plan_cache.hit")["boolValue"],
        true
    );
    assert!(query("FOR i IN 1..10 RETURN ASSERT(i < 5, 'too large')", "01") >= 400);
    let is_failed = |span: &Value| span["name"] == "query" && span["status"]["code"] == 2;
    let received = wait_until(&spans, |received| received.iter().any(is_failed));
    let failed = received.iter().find(|span| is_failed(span)).unwrap();
    assert!(failed["status"]["message"].as_str().unwrap().contains("too large"), "{failed:#?}");

    let metrics = client.send("GET", "/_admin/metrics/v2", &[], b"").text();
    let value = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse::<u64>().unwrap()
    };
    assert!(value("persea_traces_exported_spans_total ") >= 10);
    assert_eq!(value("persea_traces_dropped_spans_total "), 0);
}
