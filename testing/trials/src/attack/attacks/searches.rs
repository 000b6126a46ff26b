//! Searches that look up all terms, compare them with long patterns or score all documents, and
//! analyzers whose queries sleep.

use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};

use super::Attack;
use super::hostile::Hostile;
use super::killed::{run_and_kill, run_for};
use crate::attack::case::{Case, run_cases};
use crate::attack::target::Target;

/// Documents of the view.
const DOCUMENTS: usize = 20_000;

/// Documents of one request.
const DOCUMENTS_AT_ONCE: usize = 1_000;

/// Times after which searches are killed: while they look up terms, and while they find documents.
const KILL_AFTER: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// See the module.
pub(crate) struct Searches;

impl Attack for Searches {
    fn name(&self) -> &'static str {
        "searches"
    }

    fn summary(&self) -> &'static str {
        "searches over all terms, long patterns, and analyzers that sleep"
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        target.call("POST", "/_api/collection", r#"{"name": "texts"}"#)?;
        analyzer(target, "sleeping", "RETURN SLEEP(300)")?;
        analyzer(target, "counting", "RETURN LENGTH(1..1000000000)")?;
        for start in (0..DOCUMENTS).step_by(DOCUMENTS_AT_ONCE) {
            let documents: Vec<Value> = (start..start + DOCUMENTS_AT_ONCE).map(document).collect();
            target.call("POST", "/_api/document/texts", &json!(documents).to_string())?;
        }
        let fields = json!({
            "word": {"analyzers": ["identity"]},
            "text": {"analyzers": ["text_en", "identity"]},
        });
        let links = json!({"texts": {"fields": fields}});
        let view = json!({"name": "searched", "type": "arangosearch", "links": links});
        target.call("POST", "/_api/view", &view.to_string())?;
        // The view follows before the attack begins.
        let wait = "FOR d IN searched OPTIONS {waitForSync: true} COLLECT WITH COUNT INTO n RETURN n";
        target.call("POST", "/_api/cursor", &json!({"query": wait}).to_string())?;
        Ok(())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut cases = Vec::new();
        for query in searches() {
            for after in KILL_AFTER {
                let (name, query) = (format!("{} killed after {after:?}", query.name), query.clone());
                cases.push(Case::new(name, move |target, rng| run_and_kill(target, rng, &query, after)));
            }
            let name = format!("{} with maxRuntime", query.name);
            cases.push(Case::new(name, move |target, _| run_for(target, &query)));
        }
        run_cases(target, rng, cases)
    }
}

fn analyzer(target: &Target, name: &str, query: &str) -> Result<(), String> {
    let properties = json!({"queryString": format!("{query} + LENGTH(@param)")});
    let body = json!({"name": name, "type": "aql", "properties": properties});
    target.call("POST", "/_api/analyzer", &body.to_string()).map(|_| ())
}

/// A document whose word is its own, and whose text has two hundred of a thousand words.
fn document(number: usize) -> Value {
    let words: Vec<String> = (0..200).map(|word| format!("w{}", (number * 7 + word * 13) % 1_000)).collect();
    json!({"word": format!("{number:x}").repeat(40), "text": words.join(" ")})
}

fn searches() -> Vec<Hostile> {
    let hostile = |name: &str, text: String, bind: Value| Hostile { name: name.to_owned(), text, bind };
    let search = |name: &str, condition: &str, bind: Value| {
        let text = format!("FOR d IN searched SEARCH {condition} COLLECT WITH COUNT INTO n RETURN n");
        hostile(name, text, bind)
    };
    let prefixes: Vec<String> = (0..1_000).map(|number| format!("w{number}")).collect();
    let all = "FOR d IN searched SEARCH ANALYZER(STARTS_WITH(d.text, 'w'), 'text_en')";
    vec![
        search("LIKE of any characters", "d.word LIKE @pattern", json!({"pattern": "%_".repeat(5_000)})),
        search("LIKE of letters", "d.word LIKE @pattern", json!({"pattern": "%1_%_a".repeat(2_000)})),
        search(
            "LEVENSHTEIN_MATCH of a long text",
            "LEVENSHTEIN_MATCH(d.word, @text, 3, true, 0)",
            json!({"text": "1a".repeat(2_000)}),
        ),
        search(
            "STARTS_WITH of 1,000 prefixes",
            "ANALYZER(STARTS_WITH(d.text, @prefixes, 900), 'text_en')",
            json!({"prefixes": prefixes}),
        ),
        search("a phrase of patterns", &phrase(), json!({})),
        hostile("BM25 over all terms", format!("{all} SORT BM25(d) DESC LIMIT 10 RETURN d._key"), json!({})),
        hostile(
            "scores in a join",
            format!("FOR i IN 1..10000 {all} SORT BM25(d) LIMIT 1 RETURN 1"),
            json!({}),
        ),
        hostile("OFFSET_INFO", format!("{all} RETURN OFFSET_INFO(d, 'text')"), json!({})),
        hostile("an analyzer that sleeps", "RETURN TOKENS('a', 'sleeping')".to_owned(), json!({})),
        hostile("an analyzer that counts", "RETURN TOKENS('a', 'counting')".to_owned(), json!({})),
        search(
            "a search with an analyzer that sleeps",
            "ANALYZER(PHRASE(d.text, 'a'), 'sleeping')",
            json!({}),
        ),
    ]
}

/// A phrase of twenty words, each of which may be any.
fn phrase() -> String {
    let parts = vec!["{WILDCARD: ['w%']}"; 20].join(", 0, ");
    format!("ANALYZER(PHRASE(d.text, {parts}), 'text_en')")
}
