//! Tests of the accessors: the public specification's examples, and no panic on any bytes.

use proptest::prelude::*;

use crate::testing::{Tree, damaged_values, objects, packed, trees};
use crate::{Kind, Number, Slice};

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn reads_all_array_encodings_of_the_specification() {
    let encodings = [
        "02 05 31 32 33",
        "03 06 00 31 32 33",
        "04 08 00 00 00 31 32 33",
        "05 0c 00 00 00 00 00 00 00 31 32 33",
        "06 09 03 31 32 33 03 04 05",
        "07 0e 00 03 00 31 32 33 05 00 06 00 07 00",
        "08 18 00 00 00 03 00 00 00 31 32 33 09 00 00 00 0a 00 00 00 0b 00 00 00",
        "09 2c 00 00 00 00 00 00 00 31 32 33 09 00 00 00 00 00 00 00 0a 00 00 00 00 00 00 00 \
         0b 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00",
        "13 06 31 32 33 03",
        "02 0c 00 00 00 00 00 00 00 31 32 33",
    ];
    for encoding in encodings {
        let bytes = hex(encoding);
        let array = Slice::new(&bytes);
        assert_eq!(array.byte_len(), bytes.len(), "{encoding}");
        assert_eq!(array.len(), 3, "{encoding}");
        assert_eq!(array.to_json_string(), "[1,2,3]", "{encoding}");
        assert_eq!(array.at(1).and_then(Slice::as_i64), Some(2), "{encoding}");
        assert!(array.at(3).is_none(), "{encoding}");
    }
    let mixed = hex("13 06 31 28 10 02");
    assert_eq!(Slice::new(&mixed).to_json_string(), "[1,16]");
    assert_eq!(Slice::new(&mixed).at(1).and_then(Slice::as_i64), Some(16));
}

#[test]
fn reads_all_object_encodings_of_the_specification() {
    let encodings = [
        "0b 13 03 41 62 1a 41 61 28 0c 41 63 43 78 79 7a 06 03 0a",
        "0d 22 00 00 00 03 00 00 00 41 62 1a 41 61 28 0c 41 63 43 78 79 7a 0c 00 00 00 09 00 00 00 10 00 00 00",
        "0f 13 03 41 62 1a 41 61 28 0c 41 63 43 78 79 7a 03 06 0a",
        "14 10 41 62 1a 41 61 28 0c 41 63 43 78 79 7a 03",
    ];
    for encoding in encodings {
        let bytes = hex(encoding);
        let object = Slice::new(&bytes);
        assert_eq!(object.len(), 3, "{encoding}");
        assert_eq!(object.to_json_string(), r#"{"b":true,"a":12,"c":"xyz"}"#, "{encoding}");
        assert_eq!(object.get("a").and_then(Slice::as_i64), Some(12), "{encoding}");
        assert_eq!(object.get("c").and_then(Slice::as_str), Some("xyz"), "{encoding}");
        assert!(object.get("d").is_none(), "{encoding}");
        let names: Vec<_> = object.entries_sorted().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "c"], "{encoding}");
    }
}

#[test]
fn reads_translated_names_in_every_form() {
    let bytes = hex("0b 08 02 31 41 78 28 03 f0 01 03 06");
    // The table is in the order of the names: _id (at 6), then _key (at 3).
    let bytes = [&bytes[..1], &[12, 2], &bytes[3..10], &[6, 3]].concat();
    let object = Slice::new(&bytes);
    assert_eq!(object.get("_key").and_then(Slice::as_str), Some("x"));
    assert!(object.get("_id").is_some_and(Slice::is_id_marker));
    assert_eq!(object.entries().map(|(name, _)| name).collect::<Vec<_>>(), ["_key", "_id"]);
    assert_eq!(object.entries_sorted().map(|(name, _)| name).collect::<Vec<_>>(), ["_id", "_key"]);
}

#[test]
fn integers_are_read_exactly() {
    let cases: [(&str, Number); 11] = [
        ("30", Number::Int(0)),
        ("39", Number::Int(9)),
        ("3a", Number::Int(-6)),
        ("3f", Number::Int(-1)),
        ("20 80", Number::Int(-128)),
        ("21 00 80", Number::Int(-32768)),
        ("22 ff ff 7f", Number::Int(8_388_607)),
        ("27 00 00 00 00 00 00 00 80", Number::Int(i64::MIN)),
        ("28 ff", Number::Int(255)),
        ("2f ff ff ff ff ff ff ff 7f", Number::Int(i64::MAX)),
        ("2f ff ff ff ff ff ff ff ff", Number::UInt(u64::MAX)),
    ];
    for (encoding, number) in cases {
        let bytes = hex(encoding);
        let value = Slice::new(&bytes);
        assert_eq!(value.as_number(), Some(number), "{encoding}");
        match number {
            Number::Int(expected) => {
                assert_eq!(value.as_i64(), Some(expected));
                assert_eq!(value.as_u64(), u64::try_from(expected).ok());
                assert_eq!(value.kind(), Kind::Int);
            }
            Number::UInt(expected) => {
                assert_eq!((value.as_i64(), value.as_u64()), (None, Some(expected)));
                assert_eq!(value.kind(), Kind::UInt);
            }
            Number::Double(_) => unreachable!(),
        }
        assert_eq!(value.as_f64(), Some(number.to_f64()));
    }
}

#[test]
fn constants_are_what_they_say() {
    let texts = [
        (Slice::NULL, "null"),
        (Slice::TRUE, "true"),
        (Slice::FALSE, "false"),
        (Slice::EMPTY_ARRAY, "[]"),
        (Slice::EMPTY_OBJECT, "{}"),
        (Slice::EMPTY_STRING, "\"\""),
        (Slice::ZERO, "0"),
    ];
    for (value, text) in texts {
        assert_eq!(value.to_string(), text);
    }
    assert_eq!(Slice::NONE.kind(), Kind::None);
    assert!(Slice::NONE.is_none());
    assert!(Slice::ID_MARKER.is_id_marker());
    assert_eq!(Slice::ID_MARKER.kind(), Kind::IdMarker);
}

#[test]
fn a_path_leads_through_objects_only() {
    let bytes = packed(r#"{"a":{"b":{"c":7}},"x":[1]}"#);
    let value = Slice::new(&bytes);
    assert_eq!(value.get_path(&["a", "b", "c"]).and_then(Slice::as_i64), Some(7));
    assert!(value.get_path(&["a", "x", "c"]).is_none());
    assert!(value.get_path(&["x", "0"]).is_none());
    assert_eq!(value.get_path(&[]).map(Slice::byte_len), Some(bytes.len()));
}

#[test]
fn a_value_may_be_followed_by_other_bytes() {
    let mut bytes = packed(r#"{"a":[1,"two"]}"#);
    let length = bytes.len();
    bytes.extend_from_slice(&[0xFF; 20]);
    let value = Slice::new(&bytes);
    assert_eq!(value.byte_len(), length);
    assert_eq!(value.bytes(), &bytes[..length]);
    assert_eq!(value.get("a").and_then(|array| array.at(1)).and_then(Slice::as_str), Some("two"));
}

#[test]
fn a_member_that_points_at_its_own_object_is_not_followed() {
    // The table says that the attribute starts at the object itself, or inside the table.
    for offset in [0u8, 1, 2, 9, 10, 255] {
        let bytes = [0x0B, 11, 2, 0x41, b'a', 0x31, 0x41, b'b', 0x32, offset, offset];
        let object = Slice::new(&bytes);
        assert!(object.get("a").is_none());
        assert_eq!(object.entries_sorted().count(), 0);
    }
}

/// Calls every accessor on unchecked bytes.
pub(crate) fn exercise(bytes: &[u8]) {
    let value = Slice::new(bytes);
    let _ = (value.kind(), value.bytes(), value.byte_len(), value.is_none(), value.is_number());
    let _ = (value.as_bool(), value.as_i64(), value.as_u64(), value.as_f64(), value.as_number());
    let _ = (value.as_str(), value.as_binary(), value.as_utc_date(), value.len());
    let _ = (value.get("a"), value.get("_key"), value.get(""), value.get_path(&["a", "b"]));
    for index in [0, 1, 2, 1000, usize::MAX] {
        let _ = value.at(index);
    }
    assert!(value.elements().count() <= bytes.len());
    assert!(value.entries().count() <= bytes.len());
    assert!(value.entries_sorted().take(1000).count() <= 1000);
    let mut out = Vec::new();
    crate::json::write(value, Some("c"), &mut out);
    crate::json::write_pretty(value, None, &mut out);
}

proptest! {
    #[test]
    fn no_bytes_make_accessors_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        exercise(&bytes);
    }

    #[test]
    fn no_damage_makes_accessors_panic(bytes in damaged_values()) {
        exercise(&bytes);
    }

    #[test]
    fn attributes_are_found_by_name(object in objects(trees(), 60)) {
        let bytes = object.pack();
        let slice = Slice::new(&bytes);
        let Tree::Object(entries) = &object else { unreachable!() };
        prop_assert_eq!(slice.len(), entries.len());
        for (name, value) in entries {
            prop_assert_eq!(slice.get(name).map(Tree::read), Some(value.clone()));
            let missing = format!("{name}?");
            prop_assert_eq!(slice.get(&missing).map(Tree::read), object.get(&missing).cloned());
        }
        let sorted: Vec<_> = slice.entries_sorted().map(|(name, _)| name.to_owned()).collect();
        prop_assert_eq!(sorted, object.sorted().keys().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    }

    #[test]
    fn elements_are_found_by_index(elements in prop::collection::vec(trees(), 0..40)) {
        let bytes = Tree::Array(elements.clone()).pack();
        let slice = Slice::new(&bytes);
        prop_assert_eq!(slice.elements().len(), elements.len());
        for (index, element) in elements.iter().enumerate() {
            prop_assert_eq!(slice.at(index).map(Tree::read), Some(element.clone()));
        }
        prop_assert!(slice.at(elements.len()).is_none());
    }
}
