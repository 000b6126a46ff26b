//! Helpers of this crate's tests.

use velocypack::{Builder, Limits};

/// Returns a value from JSON text.
pub(crate) fn value(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    velocypack::json::parse(json.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

/// Returns what a definition prints, as JSON.
pub(crate) fn printed(print: impl FnOnce(&mut Builder) -> errors::Result<()>) -> serde_json::Value {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    print(&mut builder).unwrap();
    builder.close().unwrap();
    serde_json::from_str(&builder.as_slice().to_json_string()).unwrap()
}
