//! Dependencies that follow from the times of transactions.
//!
//! A transaction depends on those that had committed before it began. A read at a follower may be
//! of an earlier state: it depends only on earlier reads at the same follower, which never goes
//! back. Its findings were committed, so transactions that begin after it depend on it.

use std::collections::HashMap;

use super::graph::{Graph, Kind};
use super::index::Index;

/// Transactions that are over, without those that a later one of them depends on.
type Over = Vec<usize>;

/// Adds a dependency on every transaction that was over before another began, without those that
/// follow from two others.
pub(super) fn add(index: &Index<'_>, graph: &mut Graph) {
    let mut events = Vec::new();
    for (number, transaction) in index.committed() {
        if let Some(end) = index.committed_by(number) {
            // At the same instant, beginnings are first: nothing is known about the order.
            events.push((transaction.begin, false, number));
            events.push((end, true, number));
        }
    }
    events.sort_unstable();
    let mut before: HashMap<usize, Over> = HashMap::new();
    let mut all = Over::new();
    let mut at_followers: HashMap<usize, Over> = HashMap::new();
    for (_, is_end, number) in events {
        let follower = index.history.get(number).and_then(|transaction| transaction.follower);
        if is_end {
            let older = before.remove(&number).unwrap_or_default();
            replace(&mut all, &older, number);
            if let Some(follower) = follower {
                replace(at_followers.entry(follower).or_default(), &older, number);
            }
        } else {
            let over = match follower {
                Some(follower) => at_followers.entry(follower).or_default(),
                None => &mut all,
            };
            over.iter().for_each(|earlier| graph.add(*earlier, number, Kind::RealTime, None));
            before.insert(number, over.clone());
        }
    }
}

/// Puts a transaction in the place of those that it depends on.
fn replace(over: &mut Over, older: &Over, number: usize) {
    over.retain(|transaction| !older.contains(transaction));
    over.push(number);
}
