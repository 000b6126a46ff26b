//! Random conditions on values of all types: inverted indexes and views find the same documents as
//! a full scan.
//!
//! Searches differ from filters in ways that ArangoDB documents, and the conditions of the scan say
//! so: a range has values of one type, strings are ordered by their bytes, and patterns match
//! strings only. A view has the elements of arrays, and tells null from a missing attribute.

use database::Session;
use serde_json::{Value, json};
use velocypack::Slice;

use super::geo::Numbers;
use crate::common::{create, query, rows, session, value};

const DOCUMENTS: u64 = 120;
const CONDITIONS: usize = 600;

const TEXTS: &[&str] =
    &["", "a", "b", "B", "ab", "abc", "ä", "quick", "the quick fox", "a%b", "a_b", "k1", "c/k1", "1"];
const PATTERNS: &[&str] = &["%", "a%", "%b", "a_c", "_", "", "%quick%", "a\\\\%b", "c/k1%", "k_", "A%"];
const PATHS: &[&str] = &["d.a", "d.b", "d.o.x", "d.o.y.z", "d._key", "d._id"];

impl Numbers {
    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }

    fn scalar(&mut self) -> Value {
        match self.below(9) {
            0 => json!(null),
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(4)),
            3 => json!(-3),
            4 => json!(1.5),
            _ => json!(self.pick(TEXTS)),
        }
    }

    fn list(&mut self) -> Value {
        (0..self.below(4)).map(|_| self.scalar()).collect()
    }

    fn any(&mut self) -> Value {
        match self.below(8) {
            0 => self.list(),
            1 => json!({"x": self.scalar()}),
            _ => self.scalar(),
        }
    }

    fn document(&mut self, number: u64) -> Value {
        let mut document = json!({"_key": format!("k{number}")});
        for name in ["a", "b", "l"] {
            if self.below(6) > 0 {
                document[name] = if name == "l" && self.below(3) > 0 { self.list() } else { self.any() };
            }
        }
        document["o"] = match self.below(4) {
            0 => self.scalar(),
            1 => json!({"x": self.scalar()}),
            _ => json!({"x": self.any(), "y": {"z": self.any()}}),
        };
        document["m"] = match self.below(4) {
            0 => self.scalar(),
            1 => json!({"x": self.scalar()}),
            _ => json!([{"x": self.scalar()}, self.scalar(), {"x": self.scalar()}]),
        };
        document
    }

    /// Returns a condition on one attribute, and the same one for the scan.
    fn atom(&mut self) -> [String; 2] {
        let path = self.pick(PATHS);
        let (one, other, text) = (self.scalar(), self.scalar(), json!(self.pick(TEXTS)));
        let of_text = |condition: String| [condition.clone(), format!("(IS_STRING({path}) AND {condition})")];
        let same = |condition: String| [condition.clone(), condition];
        match self.below(9) {
            0 => same(format!("{path} {} {one}", self.pick(&["==", "!="]))),
            1 => same(format!("{path} {}IN [{one}, {other}, {text}]", self.pick(&["", "NOT "]))),
            2 => {
                let path = self.pick(&PATHS[..5]);
                let operator = self.pick(&["<", "<=", ">", ">="]);
                [format!("{path} {operator} {one}"), range(path, operator, &one)]
            }
            3 => of_text(format!("LIKE({path}, \"{}\")", self.pick(PATTERNS))),
            4 => of_text(format!("STARTS_WITH({path}, [{text}, \"a\", \"k1\"], {})", self.below(3) + 1)),
            5 => of_text(format!("STARTS_WITH({path}, {text})")),
            6 => {
                // The search has no limit on the number of tokens, as the scan has none.
                let distance = self.below(3) + 1;
                let [condition, scan] =
                    of_text(format!("LEVENSHTEIN_MATCH({path}, {text}, {distance}, true)"));
                [condition.replace(", true)", ", true, 0)"), scan]
            }
            7 => [format!("{one} IN d.l[*]"), format!("(IS_ARRAY(d.l) AND {one} IN d.l)")],
            _ => {
                let elements = "d.m[* FILTER HAS(CURRENT, 'x')].x";
                [format!("{one} IN d.m[*].x"), format!("(IS_ARRAY(d.m) AND {one} IN {elements})")]
            }
        }
    }

    fn condition(&mut self, depth: usize) -> [String; 2] {
        let kind = self.below(10);
        if depth == 0 || kind < 5 {
            return self.atom();
        }
        let [left, left_of_scan] = self.condition(depth - 1);
        if kind == 5 {
            // The opposite of a range is a range, and has values of one type.
            let is_range = ["<", ">"].iter().any(|operator| left.contains(operator));
            return if is_range {
                [left, left_of_scan]
            } else {
                [left, left_of_scan].map(|part| format!("NOT ({part})"))
            };
        }
        let [right, right_of_scan] = self.condition(depth - 1);
        let operator = self.pick(&["AND", "OR"]);
        [format!("({left} {operator} {right})"), format!("({left_of_scan} {operator} {right_of_scan})")]
    }
}

/// Returns the comparison that is true for values of the bound's type only, strings by their bytes.
fn range(path: &str, operator: &str, bound: &Value) -> String {
    match bound {
        Value::String(_) => {
            format!("(IS_STRING({path}) AND TO_HEX({path}) {operator} TO_HEX({bound}))")
        }
        _ => format!("(TYPENAME({path}) == TYPENAME({bound}) AND {path} {operator} {bound})"),
    }
}

fn prepared(numbers: &mut Numbers) -> Session {
    let session = session();
    create(&session, r#"{"name": "c"}"#);
    let fields = r#"["_id", "_key", "a", "b", "o.x", "o.y.z", "l[*]", "m[*].x"]"#;
    let index = format!(r#"{{"type": "inverted", "name": "inv", "fields": {fields}}}"#);
    session.create_index("c", Slice::new(&value(&index))).unwrap();
    for view in [
        r#"{"name": "v", "type": "arangosearch", "links": {"c": {"includeAllFields": true}}}"#,
        r#"{"name": "alias", "type": "search-alias", "indexes": [{"collection": "c", "index": "inv"}]}"#,
    ] {
        session.create_view(Slice::new(&value(view))).unwrap();
    }
    let documents: Vec<Value> = (0..DOCUMENTS).map(|number| numbers.document(number)).collect();
    query(&session, &format!("FOR x IN {} INSERT x INTO c", json!(documents))).unwrap();
    for view in ["v", "alias"] {
        rows(&session, &format!("FOR x IN {view} OPTIONS {{waitForSync: true}} LIMIT 1 RETURN 1"));
    }
    session
}

/// Returns the sorted keys of the documents of a query.
fn keys(session: &Session, text: &str) -> Vec<String> {
    let rows = rows(session, &format!("{text} RETURN d._key"));
    let mut keys: Vec<String> = rows.as_array().unwrap().iter().map(ToString::to_string).collect();
    keys.sort();
    keys
}

#[test]
fn searches_find_what_a_scan_finds() {
    let mut numbers = Numbers::seeded(5);
    let session = prepared(&mut numbers);
    let mut found = 0;
    for _ in 0..CONDITIONS {
        let [condition, of_scan] = numbers.condition(2);
        let scan = format!("FOR d IN c OPTIONS {{disableIndex: true}} FILTER {of_scan}");
        let full = keys(&session, &scan);
        found += usize::from(!full.is_empty());
        let hinted =
            format!("FOR d IN c OPTIONS {{indexHint: 'inv', forceIndexHint: true}} FILTER {condition}");
        assert_eq!(keys(&session, &hinted), full, "{condition}");
        if condition.contains("null") {
            continue;
        }
        let search = format!("FOR d IN alias SEARCH {condition}");
        assert_eq!(keys(&session, &search), full, "{search}");
        if !condition.contains("[*]") {
            let plain = "FILTER !IS_ARRAY(d.a) && !IS_ARRAY(d.b) && !IS_ARRAY(d.o.x) && !IS_ARRAY(d.o.y.z)";
            let search = format!("FOR d IN v SEARCH {condition} {plain}");
            assert_eq!(keys(&session, &search), keys(&session, &format!("{scan} {plain}")), "{search}");
        }
    }
    assert!(found * 3 > CONDITIONS, "the conditions find too little: {found}");
}
