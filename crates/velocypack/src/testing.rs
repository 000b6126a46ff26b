//! A plain tree of values, the reference of the tests.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::{Builder, Kind, Number, Slice};

/// A value as a tree. Objects keep the order of their attributes and have each name once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    /// Only beyond `i64::MAX`.
    UInt(u64),
    Double(f64),
    String(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    pub(crate) fn string(text: &str) -> Tree {
        Tree::String(text.to_owned())
    }

    pub(crate) fn object<const N: usize>(entries: [(&str, Tree); N]) -> Tree {
        Tree::Object(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Returns the tree of a JSON text.
    pub(crate) fn of(json: &str) -> Tree {
        Tree::read(Slice::new(&packed(json)))
    }

    /// Returns the value, made by the builder.
    pub(crate) fn pack(&self) -> Vec<u8> {
        let mut builder = Builder::new();
        self.add_to(&mut builder);
        assert!(builder.is_closed());
        builder.into_vec()
    }

    pub(crate) fn add_to(&self, out: &mut Builder) {
        match self {
            Tree::Null => out.add_null().unwrap(),
            Tree::Bool(value) => out.add_bool(*value).unwrap(),
            Tree::Int(value) => out.add_i64(*value).unwrap(),
            Tree::UInt(value) => out.add_u64(*value).unwrap(),
            Tree::Double(value) => out.add_f64(*value).unwrap(),
            Tree::String(value) => out.add_str(value).unwrap(),
            Tree::Array(elements) => {
                out.open_array().unwrap();
                elements.iter().for_each(|element| element.add_to(out));
                out.close().unwrap();
            }
            Tree::Object(entries) => {
                out.open_object().unwrap();
                for (name, value) in entries {
                    out.key(name).unwrap();
                    value.add_to(out);
                }
                out.close().unwrap();
            }
        }
    }

    /// Returns the tree of a value, read through the accessors alone.
    pub(crate) fn read(value: Slice<'_>) -> Tree {
        match value.kind() {
            Kind::Null => Tree::Null,
            Kind::Bool => Tree::Bool(value.as_bool().unwrap()),
            Kind::Int | Kind::UInt | Kind::Double => match value.as_number().unwrap() {
                Number::Int(value) => Tree::Int(value),
                Number::UInt(value) => Tree::UInt(value),
                Number::Double(value) => Tree::Double(value),
            },
            Kind::String => Tree::string(value.as_str().unwrap()),
            Kind::Array => Tree::Array(value.elements().map(Tree::read).collect()),
            Kind::Object => {
                let entries = value.entries().map(|(name, value)| (name.to_owned(), Tree::read(value)));
                Tree::Object(entries.collect())
            }
            Kind::IdMarker => Tree::string("(marker)"),
            other => panic!("no tree for {other:?}"),
        }
    }

    /// Returns the attributes of an object by name.
    pub(crate) fn sorted(&self) -> BTreeMap<&str, &Tree> {
        match self {
            Tree::Object(entries) => entries.iter().map(|(name, value)| (name.as_str(), value)).collect(),
            _ => BTreeMap::new(),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Tree> {
        self.sorted().get(name).copied()
    }
}

/// Returns a JSON text as VelocyPack.
pub(crate) fn packed(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    crate::json::parse(json.as_bytes(), &crate::Limits::default(), &mut builder).expect("test JSON");
    builder.into_vec()
}

/// Returns numbers, many of them at the borders of the types and of the exact doubles.
pub(crate) fn numbers() -> impl Strategy<Value = Tree> {
    const BORDERS: [u64; 8] = [0, 10, 1 << 8, 1 << 31, 1 << 53, 1 << 54, 1 << 63, u64::MAX];
    let near_border = (prop::sample::select(&BORDERS[..]), -3i64..4).prop_map(|(border, distance)| {
        let value = border.wrapping_add_signed(distance);
        i64::try_from(value).map_or(Tree::UInt(value), Tree::Int)
    });
    prop_oneof![
        4 => near_border.clone(),
        2 => near_border.clone().prop_map(|tree| match tree {
            Tree::Int(value) => Tree::Int(value.wrapping_neg()),
            other => other,
        }),
        2 => near_border.prop_map(|tree| match tree {
            Tree::Int(value) => Tree::Double(value as f64),
            Tree::UInt(value) => Tree::Double(-(value as f64)),
            other => other,
        }),
        2 => any::<i64>().prop_map(Tree::Int),
        1 => (i64::MAX as u64 + 1..=u64::MAX).prop_map(Tree::UInt),
        2 => prop::num::f64::NORMAL.prop_map(Tree::Double),
        1 => (prop::num::f64::SUBNORMAL | prop::num::f64::ZERO).prop_map(Tree::Double),
        2 => (-40i32..40).prop_map(|value| Tree::Double(f64::from(value) / 4.0)),
    ]
}

/// Returns strings: ASCII of few letters, so that many share a prefix, and all of Unicode.
///
/// The latter have marks, control characters and characters that collation ignores.
pub(crate) fn strings() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[abAB _]{0,10}",
        2 => "[ -~]{0,24}",
        2 => "[aAe\u{301}\u{e9}\u{0}\u{1}\u{ad}\u{200d}\u{fffe}z\"\\\\/\n]{0,6}",
        1 => "\\PC{0,8}",
        1 => any::<String>(),
        1 => "[a-z]{100,300}",
    ]
}

/// Returns attribute names: few, so that objects share them, with the system attributes among them.
pub(crate) fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-dA-C]{1,2}",
        2 => prop::sample::select(&["_key", "_id", "_rev", "_from", "_to"][..]).prop_map(str::to_owned),
        1 => "_[a-zA-Z]{0,5}",
        1 => "[a-b]{7,10}",
        1 => "[xyz]{120,140}",
        1 => strings(),
    ]
}

fn leaves() -> impl Strategy<Value = Tree> {
    prop_oneof![
        2 => Just(Tree::Null),
        2 => any::<bool>().prop_map(Tree::Bool),
        5 => numbers(),
        5 => strings().prop_map(Tree::String),
    ]
}

/// Returns an object of the given values.
pub(crate) fn objects(values: impl Strategy<Value = Tree>, max: usize) -> impl Strategy<Value = Tree> {
    prop::collection::vec((names(), values), 0..max).prop_map(|entries| {
        let mut unique: Vec<(String, Tree)> = Vec::new();
        for (name, value) in entries {
            if unique.iter().all(|(other, _)| *other != name) {
                unique.push((name, value));
            }
        }
        Tree::Object(unique)
    })
}

/// Returns values that are small enough for equal ones to be frequent.
pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    leaves().prop_recursive(4, 40, 6, |inner| {
        prop_oneof![prop::collection::vec(inner.clone(), 0..6).prop_map(Tree::Array), objects(inner, 6),]
    })
}

/// Returns two values; the second is often the first with a small change.
pub(crate) fn similar_trees() -> impl Strategy<Value = (Tree, Tree)> {
    prop_oneof![
        (trees(), trees()),
        (trees(), any::<u32>()).prop_map(|(tree, seed)| {
            let changed = change(&tree, seed);
            (tree, changed)
        }),
    ]
}

/// Returns a value that differs slightly, or only in what the order ignores.
fn change(tree: &Tree, seed: u32) -> Tree {
    match tree {
        Tree::Array(elements) if seed.is_multiple_of(4) => {
            Tree::Array(elements.iter().cloned().chain([Tree::Null]).collect())
        }
        Tree::Array(elements) if !elements.is_empty() => {
            let mut elements = elements.clone();
            let index = seed as usize / 4 % elements.len();
            elements[index] = change(&elements[index], seed.rotate_left(7));
            Tree::Array(elements)
        }
        Tree::Object(entries) if seed.is_multiple_of(4) => {
            let entries = entries.iter().filter(|(_, value)| *value != Tree::Null).cloned();
            Tree::Object(entries.rev().collect())
        }
        Tree::Object(entries) if !entries.is_empty() => {
            let mut entries = entries.clone();
            let index = seed as usize / 4 % entries.len();
            entries[index].1 = change(&entries[index].1, seed.rotate_left(7));
            Tree::Object(entries)
        }
        Tree::Int(value) => Tree::Double(*value as f64),
        Tree::UInt(value) => Tree::Double(*value as f64),
        Tree::Double(value) if value.trunc() == *value && value.abs() < 1e18 => Tree::Int(*value as i64),
        Tree::String(text) => Tree::String(match seed % 3 {
            0 => text.to_uppercase(),
            1 => format!("{text}\u{301}"),
            _ => format!("{text} "),
        }),
        other => other.clone(),
    }
}

/// Returns valid values with some bytes changed, cut off or doubled.
pub(crate) fn damaged_values() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5);
    (trees(), changes, any::<prop::sample::Index>(), 0..4).prop_map(|(tree, changes, cut, how)| {
        let mut bytes = tree.pack();
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = if byte % 3 == 0 { bytes[at].wrapping_add(byte % 5) } else { byte };
        }
        if how == 0 {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes
    })
}

/// Appends a value in an encoding that the format allows and this crate does not write.
pub(crate) fn pack_foreign(tree: &Tree, seed: u64, out: &mut Vec<u8>) {
    let inner = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
    match tree {
        Tree::Array(elements) if !elements.is_empty() => {
            let members = elements.iter().map(|element| packed_foreign(element, inner)).collect::<Vec<_>>();
            match seed % 3 {
                0 => push_compact(0x13, &members, out),
                _ => push_indexed(0x06, &members, &(0..members.len()).collect::<Vec<_>>(), seed, out),
            }
        }
        Tree::Object(entries) if !entries.is_empty() => {
            let members: Vec<Vec<u8>> = entries
                .iter()
                .map(|(name, value)| {
                    let mut member = Vec::new();
                    push_foreign_name(name, inner, &mut member);
                    pack_foreign(value, inner, &mut member);
                    member
                })
                .collect();
            let mut table: Vec<usize> = (0..members.len()).collect();
            match seed % 3 {
                0 => push_compact(0x14, &members, out),
                1 => {
                    let middle = seed as usize / 3 % table.len();
                    table.rotate_left(middle);
                    push_indexed(0x0F, &members, &table, seed, out);
                }
                _ => {
                    table.sort_by_key(|index| entries[*index].0.as_bytes());
                    push_indexed(0x0B, &members, &table, seed, out);
                }
            }
        }
        Tree::Int(value) if seed.is_multiple_of(2) => {
            out.push(0x27);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Tree::String(text) if seed.is_multiple_of(2) => push_long_string(text, out),
        other => {
            let mut builder = Builder::append_to(std::mem::take(out));
            other.add_to(&mut builder);
            *out = builder.into_vec();
        }
    }
}

fn packed_foreign(tree: &Tree, seed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    pack_foreign(tree, seed, &mut out);
    out
}

fn push_long_string(text: &str, out: &mut Vec<u8>) {
    out.push(0xBF);
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn push_foreign_name(name: &str, seed: u64, out: &mut Vec<u8>) {
    let system = ["_key", "_rev", "_id", "_from", "_to"].iter().position(|system| *system == name);
    match (system, seed % 3) {
        (Some(position), 0) => out.extend_from_slice(&[0x28, position as u8 + 1]),
        (Some(position), 1) => out.push(0x31 + position as u8),
        _ if name.len() > 126 || seed.is_multiple_of(5) => push_long_string(name, out),
        _ => {
            out.push(0x40 + name.len() as u8);
            out.extend_from_slice(name.as_bytes());
        }
    }
}

fn push_compact(head: u8, members: &[Vec<u8>], out: &mut Vec<u8>) {
    let content: usize = members.iter().map(Vec::len).sum();
    let count = varint(members.len());
    let mut length = 1;
    while 1 + length + content + count.len() >= 1 << (7 * length) {
        length += 1;
    }
    out.push(head);
    let mut encoded = varint(1 + length + content + count.len());
    encoded.resize(length, 0);
    out.extend_from_slice(&encoded);
    members.iter().for_each(|member| out.extend_from_slice(member));
    out.extend(count.iter().rev());
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let more = value >= 0x80;
        bytes.push((value & 0x7F) as u8 | if more { 0x80 } else { 0 });
        value >>= 7;
        if !more {
            return bytes;
        }
    }
}

/// Appends an array or object with an index table wider than needed and a gap after the header.
fn push_indexed(head: u8, members: &[Vec<u8>], table: &[usize], seed: u64, out: &mut Vec<u8>) {
    let content: usize = members.iter().map(Vec::len).sum();
    let mut rank = (seed / 16 % 4) as u8;
    let has_table = members.len() > 1 || head == 0x06;
    let (width, data, total) = loop {
        let width = 1usize << rank;
        let header = if width == 8 { 9 } else { 1 + 2 * width };
        let data = if (seed / 64).is_multiple_of(2) { 9 } else { header };
        let table = if has_table { members.len() * width } else { 0 };
        let total = data + content + table + if width == 8 { 8 } else { 0 };
        if width == 8 || total < 1 << (8 * width) {
            break (width, data, total);
        }
        rank += 1;
    };
    let start = out.len();
    let number = |value: usize| (value as u64).to_le_bytes()[..width].to_vec();
    out.push(head + rank);
    out.extend(number(total));
    if width < 8 {
        out.extend(number(members.len()));
    }
    out.resize(start + data, 0);
    let mut offsets = Vec::new();
    for member in members {
        offsets.push(out.len() - start);
        out.extend_from_slice(member);
    }
    if has_table {
        table.iter().for_each(|index| out.extend(number(offsets[*index])));
    }
    if width == 8 {
        out.extend(number(members.len()));
    }
}
