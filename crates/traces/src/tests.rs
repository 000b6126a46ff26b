//! Spans as a collector receives them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use client::{ClientOptions, Endpoint, RetryOptions};
use serde_json::{Value as Json, json};

use crate::{Tracer, TracerOptions};

/// Starts a collector that answers with a status, and returns its address and the bodies that it
/// receives. Status 0 never answers.
fn collector(status: u16) -> (String, Receiver<(String, Json)>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            loop {
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if stream.read_line(&mut head).unwrap() == 0 {
                        break;
                    }
                }
                let Some(length) = head.lines().find_map(|line| line.strip_prefix("content-length: ")) else {
                    break;
                };
                let mut body = vec![0; length.parse().unwrap()];
                stream.read_exact(&mut body).unwrap();
                let _ = sender.send((head, serde_json::from_slice(&body).unwrap()));
                if status == 0 {
                    // It does not answer.
                    std::thread::sleep(Duration::from_secs(60));
                }
                let reply = format!("HTTP/1.1 {status} X\r\ncontent-length: 2\r\n\r\n{{}}");
                stream.get_mut().write_all(reply.as_bytes()).unwrap();
            }
        }
    });
    (address, received)
}

fn tracer(address: &str, share: f64, queue_length: usize) -> Tracer {
    let mut collector = ClientOptions::new(Endpoint::parse(address).unwrap());
    collector.retries = RetryOptions { count: 0, ..RetryOptions::default() };
    collector.request_timeout = Duration::from_millis(500);
    Tracer::start(TracerOptions {
        collector,
        path: "/v1/traces".to_owned(),
        headers: vec![("x-key".to_owned(), "secret".to_owned())],
        service_name: "shop".to_owned(),
        service_version: "1.2.3".to_owned(),
        share,
        node_threshold: Duration::from_millis(1),
        queue_length,
    })
    .unwrap()
}

#[test]
fn spans_arrive_with_their_parents() {
    let (address, received) = collector(200);
    let tracer = tracer(&address, 0.0, 100);
    let mut request =
        tracer.begin(Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), "POST").unwrap();
    request.set("http.response.status_code", 200);
    request.set("short", &*"é".repeat(5_000));
    let mut part = request.trace().unwrap().part("query", Instant::now());
    part.set("cached", true);
    part.fail("no \"memory\"");
    part.end_after(Duration::from_millis(5));
    drop(request);
    tracer.stop();
    let (head, body) = received.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n") && head.contains("x-key: secret\r\n"), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    let resource = &body["resourceSpans"][0];
    let name = json!({"key": "service.name", "value": {"stringValue": "shop"}});
    assert_eq!(resource["resource"]["attributes"][0], name);
    let spans = resource["scopeSpans"][0]["spans"].as_array().unwrap();
    let [part, request] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!(request["parentSpanId"], "b7ad6b7169203331");
    assert_eq!((&request["kind"], &part["kind"]), (&json!(2), &json!(1)));
    assert_eq!((&part["traceId"], &part["parentSpanId"]), (&request["traceId"], &request["spanId"]));
    assert_eq!(part["status"], json!({"code": 2, "message": "no \"memory\""}));
    assert_eq!(part["attributes"], json!([{"key": "cached", "value": {"boolValue": true}}]));
    let code = json!({"key": "http.response.status_code", "value": {"intValue": "200"}});
    assert_eq!(request["attributes"][0], code);
    assert_eq!(request["attributes"][1]["value"]["stringValue"].as_str().unwrap().len(), 4_096);
    let time = |span: &Json, name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
    let length = |span: &Json| time(span, "endTimeUnixNano") - time(span, "startTimeUnixNano");
    assert_eq!(length(part), 5_000_000);
    assert_eq!(tracer.statistics().exported, 2);
}

#[test]
fn callers_and_the_share_decide() {
    let (address, _received) = collector(200);
    let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
    let all = tracer(&address, 1.0, 100);
    assert!(all.begin(Some(header), "GET").is_none());
    assert!(all.begin(None, "GET").is_some() && all.begin(Some("nonsense"), "GET").is_some());
    let none = tracer(&address, 0.0, 100);
    assert!(none.begin(None, "GET").is_none());
    let half = tracer(&address, 0.5, 10_000);
    let traced = (0..1_000).filter(|_| half.begin(None, "GET").is_some()).count();
    assert!((300..700).contains(&traced), "{traced}");
}

#[test]
fn a_collector_that_does_not_answer_holds_nobody_up() {
    let (address, _received) = collector(0);
    let tracer = tracer(&address, 1.0, 16);
    let begin = Instant::now();
    for _ in 0..10_000 {
        drop(tracer.begin(None, "GET"));
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert!(tracer.statistics().dropped > 8_000, "{:?}", tracer.statistics());
    tracer.stop();
    let statistics = tracer.statistics();
    assert_eq!(statistics.exported + statistics.dropped, 10_000);
    assert!(statistics.failures > 0);
}

#[test]
fn spans_that_are_refused_are_counted() {
    let (address, _received) = collector(401);
    let tracer = tracer(&address, 1.0, 16);
    drop(tracer.begin(None, "GET"));
    tracer.stop();
    let statistics = tracer.statistics();
    assert_eq!((statistics.exported, statistics.dropped, statistics.failures), (0, 1, 1));
}
