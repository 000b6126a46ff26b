//! Content types of replies.

use hyper::header::HeaderValue;

/// JSON.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
/// VelocyPack.
pub const VELOCYPACK: HeaderValue = HeaderValue::from_static("application/x-velocypack");
/// One JSON value per line.
pub const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");
/// Record batches of Arrow's IPC stream format.
pub const ARROW: HeaderValue = HeaderValue::from_static("application/vnd.apache.arrow.stream");
/// Server-sent events.
pub const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream; charset=utf-8");
/// Lines of a dump.
pub const DUMP: HeaderValue = HeaderValue::from_static("application/x-arango-dump; charset=utf-8");
/// Bytes of any kind.
pub const OCTET_STREAM: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// Plain text.
pub const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// A page for a browser.
pub const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
/// Prometheus' text format.
pub const PROMETHEUS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
