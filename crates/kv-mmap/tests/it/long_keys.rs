//! Random writes of short and long keys, compared with the memory engine.

use std::sync::Arc;

use encryption::MasterKey;
use kv::{
    Block, BlockLimits, Durability, Engine, KeyRange, LoadHint, LoadKind, MemoryEngine, ScanSpec,
    TransactionOptions,
};
use kv_mmap::{MmapEngine, MmapOptions};
use proptest::prelude::*;

/// The length of a part of a key, at which the key is cut.
const PART: usize = 1_900;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key(Vec<u8>);

/// The bytes, and how often each is repeated: one line of a report in place of thousands.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let runs = self.0.chunk_by(|a, b| a == b).map(|run| format!("{}x{}", run[0], run.len()));
        f.write_str(&runs.collect::<Vec<_>>().join(" "))
    }
}

#[derive(Clone, Debug)]
enum Step {
    Put(Key),
    Delete(Key),
    DropRange(Key, Key),
    Load(Vec<Key>),
    Scan(Key, Key, bool, usize),
    Prefix(Key),
    Compact,
}

/// A key of one to three parts. Many of them have the same beginning.
fn key() -> impl Strategy<Value = Key> {
    let length =
        prop_oneof![1..4_usize, PART - 2..PART + 3, 2 * PART - 2..2 * PART + 3, 3 * PART..3 * PART + 2,];
    (length, prop::sample::select(vec![0, 1, b'k', 0xFF]), prop::option::of((0..3 * PART, any::<u8>())))
        .prop_map(|(length, byte, other)| {
            let mut key = vec![byte; length];
            if let Some((at, byte)) = other {
                let at = at % length;
                key[at] = byte;
            }
            Key(key)
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => key().prop_map(Step::Put),
        3 => key().prop_map(Step::Delete),
        1 => (key(), key()).prop_map(|(start, end)| Step::DropRange(start, end)),
        1 => prop::collection::btree_set(key(), 1..5).prop_map(|keys| Step::Load(keys.into_iter().collect())),
        4 => (key(), key(), any::<bool>(), 1..5_usize)
            .prop_map(|(start, end, reverse, rows)| Step::Scan(start, end, reverse, rows)),
        1 => key().prop_map(Step::Prefix),
        1 => Just(Step::Compact),
    ]
}

fn scan(engine: &dyn Engine, spec: ScanSpec, rows: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let snapshot = engine.snapshot().expect("snapshot");
    let mut scan = snapshot.scan(spec).expect("scan");
    let mut pairs = Vec::new();
    while let Some(block) = scan.next_block(BlockLimits { rows, bytes: 1 << 20 }).expect("next_block") {
        pairs.extend(block.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
    }
    pairs
}

fn apply(engine: &dyn Engine, number: usize, step: &Step) -> Vec<(Vec<u8>, Vec<u8>)> {
    let begin = || engine.begin(TransactionOptions::default()).expect("begin");
    match step {
        Step::Put(Key(key)) => {
            let mut transaction = begin();
            transaction.put(key, &number.to_be_bytes()).expect("put");
            transaction.commit(Durability::Buffered).expect("commit");
        }
        Step::Delete(Key(key)) => {
            let mut transaction = begin();
            transaction.delete(key).expect("delete");
            transaction.commit(Durability::Buffered).expect("commit");
        }
        Step::DropRange(Key(start), Key(end)) => {
            engine.drop_range(&KeyRange::new(start.clone(), end.clone())).expect("drop_range");
        }
        Step::Load(keys) => {
            let snapshot = engine.snapshot().expect("snapshot");
            let mut load = engine.load(LoadKind::Visible, LoadHint::Scattered).expect("load");
            for Key(key) in keys {
                if !snapshot.get_many(&[key]).expect("get_many").is_present(0) {
                    load.add(key, &number.to_be_bytes()).expect("add");
                }
            }
            load.finish(Durability::Buffered).expect("finish");
        }
        Step::Scan(Key(start), Key(end), reverse, rows) => {
            let range = KeyRange::new(start.clone(), end.clone());
            return scan(engine, ScanSpec { reverse: *reverse, ..ScanSpec::forward(range) }, *rows);
        }
        Step::Prefix(Key(prefix)) => {
            let mut block = Block::new();
            let snapshot = engine.snapshot().expect("snapshot");
            let mut scan = snapshot.prefix_scan().expect("prefix_scan");
            let limits = BlockLimits { rows: 100, bytes: 1 << 20 };
            while scan
                .read(prefix, block.last_key().map(<[u8]>::to_vec).as_deref(), limits, &mut block)
                .expect("read")
            {}
            return block.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect();
        }
        Step::Compact => engine.compact(&KeyRange::all()).expect("compact"),
    }
    scan(engine, ScanSpec::forward(KeyRange::all()), 100)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn long_keys_are_keys_like_others(
        steps in prop::collection::vec(step(), 1..40), is_encrypted: bool,
    ) {
        let folder = tempfile::tempdir().expect("tempdir");
        let encryption = is_encrypted.then(|| Arc::new(MasterKey::random().expect("random bytes")));
        let options = MmapOptions { flush_interval_ms: 2, encryption, ..MmapOptions::default() };
        let open = || MmapEngine::open(folder.path(), &options).expect("open");
        let (mut engine, memory) = (open(), MemoryEngine::new());
        for (number, step) in steps.iter().enumerate() {
            let expected = apply(&*memory, number, step);
            prop_assert_eq!(apply(&*engine, number, step), expected, "{} {:?}", number, step);
        }
        drop(engine);
        engine = open();
        let all = |engine: &dyn Engine| scan(engine, ScanSpec::forward(KeyRange::all()), 7);
        prop_assert_eq!(all(&*engine), all(&*memory));
        let _: Arc<MmapEngine> = engine;
    }
}
