//! Requests of operators and drivers about the server itself.

use server::ServerOptions;
use server::http::tls::{Tls, TlsOptions};

use crate::client::Client;
use crate::harness::{options, start, start_with, store};

#[test]
fn drivers_learn_what_they_need_to_know() {
    let running = start();
    let mut client = running.client();
    let details = client.get("/_api/version?details=true").json();
    assert_eq!(details["license"], "community");
    assert_eq!(details["details"]["v8-version"], "quickjs-ng");
    assert_eq!(details["details"]["role"], "SINGLE");
    assert!(details["details"].as_object().unwrap().values().all(serde_json::Value::is_string));
    let engine = client.get("/_api/engine").json();
    // Drivers know two names.
    let own = test_engine::engine().name();
    let compatible = if own == "mmfiles" { own } else { "rocksdb" };
    assert_eq!((engine["name"].as_str(), engine["persea-engine"].as_str()), (Some(compatible), Some(own)));
    let types = engine["supports"]["indexes"].as_array().unwrap().clone();
    client.request("POST", "/_api/collection", "", br#"{"name": "typed"}"#);
    for name in types.iter().filter_map(serde_json::Value::as_str) {
        let body = format!(
            r#"{{"type": "{name}", "fields": ["a"], "fieldValueTypes": "double", "expireAfter": 1{}}}"#,
            if name == "mdi-prefixed" { r#", "prefixFields": ["p"]"# } else { "" }
        );
        let made = client.request("POST", "/_api/index?collection=typed", "", body.as_bytes()).status;
        let expected = if matches!(name, "primary" | "edge") { 403 } else { 201 };
        assert_eq!(made, expected, "{name}");
    }
    assert_eq!(engine["supports"]["aliases"]["indexes"]["zkd"], "mdi");
    assert_eq!(client.get("/_admin/server/role").json()["role"], "SINGLE");
    assert_eq!(client.get("/_admin/database/target-version").json()["version"], "31210");
    client.get("/_api/cluster/endpoints").error(501, 1471);
    client.get("/_admin/cluster/health").error(403, 403);
    client.get("/_admin/server/id").error(500, 4);
    let usage = client.get("/_admin/license").json()["diskUsage"].take();
    assert!(usage["bytesUsed"].as_u64() < usage["bytesLimit"].as_u64(), "{usage}");
    assert_eq!((&usage["limitReached"], &usage["status"]), (&false.into(), &"good".into()));
    assert_eq!(client.get("/_api/tasks").json(), serde_json::json!([]));
    client.get("/_api/tasks/x").error(404, 1852);
    assert_eq!(client.request("POST", "/_admin/routing/reload", "", b"").status, 200);
}

#[test]
fn the_server_says_how_it_is() {
    let running = start();
    let mut client = running.client();
    let status = client.get("/_admin/status").json();
    assert_eq!(status["pid"].as_u64(), Some(std::process::id().into()));
    assert_eq!(status["serverInfo"]["role"], "SINGLE");
    let time = client.get("/_admin/time").json()["time"].as_f64().unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    assert!((now - time).abs() < 60.0);
    let support = client.get("/_admin/support-info").json();
    assert_eq!(support["deployment"]["type"], "single");
    assert!(support["host"]["processStats"]["residentSetSize"].as_u64().unwrap() > 1 << 20);
    assert!(client.get("/_api/engine/stats").json()["cache.limit"].is_u64());
}

#[test]
fn the_server_can_be_made_read_only() {
    let running = start();
    let mut client = running.client();
    assert_eq!(
        client.request("PUT", "/_admin/server/mode", "", br#"{"mode":"readonly"}"#).json()["mode"],
        "readonly"
    );
    assert!(running.server.instance().store().is_read_only());
    assert_eq!(client.get("/_admin/server/availability").json()["mode"], "readonly");
    client.request("PUT", "/_admin/server/mode", "", br#"{"mode":"other"}"#).error(400, 10);
    assert_eq!(
        client.request("PUT", "/_admin/server/mode", "", br#"{"mode":"default"}"#).json()["mode"],
        "default"
    );
}

#[test]
fn metrics_count_requests() {
    let running = start();
    let mut client = running.client();
    for _ in 0..3 {
        client.get("/_api/version");
    }
    client.request("POST", "/_test/body", "", b"hello");
    client.get("/_api/nothing");
    client.request("POST", "/_api/cursor", "", br#"{"query": "RETURN SLEEP(0.01)"}"#);
    let greedy = br#"{"query": "RETURN LENGTH(REPEAT('x', 1000000))", "memoryLimit": 100000}"#;
    client.request("POST", "/_api/cursor", "", greedy).error(500, 32);
    let reply = client.get("/_admin/metrics/v2");
    assert!(reply.header("content-type").unwrap().starts_with("text/plain"));
    let page = reply.text();
    for line in [
        "arangodb_http_request_statistics_total_requests_total 7",
        "arangodb_http_request_statistics_http_get_requests_total 4",
        "arangodb_http_request_statistics_http_post_requests_total 3",
        "arangodb_http_response_code_total{code=\"4xx\"} 1",
        "arangodb_client_connection_statistics_client_connections 1",
        "arangodb_client_connection_statistics_bytes_received_count 7",
        "arangodb_client_connection_statistics_bytes_received_bucket{le=\"+Inf\"} 7",
        "# TYPE rocksdb_block_cache_usage gauge",
        "arangodb_aql_all_query_total 2",
        "arangodb_metadata_number_of_databases 1",
        "arangodb_aql_query_time_count 2",
        "arangodb_aql_query_time_bucket{le=\"+Inf\"} 2",
        "arangodb_aql_slow_query_time_count 0",
        "arangodb_client_user_connection_statistics_bytes_received_count 0",
        "arangodb_scheduler_queue_full_failures_total 0",
        "arangodb_aql_local_query_memory_limit_reached_total 1",
        "arangodb_aql_query_plan_cache_hits_total 0",
        "arangodb_request_body_size_http1_count 7",
        "arangodb_request_body_size_http2_count 0",
        "arangodb_rocksdb_write_stalls_total 0",
        "arangodb_rocksdb_write_stops_total 0",
    ] {
        assert!(page.lines().any(|found| found == line), "{line} is missing in\n{page}");
    }
    // On a slow machine, planning is given up on the connection's thread and begins again.
    let misses =
        page.lines().find_map(|line| line.strip_prefix("arangodb_aql_query_plan_cache_misses_total "));
    assert!(misses.unwrap().parse::<u64>().unwrap() >= 2, "{misses:?}");
    let samples = || page.lines().filter(|line| !line.starts_with('#'));
    let query_time =
        samples().find_map(|line| line.strip_prefix("arangodb_aql_total_query_time_msec_total "));
    assert!(query_time.unwrap().parse::<u64>().unwrap() >= 10);
    for line in samples() {
        let value = line.rsplit_once(' ').unwrap().1;
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
}

/// Returns the value of a metric.
fn metric(client: &mut Client, name: &str) -> f64 {
    let reply = client.get("/_admin/metrics/v2");
    let page = reply.text();
    let line = page.lines().find(|line| line.split(' ').next() == Some(name));
    line.unwrap().rsplit_once(' ').unwrap().1.parse().unwrap()
}

#[test]
fn metrics_count_cached_plans_and_waits_of_jobs() {
    let running = start();
    let mut client = running.client();
    for _ in 0..3 {
        client.request("POST", "/_api/cursor", "", br#"{"query": "RETURN @x", "bindVars": {"x": 1}}"#);
    }
    // On a busy machine a query may move to another thread, where it looks for its plan again.
    assert!(metric(&mut client, "arangodb_aql_query_plan_cache_hits_total") >= 2.0);
    assert!(metric(&mut client, "arangodb_aql_query_plan_cache_misses_total") >= 1.0);
    let waits = metric(&mut client, "arangodb_scheduler_low_prio_dequeue_hist_count");
    assert!(metric(&mut client, "arangodb_scheduler_low_prio_dequeue_hist_count") > waits);
}

#[test]
fn statistics_fit_their_description() {
    let running = start();
    let mut client = running.client();
    let statistics = client.get("/_admin/statistics").json();
    let description = client.get("/_admin/statistics-description").json();
    for figure in description["figures"].as_array().unwrap() {
        let value = &statistics[figure["group"].as_str().unwrap()][figure["identifier"].as_str().unwrap()];
        if figure["type"] == "distribution" {
            let counts = value["counts"].as_array().unwrap();
            assert_eq!(counts.len(), figure["cuts"].as_array().unwrap().len() + 1, "{figure}");
        } else {
            assert!(value.is_number(), "{figure}");
        }
    }
    let figures = description["figures"].as_array().unwrap();
    for name in statistics["http"].as_object().unwrap().keys() {
        let describes =
            |figure: &serde_json::Value| figure["group"] == "http" && figure["identifier"] == *name;
        assert!(figures.iter().any(describes), "{name}");
    }
    assert_eq!(statistics["http"]["requestsGet"], 0, "a request counts once it is answered");
}

#[test]
fn the_log_is_shown_and_its_levels_are_set() {
    let running = start();
    let mut client = running.client();
    let levels = client.get("/_admin/log/level").json();
    assert_eq!((levels["general"].as_str(), levels["queries"].as_str()), (Some("INFO"), Some("INFO")));
    let put = |client: &mut crate::client::Client, body: &str| {
        client.request("PUT", "/_admin/log/level", "", body.as_bytes())
    };
    let levels = put(&mut client, r#"{"queries":"debug","requests":"TRACE"}"#).json();
    assert_eq!((levels["queries"].as_str(), levels["requests"].as_str()), (Some("DEBUG"), Some("TRACE")));
    assert_eq!(put(&mut client, r#""warning""#).json()["general"], "WARNING");
    assert_eq!(put(&mut client, r#"{"all":"error"}"#).json()["queries"], "ERROR");
    put(&mut client, r#"{"queries":"loud"}"#).error(400, 10);
    assert_eq!(client.request("DELETE", "/_admin/log/level", "", b"").json()["queries"], "INFO");
    let appenders = client.get("/_admin/log/level?withAppenders=true").json();
    assert_eq!(appenders["global"]["queries"], "INFO");
    assert_eq!(client.get("/_admin/log/entries").json()["total"], 0);
    assert_eq!(client.get("/_admin/log?upto=debug&size=1").json()["lid"], serde_json::json!([]));
    client.get("/_admin/log?upto=loud").error(400, 10);
    let set = client.request("PUT", "/_admin/log/structured", "", br#"{"url":true}"#).json();
    assert_eq!(set, serde_json::json!({"url": true}));
}

#[test]
fn echo_shows_a_request_as_it_came() {
    let running = start();
    let reply =
        running.client().request("POST", "/_admin/echo/a/b?x=1&y=a%20b", "X-Test: yes\r\n", b"hello").json();
    assert_eq!(reply["requestBody"], "hello");
    assert_eq!(reply["requestType"], "POST");
    assert_eq!(reply["headers"]["x-test"], "yes");
    assert_eq!(reply["parameters"], serde_json::json!({"x": "1", "y": "a b"}));
    assert_eq!(reply["suffix"], serde_json::json!(["a", "b"]));
}

#[test]
fn endpoints_are_those_configured() {
    let endpoints = vec!["http://127.0.0.1:8529".to_owned()];
    let running = start_with(ServerOptions { endpoints, ..options() }, store());
    let reply = running.client().get("/_api/endpoint").json();
    assert_eq!(reply, serde_json::json!([{"endpoint": "http://127.0.0.1:8529"}]));
}

#[test]
fn the_engine_can_be_compacted_and_synced() {
    let running = start();
    let mut client = running.client();
    assert_eq!(client.request("PUT", "/_admin/compact", "", b"").text(), "{}");
    assert_eq!(client.request("PUT", "/_admin/wal/flush", "", b"").status, 200);
    client.get("/_admin/wal/properties").error(501, 9);
}

#[test]
fn certificate_and_key_are_told_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let keyfile = folder.path().join("server.pem");
    let pem = std::fs::read_to_string("../client/src/tests/certificate.pem").unwrap();
    std::fs::write(&keyfile, &pem).unwrap();
    let tls = Tls::open(TlsOptions::new(&keyfile)).unwrap();
    let running = start_with(ServerOptions { tls: Some(tls), ..options() }, store());
    let mut client = running.client();
    let path = "/_admin/server/tls";
    let first = client.get(path).json()["result"].clone();
    let certificate = first["keyfile"]["certificates"][0].as_str().unwrap();
    assert!(certificate.starts_with("-----BEGIN CERTIFICATE-----\n") && pem.contains(certificate));
    for digest in ["sha256", "privateKeySha256"] {
        assert_eq!(first["keyfile"][digest].as_str().unwrap().len(), 64);
    }
    assert_eq!(first["clientCA"], serde_json::json!({}));

    std::fs::write(&keyfile, format!("# the same again\n{pem}")).unwrap();
    assert_eq!(client.get(path).json()["result"], first, "the file is read only on request");
    let second = client.request("POST", path, "", b"").json()["result"].clone();
    assert_ne!(second["keyfile"]["sha256"], first["keyfile"]["sha256"]);
    assert_eq!(second["keyfile"]["privateKeySha256"], first["keyfile"]["privateKeySha256"]);

    std::fs::write(&keyfile, "no certificate").unwrap();
    assert!(client.request("POST", path, "", b"").error(500, 4).contains("has no certificate"));
    assert_eq!(client.get(path).json()["result"], second, "a broken file changes nothing");

    let without = start();
    let mut client = without.client();
    assert_eq!(client.get(path).json()["result"], serde_json::json!({"keyfile": {}, "clientCA": {}}));
    assert_eq!(client.request("POST", path, "", b"").status, 200);
    client.request("POST", "/_admin/server/encryption", "", b"").error(404, 404);
}
