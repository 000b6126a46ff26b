//! Writers that are faster than a view: the time from a write to its place in the view is bounded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::wait_within;
use serde_json::{Value, json};

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::target::Target;

/// The view's interval between two steps.
const INTERVAL: Duration = Duration::from_millis(200);

/// Maximum time from a reply to a write until the view shows it, besides the interval and the
/// floor: writers may be ahead by a second of the indexer's work, and a step takes as long.
const DELAY_MAX: Duration = Duration::from_millis(2_500);

/// Writers, and the time for which they write.
const WRITERS: usize = 4;
const WRITING: Duration = Duration::from_secs(4);

/// Documents of one request, and words of a document.
const DOCUMENTS: usize = 500;
const WORDS: usize = 40;

/// Maximum wait for a document in the view.
const PATIENCE: Duration = Duration::from_secs(30);

/// See the module.
pub(crate) struct Views;

impl Attack for Views {
    fn name(&self) -> &'static str {
        "views"
    }

    fn summary(&self) -> &'static str {
        "writers that are faster than a view"
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        target.call("POST", "/_api/collection", r#"{"name": "written"}"#)?;
        let links = json!({"written": {"fields": {"text": {"analyzers": ["text_en"]}, "mark": {}}}});
        let view = json!({
            "name": "shown",
            "type": "arangosearch",
            "links": links,
            "commitIntervalMsec": INTERVAL.as_millis() as u64,
        });
        target.call("POST", "/_api/view", &view.to_string()).map(|_| ())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        run_cases(target, rng, vec![Case::new("writers ahead of a view", write_ahead)])
    }
}

/// Writes fast, and measures how late the view shows a document. Errors: too late.
fn write_ahead(target: &Target, rng: &mut Rng) -> Result<(), String> {
    let is_over = AtomicBool::new(false);
    let seeds: Vec<u64> = (0..WRITERS).map(|_| rng.u64(..)).collect();
    thread::scope(|scope| {
        for seed in seeds {
            let is_over = &is_over;
            scope.spawn(move || {
                let mut rng = Rng::with_seed(seed);
                while !is_over.load(Ordering::Relaxed) {
                    let documents: Vec<Value> = (0..DOCUMENTS).map(|_| document(&mut rng)).collect();
                    // Errors: writers may be refused.
                    let _ = target.call("POST", "/_api/document/written", &json!(documents).to_string());
                }
            });
        }
        let longest = longest_delay(target);
        is_over.store(true, Ordering::Relaxed);
        let (longest, bound) = (longest?, INTERVAL + DELAY_MAX + target.limits().floor * 10);
        if longest <= bound {
            return Ok(());
        }
        Err(format!("the view showed a document {longest:.1?} after its write, the bound is {bound:?}"))
    })
}

fn document(rng: &mut Rng) -> Value {
    let words: Vec<String> = (0..WORDS).map(|_| format!("w{}", rng.u32(..100_000))).collect();
    json!({"text": words.join(" ")})
}

/// Writes documents one by one, and waits until the view shows each. Returns the longest wait.
fn longest_delay(target: &Target) -> Result<Duration, String> {
    let (start, mut longest, mut mark) = (Instant::now(), Duration::ZERO, 0);
    while start.elapsed() < WRITING {
        mark += 1;
        target.call("POST", "/_api/document/written", &json!({"mark": mark}).to_string())?;
        let query = format!("FOR d IN shown SEARCH d.mark == {mark} COLLECT WITH COUNT INTO n RETURN n");
        let query = json!({"query": query}).to_string();
        let written = Instant::now();
        let is_shown = || {
            let reply = target.call("POST", "/_api/cursor", &query).ok()?.json();
            (reply["result"][0].as_u64()? > 0).then_some(())
        };
        wait_within(PATIENCE, "the view shows a document", is_shown)?;
        longest = longest.max(written.elapsed());
    }
    Ok(longest)
}
