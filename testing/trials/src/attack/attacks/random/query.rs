//! Random queries of a reader: statements over ranges, documents and views, with expressions of
//! any function on arguments that are large or odd.

use fastrand::Rng;
use serde_json::{Value, json};

/// The functions that take any arguments; those that read or change collections are not here.
const FUNCTIONS: &str = "ABS APPEND APPLY ATTRIBUTES AVERAGE BIT_AND BIT_CONSTRUCT BIT_DECONSTRUCT \
    BIT_FROM_STRING BIT_OR BIT_TO_STRING BIT_XOR CALL CHAR_LENGTH CONCAT CONCAT_SEPARATOR CONTAINS \
    CONTAINS_ARRAY COSINE_SIMILARITY COUNT_DISTINCT CRC32 DATE_ADD DATE_DIFF DATE_FORMAT DATE_ISO8601 \
    DATE_ROUND DATE_TRUNC DATE_UTCTOLOCAL DECAY_EXP ENCODE_URI_COMPONENT ENTRIES FIND_FIRST FIND_LAST \
    FIRST FLATTEN FNV64 FUSE_RANKS GEO_AREA GEO_CONTAINS GEO_DISTANCE GEO_EQUALS GEO_INTERSECTS \
    GEO_LINESTRING GEO_MULTIPOINT GEO_POLYGON HAS HASH INTERLEAVE INTERSECTION IN_RANGE IPV4_TO_NUMBER \
    IS_DATESTRING \
    IS_IN_POLYGON JACCARD JSON_PARSE JSON_STRINGIFY KEEP KEEP_RECURSIVE KEYS L1_DISTANCE L2_DISTANCE LAST \
    LEFT LENGTH LEVENSHTEIN_DISTANCE LEVENSHTEIN_MATCH LIKE LOWER LTRIM MATCHES MAX MD5 MEDIAN MERGE \
    MERGE_RECURSIVE MIN MINHASH MINUS NGRAM_MATCH NGRAM_POSITIONAL_SIMILARITY NGRAM_SIMILARITY NTH \
    OUTERSECTION PARSE_IDENTIFIER PARTITION PERCENTILE POP POSITION POW PRODUCT PUSH RANGE REGEX_MATCHES \
    REGEX_REPLACE REGEX_SPLIT REGEX_TEST REMOVE_NTH REMOVE_VALUE REMOVE_VALUES REPEAT REPLACE_NTH REVERSE \
    RIGHT ROUND SCHEMA_VALIDATE SHA512 SHIFT SLEEP SLICE SORTED SORTED_UNIQUE SOUNDEX SPLIT STARTS_WITH \
    STDDEV SUBSTITUTE SUBSTRING SUBSTRING_BYTES SUM TOKENS TO_ARRAY TO_BASE64 TO_HEX TO_NUMBER TO_STRING \
    TRANSLATE TRIM UNION UNION_DISTINCT UNIQUE UNSET UNSET_RECURSIVE UNSHIFT UPPER VALUES VARIANCE ZIP";

/// The atoms of expressions.
const ATOMS: &[&str] = &[
    "1..1000000",
    "1..100000",
    "1..3000",
    "RANGE(0, 1, 0.00001)",
    "REPEAT('ab', 200000)",
    "REPEAT('a ', 100000)",
    "REPEAT('ä%_', 5000)",
    "CONCAT('[', REPEAT('1,', 100000), '1]')",
    "CONCAT(REPEAT('[', 150), REPEAT(']', 150))",
    "ZIP((FOR i IN 1..20000 RETURN CONCAT('k', i)), 1..20000)",
    "(FOR i IN 1..2000 RETURN [i % 360 - 180, i % 180 - 90])",
    "(FOR i IN 1..300 RETURN (FOR j IN 1..300 RETURN i * j))",
    "(FOR i IN 1..50000 RETURN {a: i % 7, b: {c: [i, i]}})",
    "{type: 'Polygon', coordinates: [(FOR i IN 0..720 RETURN [COS(i / 720 * 2 * PI()) * 40, SIN(i / 720 * 2 * PI()) * 40])]}",
    "(LET t = (FOR d IN texts RETURN d.text) RETURN t)[0]",
    "'2020-01-01T00:00:00Z'",
    "'text_en'",
    "null",
    "true",
    "-1",
    "0.5",
    "3",
    "20000",
    "1e308",
    "''",
    "'a'",
    "[]",
    "{}",
];

/// The parts of random patterns.
const PATTERN_PARTS: &[&str] = &[
    "a",
    "b",
    "(a|b)*",
    "(a*)*",
    "(a|aa)+",
    ".{0,200}",
    "\\\\w{20}",
    "[^b]*",
    "(?=.*b)",
    "(?!a*c)",
    "(?<=a)",
    "\\\\1",
    "(x?)",
    "^",
    "$",
    "(?i)",
    "a++",
    "%",
    "_",
    "%_%",
    "a_",
    "\\\\pL+",
    "((a{10}){10}){5}",
    "|",
];

/// Conditions of searches; `@t` is a text, `@p` a pattern.
const CONDITIONS: &[&str] = &[
    "d.text LIKE @p",
    "d.word LIKE @p",
    "ANALYZER(STARTS_WITH(d.text, ['w', 'w1', 'w2', 'w3'], 2), 'text_en')",
    "ANALYZER(PHRASE(d.text, {WILDCARD: ['w%']}, 0, {WILDCARD: ['%1']}), 'text_en')",
    "LEVENSHTEIN_MATCH(d.word, @t, 3, true, 0)",
    "NGRAM_MATCH(d.text, @t, 0.1, 'text_en')",
    "MIN_MATCH(d.text == 'w1', STARTS_WITH(d.word, '1'), EXISTS(d.text), 2)",
    "IN_RANGE(d.word, '0', 'z', true, true)",
    "NOT ANALYZER(d.text == 'w5', 'text_en')",
];

/// Returns a random query and its parameters.
pub(super) fn random(rng: &mut Rng) -> (String, Value) {
    let x = expression(rng, 3);
    let text = match rng.u8(..12) {
        0..=3 => format!("RETURN LENGTH(TO_STRING({x}))"),
        4 => format!("FOR x IN 1..100000 LET y = {x} FILTER y != x RETURN 1"),
        5 => format!("FOR x IN 1..1000000 SORT HASH([x, {}]) LIMIT 5 RETURN x", atom(rng)),
        6 => format!("FOR x IN TO_ARRAY({x}) COLLECT g = x INTO all RETURN LENGTH(all)"),
        7 => format!(
            "FOR x IN 1..20000 WINDOW {{preceding: 5000, following: 5000}} AGGREGATE m = {}(x) RETURN m",
            aggregate(rng)
        ),
        8 => format!(
            "FOR x IN 1..500000 COLLECT AGGREGATE a = {}(x), b = UNIQUE(x % 1000) RETURN [a, LENGTH(b)]",
            aggregate(rng)
        ),
        9 => format!(
            "LET a = TO_ARRAY({x}) RETURN LENGTH(a[* FILTER CURRENT IN a RETURN a[* RETURN CURRENT]])"
        ),
        10 => format!(
            "FOR d IN searched SEARCH {} SORT BM25(d) DESC LIMIT 3 RETURN d.word",
            pick(rng, CONDITIONS)
        ),
        _ => format!(
            "FOR d IN texts FILTER {} FOR e IN texts FILTER e.word > d.word RETURN [d._key, e._key]",
            ["REGEX_TEST(d.text, @p)", "d.text LIKE @p", "LENGTH(SPLIT(d.text, @t)) > 1"][rng.usize(..3)]
        ),
    };
    let mut bind = serde_json::Map::new();
    for (name, value) in [("t", "w1".repeat(rng.usize(1..300))), ("p", pattern(rng))] {
        if text.contains(&format!("@{name}")) {
            bind.insert(name.to_owned(), json!(value));
        }
    }
    (text, Value::Object(bind))
}

/// Returns a random expression over literals.
pub(super) fn expression(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.u8(..4) == 0 {
        return atom(rng);
    }
    match rng.u8(..8) {
        0 => format!("[{}, {}]", expression(rng, depth - 1), expression(rng, depth - 1)),
        1 => format!("({} == {})", expression(rng, depth - 1), expression(rng, depth - 1)),
        2 => format!("{{a: {}, [TO_STRING({})]: 1}}", expression(rng, depth - 1), atom(rng)),
        _ => {
            let functions: Vec<&str> = FUNCTIONS.split(' ').filter(|name| !name.is_empty()).collect();
            let name = functions[rng.usize(..functions.len())];
            let arguments: Vec<String> = (0..rng.usize(1..4)).map(|_| expression(rng, depth - 1)).collect();
            format!("{name}({})", arguments.join(", "))
        }
    }
}

fn atom(rng: &mut Rng) -> String {
    match rng.u8(..6) {
        0 => json!(pattern(rng)).to_string(),
        _ => pick(rng, ATOMS).to_owned(),
    }
}

/// Returns a random regular expression or pattern of LIKE.
fn pattern(rng: &mut Rng) -> String {
    let parts: String =
        (0..rng.usize(1..8)).map(|_| pick(rng, PATTERN_PARTS).replace("\\\\", "\\")).collect();
    parts.repeat([1, 1, 20, 400][rng.usize(..4)])
}

fn aggregate(rng: &mut Rng) -> &'static str {
    pick(rng, &["MEDIAN", "UNIQUE", "SORTED_UNIQUE", "STDDEV", "COUNT_DISTINCT", "MAX", "PUSH", "BIT_XOR"])
}

fn pick<'a>(rng: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[rng.usize(..choices.len())]
}
