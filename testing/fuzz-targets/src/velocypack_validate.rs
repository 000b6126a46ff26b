//! Any bytes: validation and reads do not panic, and a valid value works in every respect.

use velocypack::{Limits, MergeOptions, Slice, document, json, merge, normalize, order, to_wire, validate};

pub(crate) fn run(bytes: &[u8]) {
    let value = Slice::new(bytes);
    let _ = (value.kind(), value.as_number(), value.as_str(), value.as_binary(), value.as_utc_date());
    let _ = (value.get("a"), value.get("_key"), value.at(1), value.len(), value.bytes());
    assert!(value.elements().count() <= bytes.len());
    assert!(value.entries().count() <= bytes.len());
    json::write(value, Some("c"), &mut Vec::new());
    let _ = to_wire(value, Some("c"), &mut Vec::new());
    let _ = document("k", "r", None, value, &mut Vec::new());
    let _ = normalize(value, &mut Vec::new());

    let Ok(value) = validate(bytes, &Limits::default()) else { return };
    let mut ours = Vec::new();
    normalize(value, &mut ours).expect("what is valid can be normalised");
    let normal = validate(&ours, &Limits::default()).expect("what is normalised is valid");
    assert_eq!(normal.to_json_string(), value.to_json_string());
    let mut again = Vec::new();
    normalize(normal, &mut again).expect("normalising twice");
    assert_eq!(again, ours, "normalising is stable");

    if value.is_object() {
        let mut stored = Vec::new();
        document("k", "r", Some(("v/1", "v/2")), normal, &mut stored).expect("an object is a document");
        let mut wire = Vec::new();
        to_wire(Slice::new(&stored), Some("c"), &mut wire).expect("a document is sent");
        validate(&wire, &Limits::default()).expect("what is sent is valid");
        let mut merged = Vec::new();
        merge(normal, normal, MergeOptions::default(), &mut merged).expect("objects are merged");
        assert!(order::equal(Slice::new(&merged), normal), "merging with itself changes nothing");
    }
}
