//! Conditions as queries write them, over documents in memory.

mod random;

use std::sync::Arc;

use aql_plan::{
    BindInput, BindParameters, EmptyCatalog, Expression, NodeKind, RegisterMap, SearchCondition, bind, build,
    compile,
};
use aql_value::{
    EvaluationContext, EvaluationState, Interrupt, MemoryAccount, NoEnvironment, Value, Warnings,
};
use errors::Result;
use search::{Analysis, HitSet, Hits, Place, Query, Schema, SearchSnapshot, SegmentWriter};
use velocypack::{Builder, Limits, Slice};

use super::super::{Test, Verifier};
use super::{Compiler, SearchFields};

fn pack(json: &str) -> Vec<u8> {
    let mut out = Builder::new();
    velocypack::json::parse(json.as_bytes(), &Limits::default(), &mut out).unwrap();
    out.into_vec()
}

/// An index in memory: an inverted index or a view's link.
struct Index {
    schema: Arc<Schema>,
    snapshot: Arc<SearchSnapshot>,
    documents: Vec<Value>,
}

impl Index {
    fn new(definition: &str, documents: &[&str], is_link: bool) -> Index {
        let definition = pack(definition);
        let analysis = |name: &str| Ok(Analysis::of(analyzers::built_in(name).unwrap()));
        let definition = Slice::new(&definition);
        let schema = match is_link {
            true => Schema::parse_link(definition, &analysis),
            false => Schema::parse(definition, &analysis),
        };
        let schema = Arc::new(schema.unwrap());
        let mut writer = SegmentWriter::new(Arc::clone(&schema), &Place::Memory, 0).unwrap();
        for (number, document) in documents.iter().enumerate() {
            writer.add(&number.to_string(), 1, Slice::new(&pack(document)), &Interrupt::new()).unwrap();
        }
        let mut snapshot = SearchSnapshot::default();
        snapshot.add(Arc::new(writer.finish().unwrap()));
        let documents = documents.iter().map(|document| Value::from_slice(Slice::new(&pack(document))));
        Index { schema, snapshot: Arc::new(snapshot), documents: documents.collect() }
    }

    /// Returns the numbers of the documents that satisfy a condition on `d`.
    fn search(&self, condition: &str) -> Result<Vec<u32>> {
        self.find(condition, false)
    }

    /// Returns the same for the condition of a FILTER.
    fn filter(&self, condition: &str) -> Result<Vec<u32>> {
        self.find(condition, true)
    }

    fn find(&self, condition: &str, missing_is_null: bool) -> Result<Vec<u32>> {
        let condition = condition_of(condition)?;
        let fields = SearchFields::new(vec![("c".into(), Arc::clone(&self.schema))]);
        let environment = &NoEnvironment;
        let interrupt = &Interrupt::new();
        let compiler = Compiler { fields: &fields, environment, interrupt, verifier: self, missing_is_null };
        let query = compiler.query(&condition)?;
        let mut hits = Hits::new(Arc::clone(&self.snapshot), &query, &[], interrupt)?;
        let mut found: Vec<u32> = Vec::new();
        while let Some(hit) = hits.advance()? {
            found.push(hits.key(hit).parse().unwrap());
        }
        found.sort_unstable();
        Ok(found)
    }

    #[track_caller]
    fn finds(&self, condition: &str, expected: &[u32]) {
        assert_eq!(self.search(condition).unwrap(), expected, "{condition}");
    }
}

impl Verifier for Index {
    fn verify(&self, candidates: &Query, test: Test<'_>) -> Result<Query> {
        let mut passed = HitSet::new(&self.snapshot);
        let mut hits = Hits::new(Arc::clone(&self.snapshot), candidates, &[], &Interrupt::new())?;
        while let Some(hit) = hits.advance()? {
            let number: usize = hits.key(hit).parse().unwrap();
            if test(&self.documents[number])? {
                passed.insert(hit);
            }
        }
        Ok(Query::Documents(Arc::new(passed)))
    }
}

fn condition_of(condition: &str) -> Result<SearchCondition<Value>> {
    let text = format!("FOR d IN [1] RETURN ({condition})");
    let query = aql_syntax::parse(&text, &aql_syntax::Limits::default())?;
    let (parameters, memory, interrupt) =
        (BindParameters::new(), MemoryAccount::unlimited(), Interrupt::new());
    let plan = build(bind(&query, &BindInput::new(&parameters, &EmptyCatalog, &memory, &interrupt))?, false)?;
    let document = plan.variables.iter().find(|variable| &*variable.name == "d").unwrap().id;
    let condition = plan.nodes.iter().rev().find_map(|node| match &node.kind {
        NodeKind::Calculation(calculation) => Some(&calculation.expression),
        _ => None,
    });
    let (mut warnings, mut state) = (Warnings::new(10, false), EvaluationState::new());
    SearchCondition::of(condition.unwrap(), document)?.try_map(&mut |value: &Expression| {
        let mut context = EvaluationContext {
            warnings: &mut warnings,
            state: &mut state,
            memory: &memory,
            interrupt: &interrupt,
            environment: &NoEnvironment,
        };
        compile(value, &RegisterMap::new())?.evaluate_constant(&mut context)
    })
}

fn values() -> Index {
    let documents = [
        r#"{"n": 1, "t": "a", "b": true}"#,
        r#"{"n": 2.5, "t": "b", "b": false, "list": [1, 2, "x"]}"#,
        r#"{"n": 5, "t": null, "sub": {"n": 7}}"#,
        r#"{"t": "abc", "list": [2, 3]}"#,
    ];
    Index::new(r#"{"includeAllFields": true, "searchField": true, "fields": []}"#, &documents, false)
}

fn texts(is_link: bool) -> Index {
    let documents = [
        r#"{"t": "The quick brown fox jumps over the lazy dog"}"#,
        r#"{"t": "quick red fox"}"#,
        r#"{"t": ["lorem ipsum dolor", "sit amet quick"]}"#,
        r#"{"t": "fox quick"}"#,
    ];
    let definition = match is_link {
        true => r#"{"fields": {"t": {"analyzers": ["text_en"], "storeValues": "id"}}}"#,
        false => r#"{"fields": [{"name": "t", "analyzer": "text_en", "searchField": true}]}"#,
    };
    Index::new(definition, &documents, is_link)
}

#[test]
fn comparisons_find_values_of_one_type() {
    let index = values();
    index.finds("d.n == 1", &[0]);
    index.finds("2.5 == d.n", &[1]);
    index.finds("d.n != 1", &[1, 2, 3]);
    index.finds("d.n > 1", &[1, 2]);
    index.finds("3 >= d.n", &[0, 1]);
    index.finds("d.t == null", &[2]);
    index.finds("d.t >= 'ab'", &[1, 3]);
    index.finds("d.b == false", &[1]);
    index.finds("d['sub'].n == 7 AND d.n == 5", &[2]);
    index.finds("d.n == [1] OR d.n IN 'no array'", &[]);
    index.finds("d.n != [1]", &[0, 1, 2, 3]);
    index.finds("d.missing == 1 OR d.missing == null", &[]);
}

#[test]
fn a_missing_attribute_is_null_in_a_filter() {
    let index = values();
    for (condition, expected) in [
        ("d.t == null", &[2][..]),
        ("d.n == null", &[3]),
        ("d.n != null", &[0, 1, 2]),
        ("d.n != null AND d.n != 1", &[1, 2]),
        ("d.n IN [null, 5]", &[2, 3]),
        ("d.n NOT IN [null, 5]", &[0, 1]),
        ("d.list[*] ANY == null", &[]),
    ] {
        assert_eq!(index.filter(condition).unwrap(), expected, "{condition}");
    }
}

#[test]
fn lists_ranges_and_constants() {
    let index = values();
    index.finds("d.n IN [1, 5, 'a', [2]]", &[0, 2]);
    index.finds("d.t IN ['a', 'b', null]", &[0, 1, 2]);
    index.finds("d.n NOT IN [1, 5]", &[1, 3]);
    index.finds("d.n IN 2..5", &[1, 2]);
    index.finds("d.list == 2", &[1, 3]);
    index.finds("3 IN d.list", &[3]);
    index.finds("d.list ANY == 'x'", &[1]);
    index.finds("d.list ANY IN [1, 3]", &[1, 3]);
    index.finds("d.list NONE IN [1]", &[0, 2, 3]);
    index.finds("IN_RANGE(d.n, 1, 5, false, true)", &[1, 2]);
    index.finds("IN_RANGE(d.n, 1, 'a', true, true) OR IN_RANGE(d.n, 5, 1, true, true)", &[]);
    index.finds("d.n == 1 OR 1 == 1", &[0, 1, 2, 3]);
    index.finds("d.n > 0 AND 1 == 2", &[]);
    index.finds("MIN_MATCH(d.n == 1, d.t == 'a', d.b == false, 2)", &[0]);
    index.finds("MIN_MATCH(d.n == 1, 0)", &[0, 1, 2, 3]);
}

#[test]
fn array_comparisons_test_a_field_with_each_element() {
    let index = values();
    index.finds("[1, 2] ALL IN d.list", &[1]);
    index.finds("[1, 3] ANY == d.list", &[1, 3]);
    index.finds("[1, 'x'] NONE == d.list", &[0, 2, 3]);
    index.finds("[1, 'x'] ALL != d.list", &[0, 2, 3]);
    index.finds("[1, 2, 'x'] AT LEAST (2) IN d.list", &[1]);
    index.finds("[3, 4] ALL > d.n", &[0, 1]);
    index.finds("[3, 4] NONE <= d.n", &[0, 1]);
    index.finds("[1, 2] ANY >= d.n", &[0]);
    index.finds("[] ALL == d.n", &[0, 1, 2, 3]);
    index.finds("[] ANY == d.n", &[]);
}

#[test]
fn existence_by_type() {
    let index = values();
    index.finds("EXISTS(d.n)", &[0, 1, 2]);
    index.finds("EXISTS(d.list, 'string')", &[1]);
    index.finds("EXISTS(d.list, 'numeric')", &[1, 3]);
    index.finds("EXISTS(d.t, 'null') OR EXISTS(d.b, 'bool')", &[0, 1, 2]);
    index.finds("EXISTS(d.t, 'type')", &[2]);
    index.finds("EXISTS(d.t, 'analyzer')", &[0, 1, 3]);
    assert_eq!(index.search("EXISTS(d.t, 'text')").unwrap_err().number(), 10);
}

#[test]
fn tokens_depend_on_the_analyzer() {
    let by_index = texts(false);
    by_index.finds("d.t == 'fox'", &[0, 1, 3]);
    by_index.finds("d.t == 'jump' AND d.t != 'red'", &[0]);
    by_index.finds("TOKENS('Quick Foxes', 'text_en') ALL == d.t", &[0, 1, 3]);
    by_index.finds("STARTS_WITH(d.t, 'ips')", &[2]);
    by_index.finds("STARTS_WITH(d.t, ['lor', 'qui'], 2)", &[2]);
    by_index.finds("STARTS_WITH(d.t, ['re', 'dol'])", &[1, 2]);
    by_index.finds("LIKE(d.t, 'f_x') AND d.t NOT LIKE 'la%'", &[1, 3]);
    let by_analyzer = texts(true);
    by_analyzer.finds("d.t == 'fox'", &[]);
    by_analyzer.finds("ANALYZER(d.t == 'fox', 'text_en')", &[0, 1, 3]);
    by_analyzer.finds("EXISTS(d.t, 'analyzer', 'text_en') AND NOT EXISTS(d.t, 'analyzer')", &[0, 1, 2, 3]);
}

#[test]
fn phrases_in_all_forms() {
    let index = texts(true);
    for (phrase, expected) in [
        ("PHRASE(d.t, 'quick brown', 'text_en')", &[0][..]),
        ("PHRASE(d.t, 'brown quick', 'text_en')", &[]),
        ("PHRASE(d.t, 'quick', 1, 'fox', 'text_en')", &[0, 1]),
        ("PHRASE(d.t, 'brown', -1, 'quick', 'text_en')", &[0]),
        ("PHRASE(d.t, ['quick', 1, 'fox', 'jumps'], 'text_en')", &[0]),
        ("PHRASE(d.t, 'quick', 0, [], 1, 'fox', 'text_en')", &[0, 1]),
        ("PHRASE(d.t, [], 'text_en')", &[]),
        ("PHRASE(d.t, ['quick', ['reds', 'browns']], 'text_en')", &[0, 1]),
        ("PHRASE(d.t, {STARTS_WITH: ['qui']}, 0, {WILDCARD: 'b%o_n'}, 0, {TERM: 'fox'}, 'text_en')", &[0]),
        ("PHRASE(d.t, {LEVENSHTEIN_MATCH: ['quik', 1]}, 1, {TERMS: ['fox', 'dog']}, 'text_en')", &[0, 1]),
        ("PHRASE(d.t, {IN_RANGE: ['p', 'r', true, false]}, 0, 'red', 'text_en')", &[1]),
        // No phrase spans two elements of an array.
        ("PHRASE(d.t, 'dolor sit', 'text_en')", &[]),
        ("ANALYZER(PHRASE(d.t, 'sit amet') OR PHRASE(d.t, 'fox quick', 'identity'), 'text_en')", &[2]),
    ] {
        index.finds(phrase, expected);
    }
    for wrong in [
        "PHRASE(d.t, 1, 'text_en')",
        "ANALYZER(PHRASE(d.t, 'a', 'b', 'c'), 'text_en')",
        "PHRASE(d.t, {OTHER: 'a'}, 'text_en')",
    ] {
        assert_eq!(index.search(wrong).unwrap_err().number(), 10, "{wrong}");
    }
}

#[test]
fn similar_texts() {
    let index = texts(true);
    index.finds("ANALYZER(LEVENSHTEIN_MATCH(d.t, 'quikc', 1), 'text_en')", &[0, 1, 2, 3]);
    index.finds("ANALYZER(LEVENSHTEIN_MATCH(d.t, 'quikc', 1, false), 'text_en')", &[]);
    index.finds("ANALYZER(LEVENSHTEIN_MATCH(d.t, 'kc', 2, false, 64, 'qui'), 'text_en')", &[0, 1, 2, 3]);
    index.finds("NGRAM_MATCH(d.t, 'quick brown fox', 0.6, 'text_en')", &[0, 1]);
    index.finds("ANALYZER(NGRAM_MATCH(d.t, 'quick red fox', 1), 'text_en')", &[1]);
    index.finds("MINHASH_MATCH(d.t, 'fox quick', 0.5, 'text_en')", &[0, 1, 2, 3]);
    for wrong in [
        "LEVENSHTEIN_MATCH(d.t, 'a', 4)",
        "LEVENSHTEIN_MATCH(d.t, 'a', 5, false)",
        "NGRAM_MATCH(d.t, 'a', 2)",
        "LIKE(d.t, 'a', true)",
        "BOOST(d.t == 'a', 'b')",
    ] {
        assert_eq!(index.search(wrong).unwrap_err().number(), 10, "{wrong}");
    }
}

#[test]
fn nested_documents_satisfy_conditions_one_by_one() {
    let documents = [
        r#"{"a": [{"type": "h", "n": 35}, {"type": "w", "n": 60}]}"#,
        r#"{"a": [{"type": "h", "n": 47}, {"type": "w", "n": 72}]}"#,
        r#"{"a": [{"type": "h", "n": 50}, {"type": "h", "n": 51}]}"#,
        r#"{"b": 1}"#,
    ];
    let definition = r#"{"fields": [{"name": "a", "nested": [{"name": "type"}, {"name": "n"}]}]}"#;
    let index = Index::new(definition, &documents, false);
    index.finds("d.a[? FILTER CURRENT.type == 'h' AND CURRENT.n > 40]", &[1, 2]);
    index.finds("d.a[? 1 FILTER CURRENT.type == 'h' AND CURRENT.n > 40]", &[1]);
    index.finds("d.a[? 1..2 FILTER CURRENT.n > 40]", &[0, 1, 2]);
    index.finds("d.a[? AT LEAST (2) FILTER CURRENT.type == 'h']", &[2]);
    index.finds("d.a[? ALL FILTER CURRENT.n > 40]", &[1, 2]);
    index.finds("d.a[? NONE FILTER CURRENT.n > 70]", &[0, 2]);
    index.finds("EXISTS(d.a, 'nested')", &[0, 1, 2]);
}
