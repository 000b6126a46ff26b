//! Updates that are lost: by another transaction that read the same state, or altogether.

use std::collections::HashMap;
use std::time::Duration;

use super::Anomaly;
use super::index::Index;
use crate::histories::history::Key;

/// The last committed read of an object that cannot be of an earlier state: its beginning, its
/// transaction and the values.
type LastRead<'h> = (Duration, usize, &'h [u64]);

/// Returns all lost updates.
pub(super) fn check(index: &Index<'_>) -> Vec<Anomaly> {
    let mut anomalies = lost_updates(index);
    anomalies.extend(lost_writes(index));
    anomalies
}

/// Finds transactions that read one state of an object, wrote it, and committed both.
fn lost_updates(index: &Index<'_>) -> Vec<Anomaly> {
    let mut updates: HashMap<(Key, &[u64]), usize> = HashMap::new();
    let mut anomalies = Vec::new();
    for (number, transaction) in index.committed() {
        for (key, values) in index.external_reads(number) {
            if transaction.writes().all(|(written, _)| written != *key) {
                continue;
            }
            if let Some(other) = updates.insert((*key, values), number) {
                let text = format!("T{other} and T{number} both read {values:?} from {key} and wrote it");
                anomalies.push(Anomaly::new("lost update", &[other, number], text));
            }
        }
    }
    anomalies
}

/// Finds writes that committed before an object was read for the last time, and are not there.
fn lost_writes(index: &Index<'_>) -> Vec<Anomaly> {
    let last_reads = last_reads(index);
    let mut anomalies = Vec::new();
    for (writer, transaction) in index.committed() {
        let Some(committed) = index.committed_by(writer) else { continue };
        for (key, value) in transaction.writes() {
            let Some((begin, reader, values)) = last_reads.get(&key).copied() else { continue };
            if writer != reader && committed < begin && is_lost(index, key, value, values) {
                let text = format!(
                    "T{writer} wrote {value} to {key} and committed by {:.6} s, and T{reader}, which began at {:.6} s, read {values:?}",
                    committed.as_secs_f64(),
                    begin.as_secs_f64()
                );
                anomalies.push(Anomaly::new("lost write", &[writer, reader], text));
            }
        }
    }
    anomalies
}

fn last_reads<'h>(index: &Index<'h>) -> HashMap<Key, LastRead<'h>> {
    let mut last: HashMap<Key, LastRead<'h>> = HashMap::new();
    for (reader, transaction) in index.committed().filter(|(_, reader)| reader.follower.is_none()) {
        for (key, values) in transaction.reads() {
            let entry = last.entry(key).or_insert((transaction.begin, reader, values));
            if entry.0 < transaction.begin {
                *entry = (transaction.begin, reader, values);
            }
        }
    }
    last
}

/// Returns true if a write that committed before the last read cannot have led to `values`.
fn is_lost(index: &Index<'_>, key: Key, value: u64, values: &[u64]) -> bool {
    if values.contains(&value) {
        return false;
    }
    match (key, values.last()) {
        (Key::List(_), _) | (_, None) => true,
        // The value may be a later write, unless its transaction was over before this one began.
        (Key::Register(_), Some(found)) => {
            let [writer, other] = [value, *found].map(|value| index.write(key, value));
            let begin = writer.map(|write| index.history[write.transaction].begin);
            let end = other.and_then(|write| index.committed_by(write.transaction));
            end.zip(begin).is_some_and(|(end, begin)| end < begin)
        }
    }
}
