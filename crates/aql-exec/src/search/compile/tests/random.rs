//! Random conditions over random documents, compared with a check of each document.

use std::fmt::Write;

use proptest::prelude::*;

use super::Index;

/// A value of a field. A field has one, several (an array) or none.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
enum Scalar {
    Null,
    Bool(bool),
    Number(i32),
    Text(String),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            Scalar::Null => "null".to_owned(),
            Scalar::Bool(value) => value.to_string(),
            Scalar::Number(value) => value.to_string(),
            Scalar::Text(value) => format!("\"{value}\""),
        }
    }

    /// Returns true if both have the same type: ranges have values of one type.
    fn is_like(&self, other: &Scalar) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The fields of a document, `a`, `b.c` and `_id`, each with its values.
type Document = [Vec<Scalar>; 3];

#[derive(Clone, Debug)]
enum Condition {
    Compare(usize, &'static str, Scalar),
    In(usize, Vec<Scalar>),
    Prefix(usize, String),
    Like(usize, String),
    Exists(usize),
    Elements(&'static str, Vec<Scalar>, usize),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    AtLeast(usize, Vec<Condition>),
}

const FIELDS: [&str; 3] = ["d.a", "d.b.c", "d._id"];

/// Returns true if a text matches a pattern of LIKE without backslashes.
fn matches_pattern(text: &[u8], pattern: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'%', rest @ ..] => (0..=text.len()).any(|skipped| matches_pattern(&text[skipped..], rest)),
        [b'_', rest @ ..] => !text.is_empty() && matches_pattern(&text[1..], rest),
        [own, rest @ ..] => text.first() == Some(own) && matches_pattern(&text[1..], rest),
    }
}

impl Condition {
    fn text(&self) -> String {
        let list = |values: &[Scalar]| {
            format!("[{}]", values.iter().map(Scalar::text).collect::<Vec<_>>().join(", "))
        };
        let joined = |conditions: &[Condition], by: &str| {
            conditions.iter().map(Condition::text).collect::<Vec<_>>().join(by)
        };
        match self {
            Self::Compare(field, operator, value) => {
                format!("{} {operator} {}", FIELDS[*field], value.text())
            }
            Self::In(field, values) => format!("{} IN {}", FIELDS[*field], list(values)),
            Self::Prefix(field, prefix) => format!("STARTS_WITH({}, \"{prefix}\")", FIELDS[*field]),
            Self::Like(field, pattern) => format!("LIKE({}, \"{pattern}\")", FIELDS[*field]),
            Self::Exists(field) => format!("EXISTS({})", FIELDS[*field]),
            Self::Elements(quantifier, values, field) => {
                format!("{} {quantifier} == {}", list(values), FIELDS[*field])
            }
            Self::And(conditions) => format!("({})", joined(conditions, " AND ")),
            Self::Or(conditions) => format!("({})", joined(conditions, " OR ")),
            Self::Not(condition) => format!("NOT ({})", condition.text()),
            Self::AtLeast(count, conditions) => format!("MIN_MATCH({}, {count})", joined(conditions, ", ")),
        }
    }

    fn holds(&self, document: &Document) -> bool {
        let has = |field: &usize, value: &Scalar| document[*field].contains(value);
        match self {
            Self::Compare(field, "==", value) => has(field, value),
            Self::Compare(field, "!=", value) => !has(field, value),
            Self::Compare(field, operator, value) => {
                document[*field].iter().filter(|own| own.is_like(value)).any(|own| match *operator {
                    "<" => own < value,
                    "<=" => own <= value,
                    ">" => own > value,
                    _ => own >= value,
                })
            }
            Self::In(field, values) => values.iter().any(|value| has(field, value)),
            Self::Prefix(field, prefix) => document[*field]
                .iter()
                .any(|own| matches!(own, Scalar::Text(text) if text.starts_with(prefix.as_str()))),
            Self::Like(field, pattern) => document[*field].iter().any(
                |own| matches!(own, Scalar::Text(text) if matches_pattern(text.as_bytes(), pattern.as_bytes())),
            ),
            Self::Exists(field) => !document[*field].is_empty(),
            Self::Elements("ALL", values, field) => values.iter().all(|value| has(field, value)),
            Self::Elements("ANY", values, field) => values.iter().any(|value| has(field, value)),
            Self::Elements(_, values, field) => !values.iter().any(|value| has(field, value)),
            Self::And(conditions) => conditions.iter().all(|condition| condition.holds(document)),
            Self::Or(conditions) => conditions.iter().any(|condition| condition.holds(document)),
            Self::Not(condition) => !condition.holds(document),
            Self::AtLeast(count, conditions) => {
                conditions.iter().filter(|condition| condition.holds(document)).count() >= *count
            }
        }
    }
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        1 => Just(Scalar::Null),
        1 => any::<bool>().prop_map(Scalar::Bool),
        4 => (-3..4).prop_map(Scalar::Number),
        4 => "[ab]{0,2}".prop_map(Scalar::Text),
        2 => "[cd]/[0-4]".prop_map(Scalar::Text),
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    let operator = prop_oneof![Just("=="), Just("!="), Just("<"), Just("<="), Just(">"), Just(">=")];
    let quantifier = prop_oneof![Just("ALL"), Just("ANY"), Just("NONE")];
    let scalars = || prop::collection::vec(scalar(), 1..4);
    let leaf = prop_oneof![
        6 => (0..3_usize, operator, scalar()).prop_map(|(f, o, v)| Condition::Compare(f, o, v)),
        2 => (0..3_usize, scalars()).prop_map(|(field, values)| Condition::In(field, values)),
        1 => (0..3_usize, "[ab]{0,2}|c/?[0-4]?").prop_map(|(field, prefix)| Condition::Prefix(field, prefix)),
        1 => (0..3_usize, "[ab_%]{0,3}|[c_%]/[0-2_%]").prop_map(|(field, pattern)| Condition::Like(field, pattern)),
        1 => (0..3_usize).prop_map(Condition::Exists),
        1 => (quantifier, scalars(), 0..3_usize).prop_map(|(q, v, f)| Condition::Elements(q, v, f)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            several.clone().prop_map(Condition::And),
            several.clone().prop_map(Condition::Or),
            inner.prop_map(|condition| Condition::Not(Box::new(condition))),
            (1..4_usize, several).prop_map(|(count, several)| Condition::AtLeast(count, several)),
        ]
    })
}

fn json(document: &Document) -> String {
    let mut text = String::from("{\"x\": 1");
    for ((open, close), values) in
        [("\"a\": ", ""), ("\"b\": {\"c\": ", "}"), ("\"_id\": ", "")].iter().zip(document)
    {
        match values.as_slice() {
            [] => {}
            [only] => write!(text, ", {open}{}{close}", only.text()).unwrap(),
            values => {
                let values: Vec<String> = values.iter().map(Scalar::text).collect();
                write!(text, ", {open}[{}]{close}", values.join(", ")).unwrap();
            }
        }
    }
    text + "}"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_what_a_look_at_each_document_finds(
        fields in prop::collection::vec([prop::collection::vec(scalar(), 0..3), prop::collection::vec(scalar(), 0..3)], 1..12),
        conditions in prop::collection::vec(condition(), 20),
    ) {
        let documents: Vec<Document> =
            fields.into_iter().enumerate().map(|(n, [a, b])| [a, b, vec![Scalar::Text(format!("c/{n}"))]]).collect();
        let texts: Vec<String> = documents.iter().map(json).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let definition = r#"{"includeAllFields": true, "searchField": true, "fields": []}"#;
        let index = Index::new(definition, &texts, false);
        for condition in &conditions {
            let expected: Vec<u32> =
                (0..).zip(&documents).filter(|(_, document)| condition.holds(document)).map(|(n, _)| n).collect();
            let text = condition.text();
            prop_assert_eq!(index.search(&text).unwrap(), expected, "{}", text);
        }
    }
}
