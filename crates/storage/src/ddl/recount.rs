//! Recounts documents, for an operator who doubts the stored count.

use errors::{Error, Result};
use kv::{BlockLimits, Durability, ScanSpec, TransactionOptions};

use crate::encoding::object_range;
use crate::visibility::counters::{self, Totals};
use crate::visibility::read_cache::Removes;
use crate::visibility::{LoggedChanges, PreparedChanges};
use crate::{Collection, Store};

const READ_LIMITS: BlockLimits = BlockLimits { rows: 4096, bytes: 1 << 20 };

impl Store {
    /// Counts the documents of a collection one by one, corrects the stored count and returns it.
    /// Waits for its writers.
    ///
    /// Errors: 1203, 18, 1004.
    pub fn recalculate_count(&self, collection: &Collection) -> Result<u64> {
        let _guard = self.core.exclude_writers(collection)?;
        let snapshot = self.snapshot()?;
        let present = snapshot.catalog().same_collection(collection);
        let present = present.ok_or_else(|| Error::collection_not_found(collection.name()))?;
        let range = object_range(present.object_id());
        let mut scan = snapshot.engine().scan(ScanSpec::forward(range).keys_only().sequential())?;
        let mut counted: u64 = 0;
        while let Some(block) = scan.next_block(READ_LIMITS)? {
            counted += block.len() as u64;
        }
        let stored = counters::read(snapshot.engine().as_ref(), present.object_id())?.count;
        let difference = i64::try_from(counted).unwrap_or(i64::MAX).saturating_sub(stored);
        if difference != 0 {
            let mut transaction = self.core.engine.begin(TransactionOptions::default())?;
            let totals = Totals { count: difference, ..Totals::default() };
            let change = present.change(totals, Removes::Nothing, &[]);
            let changes = PreparedChanges::of_transaction(
                self.core.publisher(),
                vec![change],
                LoggedChanges::none(),
                transaction.as_mut(),
            )?;
            let publication = changes.begin(|_| {});
            publication.end(transaction.commit(Durability::Buffered))?;
        }
        Ok(counted)
    }
}
