use catalog::ObjectId;
use errors::ErrorCode;

use super::*;

#[test]
fn documents_of_one_collection_are_one_range() {
    let object = ObjectId(0x0102_0304_0506_0708);
    assert_eq!(document_key(object, "ab"), [1, 2, 3, 4, 5, 6, 7, 8, b'a', b'b']);
    assert_eq!(key_of_document(&document_key(object, "ab")), Some("ab"));
    let range = object_range(object);
    assert!(range.contains(&document_key(object, "")));
    assert!(range.contains(&document_key(object, "~~~~")));
    assert!(!range.contains(&document_key(ObjectId(object.0 + 1), "")));
    assert!(!range.contains(&document_key(ObjectId(object.0 - 1), "zzz")));
}

#[test]
fn entries_are_taken_apart_as_they_were_put_together() {
    let object = ObjectId(9);
    for key in ["k", "a-long-key", &"x".repeat(254)] {
        let mut entry_key = Vec::new();
        entry::start_key(object, &mut entry_key);
        entry_key.extend_from_slice(b"sort key");
        let mut pair = entry_key.clone();
        entry::finish_key(key, &mut pair);
        let value_start = pair.len();
        pair.extend_from_slice(b"covered");
        let layout = entry::layout(&pair, value_start, false).unwrap();
        assert_eq!((&pair[layout.key], &pair[layout.covered..]), (key.as_bytes(), &b"covered"[..]));

        let mut pair = entry_key;
        let value_start = pair.len();
        entry::start_unique_value(key, &mut pair);
        pair.extend_from_slice(b"covered");
        assert_eq!(entry::key_of_unique_value(&pair[value_start..]), Some(key));
        let layout = entry::layout(&pair, value_start, true).unwrap();
        assert_eq!((&pair[layout.key], &pair[layout.covered..]), (key.as_bytes(), &b"covered"[..]));
    }
}

#[test]
fn damaged_entries_are_recognized() {
    assert_eq!(entry::layout(&[], 0, false), None);
    assert_eq!(entry::layout(&[9], 1, false), None);
    assert_eq!(entry::layout(&[1], 1, true), None);
    assert_eq!(entry::layout(&[5, 1], 0, true), None);
    assert_eq!(entry::key_of_unique_value(&[]), None);
    assert_eq!(entry::key_of_unique_value(&[2, b'a']), None);
}

#[test]
fn numbers_are_kept_after_a_format_byte() {
    let bytes = pack::numbers(&[1, u64::MAX]);
    assert_eq!(bytes.len(), 17);
    assert_eq!(pack::read_numbers::<2>(&bytes, "test").unwrap(), [1, u64::MAX]);
    assert!(pack::read_numbers::<1>(&bytes, "test").is_err());
    assert!(pack::read_all_numbers(&bytes[..16]).is_err());
    let error = pack::read_all_numbers(&[pack::STORE_FORMAT + 1]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::IncompatibleVersion);
}
