//! Results and imports in Arrow's IPC stream format.

use arrow_format::{Inference, RowReader, StreamDecoder, StreamEncoder};
use serde_json::{Value, json};
use velocypack::{Builder, Limits, Slice};

use crate::client::{Client, Reply};
use crate::harness::{options, start_complete};

const ACCEPT: &str = "Accept: application/vnd.apache.arrow.stream\r\n";
const CONTENT: &str = "Content-Type: application/vnd.apache.arrow.stream\r\n";

/// Returns the rows of a reply, and the number of its record batches.
fn rows(reply: &Reply) -> (Vec<Value>, usize) {
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
    assert_eq!(reply.header("content-type"), Some("application/vnd.apache.arrow.stream"));
    assert!(!reply.is_broken);
    let mut stream = StreamDecoder::new(reply.body.clone().into()).unwrap();
    let (mut rows, mut batches) = (Vec::new(), 0);
    while let Some(batch) = stream.next_batch().unwrap() {
        batches += 1;
        let mut reader = RowReader::new(&batch).unwrap();
        while let Some(row) = reader.next_document().unwrap() {
            rows.push(serde_json::from_str(&velocypack::json::to_json_string(row, None)).unwrap());
        }
    }
    (rows, batches)
}

fn query(client: &mut Client, parameters: &str, body: &Value) -> Reply {
    client.request("POST", &format!("/_api/cursor{parameters}"), ACCEPT, body.to_string().as_bytes())
}

fn collection(client: &mut Client, name: &str, query: &str) {
    client.request("POST", "/_api/collection", "", json!({ "name": name }).to_string().as_bytes());
    let reply = client.request("POST", "/_api/cursor", "", json!({ "query": query }).to_string().as_bytes());
    assert_eq!(reply.status, 201, "{}", reply.text());
}

/// Returns a stream of the rows of an array.
fn stream(rows: &Value) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(rows.to_string().as_bytes(), &Limits::default(), &mut builder).unwrap();
    let rows: Slice<'_> = builder.as_slice();
    let mut inference = Inference::new([]);
    rows.elements().for_each(|row| inference.observe(row));
    let mut encoder = StreamEncoder::new(inference.finish().unwrap()).unwrap();
    encoder.write(rows, 0).unwrap();
    encoder.finish().unwrap();
    encoder.take()
}

#[test]
fn a_cursor_gives_its_whole_result_in_one_reply() {
    let running = start_complete(options());
    let mut client = running.client();
    let text = "FOR n IN 1..2500 RETURN {n, even: n % 2 == 0, list: [n, n / 2], inner: {text: TO_STRING(n)}}";
    for stream in [false, true] {
        let body = json!({"query": text, "options": {"stream": stream}});
        let (rows, batches) = rows(&query(&mut client, "", &body));
        assert_eq!((rows.len(), batches), (2_500, 3));
        assert_eq!(
            rows[2_499],
            json!({"n": 2500, "even": true, "list": [2500, 1250], "inner": {"text": "2500"}})
        );
    }
    let (rows, batches) =
        rows(&query(&mut client, "", &json!({"query": "FOR n IN 1..10 RETURN n", "batchSize": 4})));
    assert_eq!((rows.len(), batches, &rows[0]), (10, 3, &json!({"value": 1})));
    let metrics = client.get("/_admin/metrics/v2");
    let open = metrics.text().lines().find(|line| line.starts_with("arangodb_aql_cursors_active")).unwrap();
    assert!(open.ends_with(" 0"), "no cursor is left: {open}");
}

#[test]
fn a_complete_result_has_columns_that_fit_all_its_rows() {
    let running = start_complete(options());
    let mut client = running.client();
    let text = "FOR n IN 1..3000 RETURN n < 2900 ? {a: n} : {a: 'late', b: n}";
    let (found, _) = rows(&query(&mut client, "", &json!({ "query": text })));
    assert_eq!((&found[0], &found[2_999]), (&json!({"a": 1}), &json!({"a": "late", "b": 3000})));
    let streamed = json!({"query": text, "options": {"stream": true}});
    let reply = query(&mut client, "", &streamed);
    assert!(reply.status == 200 && reply.is_broken, "the row that does not fit breaks the reply off");
    let (found, _) = rows(&query(&mut running.client(), "?schema=a:json", &streamed));
    assert_eq!((found.len(), &found[2_999]), (3_000, &json!({"a": "late"})));
}

#[test]
fn what_cannot_be_a_reply_is_an_error_before_it() {
    let running = start_complete(options());
    let mut client = running.client();
    let one = json!({"query": "RETURN {a: 'x'}"});
    query(&mut client, "", &json!({"query": "RETURN"})).error(400, 1501);
    query(&mut client, "", &json!({"query": "RETURN FAIL('no')"})).error(400, 1569);
    query(&mut client, "?schema=a:int", &one).error(400, 10);
    query(&mut client, "?schema=a:int64&json=a", &one).error(400, 10);
    let message = query(&mut client, "?schema=a:int64", &one).error(400, 400);
    assert!(
        message.contains("row 1 does not fit the Arrow schema: `a` is a value of type string"),
        "{message}"
    );
}

#[test]
fn a_query_that_writes_commits_before_its_reply() {
    let running = start_complete(options());
    let mut client = running.client();
    collection(&mut client, "c", "RETURN 1");
    let body = json!({"query": "FOR n IN 1..2000 INSERT {_key: TO_STRING(n)} INTO c RETURN NEW._id"});
    assert_eq!(rows(&query(&mut client, "", &body)).0[1_999], json!({"value": "c/2000"}));
    let count = client.request("GET", "/_api/collection/c/count", "", b"").json();
    assert_eq!(count["count"], 2_000);
}

#[test]
fn what_is_exported_can_be_imported() {
    let running = start_complete(options());
    let mut client = running.client();
    collection(
        &mut client,
        "c",
        "FOR n IN 1..1500 INSERT {_key: CONCAT('k', n), n, m: n % 2 ? 'x' : n} INTO c",
    );
    client.request("POST", "/_api/collection", "", br#"{"name": "copy"}"#);
    let reply = client.request("POST", "/_api/export?collection=c", ACCEPT, br#"{"batchSize": 700}"#);
    let (exported, batches) = rows(&reply);
    assert_eq!((exported.len(), batches), (1_500, 3));
    let restricted = br#"{"restrict": {"type": "include", "fields": ["n"]}, "limit": 2}"#;
    let few =
        client.request("POST", "/_api/export?collection=c&from=k1&schema=n:float64", ACCEPT, restricted);
    assert_eq!(rows(&few).0, [json!({"n": 10}), json!({"n": 100})]);
    let imported = client.request("POST", "/_api/import?collection=copy", CONTENT, &reply.body).json();
    assert_eq!((&imported["created"], &imported["errors"]), (&json!(1_500), &json!(0)), "{imported}");
    let same = "RETURN LENGTH(FOR d IN c FILTER UNSET(DOCUMENT('copy', d._key), '_id', '_rev') == \
                UNSET(d, '_id', '_rev') RETURN 1)";
    let reply = client.request("POST", "/_api/cursor", "", json!({ "query": same }).to_string().as_bytes());
    assert_eq!(reply.json()["result"], json!([1_500]));
}

#[test]
fn rows_are_rejected_one_by_one_and_broken_streams_as_a_whole() {
    let running = start_complete(options());
    let mut client = running.client();
    collection(&mut client, "c", "INSERT {_key: 'old'} INTO c");
    let body = stream(&json!([{"_key": "a"}, {"_key": "a b"}, {"_key": "old"}]));
    let path = "/_api/import?collection=c&details=true";
    let reply = client.request("POST", path, CONTENT, &body).json();
    assert_eq!((&reply["created"], &reply["errors"]), (&json!(1), &json!(2)), "{reply}");
    let path = "/_api/import?collection=c&overwrite=true";
    let message = client.request("POST", path, CONTENT, &body[..body.len() - 1]).error(400, 400);
    assert!(message.contains("the Arrow stream ends in the middle"), "{message}");
    client.request("POST", path, CONTENT, b"{\"a\": 1}\n").error(400, 400);
    client.request("POST", path, CONTENT, b"").error(400, 400);
    let parquet = "Content-Type: application/vnd.apache.parquet\r\n";
    let message = client.request("POST", path, parquet, b"PAR1").error(400, 10);
    assert!(message.contains("send its rows as application/vnd.apache.arrow.stream"), "{message}");
    let count = client.request("GET", "/_api/collection/c/count", "", b"").json();
    assert_eq!(count["count"], 2, "a stream that is not whole empties no collection");
}
