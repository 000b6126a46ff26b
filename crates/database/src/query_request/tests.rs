//! Tests that every option is read, and that a wrong one is refused with the error number that
//! drivers expect.

use super::*;

fn request(json: &str) -> Result<QueryRequest> {
    let mut builder = velocypack::Builder::new();
    velocypack::json::parse(json.as_bytes(), &velocypack::Limits::default(), &mut builder)
        .expect("test JSON");
    QueryRequest::from_body(builder.as_slice())
}

#[test]
fn defaults_are_those_of_arangodb() {
    let request = request(r#"{"query": "RETURN 1"}"#).unwrap();
    assert_eq!((request.batch_size, request.ttl), (1_000, None));
    assert!(!request.count && !request.options.stream && !request.options.full_count);
}

#[test]
fn options_are_read_from_both_levels() {
    let request = request(
        r#"{"query": "RETURN @a", "bindVars": {"a": 1}, "batchSize": 2, "count": true, "ttl": 5, "memoryLimit": 4096,
            "options": {"fullCount": true, "stream": true, "profile": 2, "maxRuntime": 0.5, "failOnWarning": true,
                        "optimizer": {"rules": ["-all", "+use-indexes", 7]}, "allowRetry": true}}"#,
    )
    .unwrap();
    assert_eq!(request.batch_size, 2);
    assert_eq!(request.memory_limit_bytes, 4096);
    assert_eq!(request.options.profile, 2);
    assert_eq!(request.options.max_runtime, Some(Duration::from_millis(500)));
    assert_eq!(request.options.rules, ["-all", "+use-indexes"]);
    assert!(
        request.count
            && request.options.stream
            && request.options.allow_retry
            && request.options.fail_on_warning == Some(true)
    );
}

#[test]
fn wrong_requests_are_refused() {
    for (json, expected) in [
        ("[]", ErrorCode::QueryEmpty),
        ("{}", ErrorCode::QueryEmpty),
        (r#"{"query": 1}"#, ErrorCode::TypeError),
        (r#"{"query": "RETURN 1", "bindVars": []}"#, ErrorCode::TypeError),
        (r#"{"query": "RETURN 1", "batchSize": 0}"#, ErrorCode::TypeError),
        (r#"{"query": "RETURN 1", "batchSize": "ten"}"#, ErrorCode::TypeError),
        (r#"{"query": "RETURN 1", "options": 3}"#, ErrorCode::TypeError),
        (r#"{"query": "RETURN 1", "options": {"stream": 1}}"#, ErrorCode::TypeError),
        (r#"{"query": "RETURN 1", "options": {"profile": 9}}"#, ErrorCode::BadParameter),
        (r#"{"query": "RETURN 1", "memoryLimit": -1}"#, ErrorCode::BadParameter),
        (r#"{"query": "RETURN 1", "options": {"fillBlockCache": "yes"}}"#, ErrorCode::TypeError),
    ] {
        assert_eq!(request(json).unwrap_err().code(), expected, "{json}");
    }
}
