//! The tokens of every example of ArangoDB's documentation, and the details that it describes.

use analyzers::Format;
use owner::Interrupt;
use velocypack::Slice;

use crate::common::{analyzer, placed, tokens, value};

/// Type, properties, input, and the tokens joined by `|`.
const EXAMPLES: &[(&str, &str, &str, &str)] = &[
    (
        "text",
        r#"{"locale": "en", "stopwords": ["a", "example"]}"#,
        "UPPER & lower, a Stemming Example.",
        "upper|lower|stem",
    ),
    ("identity", "{}", "UPPER lower dïäcríticš", "UPPER lower dïäcríticš"),
    ("delimiter", r#"{"delimiter": ","}"#, r#"foo,bar,baz,"bar,baz""#, "foo|bar|baz|bar,baz"),
    ("delimiter", r#"{"delimiter": "-> "}"#, "some-> hand-picked-> words", "some|hand-picked|words"),
    ("delimiter", r#"{"delimiter": "-"}"#, "some-delimited-words", "some|delimited|words"),
    (
        "multi_delimiter",
        r#"{"delimiters": [",", ";", "||"]}"#,
        "differently,delimited;words||one",
        "differently|delimited|words|one",
    ),
    ("multi_delimiter", r#"{"delimiters": [","]}"#, r#"foo,bar,baz,"bar,baz""#, r#"foo|bar|baz|"bar|baz""#),
    ("stem", r#"{"locale": "en"}"#, "databases", "databas"),
    ("norm", r#"{"locale": "en", "case": "upper"}"#, "UPPER lower dïäcríticš", "UPPER LOWER DÏÄCRÍTICŠ"),
    ("norm", r#"{"locale": "en", "accent": false}"#, "UPPER lower dïäcríticš", "UPPER lower diacritics"),
    (
        "norm",
        r#"{"locale": "en", "accent": false, "case": "lower"}"#,
        "UPPER lower dïäcríticš",
        "upper lower diacritics",
    ),
    ("ngram", r#"{"min": 4, "max": 5, "preserveOriginal": false}"#, "foobar", "foob|fooba|ooba|oobar|obar"),
    (
        "ngram",
        r#"{"min": 4, "max": 5, "preserveOriginal": true}"#,
        "foobar",
        "foob|fooba|foobar|ooba|oobar|obar",
    ),
    ("ngram", r#"{"min": 4, "max": 5, "preserveOriginal": false}"#, "foo", ""),
    ("ngram", r#"{"min": 4, "max": 5, "preserveOriginal": true}"#, "foo", "foo"),
    (
        "ngram",
        r#"{"min": 4, "max": 5, "preserveOriginal": true, "startMarker": "^", "endMarker": "$"}"#,
        "foobar",
        "^foob|^fooba|^foobar|foobar$|ooba|oobar$|obar$",
    ),
    (
        "ngram",
        r#"{"min": 3, "max": 3, "preserveOriginal": false, "streamType": "utf8"}"#,
        "foobar",
        "foo|oob|oba|bar",
    ),
    (
        "ngram",
        r#"{"min": 2, "max": 2, "preserveOriginal": true, "startMarker": "^", "endMarker": "$", "streamType": "utf8"}"#,
        "foobar",
        "^fo|^foobar|foobar$|oo|ob|ba|ar$",
    ),
    (
        "text",
        r#"{"locale": "en", "stemming": false, "stopwords": []}"#,
        "Crazy fast NoSQL-database!",
        "crazy|fast|nosql|database",
    ),
    (
        "text",
        r#"{"edgeNgram": {"min": 3, "max": 8, "preserveOriginal": true}, "locale": "en", "case": "lower",
            "accent": false, "stemming": false, "stopwords": ["the"]}"#,
        "The quick brown fox jumps over the dogWithAVeryLongName",
        "qui|quic|quick|bro|brow|brown|fox|jum|jump|jumps|ove|over|dog|dogw|dogwi|dogwit|dogwith|dogwitha|\
         dogwithaverylongname",
    ),
    (
        "pipeline",
        r#"{"pipeline": [{"type": "norm", "properties": {"locale": "en", "case": "upper"}},
            {"type": "ngram", "properties": {"min": 2, "max": 2, "preserveOriginal": false, "streamType": "utf8"}}]}"#,
        "Quick brown foX",
        "QU|UI|IC|CK|K | B|BR|RO|OW|WN|N | F|FO|OX",
    ),
    (
        "pipeline",
        r#"{"pipeline": [{"type": "delimiter", "properties": {"delimiter": ","}},
            {"type": "delimiter", "properties": {"delimiter": ";"}},
            {"type": "stem", "properties": {"locale": "en"}}]}"#,
        "delimited,stemmable;words",
        "delimit|stemmabl|word",
    ),
    ("stopwords", r#"{"stopwords": ["616e64", "746865"], "hex": true}"#, "and", ""),
    ("stopwords", r#"{"stopwords": ["616e64", "746865"], "hex": true}"#, "theater", "theater"),
    (
        "pipeline",
        r#"{"pipeline": [{"type": "norm", "properties": {"locale": "en", "accent": false, "case": "lower"}},
            {"type": "stopwords", "properties": {"stopwords": ["and", "the"], "hex": false}}]}"#,
        "äñḏ",
        "",
    ),
    (
        "segmentation",
        r#"{"break": "all"}"#,
        "Test\twith An_EMAIL-address+123@example.org\n蝴蝶。\u{2028}бутерброд",
        "test|\t|with| |an_email|-|address|+|123|@|example.org|\n|蝴|蝶|。|\u{2028}|бутерброд",
    ),
    (
        "segmentation",
        r#"{"break": "alpha"}"#,
        "Test\twith An_EMAIL-address+123@example.org\n蝴蝶。\u{2028}бутерброд",
        "test|with|an_email|address|123|example.org|蝴|蝶|бутерброд",
    ),
    (
        "segmentation",
        r#"{"break": "graphic"}"#,
        "Test\twith An_EMAIL-address+123@example.org\n蝴蝶。\u{2028}бутерброд",
        "test|with|an_email|-|address|+|123|@|example.org|\n|蝴|蝶|。|бутерброд",
    ),
    (
        "wildcard",
        r#"{"ngramSize": 4}"#,
        "The quick brown Foxx",
        "�The|The |he q|e qu| qui|quic|uick|ick |ck b|k br| bro|brow|rown|own |wn F|n Fo| Fox|Foxx|oxx�|xx�|x�",
    ),
    (
        "wildcard",
        r#"{"ngramSize": 3, "analyzer": {"type": "norm", "properties": {"locale": "en", "accent": false, "case": "lower"}}}"#,
        "The quick brown Foxx",
        "�th|the|he |e q| qu|qui|uic|ick|ck |k b| br|bro|row|own|wn |n f| fo|fox|oxx|xx�|x�",
    ),
    ("wildcard", r#"{"ngramSize": 3}"#, "graph", "�gr|gra|rap|aph|ph�|h�"),
];

#[test]
fn examples() {
    for (kind, properties, text, expected) in EXAMPLES {
        let tokens = tokens(&analyzer(kind, properties), *text).join("|");
        assert_eq!(tokens, *expected, "{kind} {properties}: {text}");
    }
}

#[test]
fn a_single_bar_is_not_a_double_bar() {
    let delimiters = analyzer("multi_delimiter", r#"{"delimiters": [",", ";", "||"]}"#);
    let tokens = tokens(&delimiters, "differently,delimited;words||one|token");
    assert_eq!(tokens, ["differently", "delimited", "words", "one|token"]);
}

#[test]
fn signatures_have_the_documented_similarity() {
    let properties = r#"{"analyzer": {"type": "segmentation", "properties": {"break": "alpha", "case": "lower"}}, "numHashes": 5}"#;
    let minhash = analyzer("minhash", properties);
    let first = tokens(&minhash, "The quick brown fox jumps over the lazy dog.");
    let second = tokens(&minhash, "The fox jumps over the crazy dog.");
    let common = first.iter().filter(|hash| second.contains(hash)).count();
    assert_eq!((first.len(), second.len(), common), (5, 5, 3));
    assert_eq!(common as f64 / (first.len() + second.len() - common) as f64, 0.42857142857142855);
    assert_eq!(tokens(&minhash, "foo bar baz"), ["ybQS0T4Qtq8", "fdNJczhsnlo", "1fMedebetR0"]);
}

#[test]
fn swedish_letters_follow_z() {
    let key = |language: &str, text: &str| {
        tokens(&analyzer("collation", &format!(r#"{{"locale": "{language}"}}"#)), text).concat()
    };
    for (language, expected) in [("en", ["a", "å", "b", "z"]), ("sv", ["a", "b", "z", "å"])] {
        let mut letters = ["z", "å", "b", "a"];
        letters.sort_by_key(|letter| key(language, letter));
        assert_eq!(letters, expected, "{language}");
    }
    assert!(key("de@collation=phonebook", "ä") > key("de@collation=phonebook", "ad"));
    assert!(key("de", "ä") < key("de", "ad"));
    assert_eq!(key("no such language", "a"), key("en", "a"));
}

#[test]
fn positions_and_places() {
    let at = |term: &str, position, start, end| (term.to_owned(), position, start, end);
    let ngram = analyzer("ngram", r#"{"min": 1, "max": 2, "preserveOriginal": true, "streamType": "utf8"}"#);
    let expected = [
        at("ä", 0, 0, 2),
        at("äb", 0, 0, 3),
        at("äbc", 0, 0, 4),
        at("b", 1, 2, 3),
        at("bc", 1, 2, 4),
        at("c", 2, 3, 4),
    ];
    assert_eq!(placed(&ngram, "äbc"), expected);

    let text = analyzer("text", r#"{"locale": "en", "stopwords": ["the"]}"#);
    let expected = [at("dog", 0, 4, 8), at("and", 1, 9, 12), at("elev", 2, 17, 24)];
    assert_eq!(placed(&text, "The dogs and the élève"), expected);

    let edges = analyzer("text", r#"{"locale": "en", "stemming": false, "edgeNgram": {"min": 1, "max": 2}}"#);
    let expected = [at("o", 0, 0, 1), at("on", 0, 0, 2), at("t", 1, 4, 5), at("tw", 1, 4, 6)];
    assert_eq!(placed(&edges, "one two"), expected);

    let pipeline = analyzer(
        "pipeline",
        r#"{"pipeline": [{"type": "delimiter", "properties": {"delimiter": " "}},
            {"type": "stopwords", "properties": {"stopwords": ["the"]}},
            {"type": "ngram", "properties": {"min": 2, "max": 3, "preserveOriginal": false}}]}"#,
    );
    let expected = [
        at("do", 0, 0, 2),
        at("dog", 0, 0, 3),
        at("og", 1, 1, 3),
        at("ca", 3, 8, 10),
        at("cat", 3, 8, 11),
        at("at", 4, 9, 11),
    ];
    assert_eq!(placed(&pipeline, "dog the cat"), expected);
}

#[test]
fn quotes_protect_delimiters() {
    let csv = analyzer("delimiter", r#"{"delimiter": ","}"#);
    for (text, expected) in [
        ("", vec![""]),
        ("a,,b,", vec!["a", "", "b", ""]),
        (r#""a ""b"" c",d"#, vec![r#"a "b" c"#, "d"]),
        (r#""open,end"#, vec![r#""open"#, "end"]),
        (r#"a"b,c""#, vec![r#"a"b"#, r#"c""#]),
        (r#""","#, vec!["", ""]),
    ] {
        assert_eq!(tokens(&csv, text), expected, "{text}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_as_text_only() {
    let ngram = analyzer("ngram", r#"{"min": 1, "max": 1, "preserveOriginal": false}"#);
    let mut terms = Vec::new();
    let mut emit = |token: analyzers::Token<'_>| {
        terms.push((token.term.to_vec(), token.text().is_ok()));
        Ok(())
    };
    ngram.tokens("ä", &Interrupt::new(), &mut emit).unwrap();
    assert_eq!(terms, [(vec![0xC3], false), (vec![0xA4], false)]);
}

#[test]
fn places_are_cells() {
    let shape = |kind: &str, properties: &str, json: &str| {
        let analyzer = analyzer(kind, properties);
        let json = value(json);
        let found = analyzer.shape(Slice::new(&json)).map(|shape| shape.centroid());
        (tokens(&analyzer, Slice::new(&json)), found.map(|place| (place.latitude, place.longitude)))
    };
    let point = r#"{"type": "Point", "coordinates": [6.937, 50.932]}"#;
    let (cells, place) = shape("geojson", "{}", point);
    assert_eq!((cells.len(), place.unwrap().0.round()), (1, 51.0));
    // A cell of level 23 has 47 bits in front of its last one.
    assert_eq!(cells[0].len(), 13);
    assert_eq!(shape("geojson", "{}", "[6.937, 50.932]").0, cells);
    assert_eq!(shape("geo_s2", r#"{"format": "latLngInt"}"#, point).0, cells);
    assert_eq!(shape("geopoint", "{}", "[50.932, 6.937]").0, cells);
    let paths = r#"{"latitude": ["a", "lat"], "longitude": ["lng"]}"#;
    assert_eq!(shape("geopoint", paths, r#"{"a": {"lat": 50.932}, "lng": 6.937}"#).0, cells);
    let coarse = r#"{"options": {"minLevel": 0, "maxLevel": 4, "maxCells": 3}}"#;
    assert!(cells[0].starts_with(shape("geojson", coarse, point).0[0].get(..2).unwrap()));

    let line = r#"{"type": "LineString", "coordinates": [[6, 50], [7, 51]]}"#;
    assert!((2..=20).contains(&shape("geojson", "{}", line).0.len()));
    assert_eq!(shape("geojson", r#"{"type": "centroid"}"#, line).0.len(), 1);
    assert_eq!(shape("geojson", r#"{"type": "point"}"#, line), (Vec::new(), None));
    for wrong in ["null", "1", "[]", "\"text\"", "{}", r#"{"type": "Point"}"#] {
        assert!(shape("geojson", "{}", wrong).0.is_empty(), "{wrong}");
        assert!(shape("geopoint", "{}", wrong).0.is_empty(), "{wrong}");
        assert!(shape("geopoint", paths, wrong).0.is_empty(), "{wrong}");
    }
    assert_eq!(analyzer("geo_s2", "{}").format(), Some(Format::LatLngDouble));
    assert_eq!(analyzer("geojson", "{}").format(), Some(Format::VelocyPack));
    assert_eq!(analyzer("identity", "{}").format(), None);
}
