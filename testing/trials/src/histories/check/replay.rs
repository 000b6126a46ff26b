//! Transactions by themselves: they read their own writes, and every object in one state.

use std::collections::HashMap;

use super::Anomaly;
use crate::histories::history::{Key, Operation, Transaction};

/// The state of an object as one transaction knows it.
#[derive(Default)]
struct State {
    /// True if `values` are the whole state; otherwise they are the transaction's own appends.
    is_whole: bool,
    values: Vec<u64>,
}

/// Returns the anomaly "internal" of each transaction that contradicts itself.
pub(super) fn check(history: &[Transaction]) -> Vec<Anomaly> {
    let contradiction = |(number, transaction): (usize, &Transaction)| {
        let text = replay(transaction, |_, _| ()).err()?;
        Some(Anomaly::new("internal", &[number], format!("T{number} contradicts itself: {text}")))
    };
    history.iter().enumerate().filter_map(contradiction).collect()
}

/// Returns the states that a transaction read of others: for each object the values without its
/// own writes.
pub(super) fn external_reads(transaction: &Transaction) -> HashMap<Key, Vec<u64>> {
    let mut reads = HashMap::new();
    // Errors: a contradiction, which `check` reports.
    let _ = replay(transaction, |key, values| drop(reads.insert(key, values.to_vec())));
    reads
}

/// Calls `found` for the first state of each object that others left. Errors: a read that does not
/// follow from the operations before it.
fn replay(transaction: &Transaction, mut found: impl FnMut(Key, &[u64])) -> Result<(), String> {
    let mut states: HashMap<Key, State> = HashMap::new();
    for operation in &transaction.operations {
        match operation {
            Operation::Write { key, value } => {
                let state = states.entry(*key).or_default();
                state.is_whole |= matches!(key, Key::Register(_));
                key.apply(&mut state.values, *value);
            }
            Operation::Read { key, values } => {
                let state = states.entry(*key).or_default();
                if state.is_whole {
                    if state.values != *values {
                        return Err(format!("{key} must be {:?}, and it read {values:?}", state.values));
                    }
                    continue;
                }
                let others = values.strip_suffix(&state.values[..]).ok_or_else(|| {
                    format!("{key} must end with its own {:?}, and it read {values:?}", state.values)
                })?;
                found(*key, others);
                *state = State { is_whole: true, values: values.clone() };
            }
        }
    }
    Ok(())
}
