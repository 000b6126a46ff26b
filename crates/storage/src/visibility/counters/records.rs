//! Reads the records of a collection's counters.

use catalog::ObjectId;
use errors::{Error, Result};
use kv::{BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use super::{SLOTS, Totals};
use crate::encoding::metadata::{CounterRecord, counter_key, counter_range, counter_record, is_loads_from};
use crate::encoding::pack;

/// An upper bound of the bytes that the records of one collection take.
const SCAN_BYTES: usize = 1 << 20;

/// Reads the totals of a collection in a snapshot.
pub(crate) fn read(snapshot: &dyn Snapshot, object: ObjectId) -> Result<Totals> {
    let mut totals = Totals::default();
    for (_, values) in Records::read(snapshot, object)?.records {
        totals.add(values);
    }
    debug_assert!(totals.count >= 0, "{object:?} has {} documents", totals.count);
    Ok(totals)
}

/// Returns a number that grows with each commit to a collection that servers share: the sum of the
/// revisions of all records, and one for each. A commit adds a record, or makes the revision of one
/// greater, and nobody removes one.
pub(crate) fn commits_of_all(snapshot: &dyn Snapshot, object: ObjectId) -> Result<u128> {
    let records = Records::read(snapshot, object)?.records;
    Ok(records.iter().map(|(_, values)| u128::from(values.revision.0) + 1).sum())
}

/// Reads the records of several collections, in order. Where reads wait for messages, several wait
/// together.
pub(crate) fn read_many(snapshot: &dyn Snapshot, objects: &[ObjectId]) -> Result<Vec<Records>> {
    let at_once = snapshot.concurrent_reads();
    if at_once <= 1 {
        return objects.iter().map(|object| Records::read(snapshot, *object)).collect();
    }
    let mut all = Vec::with_capacity(objects.len());
    for some in objects.chunks(at_once) {
        let begin = |object: &ObjectId| {
            let mut scan = snapshot.scan(ScanSpec::forward(counter_range(*object)))?;
            scan.fetch();
            Ok(scan)
        };
        let scans: Result<Vec<Box<dyn Scan>>> = some.iter().map(begin).collect();
        for scan in scans? {
            let mut records = Records::default();
            records.add(scan)?;
            all.push(records);
        }
    }
    Ok(all)
}

/// The records of one collection in a snapshot.
#[derive(Default)]
pub(crate) struct Records {
    pub(super) records: Vec<(CounterRecord, Totals)>,
    /// The number from which on loads have records.
    pub(super) loads_from: u64,
}

impl Records {
    /// Reads all records.
    ///
    /// The records of loads that became part of a slot are not visited. They are removed, but each
    /// was alone in a table, and a scan across them would open all these tables until the engine
    /// has merged them.
    pub(super) fn read(snapshot: &dyn Snapshot, object: ObjectId) -> Result<Self> {
        let mut records = Records::default();
        let all = counter_range(object);
        if snapshot.concurrent_reads() > 1 {
            // Where several servers write, nobody removes records, and each scan is a message.
            records.add(snapshot.scan(ScanSpec::forward(all))?)?;
            return Ok(records);
        }
        let first_load = counter_key(object, CounterRecord::Load(0));
        records.add(snapshot.scan(ScanSpec::forward(KeyRange::new(all.start, first_load)))?)?;
        let loads = counter_key(object, CounterRecord::Load(records.loads_from));
        records.add(snapshot.scan(ScanSpec::forward(KeyRange::new(loads, all.end)))?)?;
        Ok(records)
    }

    fn add(&mut self, mut scan: Box<dyn Scan>) -> Result<()> {
        while let Some(block) = scan.next_block(BlockLimits { rows: SLOTS, bytes: SCAN_BYTES })? {
            for (key, value) in block.iter() {
                if is_loads_from(key) {
                    [self.loads_from] = pack::read_numbers::<1>(value, "counter")?;
                    continue;
                }
                let record = counter_record(key);
                let record = record.ok_or_else(|| Error::corrupt("a counter has an illegal key"))?;
                self.records.push((record, Totals::from_bytes(value)?));
            }
        }
        Ok(())
    }
}
