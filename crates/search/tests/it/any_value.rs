//! Random values, definitions and queries: nothing panics, and every document is found by its key's
//! absence or presence.

use std::sync::Arc;

use analyzers::Features;
use owner::Interrupt;
use proptest::prelude::*;
use search::{
    Analysis, Bounds, FieldRef, Hits, Matcher, Path, PhrasePart, Place, Presence, Query, Schema, Scorer,
    SearchSnapshot, SegmentWriter, Similar, Value, merge,
};
use velocypack::{Builder, Limits, Number, json};

fn parsed(text: &str) -> Builder {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder
}

/// Returns JSON of any shape, with few names so that fields meet values.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<u64>().prop_map(|value| value.to_string()),
        (-1e300..1e300_f64).prop_map(|value| format!("{value:e}")),
        any::<String>().prop_map(|text| quoted(&text)),
        (0..3_usize).prop_map(|kilobytes| quoted(&"lang ".repeat(kilobytes * 16_000))),
        (30_000..70_000_usize).prop_map(|length| quoted(&"ü".repeat(length / 2))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|elements| format!("[{}]", elements.join(","))),
            prop::collection::btree_map("[ab.%\u{0}]{0,2}", inner, 0..4).prop_map(|entries| object(&entries)),
        ]
    })
}

fn object(entries: &std::collections::BTreeMap<String, String>) -> String {
    let entries: Vec<String> =
        entries.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", entries.join(","))
}

fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    json::write_str(text, &mut out);
    String::from_utf8(out).unwrap()
}

fn document() -> impl Strategy<Value = String> {
    prop::collection::btree_map("[ab.%\u{0}]{0,2}", value(), 0..5).prop_map(|entries| object(&entries))
}

fn definition() -> impl Strategy<Value = String> {
    let field = ("[ab]{1,2}(\\[\\*\\])?(\\.[ab]{1,2})?", any::<[bool; 4]>()).prop_map(|(name, flags)| {
        let [all, search, track, nested] = flags;
        let nested = if nested { r#","nested":["a",{"name":"b","nested":["a"]}]"# } else { "" };
        format!(
            r#"{{"name":"{name}","analyzer":"text_en","includeAllFields":{all},"searchField":{search},
                 "trackListPositions":{track}{nested}}}"#
        )
    });
    (prop::collection::vec(field, 0..4), any::<[bool; 3]>()).prop_map(|(fields, [all, search, track])| {
        let fields = fields.join(",");
        format!(
            r#"{{"fields":[{fields}],"includeAllFields":{all},"searchField":{search},"trackListPositions":{track},
                 "primarySort":{{"fields":[{{"field":"a","direction":"desc"}}]}},"storedValues":[["a","b.a"]]}}"#
        )
    })
}

fn analysis(name: &str) -> Analysis {
    let features = Features { frequency: true, norm: true, position: true, offset: true };
    Analysis { features, ..Analysis::of(analyzers::built_in(name).unwrap()) }
}

fn queries(text: &str, number: f64, distance: u8, skip: i64) -> Vec<Query> {
    let field = |name: &str| FieldRef {
        path: Path::root().attribute(name),
        analysis: Arc::new(analysis(if number > 0.0 { "text_en" } else { "identity" })),
    };
    let similar = Similar {
        target: text.to_owned(),
        distance,
        transpositions: number > 0.0,
        max_terms: 5,
        prefix: String::new(),
    };
    let matchers = [
        Matcher::AnyOf(vec![text.to_owned()]),
        Matcher::Prefix(text.to_owned()),
        Matcher::Like(text.to_owned()),
        Matcher::Levenshtein(similar),
        Matcher::Range(Bounds { low: Some((text.to_owned(), true)), high: None }),
    ];
    let part = |matcher| PhrasePart { skip, matcher };
    let number = Value::Number(Number::from(number));
    let mut queries: Vec<Query> =
        matchers.iter().map(|matcher| Query::Tokens(field("a"), matcher.clone())).collect();
    queries.push(Query::Phrase(field("b"), matchers.into_iter().map(part).collect()));
    queries.push(Query::NgramMatch { field: field("a"), grams: vec![text.to_owned(); 3], threshold: 0.5 });
    queries.push(Query::range(field("a"), Bounds { low: Some((number, false)), high: None }));
    queries.push(Query::Exists(Path::root().attribute("b"), Presence::Nested));
    queries.push(Query::Nested {
        path: Path::root().attribute("a"),
        query: Box::new(Query::not(Query::None)),
        counts: 0..=2,
    });
    queries.push(Query::AtLeast(2, queries.clone()));
    queries
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn nothing_panics(
        definition in definition(),
        documents in prop::collection::vec(document(), 1..6),
        text in any::<String>(),
        number in any::<f64>(),
        distance in any::<u8>(),
        skip in any::<i64>(),
    ) {
        let definition = parsed(&definition);
        let schema = Schema::parse(definition.as_slice(), &|name| Ok(analysis(name))).unwrap();
        let schema = Arc::new(schema);
        let mut snapshot = SearchSnapshot::default();
        for (number, document) in documents.iter().enumerate() {
            let mut writer = SegmentWriter::new(Arc::clone(&schema), &Place::Memory, 0).unwrap();
            writer.add(&format!("k{number}"), number as u64, parsed(document).as_slice(), &Interrupt::new()).unwrap();
            prop_assert!(writer.memory_bytes() > 0 && writer.documents() > 0);
            snapshot.add(Arc::new(writer.finish().unwrap()));
        }
        let sources: Vec<_> = snapshot.parts().iter().map(|part| (&*part.segment, &part.alive)).collect();
        let merged = merge(&sources, &Place::Memory).unwrap().unwrap();
        snapshot.delete(&["k0", "no such key"]).unwrap();
        snapshot.add(Arc::new(merged));
        let snapshot = Arc::new(snapshot);
        for query in queries(&text, number, distance, skip) {
            let mut hits = Hits::new(Arc::clone(&snapshot), &query, &[Scorer::Bm25 { k: 1.2, b: 0.75 }], &Interrupt::new()).unwrap();
            for (hit, score) in hits.top(100).unwrap() {
                prop_assert!(hits.key(hit).starts_with('k') && !score.is_nan());
            }
        }
        let mut all = Hits::new(Arc::clone(&snapshot), &Query::All, &[], &Interrupt::new()).unwrap();
        let mut count = 0;
        while all.advance().unwrap().is_some() {
            count += 1;
        }
        prop_assert_eq!(count, 2 * documents.len() - 1);
    }
}
