//! Counters that all clients increment.

use std::sync::atomic::{AtomicU64, Ordering};

use client::Client;
use fastrand::Rng;
use harness::requests::Failure;
use serde_json::{Value, json};

use super::{Load, create_collection, query};
use crate::journal::{Journal, Outcome};

const COUNTERS: usize = 3;

/// Counters that all clients increment.
#[derive(Default)]
pub(super) struct Counters {
    acknowledged: [AtomicU64; COUNTERS],
    /// Increments that may have taken place.
    unknown: [AtomicU64; COUNTERS],
}

impl Load for Counters {
    fn name(&self) -> &'static str {
        "counters"
    }

    fn create(&self, client: &Client) -> Result<(), Failure> {
        create_collection(client, "counters")?;
        let text = "FOR n IN 0..@last INSERT {_key: TO_STRING(n), value: 0} INTO counters";
        query(client, text, &json!({"last": COUNTERS - 1})).map(drop)
    }

    fn step(&self, client: &Client, rng: &mut Rng, journal: &Journal) -> bool {
        let number = rng.usize(..COUNTERS);
        let (acknowledged, unknown) = (&self.acknowledged[number], &self.unknown[number]);
        // All of these were acknowledged before the query begins.
        let least = acknowledged.load(Ordering::SeqCst);
        let text = "FOR c IN counters FILTER c._key == @key UPDATE c WITH {value: c.value + 1} IN counters RETURN NEW.value";
        let done = query(client, text, &json!({"key": number.to_string()}));
        let outcome = journal.note(&done);
        match outcome {
            Outcome::Acknowledged => {
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
            Outcome::Unknown => {
                unknown.fetch_add(1, Ordering::SeqCst);
            }
            Outcome::Refused => {}
        }
        if let Ok(rows) = done
            && rows.first().and_then(Value::as_u64).is_none_or(|value| value <= least)
        {
            journal
                .complain(&format!("counter {number} became {rows:?} after {least} acknowledged increments"));
        }
        outcome == Outcome::Acknowledged
    }

    fn verify(&self, client: &Client) -> Result<String, String> {
        let rows = query(client, "FOR c IN counters SORT c._key RETURN c.value", &json!({}));
        let values: Vec<_> =
            rows.map_err(|failure| failure.to_string())?.iter().filter_map(Value::as_u64).collect();
        for (number, counts) in self.acknowledged.iter().zip(&self.unknown).enumerate() {
            let [acknowledged, unknown] = [counts.0, counts.1].map(|count| count.load(Ordering::SeqCst));
            let value = values.get(number).copied().unwrap_or_default();
            if !(acknowledged..=acknowledged + unknown).contains(&value) {
                return Err(format!(
                    "counter {number} is {value} after {acknowledged} acknowledged and {unknown} unknown increments"
                ));
            }
        }
        Ok(format!("{values:?}"))
    }
}
