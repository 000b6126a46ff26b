//! The states that the cluster keeps: how they advance.

use kv::{Error, Result};

use super::{Answer, Pd};
use crate::protocol::garbage::{
    AdvanceGcSafePointRequest, AdvanceTxnSafePointRequest, UpdateGcSafePointRequest,
};
use crate::protocol::pd::UpdateServiceGcSafePointRequest;

/// The service whose safe point older PDs take for the one of the collection. It never expires.
const COLLECTOR: &[u8] = b"gc_worker";

impl Pd {
    /// Ends reads of states before `target`, as far as no server holds an older one. Returns the
    /// oldest state that can still be read.
    ///
    /// Errors: those of PD.
    pub(crate) async fn end_reads_before(&self, target: u64) -> Result<u64> {
        if self.knows_barriers() {
            let request = AdvanceTxnSafePointRequest { header: None, target };
            match self.ask(request).await? {
                Answer::Reply(reply) => return Ok(reply.new_txn_safe_point),
                Answer::Refused(reason) => return Err(Error::Transient { reason }),
                Answer::Unknown => self.note_without_barriers(),
            }
        }
        let request = UpdateServiceGcSafePointRequest {
            header: None,
            service_id: COLLECTOR.to_vec(),
            ttl: i64::MAX,
            safe_point: target,
        };
        Ok(self.call(request).await?.min_safe_point.min(target))
    }

    /// Lets the stores remove versions that no state from `target` on needs. Reads of older states
    /// must have ended, and the locks of transactions that began before must be gone.
    ///
    /// Errors: those of PD.
    pub(crate) async fn let_go_before(&self, target: u64) -> Result<()> {
        if self.knows_barriers() {
            match self.ask(AdvanceGcSafePointRequest { header: None, target }).await? {
                Answer::Reply(_) => return Ok(()),
                Answer::Refused(reason) => return Err(Error::Transient { reason }),
                Answer::Unknown => self.note_without_barriers(),
            }
        }
        self.call(UpdateGcSafePointRequest { header: None, safe_point: target }).await.map(|_| ())
    }
}
