//! The best hits of random queries are the same, scores included, if blocks of documents are
//! skipped and if every hit is scored.

use std::sync::Arc;

use owner::Interrupt;
use proptest::prelude::*;
use search::{
    Analysis, FieldRef, Hit, Hits, Matcher, Place, Query, Schema, Scorer, SearchSnapshot, SegmentWriter, Step,
};
use velocypack::{Builder, Limits, json};

/// Enough for several kept blocks of the frequent words.
const DOCUMENTS: u32 = 6_000;
const WORDS: u32 = 60;

fn parsed(text: &str) -> Builder {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder
}

fn schema() -> Schema {
    let definition = parsed(r#"{"fields": [{"name": "t", "analyzer": "text_en"}, {"name": "n"}]}"#);
    let analysis = |name: &str| Ok(Analysis::of(analyzers::built_in(name).unwrap()));
    Schema::parse(definition.as_slice(), &analysis).unwrap()
}

fn field() -> FieldRef {
    schema().field(&[Step::Attribute("t")]).unwrap()
}

/// Returns pseudo-random numbers.
fn numbers(mut state: u32) -> impl FnMut(u32) -> u32 {
    move |below| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    }
}

/// Returns a word; those with low numbers are frequent.
fn word(number: u32) -> String {
    let letter = |digit: u32| char::from(b'a' + (digit % 26) as u8);
    ["z".to_owned(), letter(number).to_string(), letter(number / 26).to_string(), "q".to_owned()].concat()
}

/// Returns two segments with deleted documents. Some documents are short, some repeat a word.
fn snapshot() -> Arc<SearchSnapshot> {
    let schema = Arc::new(schema());
    let mut random = numbers(7);
    let mut snapshot = SearchSnapshot::default();
    for segment in 0..2 {
        let mut writer = SegmentWriter::new(Arc::clone(&schema), &Place::Memory, 64 << 20).unwrap();
        for number in 0..DOCUMENTS {
            let mut words = Vec::new();
            let longest = if random(4) == 0 { 60 } else { 8 };
            for _ in 0..=random(longest) {
                let any = random(WORDS) * random(WORDS) / WORDS;
                words.extend(vec![word(any); 1 + random(12) as usize / 9 * random(5) as usize]);
            }
            let document = format!(r#"{{"t": "{}", "n": "{}"}}"#, words.join(" "), random(3));
            let key = format!("{segment}-{number}");
            writer.add(&key, 1, parsed(&document).as_slice(), &Interrupt::new()).unwrap();
        }
        let written = writer.finish().unwrap();
        // The other one prepares itself.
        if segment == 0 {
            written.prepare_maxima(&Interrupt::new()).unwrap();
        }
        snapshot.add(Arc::new(written));
    }
    let deleted: Vec<String> = (0..DOCUMENTS / 3).map(|number| format!("1-{}", number * 3)).collect();
    snapshot.delete(&deleted.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    Arc::new(snapshot)
}

fn tokens(words: Vec<u32>) -> Query {
    Query::Tokens(field(), Matcher::AnyOf(words.into_iter().map(word).collect()))
}

fn query() -> impl Strategy<Value = Query> {
    let leaf = prop_oneof![
        4 => (0..WORDS).prop_map(|number| tokens(vec![number])),
        2 => prop::collection::vec(0..WORDS, 1..5).prop_map(tokens),
        1 => Just(Query::Tokens(field(), Matcher::Prefix("z".to_owned()))),
        1 => Just(Query::All),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            3 => several.clone().prop_map(|queries| Query::AtLeast(1, queries)),
            1 => several.clone().prop_map(|queries| Query::AtLeast(2, queries)),
            2 => several.clone().prop_map(Query::And),
            1 => (several, inner.clone()).prop_map(|(mut queries, not)| {
                queries.push(Query::Not(Box::new(not)));
                Query::And(queries)
            }),
            2 => (inner, prop::sample::select(vec![0.0, 0.3, 2.5, -1.0, -0.0, f32::NAN, f32::INFINITY]))
                .prop_map(|(query, boost)| Query::Boost(Box::new(query), boost)),
        ]
    })
}

fn scorer() -> impl Strategy<Value = Scorer> {
    let numbers = prop::sample::select(vec![0.0, 0.75, 1.0, 1.2, 1e-9, 50.0, -0.5, f32::INFINITY]);
    prop_oneof![
        3 => Just(Scorer::Bm25 { k: 1.2, b: 0.75 }),
        2 => (numbers.clone(), numbers).prop_map(|(k, b)| Scorer::Bm25 { k, b }),
        2 => any::<bool>().prop_map(|normalize| Scorer::Tfidf { normalize }),
    ]
}

/// Returns the best hits of all that are scored.
fn best_of_all(snapshot: &Arc<SearchSnapshot>, query: &Query, scorer: Scorer) -> Vec<(Hit, f32)> {
    let mut hits = Hits::new(Arc::clone(snapshot), query, &[scorer], &Interrupt::new()).unwrap();
    let mut all = Vec::new();
    while let Some(hit) = hits.advance().unwrap() {
        all.push((hit, hits.score(0)));
    }
    all.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    all
}

#[test]
fn skipped_blocks_have_none_of_the_best() {
    let snapshot = snapshot();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(120) };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let run = runner.run(&(query(), scorer(), 1..40_usize), |(query, scorer, limit)| {
        let mut all = best_of_all(&snapshot, &query, scorer);
        all.truncate(limit);
        let mut hits = Hits::ranked(Arc::clone(&snapshot), &query, &[scorer], &Interrupt::new()).unwrap();
        let top = hits.top(limit).unwrap();
        let bits = |hits: &[(Hit, f32)]| -> Vec<(Hit, u32)> {
            hits.iter().map(|(hit, score)| (*hit, score.to_bits())).collect()
        };
        prop_assert_eq!(bits(&top), bits(&all));
        Ok(())
    });
    run.unwrap();
}

/// A frequent word is skipped for the most part.
#[test]
fn few_hits_of_a_frequent_word_are_looked_at() {
    let snapshot = snapshot();
    let (query, scorers) = (tokens(vec![0]), [Scorer::Bm25 { k: 1.2, b: 0.75 }]);
    let all = best_of_all(&snapshot, &query, scorers[0]);
    assert!(all.len() > 4_000, "{} documents", all.len());
    let threshold = all[9].1;
    let mut hits = Hits::ranked(Arc::clone(&snapshot), &query, &scorers, &Interrupt::new()).unwrap();
    let mut looked_at = 0;
    while hits.advance_above(0, threshold).unwrap().is_some() {
        looked_at += 1;
    }
    assert!(looked_at < all.len() / 2, "{looked_at} of {}", all.len());
}
