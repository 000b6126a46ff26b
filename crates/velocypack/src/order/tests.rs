//! Tests of the order against a model; comparison, equality, hash and sort key must agree.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::testing::{Tree, numbers, packed, similar_trees, strings, trees};

fn key(value: Slice<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    sort_key(value, &mut out);
    out
}

fn string_key(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    sort_key_str(text, &mut out);
    out
}

/// Implements AQL's order over trees, word by word from its documentation.
fn model(left: &Tree, right: &Tree) -> Ordering {
    let rank = |tree: &Tree| match tree {
        Tree::Null => 0,
        Tree::Bool(_) => 1,
        Tree::Int(_) | Tree::UInt(_) | Tree::Double(_) => 2,
        Tree::String(_) => 3,
        Tree::Array(_) => 4,
        Tree::Object(_) => 5,
    };
    match (left, right) {
        (Tree::Bool(left), Tree::Bool(right)) => left.cmp(right),
        (Tree::String(left), Tree::String(right)) => compare_strings(left, right),
        (Tree::Array(left), Tree::Array(right)) => (0..left.len().max(right.len()))
            .map(|index| {
                model(left.get(index).unwrap_or(&Tree::Null), right.get(index).unwrap_or(&Tree::Null))
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal),
        (Tree::Object(_), Tree::Object(_)) => {
            let (left, right) = (left.sorted(), right.sorted());
            let names: BTreeSet<_> = left.keys().chain(right.keys()).collect();
            names
                .into_iter()
                .map(|name| {
                    model(left.get(name).unwrap_or(&&Tree::Null), right.get(name).unwrap_or(&&Tree::Null))
                })
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        }
        _ if rank(left) == 2 && rank(right) == 2 => compare_exactly(left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Compares the whole parts, then the fractions of the doubles.
///
/// An exact fraction of 2^1074 would be too long.
fn compare_exactly(left: &Tree, right: &Tree) -> Ordering {
    let parts = |tree: &Tree| match *tree {
        Tree::Int(value) => (i128::from(value), 0.0),
        Tree::UInt(value) => (i128::from(value), 0.0),
        Tree::Double(value) if value.abs() < 1e30 => (value.floor() as i128, value - value.floor()),
        Tree::Double(value) => (if value < 0.0 { i128::MIN } else { i128::MAX }, value),
        _ => unreachable!(),
    };
    let (left, right) = (parts(left), parts(right));
    left.0.cmp(&right.0).then(left.1.partial_cmp(&right.1).unwrap())
}

fn assert_agree(left: &Tree, right: &Tree) -> Result<(), TestCaseError> {
    let (left_bytes, right_bytes) = (left.pack(), right.pack());
    let (left_value, right_value) = (Slice::new(&left_bytes), Slice::new(&right_bytes));
    let order = compare(left_value, right_value);
    prop_assert_eq!(order, model(left, right));
    prop_assert_eq!(compare(right_value, left_value), order.reverse());
    prop_assert_eq!(equal(left_value, right_value), order.is_eq());
    let (left_key, right_key) = (key(left_value), key(right_value));
    prop_assert_eq!(left_key.cmp(&right_key), order, "{:x?} {:x?}", left_key, right_key);
    if order.is_eq() {
        prop_assert_eq!(hash(left_value), hash(right_value));
    } else {
        prop_assert_ne!(hash(left_value), hash(right_value));
        prop_assert!(!right_key.starts_with(&left_key) && !left_key.starts_with(&right_key));
    }
    Ok(())
}

#[test]
fn the_documented_examples_hold() {
    // Each value is less than all that follow it.
    let ascending = [
        "null",
        "false",
        "true",
        "-1e300",
        "-1",
        "0",
        "0.5",
        "1",
        "9007199254740993",
        "1e300",
        "\"\"",
        "\" \"",
        "\"0\"",
        "\"A\"",
        "\"a\"",
        "\"abc\"",
        "\"B\"",
        "[]",
        "[false]",
        "[\"\"]",
        "[\"\", 0]",
        "[[]]",
        "[[], false]",
        "{}",
        "{\"b\": false}",
        "{\"b\": 1}",
        "{\"a\": false}",
        "{\"a\": 1}",
        "{\"a\": 1, \"b\": 0}",
        "{\"a\": 2}",
        "{\"A\": 0}",
    ];
    for (index, left) in ascending.iter().enumerate() {
        for right in &ascending[index + 1..] {
            let (left, right) = (Tree::of(left), Tree::of(right));
            assert_agree(&left, &right).unwrap();
            assert_eq!(model(&left, &right), Ordering::Less, "{left:?} {right:?}");
        }
    }
}

#[test]
fn what_is_missing_counts_as_null() {
    let classes: [&[&str]; 6] = [
        &["[]", "[null]", "[null,null]"],
        &["[1]", "[1.0]", "[1,null]"],
        &["[[],1]", "[[null],1]"],
        &["{}", "{\"a\":null}", "{\"b\":null,\"a\":null}"],
        &["{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", "{\"b\":2.0,\"x\":null,\"a\":1}"],
        &["0", "0.0", "-0", "-0.0"],
    ];
    for class in classes {
        for left in class {
            for right in class {
                let (left_bytes, right_bytes) = (packed(left), packed(right));
                let (left_value, right_value) = (Slice::new(&left_bytes), Slice::new(&right_bytes));
                assert!(equal(left_value, right_value), "{left} {right}");
                assert_eq!(hash(left_value), hash(right_value), "{left} {right}");
                assert_eq!(key(left_value), key(right_value), "{left} {right}");
            }
        }
    }
    assert!(!equal(Slice::EMPTY_ARRAY, Slice::NULL));
    assert_eq!(compare(Slice::NONE, Slice::NULL), Ordering::Equal);
}

#[test]
fn large_numbers_are_compared_exactly() {
    let ascending = [
        Tree::Double(-1e20),
        Tree::Double(-9_223_372_036_854_775_808.0 * 1.5),
        Tree::Int(i64::MIN),
        Tree::Int(i64::MIN + 1),
        Tree::Int(-9_007_199_254_740_993),
        Tree::Double(-9_007_199_254_740_992.0),
        Tree::Double(9_007_199_254_740_992.0),
        Tree::Int(9_007_199_254_740_993),
        Tree::Double(9_007_199_254_740_994.0),
        Tree::Int(i64::MAX - 1),
        Tree::Int(i64::MAX),
        Tree::Double(9_223_372_036_854_775_808.0),
        Tree::UInt((1 << 63) + 1),
        Tree::UInt(u64::MAX - 1),
        Tree::UInt(u64::MAX),
        Tree::Double(18_446_744_073_709_551_616.0),
    ];
    for (index, left) in ascending.iter().enumerate() {
        for right in &ascending[index + 1..] {
            assert_eq!(model(left, right), Ordering::Less);
            assert_agree(left, right).unwrap();
        }
    }
    assert_agree(&Tree::UInt(1 << 63), &Tree::Double(9_223_372_036_854_775_808.0)).unwrap();
}

#[test]
fn strings_sort_as_arangodb_sorts_them() {
    let mut words =
        ["P", "a", "A", "j", "c", "C", "é", "e", "É", "f", "_", "-", "0", "10", "9", "?", "ab", "aB", "Ab"];
    words.sort_by(|left, right| compare_strings(left, right));
    assert_eq!(
        words,
        ["_", "-", "?", "0", "10", "9", "A", "a", "Ab", "aB", "ab", "C", "c", "e", "É", "é", "f", "j", "P"]
    );
}

#[test]
fn strings_of_equal_weight_are_told_apart() {
    // U+0000, soft hyphen and the like have no weight. Composed and decomposed letters weigh the
    // same.
    let ascending = ["ab", "a\u{0}b", "ab\u{200d}", "a\u{ad}b"];
    for (left_index, left) in ascending.iter().enumerate() {
        for (right_index, right) in ascending.iter().enumerate() {
            assert_eq!(compare_strings(left, right), left_index.cmp(&right_index), "{left:?} {right:?}");
            assert_eq!(string_key(left).cmp(&string_key(right)), left_index.cmp(&right_index));
        }
    }
    assert_eq!(compare_strings("e\u{301}", "\u{e9}"), Ordering::Less);
    assert!(string_key("e\u{301}") < string_key("\u{e9}"));
}

/// Hashes bytes by FNV-1a of 64 bits (Fowler, Noll, Vo).
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Indexes on disk have these keys. If another version of ICU gives others, existing stores are in
/// another order than new ones. Then raise their format (`STORE_FORMAT` of the storage crate).
#[test]
fn keys_of_all_characters_stay_as_they_are_stored() {
    let mut hash = 0xCBF2_9CE4_8422_2325;
    for character in '\0'..=char::MAX {
        // Between letters, so that marks have a base character.
        let text: String = ['a', character, 'B'].iter().collect();
        hash = fnv(hash, &string_key(&text));
    }
    assert_eq!(hash, 0xD1C9_1C57_9CF5_36D3);
}

#[test]
fn the_ascii_table_is_in_use() {
    assert!(collation::ascii_table_is_complete());
}

#[test]
fn bounds_enclose_all_values_of_a_kind() {
    let values = [
        "null",
        "false",
        "true",
        "-1e308",
        "1e308",
        "\"\"",
        "\"\u{10ffff}\"",
        "[]",
        "[[[1]]]",
        "{}",
        "{\"a\":1}",
    ];
    let mut previous: Vec<u8> = Vec::new();
    for text in values {
        let bytes = packed(text);
        let value = Slice::new(&bytes);
        let kind = value.kind();
        let key = key(value);
        assert!(type_lower_bound(kind) <= key.as_slice(), "{text}");
        assert!(key.as_slice() < type_upper_bound(kind), "{text}");
        assert!(previous < key, "{text}");
        previous = key;
    }
    let kinds = [Kind::Null, Kind::Bool, Kind::Int, Kind::String, Kind::Array, Kind::Object];
    assert!(kinds.windows(2).all(|pair| type_upper_bound(pair[0]) <= type_lower_bound(pair[1])));
}

#[test]
fn markers_count_as_their_text() {
    let mut stored = Vec::new();
    crate::document("k", "r", None, Slice::new(&packed("{\"a\":1}")), &mut stored).unwrap();
    let stored = Slice::new(&stored);
    let plain = packed(r#"{"_id":"users/k","_key":"k","_rev":"r","a":1}"#);
    let plain = Slice::new(&plain);
    assert_eq!(compare_with(stored, Some("users"), plain, None), Ordering::Equal);
    assert!(equal_with(plain, None, stored, Some("users")));
    assert_eq!(hash_with(stored, Some("users")), hash(plain));
    let mut resolved = Vec::new();
    sort_key_with(stored, Some("users"), &mut resolved);
    assert_eq!(resolved, key(plain));

    assert_eq!(compare_with(stored, Some("v"), stored, Some("u")), Ordering::Greater);
    assert!(!equal_with(stored, Some("v"), stored, Some("u")));
    assert_eq!(compare(stored, plain), Ordering::Less, "a marker without collection is null");
    assert!(equal(stored, Slice::new(&packed(r#"{"_key":"k","_rev":"r","a":1}"#))));
}

#[test]
fn scalars_have_the_same_hash_and_key_by_every_way() {
    assert_eq!(hash(Slice::NULL), hash_null());
    assert_eq!(hash(Slice::TRUE), hash_bool(true));
    assert_eq!(hash(Slice::new(&Tree::Int(700).pack())), hash_number(Number::Double(700.0)));
    assert_eq!(hash(Slice::new(&Tree::string("x").pack())), hash_str("x"));
    let mut out = Vec::new();
    sort_key_bool(false, &mut out);
    sort_key_null(&mut out);
    sort_key_number(Number::Int(5), &mut out);
    assert_eq!(
        out,
        [key(Slice::FALSE), key(Slice::NULL), key(Slice::new(&Tree::Double(5.0).pack()))].concat()
    );
}

#[test]
fn deep_values_do_not_exhaust_the_stack() {
    // Nested deeper than the builder allows, as a query could do request by request.
    let mut deep = vec![0x31u8];
    for _ in 0..20_000 {
        let mut outer = vec![0x05];
        outer.extend_from_slice(&(deep.len() as u64 + 9).to_le_bytes());
        outer.extend_from_slice(&deep);
        deep = outer;
    }
    let mut other = deep.clone();
    *other.last_mut().unwrap() = 0x32;
    let compare_on_a_small_stack = move || {
        let (deep, other) = (Slice::new(&deep), Slice::new(&other));
        assert_eq!(compare(deep, other), Ordering::Equal, "too deep to be seen");
        assert!(equal(deep, other));
        assert_eq!(hash(deep), hash(other));
        assert_eq!(key(deep), key(other));
    };
    std::thread::Builder::new()
        .stack_size(320 << 10)
        .spawn(compare_on_a_small_stack)
        .unwrap()
        .join()
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn everything_agrees_with_the_model((left, right) in similar_trees()) {
        assert_agree(&left, &right)?;
    }

    #[test]
    fn numbers_agree_with_the_model(left in numbers(), right in numbers()) {
        assert_agree(&left, &right)?;
    }

    #[test]
    fn the_order_is_transitive(mut values in prop::collection::vec(trees(), 3)) {
        values.sort_by(model);
        let packed: Vec<_> = values.iter().map(Tree::pack).collect();
        let slices: Vec<_> = packed.iter().map(|bytes| Slice::new(bytes)).collect();
        prop_assert_ne!(compare(slices[0], slices[1]), Ordering::Greater);
        prop_assert_ne!(compare(slices[1], slices[2]), Ordering::Greater);
        prop_assert_ne!(compare(slices[0], slices[2]), Ordering::Greater);
    }

    #[test]
    fn joined_keys_order_by_their_parts(left in (trees(), trees()), right in (trees(), trees()), same in any::<bool>()) {
        let right = if same { (left.0.clone(), right.1) } else { right };
        let joined = |pair: &(Tree, Tree)| [key(Slice::new(&pair.0.pack())), key(Slice::new(&pair.1.pack()))].concat();
        let expected = model(&left.0, &right.0).then(model(&left.1, &right.1));
        prop_assert_eq!(joined(&left).cmp(&joined(&right)), expected);
    }

    #[test]
    fn strings_agree_with_icu(left in strings(), right in strings(), tail in strings()) {
        for (left, right) in [(left.clone(), right.clone()), (format!("{left}{right}"), format!("{left}{tail}"))] {
            let order = compare_strings(&left, &right);
            prop_assert_eq!(order, collation::compare_by_icu(left.as_bytes(), right.as_bytes()), "{:?} {:?}", left, right);
            prop_assert_eq!(string_key(&left).cmp(&string_key(&right)), order, "{:?} {:?}", left, right);
            prop_assert_eq!(order.is_eq(), left == right);
        }
    }

    #[test]
    fn ascii_keys_are_those_of_icu(text in "[ -~]{0,120}") {
        let (mut ours, mut icu) = (Vec::new(), Vec::new());
        prop_assert!(collation::push_collation_key(text.as_bytes(), &mut ours));
        collation::push_icu_key(text.as_bytes(), &mut icu);
        prop_assert_eq!(ours, icu);
    }

    #[test]
    fn foreign_encodings_are_equal(tree in trees(), seed in any::<u64>()) {
        let mut foreign = Vec::new();
        crate::testing::pack_foreign(&tree, seed, &mut foreign);
        let (foreign, ours) = (Slice::new(&foreign), tree.pack());
        let ours = Slice::new(&ours);
        prop_assert_eq!(compare(foreign, ours), Ordering::Equal);
        prop_assert_eq!(hash(foreign), hash(ours));
        prop_assert_eq!(key(foreign), key(ours));
    }
}
