//! Single reads: values that nobody wrote, that were rolled back, or that were overwritten before
//! the commit.

use std::collections::HashSet;

use super::Anomaly;
use super::index::Index;
use crate::histories::history::{Key, Outcome};

/// Returns the anomalies of each read by itself.
pub(super) fn check(index: &Index<'_>) -> Vec<Anomaly> {
    let mut anomalies = Vec::new();
    for (reader, transaction) in index.history.iter().enumerate() {
        for (key, values) in transaction.reads() {
            anomalies.extend(duplicate(reader, key, values));
            anomalies.extend(values.iter().filter_map(|value| unwanted(index, reader, key, *value)));
        }
        for (key, values) in index.external_reads(reader) {
            anomalies.extend(intermediate(index, reader, *key, values));
        }
    }
    anomalies
}

fn duplicate(reader: usize, key: Key, values: &[u64]) -> Option<Anomaly> {
    let mut seen = HashSet::new();
    let value = values.iter().find(|value| !seen.insert(**value))?;
    let text = format!("T{reader} read {value} twice in {key}");
    Some(Anomaly::new("duplicate elements", &[reader], text))
}

/// Returns the anomaly if a value should not be there.
fn unwanted(index: &Index<'_>, reader: usize, key: Key, value: u64) -> Option<Anomaly> {
    let Some(write) = index.write(key, value) else {
        let text = format!("T{reader} read {value} from {key}, which nobody wrote");
        return Some(Anomaly::new("garbage read", &[reader], text));
    };
    let writer = write.transaction;
    if write.is_refused {
        let text = format!("T{reader} read {value} from {key}, a write of T{writer} that was refused");
        return Some(Anomaly::new("G1a (aborted read)", &[reader, writer], text));
    }
    if writer != reader && index.history[writer].outcome == Outcome::Aborted {
        let text = format!("T{reader} read {value} from {key}, and its writer T{writer} was aborted");
        return Some(Anomaly::new("G1a (aborted read)", &[reader, writer], text));
    }
    None
}

/// Returns the anomaly if the last of the values is not the last write of its transaction.
fn intermediate(index: &Index<'_>, reader: usize, key: Key, values: &[u64]) -> Option<Anomaly> {
    let value = *values.last()?;
    let write = index.write(key, value)?;
    let writer = write.transaction;
    if write.is_last || writer == reader {
        return None;
    }
    let text = format!("T{reader} read {value} from {key}, which T{writer} overwrote before its commit");
    Some(Anomaly::new("G1b (intermediate read)", &[reader, writer], text))
}
