//! Random documents, changes and queries over a small vocabulary.

use std::collections::BTreeMap;

use proptest::prelude::*;
use search::{Bounds, FieldRef, Matcher, PhrasePart, Presence, Query, Scorer, Similar, Step, Value};
use velocypack::Number;

use super::model::{
    Document, EXPANDED, LIST, NESTED, NESTED_NUMBER, NESTED_TEXT, NESTED_TWICE, NESTED_TWICE_NUMBER,
    Primitive, TEXT, TRACKED, VALUE, field, path,
};

/// A change of the index.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Documents by key become a segment, in a folder or in memory.
    Write(BTreeMap<String, Document>, bool),
    Delete(Vec<String>),
    /// So many segments from one on become one, in a folder or in memory.
    Merge(usize, usize, bool),
}

const WORDS: [&str; 8] = ["fox", "fxo", "foxy", "box", "quick", "quikc", "äu", "qu\u{0}"];

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(&WORDS[..]).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..6).prop_map(|words| words.join(" "))
}

fn primitive() -> impl Strategy<Value = Primitive> {
    prop_oneof![
        Just(Primitive::Null),
        any::<bool>().prop_map(Primitive::Bool),
        (-3..4_i8).prop_map(|number| Primitive::Number(f64::from(number) / 2.0)),
        text().prop_map(Primitive::Text),
        word().prop_map(Primitive::Text),
    ]
}

fn document() -> impl Strategy<Value = Document> {
    let nested = (word(), 0..3_i64, prop::collection::vec(0..3_i64, 0..3));
    let parts = (
        prop::option::of(text()),
        prop::option::of(primitive()),
        prop::collection::vec(primitive(), 0..4),
        prop::collection::vec(primitive(), 0..3),
        prop::option::of(prop::collection::vec(nested, 0..3)),
    );
    parts.prop_map(|(text, value, list, expanded, nested)| Document { text, value, list, expanded, nested })
}

fn key() -> impl Strategy<Value = String> {
    (0..12_u8).prop_map(|key| format!("k{key}"))
}

pub(crate) fn keys() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(key(), 0..4)
}

pub(crate) fn documents() -> impl Strategy<Value = BTreeMap<String, Document>> {
    prop::collection::btree_map(key(), document(), 1..8)
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (documents(), any::<bool>()).prop_map(|(documents, on_disk)| Change::Write(documents, on_disk)),
        2 => keys().prop_map(Change::Delete),
        1 => (0..3_usize, 0..4_usize, any::<bool>())
            .prop_map(|(first, count, on_disk)| Change::Merge(first, count, on_disk)),
    ]
}

pub(crate) fn scorers() -> impl Strategy<Value = Vec<Scorer>> {
    (0.0..3.0_f32, 0.0..=1.0_f32, any::<bool>())
        .prop_map(|(k, b, normalize)| vec![Scorer::Bm25 { k, b }, Scorer::Tfidf { normalize }])
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3..4_i8).prop_map(|number| Value::Number(Number::from(f64::from(number) / 2.0))),
        word().prop_map(Value::Text),
    ]
}

fn bounds<V: Clone + std::fmt::Debug>(
    value: impl Strategy<Value = V> + Clone,
) -> impl Strategy<Value = Bounds<V>> {
    let bound = prop::option::of((value, any::<bool>()));
    (bound.clone(), bound).prop_map(|(low, high)| Bounds { low, high })
}

fn matcher() -> impl Strategy<Value = Matcher> {
    let similar = (word(), 0..4_u8, any::<bool>(), 0..4_usize, prop::sample::select(vec!["", "f", "qu"]));
    prop_oneof![
        3 => prop::collection::vec(word(), 0..3).prop_map(Matcher::AnyOf),
        1 => prop::sample::select(vec!["", "f", "fo", "qu", "ä"]).prop_map(|p| Matcher::Prefix(p.to_owned())),
        1 => "[fqoxui_%ä\\\\]{0,5}".prop_map(Matcher::Like),
        1 => (word(), word(), any::<bool>(), any::<bool>()).prop_map(|(low, high, with_low, with_high)| {
            Matcher::Range(Bounds { low: Some((low, with_low)), high: Some((high, with_high)) })
        }),
        1 => similar.prop_map(|(target, distance, transpositions, max_terms, prefix)| {
            let prefix = prefix.to_owned();
            Matcher::Levenshtein(Similar { target, distance, transpositions, max_terms, prefix })
        }),
    ]
}

fn phrase(field: FieldRef) -> impl Strategy<Value = Query> {
    let part = (-2..3_i64, matcher()).prop_map(|(skip, matcher)| PhrasePart { skip, matcher });
    prop::collection::vec(part, 0..4).prop_map(move |parts| Query::Phrase(field.clone(), parts))
}

fn ngrams(field: FieldRef) -> impl Strategy<Value = Query> {
    (prop::collection::vec(word(), 0..5), 0.0..=1.0_f64)
        .prop_map(move |(grams, threshold)| Query::NgramMatch { field: field.clone(), grams, threshold })
}

fn presence() -> impl Strategy<Value = Presence> {
    prop::sample::select(vec![
        Presence::Any,
        Presence::Null,
        Presence::Bool,
        Presence::Numeric,
        Presence::String,
        Presence::Nested,
        Presence::Analyzer("identity".to_owned()),
        Presence::Analyzer("text_en".to_owned()),
    ])
}

/// Returns conditions on one of these fields.
fn leaf(fields: &'static [&'static [Step<'static>]]) -> impl Strategy<Value = Query> {
    let field = || prop::sample::select(fields).prop_map(field);
    prop_oneof![
        1 => Just(Query::All),
        1 => Just(Query::None),
        4 => (field(), value()).prop_map(|(field, value)| Query::equal(field, value)),
        3 => (field(), bounds(value().boxed())).prop_map(|(field, bounds)| Query::range(field, bounds)),
        6 => (field(), matcher()).prop_map(|(field, matcher)| Query::Tokens(field, matcher)),
        2 => (field(), presence()).prop_map(|(field, presence)| Query::Exists(field.path, presence)),
        4 => field().prop_flat_map(phrase),
        2 => field().prop_flat_map(ngrams),
    ]
}

fn combined(leaf: BoxedStrategy<Query>) -> BoxedStrategy<Query> {
    leaf.prop_recursive(3, 12, 3, |inner| {
        let many = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            many.clone().prop_map(Query::And),
            many.clone().prop_map(Query::or),
            (0..4_usize, many).prop_map(|(count, queries)| Query::AtLeast(count, queries)),
            inner.clone().prop_map(Query::not),
            (inner, 0.5..3.0_f32).prop_map(|(query, boost)| Query::Boost(Box::new(query), boost)),
        ]
    })
    .boxed()
}

fn nested(array: &'static [Step<'static>], inner: BoxedStrategy<Query>) -> BoxedStrategy<Query> {
    (inner, 0..2_u32, 0..4_u32)
        .prop_map(|(query, least, most)| Query::Nested {
            path: path(array),
            query: Box::new(query),
            counts: least..=most,
        })
        .boxed()
}

pub(crate) fn query() -> BoxedStrategy<Query> {
    let twice = nested(NESTED_TWICE, combined(leaf(&[NESTED_TWICE_NUMBER]).boxed()));
    let once =
        combined(prop_oneof![3 => leaf(&[NESTED_TEXT, NESTED_NUMBER, NESTED_TWICE]), 1 => twice].boxed());
    let own = leaf(&[TEXT, VALUE, LIST, TRACKED, EXPANDED, NESTED]);
    combined(prop_oneof![5 => own, 1 => nested(NESTED, once)].boxed())
}
