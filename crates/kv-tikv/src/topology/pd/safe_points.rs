//! The oldest state that PD keeps for this server, and the oldest that it keeps at all.
//!
//! PD has messages for barriers since 2025. An older one answers them with gRPC's `UNIMPLEMENTED`,
//! and has messages for safe points of services, which newer ones call deprecated. The answer is
//! remembered until PD fails or another member leads: it may have been upgraded then.

use std::sync::atomic::{AtomicU64, Ordering};

use kv::{Error, Result};

use super::{Answer, Pd};
use crate::protocol::pd::{
    GetGcSafePointRequest, GetGcStateRequest, SetGcBarrierRequest, UpdateServiceGcSafePointRequest,
};

/// The states that PD keeps for one server.
pub(crate) struct SafePoints {
    /// The name of the server among those that ask PD to keep states.
    name: String,
    /// The oldest state that PD keeps at all, as of the last answer.
    kept: AtomicU64,
}

impl SafePoints {
    pub(crate) fn new(name: String) -> Self {
        SafePoints { name, kept: AtomicU64::new(0) }
    }

    /// Asks PD to keep the states from `oldest` on for `life_seconds`. Returns the oldest state
    /// that PD keeps.
    ///
    /// Errors: those of PD.
    pub(crate) async fn hold(&self, pd: &Pd, oldest: u64, life_seconds: i64) -> Result<u64> {
        let kept = match self.hold_by_barrier(pd, oldest, life_seconds).await? {
            Some(kept) => kept,
            None => self.hold_by_safe_point(pd, oldest, life_seconds).await?,
        };
        Ok(self.kept.fetch_max(kept, Ordering::AcqRel).max(kept))
    }

    /// Returns `None` if PD knows no barriers.
    async fn hold_by_barrier(&self, pd: &Pd, oldest: u64, life_seconds: i64) -> Result<Option<u64>> {
        if !pd.knows_barriers() {
            return Ok(None);
        }
        let barrier = SetGcBarrierRequest {
            header: None,
            barrier_id: self.name.clone(),
            // PD refuses a barrier before the oldest state that it keeps.
            barrier_ts: oldest.max(self.kept.load(Ordering::Acquire)),
            ttl_seconds: life_seconds,
        };
        // A refusal says that the oldest state is newer now. The next barrier respects that.
        if matches!(pd.ask(barrier).await?, Answer::Unknown) {
            pd.note_without_barriers();
            return Ok(None);
        }
        match pd.ask(GetGcStateRequest { header: None, exclude_gc_barriers: true }).await? {
            Answer::Reply(reply) => Ok(Some(reply.gc_state.unwrap_or_default().txn_safe_point)),
            Answer::Refused(reason) => Err(Error::Transient { reason }),
            Answer::Unknown => {
                pd.note_without_barriers();
                Ok(None)
            }
        }
    }

    async fn hold_by_safe_point(&self, pd: &Pd, oldest: u64, life_seconds: i64) -> Result<u64> {
        // A collector tells PD first, and moves the safe point later. PD refuses older states from
        // the first moment on.
        let least = pd.call(self.safe_point(oldest, life_seconds)).await?.min_safe_point;
        let refused = if least > oldest { least } else { 0 };
        Ok(pd.call(GetGcSafePointRequest { header: None }).await?.safe_point.max(refused))
    }

    fn safe_point(&self, safe_point: u64, ttl: i64) -> UpdateServiceGcSafePointRequest {
        let service_id = self.name.clone().into_bytes();
        UpdateServiceGcSafePointRequest { header: None, service_id, ttl, safe_point }
    }
}
