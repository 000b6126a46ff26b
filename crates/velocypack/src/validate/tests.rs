//! Tests of what the validator accepts and refuses.

use proptest::prelude::*;

use crate::slice::tests::exercise;
use crate::testing::{Tree, damaged_values, pack_foreign, packed, trees};
use crate::{Error, Limits, Slice, normalize, order, validate};

fn check(bytes: &[u8]) -> Result<(), Error> {
    validate(bytes, &Limits::default()).map(|_| ())
}

#[test]
fn whole_values_only() {
    assert!(check(&[]).is_err());
    assert!(check(&[0x30]).is_ok());
    assert_eq!(check(&[0x30, 0x30]), Err(Error::Invalid { offset: 1, reason: "bytes behind the value" }));
    let object = packed(r#"{"a":[1,2],"b":{"c":"text"}}"#);
    for length in 0..object.len() {
        assert!(check(&object[..length]).is_err(), "{length}");
    }
}

#[test]
fn types_that_clients_may_not_send() {
    let refused: [&[u8]; 9] = [
        &[0x00],
        &[0x17],
        &[0x1D, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x1E],
        &[0x1F],
        &[0xC8, 1, 0, 0, 0, 0, 0x12],
        &[0xF0, 0x01],
        &[0xF4, 1, 0],
        &[0xD8],
    ];
    for bytes in refused {
        assert!(check(bytes).is_err(), "{bytes:x?}");
        let in_array = [&[0x02, 2 + bytes.len() as u8], bytes].concat();
        assert!(check(&in_array).is_err(), "{in_array:x?}");
    }
    assert!(check(&[0x1C, 0, 0, 0, 0, 0, 0, 0, 0]).is_ok(), "a date");
    assert!(check(&[0xC0, 2, 0xFF, 0x00]).is_ok(), "a binary value");
}

#[test]
fn text_has_to_be_utf8() {
    assert!(check(&[0x41, 0xFF]).is_err());
    assert!(check(&[0x0B, 6, 1, 0x41, 0xFF, 0x30]).is_err());
    assert!(check(&[0x42, 0xC3, 0xA9]).is_ok());
}

#[test]
fn tables_have_to_fit() {
    let good = [0x0B, 11, 2, 0x41, b'a', 0x31, 0x41, b'b', 0x32, 3, 6];
    assert!(check(&good).is_ok());
    let tables = [[6, 3], [3, 3], [6, 6], [3, 7], [3, 0], [4, 6], [3, 9], [255, 6]];
    for [first, second] in tables {
        let mut bytes = good;
        (bytes[9], bytes[10]) = (first, second);
        assert!(check(&bytes).is_err(), "{first} {second}");
    }
    // The type may say that names are not sorted, but no name may occur twice.
    let unsorted = [0x0F, 11, 2, 0x41, b'a', 0x31, 0x41, b'b', 0x32, 6, 3];
    assert!(check(&unsorted).is_ok());
    let twice = [0x0F, 11, 2, 0x41, b'a', 0x31, 0x41, b'b', 0x32, 6, 6];
    assert!(check(&twice).is_err());
    // Elements of an array must be in order.
    assert!(check(&[0x06, 8, 2, 0x31, 0x28, 16, 3, 4]).is_ok());
    assert!(check(&[0x06, 8, 2, 0x31, 0x28, 16, 4, 3]).is_err());
    // All elements have the same length, without a table.
    assert!(check(&[0x02, 6, 0x28, 10, 0x28, 11]).is_ok());
    assert!(check(&[0x02, 6, 0x28, 10, 0x31, 0x31]).is_err());
}

#[test]
fn names_occur_once() {
    let objects: [&[u8]; 3] = [
        &[0x0B, 11, 2, 0x41, b'a', 0x31, 0x41, b'a', 0x32, 3, 6],
        &[0x0F, 11, 2, 0x41, b'a', 0x31, 0x41, b'a', 0x32, 3, 6],
        &[0x14, 9, 0x41, b'a', 0x31, 0x41, b'a', 0x32, 2],
    ];
    for bytes in objects {
        assert!(check(bytes).is_err(), "{bytes:x?}");
    }
    // The same name as a number and as text.
    let translated = b"\x14\x0b\x31\x31\x44_key\x31\x02";
    assert_eq!(check(translated), Err(Error::DuplicateName { name: "_key".to_owned() }));
    // Numbers without a name.
    assert!(check(&[0x14, 5, 0x36, 0x31, 1]).is_err());
}

#[test]
fn limits_hold() {
    let nested = |depth: usize| {
        (0..depth).fold(vec![0x01u8], |inner, _| {
            let mut outer = vec![0x13, 0, 0];
            let length = inner.len() + 4;
            (outer[1], outer[2]) = (length as u8 & 0x7F | 0x80, (length >> 7) as u8);
            outer.extend(inner);
            outer.push(1);
            outer
        })
    };
    let limits = Limits { max_depth: 10, max_bytes: 100 };
    assert!(validate(&nested(9), &limits).is_ok());
    assert_eq!(validate(&nested(11), &limits).err(), Some(Error::TooDeep { max_depth: 10 }));
    let long = Tree::String("x".repeat(100)).pack();
    assert_eq!(validate(&long, &limits).err(), Some(Error::TooLarge { max_bytes: 100 }));
    // Deeper than any stack, if the check were recursive.
    let deep = nested(4000);
    assert!(validate(&deep, &Limits { max_depth: usize::MAX, max_bytes: usize::MAX }).is_ok());
    exercise(&deep);
}

#[test]
fn foreign_kinds_are_converted() {
    let array =
        [0x06, 3 + 9 + 4 + 1 + 3, 3, 0x1C, 0xE8, 3, 0, 0, 0, 0, 0, 0, 0xC0, 2, 0xAB, 0x01, 0x1F, 3, 12, 16];
    let mut out = Vec::new();
    normalize(Slice::new(&array), &mut out).unwrap();
    assert_eq!(Slice::new(&out).to_json_string(), r#"[1000,"ab01",null]"#);
    let nan = [0x1B, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F];
    out.clear();
    normalize(Slice::new(&nan), &mut out).unwrap();
    assert_eq!(out, Slice::NULL.bytes());
}

proptest! {
    #[test]
    fn foreign_encodings_pass_and_become_ours(tree in trees(), seed in any::<u64>()) {
        let mut foreign = Vec::new();
        pack_foreign(&tree, seed, &mut foreign);
        let value = validate(&foreign, &Limits::default()).unwrap();
        prop_assert_eq!(Tree::read(value), tree.clone());
        let canonical = tree.pack();
        prop_assert!(order::equal(value, Slice::new(&canonical)));
        let mut out = vec![0xAA];
        normalize(value, &mut out).unwrap();
        prop_assert_eq!(&out[1..], canonical);
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = check(&bytes);
    }

    #[test]
    fn damaged_values_do_no_harm(bytes in damaged_values()) {
        // Every accessor must work on damaged values that the validator accepts.
        if let Ok(value) = validate(&bytes, &Limits::default()) {
            let mut out = Vec::new();
            normalize(value, &mut out).unwrap();
            prop_assert!(check(&out).is_ok());
            prop_assert_eq!(value.to_json_string(), Slice::new(&out).to_json_string());
        } else {
            exercise(&bytes);
            let value = Slice::new(&bytes);
            let _ = (order::compare(value, value), order::hash(value));
            order::sort_key(value, &mut Vec::new());
            let _ = normalize(value, &mut Vec::new());
        }
    }
}
