//! Truncation within a transaction, document by document. Outside of a transaction,
//! [`crate::Store::truncate`] is better.

use errors::Result;
use kv::BlockLimits;
use velocypack::Slice;

use super::{Transaction, WriteOptions};
use crate::Collection;
use crate::metrics::DocumentOperation;
use crate::scan::DocumentScanSpec;

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };

impl Transaction {
    /// Removes all documents of a collection, and returns how many there were.
    ///
    /// Errors: 1200, 32.
    pub fn truncate(&mut self, collection: &Collection) -> Result<u64> {
        self.truncate_unless(collection, &mut |_| Ok(()))
    }

    /// As [`Transaction::truncate`], but passes the transaction's bytes of memory to `check` from
    /// time to time. An error of `check` ends the truncation midway.
    ///
    /// Errors: 1200, 32, that of `check`.
    pub fn truncate_unless(
        &mut self,
        collection: &Collection,
        check: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<u64> {
        let began = self.core.began();
        let view = self.view();
        let spec = DocumentScanSpec { keys_only: true, sequential: true, ..DocumentScanSpec::default() };
        let mut scan = view.scan(collection, &spec)?;
        let mut removed = 0;
        while let Some(keys) = scan.next_keys(READ_LIMITS)? {
            for key in keys.iter() {
                let options = WriteOptions::default();
                self.operate(collection, |operation| operation.remove(key, Slice::NONE, &options))?;
                removed += 1;
            }
            check(self.memory_bytes())?;
        }
        self.core.note_operations(DocumentOperation::Truncate, 1, began);
        Ok(removed)
    }
}
