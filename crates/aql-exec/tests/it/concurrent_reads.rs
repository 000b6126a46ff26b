//! The concurrent reads of a query, on an engine whose reads wait for messages.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kv::{Block, BlockLimits, MemoryEngine, PrefixScan, Result, Scan, ScanSpec, Snapshot, Values};
use storage::{Store, StoreOptions};
use test_engine::WrappedEngine;

use crate::common::{Fixture, Run};

/// A clock that stands still while a query has something to do, and advances by one while it waits
/// for a message. Every message takes one unit of time.
#[derive(Default)]
struct Clock {
    now: AtomicUsize,
    messages: AtomicUsize,
}

impl Clock {
    /// Sends a message, and returns the time at which its reply arrives.
    fn send(&self) -> usize {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.now.load(Ordering::Relaxed) + 1
    }

    fn wait_until(&self, time: usize) {
        self.now.fetch_max(time, Ordering::Relaxed);
    }

    /// Returns the waits and messages since the last call.
    fn take(&self) -> (usize, usize) {
        (self.now.swap(0, Ordering::Relaxed), self.messages.swap(0, Ordering::Relaxed))
    }
}

struct RemoteSnapshot {
    inner: Arc<dyn Snapshot>,
    clock: Arc<Clock>,
    concurrent_reads: usize,
}

struct RemotePrefixScan {
    inner: Box<dyn PrefixScan>,
    clock: Arc<Clock>,
    concurrent_reads: usize,
    /// The prefetched prefixes, the oldest first, with the times at which their pages arrive.
    prefetched: VecDeque<(Vec<u8>, usize)>,
}

struct RemoteScan {
    inner: Box<dyn Scan>,
    clock: Arc<Clock>,
    /// The time at which the first page arrives, or has arrived.
    arrival: Option<usize>,
}

impl Snapshot for RemoteSnapshot {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.inner.get_many(keys)
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        let (inner, clock) = (self.inner.scan(spec)?, Arc::clone(&self.clock));
        Ok(Box::new(RemoteScan { inner, clock, arrival: None }))
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        Ok(Box::new(RemotePrefixScan {
            inner: self.inner.prefix_scan()?,
            clock: Arc::clone(&self.clock),
            concurrent_reads: self.concurrent_reads,
            prefetched: VecDeque::new(),
        }))
    }

    fn concurrent_reads(&self) -> usize {
        self.concurrent_reads
    }
}

impl PrefixScan for RemotePrefixScan {
    fn read(
        &mut self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limits: BlockLimits,
        block: &mut Block,
    ) -> Result<bool> {
        let position = self.prefetched.iter().position(|(prefetched, _)| prefetched == prefix);
        let prefetched = position.filter(|_| after.is_none()).and_then(|at| self.prefetched.remove(at));
        self.clock.wait_until(prefetched.map_or_else(|| self.clock.send(), |(_, arrival)| arrival));
        self.inner.read(prefix, after, limits, block)
    }

    fn prefetch(&mut self, prefixes: &[&[u8]]) {
        assert!(self.concurrent_reads > 1, "a prefetch has no effect here");
        for prefix in prefixes {
            if !self.prefetched.iter().any(|(prefetched, _)| prefetched == prefix) {
                if self.prefetched.len() == self.concurrent_reads {
                    self.prefetched.pop_front();
                }
                self.prefetched.push_back((prefix.to_vec(), self.clock.send()));
            }
        }
    }

    fn release(&mut self) {
        self.prefetched.clear();
    }
}

impl Scan for RemoteScan {
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        self.fetch();
        self.clock.wait_until(self.arrival.unwrap_or_default());
        self.inner.next_block(limits)
    }

    fn fetch(&mut self) {
        self.arrival.get_or_insert_with(|| self.clock.send());
    }

    fn release(&mut self) {
        self.inner.release();
    }

    fn rewind(&mut self, key: &[u8]) {
        self.inner.rewind(key);
    }
}

/// The results of queries with their waits and messages, on a graph on such an engine.
struct Remote {
    fixture: Fixture,
    clock: Arc<Clock>,
}

impl Remote {
    fn new(concurrent_reads: usize) -> Self {
        let clock = Arc::new(Clock::default());
        let of_snapshots = Arc::clone(&clock);
        let engine = WrappedEngine::new(MemoryEngine::new()).replacing_snapshots(move |inner| {
            Arc::new(RemoteSnapshot { inner, clock: Arc::clone(&of_snapshots), concurrent_reads })
        });
        // Servers that share a store have no read cache.
        let options = StoreOptions { read_cache_bytes: 0, ..StoreOptions::default() };
        let fixture = Fixture { store: Store::open(Arc::new(engine), options).unwrap() };
        Remote { fixture, clock }
    }

    /// Makes a tree of 1 + 8 + 64 + 512 + 4096 vertices whose edges have weights, with some more
    /// edges across.
    fn with_graph(self) -> Self {
        let (mut vertices, mut edges) = (String::from("["), String::from("["));
        for child in 0..4681 {
            write!(vertices, r#"{{"_key":"{child}","n":{}}},"#, child % 100).unwrap();
            let parent = if child == 0 { 4000 } else { (child - 1) / 8 };
            let across = child * 7919 % 4681;
            for (from, to) in
                [(parent, child), (child, across)].into_iter().take(1 + usize::from(child % 9 == 0))
            {
                write!(edges, r#"{{"_from":"v/{from}","_to":"v/{to}","w":{}}},"#, 1 + child % 5).unwrap();
            }
        }
        for list in [&mut vertices, &mut edges] {
            list.pop();
            list.push(']');
        }
        self.fixture.collection("v").edge_collection("e");
        self.fixture.index("v", r#"{"type":"persistent","fields":["n"]}"#);
        self.fixture.insert("v", &vertices).insert("e", &edges);
        self
    }

    fn run(&self, query: &str) -> (Vec<String>, usize, usize) {
        let plan_first = Run::default();
        self.clock.take();
        let answer = self.fixture.run(query, &plan_first).unwrap_or_else(|error| panic!("{query}: {error}"));
        let (waits, messages) = self.clock.take();
        (answer.results, waits, messages)
    }
}

/// Queries over many short ranges read them concurrently. They return the same rows, and read few
/// pairs that they do not need.
#[test]
fn queries_wait_for_many_concurrent_reads() {
    let (one, many) = (Remote::new(1).with_graph(), Remote::new(64).with_graph());
    let mut failed = Vec::new();
    for (name, query, at_least) in [
        ("breadth first, depth 4", "FOR v IN 1..4 OUTBOUND 'v/0' e OPTIONS {order: 'bfs'} RETURN v._key", 10),
        (
            "breadth first, each vertex once",
            "FOR v IN 1..9 ANY 'v/17' e OPTIONS {order: 'bfs', uniqueVertices: 'global'} RETURN v._key",
            10,
        ),
        ("depth first, depth 4", "FOR v, w, p IN 1..4 OUTBOUND 'v/0' e RETURN p.edges[*].w", 6),
        (
            "by weight",
            "FOR v IN 1..3 OUTBOUND 'v/0' e OPTIONS {order: 'weighted', weightAttribute: 'w'} RETURN v._key",
            3,
        ),
        ("shortest path", "FOR v IN OUTBOUND SHORTEST_PATH 'v/0' TO 'v/4680' e RETURN v._key", 1),
        (
            "all shortest paths",
            "FOR p IN ANY ALL_SHORTEST_PATHS 'v/9' TO 'v/4000' e RETURN p.vertices[*]._key",
            2,
        ),
        ("k paths", "FOR p IN 1..5 ANY K_PATHS 'v/9' TO 'v/40' e RETURN p.vertices[*]._key", 3),
        (
            "shortest path by weight",
            "FOR v IN ANY SHORTEST_PATH 'v/300' TO 'v/4600' e OPTIONS {weightAttribute: 'w'} RETURN v._key",
            3,
        ),
        (
            "join by the edge index",
            "FOR i IN 0..600 FOR w IN e FILTER w._from == CONCAT('v/', i) RETURN w._to",
            10,
        ),
        ("join by another index", "FOR i IN 0..99 FOR d IN v FILTER d.n == i RETURN d._key", 10),
        (
            "edges of a list of vertices",
            "FOR w IN e FILTER w._to IN (FOR i IN 1..600 RETURN CONCAT('v/', i)) RETURN w._from",
            10,
        ),
        ("values of a list", "FOR d IN v FILTER d.n IN (FOR i IN 1..99 RETURN i) RETURN d._key", 5),
    ] {
        let (mut expected, one_by_one, fewest) = one.run(query);
        let (mut found, at_once, messages) = many.run(query);
        assert_eq!(found.len(), expected.len(), "{query}");
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{query}");
        if at_once * at_least > one_by_one {
            failed.push(format!("{name}: {at_once} waits for {one_by_one}"));
        }
        if messages > 2 * fewest + 64 {
            failed.push(format!("{name}: {messages} messages for {fewest}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// A query that stops early prefetches little that it does not read.
#[test]
fn a_query_that_stops_early_reads_little_ahead() {
    let (one, many) = (Remote::new(1).with_graph(), Remote::new(64).with_graph());
    for query in [
        "FOR v IN 1..4 OUTBOUND 'v/0' e OPTIONS {order: 'bfs'} LIMIT 20 RETURN v._key",
        "FOR v IN 1..4 OUTBOUND 'v/0' e LIMIT 3 RETURN v._key",
        "FOR i IN 0..99 FOR d IN v FILTER d.n == i LIMIT 2 RETURN d._key",
    ] {
        let (expected, _, fewest) = one.run(query);
        let (found, _, messages) = many.run(query);
        assert_eq!(found.len(), expected.len());
        assert!(messages <= fewest + 64, "{query}: {messages} messages for {fewest}");
    }
}
