//! Random histories of several transactions, compared with a model of ordered maps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::{Fixture, HINTS, Pairs, scan_releasing};
use crate::{
    BlockLimits, Durability, Engine, Error, KeyRange, LoadKind, ScanSpec, Snapshot, SnapshotAt,
    TransactionOptions, WriteTransaction,
};

/// The number of transactions that are open concurrently.
const SLOTS: usize = 3;
/// The number of keys: few, so that transactions meet.
const KEYS: u8 = 12;
const HISTORIES: u32 = 200;
const STEPS: usize = 80;

type Map = BTreeMap<Vec<u8>, Vec<u8>>;
type Writes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

#[derive(Clone, Debug)]
enum Step {
    Begin { slot: usize, first_read: bool },
    Put { slot: usize, key: u8, value: u8 },
    Delete { slot: usize, key: u8 },
    InsertUnique { slot: usize, key: u8, value: u8 },
    Lock { slot: usize, key: u8 },
    Get { slot: usize, keys: Vec<u8> },
    Scan { slot: usize, scan: RandomScan },
    KeepView { slot: usize },
    Savepoint { slot: usize },
    RollbackTo { slot: usize, savepoint: usize },
    Commit { slot: usize, synced: bool },
    Rollback { slot: usize },
    KeepSnapshot,
    CheckKept { scan: RandomScan },
    DropRange { start: u8, end: u8 },
    Load { start: u8, keys: u8 },
    Compact,
}

#[derive(Clone, Debug)]
struct RandomScan {
    start: u8,
    end: u8,
    reverse: bool,
    keys_only: bool,
    rows: usize,
    release_every: usize,
}

fn random_scan() -> impl Strategy<Value = RandomScan> {
    (0..KEYS, 0..=KEYS, any::<bool>(), any::<bool>(), 1..6_usize, 1..4_usize).prop_map(
        |(start, end, reverse, keys_only, rows, release_every)| RandomScan {
            start,
            end,
            reverse,
            keys_only,
            rows,
            release_every,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let slot = 0..SLOTS;
    let key = 0..KEYS;
    prop_oneof![
        3 => (slot.clone(), any::<bool>()).prop_map(|(slot, first_read)| Step::Begin { slot, first_read }),
        8 => (slot.clone(), key.clone(), any::<u8>()).prop_map(|(slot, key, value)| Step::Put { slot, key, value }),
        4 => (slot.clone(), key.clone()).prop_map(|(slot, key)| Step::Delete { slot, key }),
        4 => (slot.clone(), key.clone(), any::<u8>())
            .prop_map(|(slot, key, value)| Step::InsertUnique { slot, key, value }),
        1 => (slot.clone(), key.clone()).prop_map(|(slot, key)| Step::Lock { slot, key }),
        3 => (slot.clone(), prop::collection::vec(key.clone(), 0..5))
            .prop_map(|(slot, keys)| Step::Get { slot, keys }),
        4 => (slot.clone(), random_scan()).prop_map(|(slot, scan)| Step::Scan { slot, scan }),
        1 => slot.clone().prop_map(|slot| Step::KeepView { slot }),
        2 => slot.clone().prop_map(|slot| Step::Savepoint { slot }),
        2 => (slot.clone(), 0..4_usize).prop_map(|(slot, savepoint)| Step::RollbackTo { slot, savepoint }),
        5 => (slot.clone(), prop::bool::weighted(0.1)).prop_map(|(slot, synced)| Step::Commit { slot, synced }),
        1 => slot.prop_map(|slot| Step::Rollback { slot }),
        1 => Just(Step::KeepSnapshot),
        2 => random_scan().prop_map(|scan| Step::CheckKept { scan }),
        1 => (key.clone(), 0..=KEYS).prop_map(|(start, end)| Step::DropRange { start, end }),
        1 => (key, 1..4_u8).prop_map(|(start, keys)| Step::Load { start, keys }),
        1 => Just(Step::Compact),
    ]
}

/// A transaction and the model of its expected state.
struct ModelTransaction {
    transaction: Box<dyn WriteTransaction>,
    /// The state that the transaction reads: absent before the first read.
    base: Option<Map>,
    /// The number of the last commit when the transaction started to read.
    start: Option<usize>,
    writes: Writes,
    held: BTreeSet<Vec<u8>>,
    savepoints: Vec<(crate::Savepoint, Writes)>,
}

/// A store and the model of its content. Keys begin with a prefix, so that one store serves many
/// histories.
struct Model<'a> {
    engine: &'a dyn Engine,
    prefix: Vec<u8>,
    committed: Map,
    commits: usize,
    last_write: BTreeMap<Vec<u8>, usize>,
    slots: [Option<ModelTransaction>; SLOTS],
    kept: Vec<(Arc<dyn Snapshot>, Map)>,
}

impl ModelTransaction {
    fn start_reading(&mut self, committed: &Map, commits: usize) {
        self.base.get_or_insert_with(|| committed.clone());
        self.start.get_or_insert(commits);
    }

    /// Returns the content that the transaction sees, once it reads.
    fn seen(&self) -> Map {
        let mut seen = self.base.clone().unwrap_or_default();
        apply(&mut seen, &self.writes);
        seen
    }
}

fn apply(map: &mut Map, writes: &Writes) {
    for (key, value) in writes {
        match value {
            Some(value) => map.insert(key.clone(), value.clone()),
            None => map.remove(key),
        };
    }
}

impl Model<'_> {
    fn key(&self, key: u8) -> Vec<u8> {
        // Some keys are prefixes of others.
        let mut bytes = self.prefix.clone();
        bytes.extend(std::iter::repeat_n(b'a' + key / 3, usize::from(key % 3) + 1));
        bytes
    }

    fn range(&self, start: u8, end: u8) -> KeyRange {
        let end = if end == KEYS { crate::prefix_end(&self.prefix) } else { self.key(end) };
        KeyRange::new(self.key(start), end)
    }

    fn spec(&self, scan: &RandomScan) -> ScanSpec {
        ScanSpec {
            range: self.range(scan.start, scan.end),
            reverse: scan.reverse,
            keys_only: scan.keys_only,
            sequential: scan.rows.is_multiple_of(2),
            repeated: scan.rows.is_multiple_of(4),
            part_of: scan.rows.is_multiple_of(8).then(|| self.range(0, KEYS)),
        }
    }

    fn expected(&self, map: &Map, scan: &RandomScan) -> Pairs {
        let spec = self.spec(scan);
        let in_range = map.iter().filter(|(key, _)| spec.range.contains(key));
        let mut pairs: Pairs = in_range
            .map(|(key, value)| (key.clone(), if spec.keys_only { Vec::new() } else { value.clone() }))
            .collect();
        if spec.reverse {
            pairs.reverse();
        }
        pairs
    }

    fn check_scan(&self, snapshot: &dyn Snapshot, map: &Map, scan: &RandomScan) -> Result<(), TestCaseError> {
        let limits = BlockLimits { rows: scan.rows, bytes: 1 << 20 };
        let found =
            scan_releasing(snapshot, self.spec(scan), limits, |block| block % scan.release_every == 0);
        prop_assert_eq!(found, self.expected(map, scan));
        Ok(())
    }

    /// Returns true if the transaction in `slot` must get a conflict for `key`. Otherwise it holds
    /// the key from now on.
    fn claim(&mut self, slot: usize, key: &[u8]) -> bool {
        let is_held_by_other = self
            .slots
            .iter()
            .enumerate()
            .any(|(i, other)| i != slot && other.as_ref().is_some_and(|other| other.held.contains(key)));
        let last_write = self.last_write.get(key).copied().unwrap_or_default();
        let Some(transaction) = &mut self.slots[slot] else { return false };
        if is_held_by_other || transaction.start.is_some_and(|start| last_write > start) {
            return true;
        }
        transaction.held.insert(key.to_vec());
        false
    }

    fn write(
        &mut self,
        slot: usize,
        key: u8,
        value: Option<&[u8]>,
        is_insert: bool,
    ) -> Result<(), TestCaseError> {
        let key = self.key(key);
        let is_conflict = self.claim(slot, &key);
        let latest = self.committed.contains_key(&key);
        let Some(model) = &mut self.slots[slot] else { return Ok(()) };
        let result = match value {
            Some(value) if is_insert => model.transaction.insert_unique(&key, value),
            Some(value) => model.transaction.put(&key, value),
            None => model.transaction.delete(&key),
        };
        let is_present = model.writes.get(&key).map_or(latest, Option::is_some);
        let expected = match () {
            () if is_conflict => Err(Error::Conflict),
            () if is_insert && is_present => Err(Error::Exists),
            () => Ok(()),
        };
        if expected.is_ok() {
            model.writes.insert(key, value.map(<[u8]>::to_vec));
        }
        prop_assert_eq!(result, expected);
        prop_assert_eq!(model.transaction.write_count(), model.writes.len());
        Ok(())
    }

    /// Returns true if no transaction is open, so that nothing notices a change of keys without a
    /// transaction.
    fn is_quiet(&self) -> bool {
        self.slots.iter().all(Option::is_none)
    }

    fn run(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Begin { slot, first_read } => self.begin(*slot, *first_read),
            Step::Put { slot, key, value } => self.write(*slot, *key, Some(&[*value]), false)?,
            Step::Delete { slot, key } => self.write(*slot, *key, None, false)?,
            Step::InsertUnique { slot, key, value } => self.write(*slot, *key, Some(&[*value; 20]), true)?,
            Step::Lock { slot, key } => {
                let key = self.key(*key);
                let is_conflict = self.claim(*slot, &key);
                if let Some(model) = &mut self.slots[*slot] {
                    prop_assert_eq!(model.transaction.lock(&key).is_err(), is_conflict);
                }
            }
            Step::Get { slot, keys } => self.get(*slot, keys)?,
            Step::Scan { slot, scan } => {
                if let Some((view, seen)) = self.view(*slot) {
                    self.check_scan(&*view, &seen, scan)?;
                }
            }
            Step::KeepView { slot } => {
                let view = self.view(*slot);
                self.kept.extend(view);
            }
            Step::Savepoint { slot } => {
                if let Some(model) = &mut self.slots[*slot] {
                    model.savepoints.push((model.transaction.savepoint(), model.writes.clone()));
                }
            }
            Step::RollbackTo { slot, savepoint } => self.rollback_to(*slot, *savepoint)?,
            Step::Commit { slot, synced } => self.commit(*slot, *synced),
            Step::Rollback { slot } => self.slots[*slot] = None,
            Step::KeepSnapshot => {
                self.kept.push((self.engine.snapshot().expect("snapshot"), self.committed.clone()));
            }
            Step::CheckKept { scan } => {
                for (snapshot, map) in &self.kept {
                    self.check_scan(&**snapshot, map, scan)?;
                }
            }
            Step::DropRange { start, end } if self.is_quiet() => {
                let range = self.range(*start, *end);
                self.engine.drop_range(&range).expect("drop_range");
                self.committed.retain(|key, _| !range.contains(key));
            }
            Step::Load { start, keys } if self.is_quiet() => self.load(*start, *keys),
            Step::Compact => self.engine.compact(&KeyRange::prefix(&self.prefix)).expect("compact"),
            Step::DropRange { .. } | Step::Load { .. } => {}
        }
        Ok(())
    }

    fn begin(&mut self, slot: usize, first_read: bool) {
        let snapshot = if first_read { SnapshotAt::FirstRead } else { SnapshotAt::Begin };
        self.slots[slot] = None;
        let transaction =
            self.engine.begin(TransactionOptions { snapshot, ..Default::default() }).expect("begin");
        let mut model = ModelTransaction {
            transaction,
            base: None,
            start: None,
            writes: Writes::new(),
            held: BTreeSet::new(),
            savepoints: Vec::new(),
        };
        if !first_read {
            model.start_reading(&self.committed, self.commits);
        }
        self.slots[slot] = Some(model);
    }

    fn view(&mut self, slot: usize) -> Option<(Arc<dyn Snapshot>, Map)> {
        let model = self.slots[slot].as_mut()?;
        model.start_reading(&self.committed, self.commits);
        Some((model.transaction.view(), model.seen()))
    }

    fn get(&mut self, slot: usize, keys: &[u8]) -> Result<(), TestCaseError> {
        let keys: Vec<Vec<u8>> = keys.iter().map(|key| self.key(*key)).collect();
        let asked: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let Some(model) = &mut self.slots[slot] else { return Ok(()) };
        model.start_reading(&self.committed, self.commits);
        let values = model.transaction.get_many(&asked).expect("get_many");
        let seen = model.seen();
        for (i, key) in keys.iter().enumerate() {
            prop_assert_eq!(values.get(i), seen.get(key).map(Vec::as_slice));
        }
        Ok(())
    }

    fn rollback_to(&mut self, slot: usize, savepoint: usize) -> Result<(), TestCaseError> {
        let Some(model) = &mut self.slots[slot] else { return Ok(()) };
        let Some((point, writes)) = model.savepoints.get(savepoint).cloned() else { return Ok(()) };
        // The savepoints after it become invalid.
        model.savepoints.truncate(savepoint + 1);
        model.transaction.rollback_to(point);
        model.writes = writes;
        let written =
            |(key, value): (&Vec<u8>, &Option<Vec<u8>>)| key.len() + value.as_ref().map_or(0, Vec::len);
        prop_assert_eq!(model.transaction.size_bytes(), model.writes.iter().map(written).sum::<usize>());
        Ok(())
    }

    fn commit(&mut self, slot: usize, synced: bool) {
        let Some(model) = self.slots[slot].take() else { return };
        let durability = if synced { Durability::Synced } else { Durability::Buffered };
        model.transaction.commit(durability).expect("commit");
        self.commits += 1;
        apply(&mut self.committed, &model.writes);
        for key in model.held {
            self.last_write.insert(key, self.commits);
        }
    }

    fn load(&mut self, start: u8, keys: u8) {
        let keys: BTreeSet<Vec<u8>> = (start..KEYS.min(start + keys)).map(|key| self.key(key)).collect();
        let hint = HINTS[usize::from(start) % HINTS.len()];
        let mut load = self.engine.load(LoadKind::Visible, hint).expect("load");
        for key in keys.into_iter().filter(|key| !self.committed.contains_key(key)).collect::<Vec<_>>() {
            load.add(&key, b"loaded").expect("add");
            self.committed.insert(key, b"loaded".to_vec());
        }
        load.finish(Durability::Buffered).expect("finish");
    }
}

/// Every interleaving of transactions, snapshots, range drops, loads and compactions reads and
/// conflicts as the model says.
pub fn random_histories_are_as_the_model_says(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let histories = std::cell::Cell::new(0_u32);
    let mut runner =
        TestRunner::new(Config { cases: HISTORIES, failure_persistence: None, ..Config::default() });
    let result = runner.run(&prop::collection::vec(step(), 1..STEPS), |steps| {
        histories.set(histories.get() + 1);
        let mut model = Model {
            engine: &*engine,
            prefix: histories.get().to_be_bytes().to_vec(),
            committed: Map::new(),
            commits: 0,
            last_write: BTreeMap::new(),
            slots: [const { None }; SLOTS],
            kept: Vec::new(),
        };
        for step in &steps {
            model.run(step)?;
        }
        let whole = RandomScan {
            start: 0,
            end: KEYS,
            reverse: false,
            keys_only: false,
            rows: 1000,
            release_every: 9,
        };
        let snapshot = engine.snapshot().expect("snapshot");
        model.check_scan(&*snapshot, &model.committed, &whole)?;
        for (kept, map) in &model.kept {
            model.check_scan(&**kept, map, &whole)?;
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
