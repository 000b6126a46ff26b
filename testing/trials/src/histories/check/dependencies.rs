//! Dependencies that follow from reads, and from the times of transactions.

use std::collections::{BTreeMap, HashMap};

use super::Anomaly;
use super::graph::{Graph, Kind};
use super::index::Index;
use super::real_time;
use crate::histories::history::Key;

/// Returns all dependencies between committed transactions, and lists that contradict each other.
pub(super) fn infer(index: &Index<'_>) -> (Graph, Vec<Anomaly>) {
    let mut graph = Graph::new(index.history.len());
    let (orders, anomalies) = list_orders(index);
    add_lists(index, &orders, &mut graph);
    add_registers(index, &mut graph);
    real_time::add(index, &mut graph);
    (graph, anomalies)
}

/// Returns the longest state of each list. All others must be prefixes of it.
fn list_orders<'h>(index: &Index<'h>) -> (BTreeMap<Key, &'h [u64]>, Vec<Anomaly>) {
    let mut longest: BTreeMap<Key, (usize, &[u64])> = BTreeMap::new();
    let lists = || {
        let reads = index.committed().flat_map(|(reader, transaction)| {
            transaction.reads().map(move |(key, values)| (reader, key, values))
        });
        reads.filter(|(_, key, _)| matches!(key, Key::List(_)))
    };
    for (reader, key, values) in lists() {
        let entry = longest.entry(key).or_insert((reader, values));
        if entry.1.len() < values.len() {
            *entry = (reader, values);
        }
    }
    let mut anomalies = Vec::new();
    for (reader, key, values) in lists() {
        let Some((other, order)) = longest.get(&key).copied() else { continue };
        if !order.starts_with(values) {
            let text = format!("T{other} read {order:?} from {key}, and T{reader} read {values:?}");
            anomalies.push(Anomaly::new("incompatible order", &[other, reader], text));
        }
    }
    (longest.into_iter().map(|(key, (_, order))| (key, order)).collect(), anomalies)
}

fn add_lists(index: &Index<'_>, orders: &BTreeMap<Key, &[u64]>, graph: &mut Graph) {
    for (key, order) in orders {
        for pair in order.windows(2) {
            let writers = [0, 1].map(|at| index.committed_writer(*key, pair[at]));
            if let [Some(first), Some(second)] = writers {
                graph.add(first, second, Kind::WriteWrite, Some((*key, pair[1])));
            }
        }
    }
    for (reader, _) in index.committed() {
        for (key, values) in index.external_reads(reader) {
            let Some(order) = orders.get(key).filter(|order| order.starts_with(values)) else { continue };
            add_read(index, graph, reader, *key, values.last().copied());
            if let Some(next) = order.get(values.len()) {
                add_overwrite(index, graph, reader, *key, *next);
            }
        }
    }
}

fn add_read(index: &Index<'_>, graph: &mut Graph, reader: usize, key: Key, value: Option<u64>) {
    let writer = value.and_then(|value| Some((value, index.committed_writer(key, value)?)));
    if let Some((value, writer)) = writer {
        graph.add(writer, reader, Kind::WriteRead, Some((key, value)));
    }
}

fn add_overwrite(index: &Index<'_>, graph: &mut Graph, reader: usize, key: Key, next: u64) {
    if let Some(writer) = index.committed_writer(key, next) {
        graph.add(reader, writer, Kind::ReadWrite, Some((key, next)));
    }
}

/// Adds the dependencies of registers. A transaction that reads one value and writes another puts
/// the second after the first. Every value follows the absence of one.
fn add_registers(index: &Index<'_>, graph: &mut Graph) {
    let mut successors: HashMap<(Key, Option<u64>), Vec<u64>> = HashMap::new();
    for (number, transaction) in index.committed() {
        let last: BTreeMap<Key, u64> = transaction.writes().collect();
        for (key, value) in last.into_iter().filter(|(key, _)| matches!(key, Key::Register(_))) {
            successors.entry((key, None)).or_default().push(value);
            let read = index.external_reads(number).get(&key).and_then(|values| values.last().copied());
            if let Some(before) = read {
                successors.entry((key, Some(before))).or_default().push(value);
                if let Some(writer) = index.committed_writer(key, before) {
                    graph.add(writer, number, Kind::WriteWrite, Some((key, value)));
                }
            }
        }
    }
    for (reader, _) in index.committed() {
        let reads = index.external_reads(reader).iter();
        for (key, values) in reads.filter(|(key, _)| matches!(key, Key::Register(_))) {
            let value = values.last().copied();
            add_read(index, graph, reader, *key, value);
            for next in successors.get(&(*key, value)).into_iter().flatten() {
                add_overwrite(index, graph, reader, *key, *next);
            }
        }
    }
}
