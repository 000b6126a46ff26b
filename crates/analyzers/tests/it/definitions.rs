//! Definitions: normal forms, errors, and random ones.

use std::sync::Arc;

use analyzers::{
    CompiledQuery, Definition, NoQueries, Output, QueryCompiler, QueryProperties, Row, is_valid_name,
};
use errors::{ErrorCode, Result};
use owner::Interrupt;
use proptest::prelude::*;
use velocypack::{Builder, Slice};

use crate::common::{self, definition, printed, value};

/// Type, properties, and their normal form; empty if they are in normal form.
const NORMAL_FORMS: &[(&str, &str, &str)] = &[
    ("identity", "null", "{}"),
    ("identity", r#"{"unknown": 1}"#, "{}"),
    ("delimiter", r#"{"delimiter":"äöü"}"#, ""),
    ("multi_delimiter", r#"{"delimiters":["ö","ü"]}"#, ""),
    ("stem", r#"{"locale":"en_US.utf-8"}"#, r#"{"locale":"en"}"#),
    ("norm", r#"{"locale":"DE_de.utf-8"}"#, r#"{"locale":"de_DE","case":"none","accent":true}"#),
    (
        "ngram",
        r#"{"min":1,"max":14,"preserveOriginal":false}"#,
        r#"{"min":1,"max":14,"preserveOriginal":false,"streamType":"binary","startMarker":"","endMarker":""}"#,
    ),
    (
        "text",
        r#"{"locale":"en.utf-8","stopwords":null,"edgeNgram":{"min":2}}"#,
        r#"{"locale":"en","case":"lower","stopwords":[],"accent":false,"stemming":true,"edgeNgram":{"min":2}}"#,
    ),
    ("collation", r#"{"locale":"en_US.utf-8"}"#, r#"{"locale":"en_US"}"#),
    ("collation", r#"{"locale":"fr@collation=phonebook"}"#, ""),
    (
        "aql",
        r#"{"queryString":"RETURN @param"}"#,
        r#"{"queryString":"RETURN @param","collapsePositions":false,"keepNull":true,"batchSize":1,"memoryLimit":1048576,"returnType":"string"}"#,
    ),
    (
        "pipeline",
        r#"{"pipeline":[{"type":"stem","properties":{"locale":"en"}},{"type":"identity"}]}"#,
        r#"{"pipeline":[{"type":"stem","properties":{"locale":"en"}},{"type":"identity","properties":{}}]}"#,
    ),
    ("stopwords", r#"{"stopwords":["616e64"],"hex":true}"#, ""),
    ("segmentation", "{}", r#"{"case":"lower","break":"alpha"}"#),
    ("wildcard", r#"{"ngramSize":4}"#, ""),
    (
        "minhash",
        r#"{"numHashes":2,"analyzer":{"type":"identity"}}"#,
        r#"{"analyzer":{"type":"identity","properties":{}},"numHashes":2}"#,
    ),
    (
        "geojson",
        "{}",
        r#"{"type":"shape","options":{"maxCells":20,"minLevel":4,"maxLevel":23},"legacy":false}"#,
    ),
    (
        "geopoint",
        "{}",
        r#"{"latitude":[],"longitude":[],"options":{"maxCells":20,"minLevel":4,"maxLevel":23}}"#,
    ),
    (
        "geo_s2",
        r#"{"type":"centroid","options":{"maxCells":8}}"#,
        r#"{"type":"centroid","options":{"maxCells":8,"minLevel":4,"maxLevel":23},"format":"latLngDouble"}"#,
    ),
];

#[test]
fn normal_forms() {
    for (kind, given, normal) in NORMAL_FORMS {
        let normal = if normal.is_empty() { given } else { normal };
        let definition = definition(kind, given, "null").unwrap();
        assert_eq!(printed(&definition), *normal, "{kind}");
        assert_eq!(printed(&common::definition(kind, normal, "[]").unwrap()), *normal, "{kind}");
    }
}

/// Type, properties, features, and a part of the message.
const ERRORS: &[(&str, &str, &str, &str)] = &[
    ("unknown", "{}", "[]", "unknown analyzer type 'unknown'"),
    ("identity", "1", "[]", "'properties' of an analyzer of type 'identity' must be an object"),
    ("identity", "{}", "1", "'features' must be an array"),
    ("identity", "{}", "[1]", "a value that is not a string"),
    ("identity", "{}", r#"["speed"]"#, "'speed'; it may contain 'frequency'"),
    ("identity", "{}", r#"["position"]"#, "'position', which requires 'frequency'"),
    ("identity", "{}", r#"["frequency", "offset"]"#, "'offset', which requires 'position'"),
    (
        "wildcard",
        r#"{"ngramSize": 3}"#,
        r#"["frequency", "position", "offset"]"#,
        "'offset', which analyzers of type",
    ),
    ("wildcard", r#"{"ngramSize": 1}"#, "[]", "'ngramSize'"),
    ("delimiter", "{}", "[]", "'delimiter'"),
    (
        "delimiter",
        r#"{"delimiter": 1}"#,
        "[]",
        "'delimiter' of an analyzer of type 'delimiter' must be a string",
    ),
    ("multi_delimiter", r#"{"delimiters": ["a", ""]}"#, "[]", "non-empty strings"),
    ("multi_delimiter", r#"{"delimiters": ["ab", "x", "a"]}"#, "[]", "as 'ab' with 'a'"),
    ("stem", "{}", "[]", "'locale'"),
    ("norm", r#"{"locale": "en", "case": "title"}"#, "[]", "'lower', 'upper', 'none'"),
    ("ngram", r#"{"min": 0, "max": 2, "preserveOriginal": true}"#, "[]", "'min'"),
    ("ngram", r#"{"min": 3, "max": 2, "preserveOriginal": true}"#, "[]", "'max'"),
    ("ngram", r#"{"min": 1.5, "max": 2, "preserveOriginal": true}"#, "[]", "'min'"),
    ("ngram", r#"{"min": 1, "max": 2}"#, "[]", "'preserveOriginal'"),
    (
        "ngram",
        r#"{"min": 1, "max": 2, "preserveOriginal": true, "streamType": "utf16"}"#,
        "[]",
        "'streamType'",
    ),
    ("text", r#"{"locale": "en", "stopwordsPath": "/etc"}"#, "[]", "'stopwordsPath'"),
    ("text", r#"{"locale": "en", "stopwords": [1]}"#, "[]", "'stopwords'"),
    ("text", r#"{"locale": "en", "edgeNgram": {"min": 3, "max": 2}}"#, "[]", "'edgeNgram.max'"),
    ("aql", r#"{"queryString": ""}"#, "[]", "'queryString'"),
    ("aql", r#"{"queryString": "RETURN 1", "batchSize": 1001}"#, "[]", "'batchSize'"),
    ("aql", r#"{"queryString": "RETURN 1", "memoryLimit": 33554433}"#, "[]", "'memoryLimit'"),
    ("aql", r#"{"queryString": "RETURN 1", "returnType": "array"}"#, "[]", "'returnType'"),
    ("pipeline", r#"{"pipeline": []}"#, "[]", "'pipeline'"),
    ("pipeline", r#"{"pipeline": [1]}"#, "[]", "'pipeline'"),
    ("pipeline", r#"{"pipeline": [{"type": "geojson"}]}"#, "[]", "without analyzers of type 'geojson'"),
    ("pipeline", r#"{"pipeline": [{"type": "delimiter"}]}"#, "[]", "'delimiter'"),
    ("stopwords", r#"{"stopwords": ["6"], "hex": true}"#, "[]", "hexadecimal"),
    ("segmentation", r#"{"break": "word"}"#, "[]", "'break'"),
    ("minhash", r#"{"analyzer": {"type": "identity"}}"#, "[]", "'numHashes'"),
    ("minhash", r#"{"numHashes": 1}"#, "[]", "'analyzer'"),
    ("geojson", r#"{"type": "line"}"#, "[]", "'type'"),
    ("geojson", r#"{"options": {"minLevel": 5, "maxLevel": 4}}"#, "[]", "'options.maxLevel'"),
    ("geopoint", r#"{"latitude": ["lat"]}"#, "[]", "'longitude'"),
    ("geo_s2", r#"{"format": "text"}"#, "[]", "'format'"),
];

#[test]
fn errors_name_the_property() {
    for (kind, properties, features, part) in ERRORS {
        let error = definition(kind, properties, features).unwrap_err();
        assert_eq!(error.code(), ErrorCode::BadParameter, "{kind} {properties}");
        assert!(error.message().contains(part), "{kind} {properties}: {}", error.message());
    }
    for kind in ["classification", "nearest_neighbors"] {
        let error = definition(kind, r#"{"model_location": "/model"}"#, "[]").unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotImplemented);
        assert!(error.message().contains("fastText"), "{}", error.message());
    }
}

#[test]
fn depth_is_bounded() {
    let mut nested = r#"{"type": "identity"}"#.to_owned();
    for _ in 0..40 {
        nested = format!(r#"{{"type": "pipeline", "properties": {{"pipeline": [{nested}]}}}}"#);
    }
    let error = definition("pipeline", &format!(r#"{{"pipeline": [{nested}]}}"#), "[]").unwrap_err();
    assert!(error.message().contains("levels"), "{}", error.message());
}

#[test]
fn equality_is_of_normal_forms() {
    let same = definition("stem", r#"{"locale": "en_GB"}"#, "[]").unwrap();
    assert_eq!(definition("stem", r#"{"locale": "en"}"#, "[]").unwrap(), same);
    assert_ne!(definition("stem", r#"{"locale": "de"}"#, "[]").unwrap(), same);
    assert_ne!(definition("stem", r#"{"locale": "en"}"#, r#"["norm"]"#).unwrap(), same);
    assert_ne!(definition("norm", r#"{"locale": "en"}"#, "[]").unwrap(), same);
    assert_ne!(same.clone().renamed("other".to_owned()), same);
}

#[test]
fn names() {
    for name in ["a", "Z9_-", &"a".repeat(254)] {
        assert!(is_valid_name(name), "{name}");
    }
    for name in ["", "1a", "_a", "-a", "ä", "a b", "db::a", &"a".repeat(255)] {
        assert!(!is_valid_name(name), "{name}");
    }
}

/// A query whose rows are the words of the text: numbers if the type says so, and null for `-`.
struct Words;

impl QueryCompiler for Words {
    fn compile(&self, _: &QueryProperties) -> Result<Arc<dyn CompiledQuery>> {
        Ok(Arc::new(Words))
    }
}

impl CompiledQuery for Words {
    fn run(
        &self,
        text: &str,
        interrupt: &Interrupt,
        each: &mut dyn FnMut(Row<'_>) -> Result<()>,
    ) -> Result<()> {
        interrupt.check()?;
        text.split(' ').try_for_each(|word| match (word, word.parse()) {
            ("-", _) => each(Row::Null),
            (_, Ok(number)) => each(Row::Number(number)),
            _ => each(Row::Text(word)),
        })
    }
}

#[test]
fn rows_of_a_query_are_tokens() {
    let open = |properties: &str| {
        let definition = definition("aql", properties, "[]").unwrap();
        assert_eq!(definition.open(&NoQueries).unwrap_err().code(), ErrorCode::NotImplemented);
        definition.open(&Words)
    };
    let kept = open(r#"{"queryString": "RETURN 1"}"#).unwrap();
    let positions = |analyzer, text| -> Vec<(String, u32)> {
        let placed = common::placed(analyzer, text).into_iter();
        placed.map(|(term, position, ..)| (term, position)).collect()
    };
    let at = |term: &str, position| (term.to_owned(), position);
    assert_eq!(positions(&kept, "a - b"), [at("a", 0), at("", 1), at("b", 2)]);
    let dropped =
        open(r#"{"queryString": "RETURN 1", "keepNull": false, "collapsePositions": true}"#).unwrap();
    assert_eq!(positions(&dropped, "a - b"), [at("a", 0), at("b", 0)]);
    let numbers = open(r#"{"queryString": "RETURN 1", "returnType": "number"}"#).unwrap();
    assert_eq!(numbers.output(), Output::Number);
    let mut found = Vec::new();
    let emit = |token: analyzers::Token<'_>| {
        found.push(f64::from_le_bytes(token.term.try_into().unwrap()));
        Ok(())
    };
    numbers.tokens("1.5 -", &Interrupt::new(), emit).unwrap();
    assert_eq!(found, [1.5, 0.0]);
    let killed = Interrupt::new();
    killed.kill();
    assert_eq!(numbers.tokens("1.5", &killed, |_| Ok(())).unwrap_err().code(), ErrorCode::QueryKilled);
}

fn properties() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "delimiter",
        "delimiters",
        "locale",
        "accent",
        "case",
        "min",
        "max",
        "preserveOriginal",
        "streamType",
        "startMarker",
        "endMarker",
        "stemming",
        "edgeNgram",
        "stopwords",
        "hex",
        "break",
        "ngramSize",
        "numHashes",
        "analyzer",
        "pipeline",
        "latitude",
        "longitude",
        "options",
        "type",
        "format",
        "legacy",
    ]);
    let values = prop::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "1",
        "2",
        "3",
        "1.5",
        "\"\"",
        "\",\"",
        "\"en\"",
        "\"tr_TR.utf-8\"",
        "\"lower\"",
        "\"upper\"",
        "\"utf8\"",
        "\"all\"",
        "\"graphic\"",
        "\"shape\"",
        "[]",
        "[\"a\"]",
        "[\",\", \";\"]",
        "[\"616e\"]",
        "{}",
        r#"{"min": 1, "max": 2}"#,
        r#"{"type": "identity"}"#,
        r#"[{"type": "identity"}]"#,
        r#"[{"type": "segmentation"}, {"type": "ngram", "properties": {"min": 1, "max": 2, "preserveOriginal": true}}]"#,
        r#"[{"type": "delimiter", "properties": {"delimiter": "a"}}, {"type": "stem", "properties": {"locale": "en"}}]"#,
    ]);
    prop::collection::btree_map(names, values, 0..26).prop_map(|members| {
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        format!("{{{}}}", members.join(", "))
    })
}

const KINDS: [&str; 16] = [
    "collation",
    "delimiter",
    "geo_s2",
    "geojson",
    "geopoint",
    "identity",
    "minhash",
    "multi_delimiter",
    "ngram",
    "norm",
    "pipeline",
    "segmentation",
    "stem",
    "stopwords",
    "text",
    "wildcard",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_properties_are_read_or_refused(properties in properties(), kind in 0..KINDS.len(), text in "[a-cA-Cäı,;\" ]{0,12}|\\PC{0,12}") {
        let Ok(definition) = definition(KINDS[kind], &properties, "[]") else { return Ok(()) };
        let mut out = Builder::new();
        out.open_object().unwrap();
        definition.print(&mut out).unwrap();
        out.close().unwrap();
        prop_assert_eq!(&Definition::parse("test", out.as_slice()).unwrap(), &definition);
        let analyzer = definition.open(&NoQueries).unwrap();
        let mut last = 0;
        let emit = |token: analyzers::Token<'_>| {
            assert!(token.start <= token.end && token.end as usize <= text.len(), "{token:?}");
            assert!(token.position >= last, "{token:?}");
            last = token.position;
            Ok(())
        };
        analyzer.tokens(&*text, &Interrupt::new(), emit).unwrap();
        let packed = value(&properties);
        analyzer.tokens(Slice::new(&packed), &Interrupt::new(), |_| Ok(())).unwrap();
    }
}
