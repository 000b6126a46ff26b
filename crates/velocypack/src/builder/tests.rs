//! Tests of the builder: canonical bytes, the order of attributes, and errors for misuse.

use proptest::prelude::*;

use super::sort::{name_prefix, sort_by_name};
use crate::limits::MAX_DEPTH;
use crate::testing::{Tree, trees};
use crate::{Builder, Duplicates, Error, Limits, Slice, validate};

fn built(build: impl FnOnce(&mut Builder) -> crate::Result<()>) -> Vec<u8> {
    let mut builder = Builder::new();
    build(&mut builder).unwrap();
    assert!(builder.is_closed());
    builder.into_vec()
}

#[test]
fn numbers_take_their_shortest_form() {
    let integers: [(i64, &[u8]); 12] = [
        (0, &[0x30]),
        (9, &[0x39]),
        (10, &[0x28, 10]),
        (255, &[0x28, 255]),
        (256, &[0x29, 0, 1]),
        (-1, &[0x3F]),
        (-6, &[0x3A]),
        (-7, &[0x20, 0xF9]),
        (-128, &[0x20, 0x80]),
        (-129, &[0x21, 0x7F, 0xFF]),
        (i64::MAX, &[0x2F, 255, 255, 255, 255, 255, 255, 255, 127]),
        (i64::MIN, &[0x27, 0, 0, 0, 0, 0, 0, 0, 128]),
    ];
    for (value, bytes) in integers {
        assert_eq!(built(|out| out.add_i64(value)), bytes, "{value}");
    }
    assert_eq!(built(|out| out.add_u64(u64::MAX)), [0x2F, 255, 255, 255, 255, 255, 255, 255, 255]);
    assert_eq!(built(|out| out.add_f64(1.5)), [0x1B, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F]);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(built(|out| out.add_f64(value)), Slice::NULL.bytes());
    }
}

#[test]
fn objects_follow_the_specification() {
    let bytes = built(|out| {
        out.open_object()?;
        out.key("b")?;
        out.add_bool(true)?;
        out.key("a")?;
        out.add_i64(12)?;
        out.key("c")?;
        out.add_str("xyz")?;
        out.close()
    });
    // The example of the specification.
    let expected = [
        0x0B, 0x13, 0x03, 0x41, 0x62, 0x1A, 0x41, 0x61, 0x28, 0x0C, 0x41, 0x63, 0x43, 0x78, 0x79, 0x7A, 0x06,
        0x03, 0x0A,
    ];
    assert_eq!(bytes, expected);
    let one = built(|out| {
        out.open_object()?;
        out.key("_key")?;
        out.add_str("x")?;
        out.close()
    });
    assert_eq!(one, [0x0B, 6, 1, 0x31, 0x41, b'x'], "one member, so no table");
}

#[test]
fn arrays_have_a_table_only_when_elements_differ_in_length() {
    let array =
        |elements: &[i64]| Tree::Array(elements.iter().map(|value| Tree::Int(*value)).collect()).pack();
    assert_eq!(array(&[]), [0x01]);
    assert_eq!(array(&[1, 2, 3]), [0x02, 5, 0x31, 0x32, 0x33]);
    assert_eq!(array(&[1, 16]), [0x06, 8, 2, 0x31, 0x28, 16, 3, 4]);
    let long = array(&[1; 300]);
    assert_eq!(long[..4], [0x03, 0x2F, 0x01, 0x31]);
    assert_eq!(long.len(), 303);
}

#[test]
fn members_move_when_the_header_grows() {
    // Near the greatest contents for lengths of one and of two bytes.
    for length in [200, 236, 237, 238, 239, 240, 250, 65_490, 65_510, 65_520, 65_530, 70_000] {
        let tree = Tree::object([
            ("first", Tree::String("x".repeat(length))),
            ("second", Tree::Array(vec![Tree::Int(1), Tree::string("two")])),
        ]);
        let outer = Tree::object([("z", tree.clone()), ("a", Tree::Int(1))]);
        for tree in [tree, outer] {
            let bytes = tree.pack();
            assert_eq!(Tree::read(Slice::new(&bytes)), tree);
            validate(&bytes, &Limits::default()).unwrap();
            let table = if bytes.len() < 256 {
                0x0B
            } else if bytes.len() < 65_536 {
                0x0C
            } else {
                0x0D
            };
            assert_eq!(bytes[0], table, "{}", bytes.len());
        }
    }
}

#[test]
fn misuse_is_an_error() {
    let mut out = Builder::new();
    assert_eq!(out.close(), Err(Error::NothingOpen));
    assert_eq!(out.key("a"), Err(Error::NameUnexpected));
    out.open_object().unwrap();
    assert_eq!(out.add_null(), Err(Error::NameMissing));
    assert_eq!(out.open_array(), Err(Error::NameMissing));
    out.key("a").unwrap();
    assert_eq!(out.key("b"), Err(Error::NameUnexpected));
    assert_eq!(out.close(), Err(Error::ValueMissing));
    assert!(out.as_slice().is_none(), "not complete");

    out.clear();
    out.open_array().unwrap();
    assert_eq!(out.key("a"), Err(Error::NameUnexpected));
    assert_eq!(out.add_slice(Slice::NONE), Err(Error::Malformed));
    assert_eq!(out.add_slice(Slice::new(&[0x0B, 200])), Err(Error::Malformed));
}

#[test]
fn a_name_twice_is_an_error_or_the_last_counts() {
    let mut out = Builder::new();
    let fill = |out: &mut Builder| {
        out.open_object().unwrap();
        for (name, value) in
            [("a", 1), ("b", 2), ("a", 3), ("_key", 4), ("c", 5), ("b", 6), ("a", 7), ("_key", 8)]
        {
            out.key(name).unwrap();
            out.add_i64(value).unwrap();
        }
    };
    fill(&mut out);
    assert_eq!(out.close(), Err(Error::DuplicateName { name: "_key".to_owned() }));
    out.clear();
    fill(&mut out);
    out.close_keeping_last().unwrap();
    assert_eq!(out.as_slice().to_json_string(), r#"{"c":5,"b":6,"a":7,"_key":8}"#);
    validate(out.as_bytes(), &Limits::default()).unwrap();
    out.clear();
    fill(&mut out);
    out.close_with(Duplicates::KeepFirst).unwrap();
    assert_eq!(out.as_slice().to_json_string(), r#"{"a":1,"b":2,"_key":4,"c":5}"#);
    validate(out.as_bytes(), &Limits::default()).unwrap();
}

#[test]
fn nesting_is_bounded() {
    let mut out = Builder::new();
    for _ in 0..MAX_DEPTH {
        out.open_array().unwrap();
    }
    assert_eq!(out.open_array(), Err(Error::TooDeep { max_depth: MAX_DEPTH }));
    for _ in 0..MAX_DEPTH {
        out.close().unwrap();
    }
    assert!(out.is_closed());
}

#[test]
fn several_values_follow_each_other() {
    let mut out = Builder::from_vec(vec![1, 2, 3]);
    assert!(out.is_empty());
    out.add_str("one").unwrap();
    let second = out.len_bytes();
    out.open_array().unwrap();
    out.add_i64(2).unwrap();
    out.close().unwrap();
    assert_eq!(out.as_slice().as_str(), Some("one"));
    assert_eq!(Slice::new(&out.as_bytes()[second..]).to_json_string(), "[2]");
    assert_eq!(out.take().len(), 7);
    assert!(out.is_empty());
}

#[test]
fn names_can_be_written_plainly() {
    let mut out = Builder::new().plain_names();
    out.open_object().unwrap();
    out.key("_key").unwrap();
    out.add_i64(1).unwrap();
    out.close().unwrap();
    assert_eq!(out.as_bytes(), b"\x0b\x09\x01\x44_key\x31");
    assert_eq!(out.as_slice().get("_key").and_then(Slice::as_i64), Some(1));
}

#[test]
fn many_names_with_the_same_beginning_are_sorted() {
    let names: Vec<String> = (0..500).rev().map(|number| format!("attribute{number}")).collect();
    let tree = Tree::Object(names.iter().map(|name| (name.clone(), Tree::string(name))).collect());
    let bytes = tree.pack();
    validate(&bytes, &Limits::default()).unwrap();
    for name in &names {
        assert_eq!(Slice::new(&bytes).get(name).and_then(Slice::as_str), Some(name.as_str()));
    }
}

proptest! {
    #[test]
    fn what_is_built_is_valid_and_reads_back(tree in trees()) {
        let bytes = tree.pack();
        let value = validate(&bytes, &Limits::default()).unwrap();
        prop_assert_eq!(Tree::read(value), tree);
        prop_assert_eq!(value.byte_len(), bytes.len());
    }

    #[test]
    fn names_that_begin_alike_are_sorted(
        beginnings in prop::collection::vec(prop::collection::vec(0..2u8, 0..20), 1..4),
        endings in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(0..2u8, 0..12)), 0..60)
    ) {
        let names: Vec<Vec<u8>> = endings
            .iter()
            .map(|(beginning, ending)| [&beginning.get(&beginnings)[..], ending].concat())
            .collect();
        let mut offsets: Vec<u32> = (0..names.len() as u32).rev().collect();
        let mut expected = offsets.clone();
        expected.sort_by_key(|&offset| (&names[offset as usize], offset));
        sort_by_name(&mut offsets, |offset| &names[offset as usize], &mut || false).unwrap();
        prop_assert_eq!(offsets, expected);
    }

    #[test]
    fn name_prefixes_order_as_names(left in prop::collection::vec(any::<u8>(), 0..12),
                                    right in prop::collection::vec(any::<u8>(), 0..12)) {
        let (left_prefix, right_prefix) = (name_prefix(&left), name_prefix(&right));
        if left_prefix != right_prefix {
            prop_assert_eq!(left_prefix.cmp(&right_prefix), left.cmp(&right));
        } else {
            prop_assert_eq!(left.iter().take(8).rposition(|byte| *byte != 0),
                            right.iter().take(8).rposition(|byte| *byte != 0));
        }
    }

    #[test]
    fn the_last_or_the_first_of_equal_names_counts(entries in prop::collection::vec(("[a-c_]{1,2}", trees()), 0..20)) {
        for duplicates in [Duplicates::KeepLast, Duplicates::KeepFirst] {
            let mut out = Builder::new();
            out.open_object().unwrap();
            for (name, value) in &entries {
                out.key(name).unwrap();
                value.add_to(&mut out);
            }
            out.close_with(duplicates).unwrap();
            let kept = entries.iter().enumerate().filter(|(index, (name, _))| {
                let others = match duplicates {
                    Duplicates::KeepFirst => &entries[..*index],
                    _ => &entries[index + 1..],
                };
                others.iter().all(|(other, _)| other != name)
            });
            let expected = Tree::Object(kept.map(|(_, entry)| entry.clone()).collect());
            let value = validate(out.as_bytes(), &Limits::default()).unwrap();
            prop_assert_eq!(Tree::read(value), expected);
        }
    }
}
