//! Memory accounting of a query: its own limit, and its share of the limit of all queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use errors::{Error, ErrorCode, Result};

use crate::share;

/// The bytes that one query uses, or all queries together (the parent of each query's account).
///
/// It accounts for everything that may grow with the data: results, sort buffers, groups, subquery
/// results, expressions' blocks. The code that allocates estimates the size. A
/// [`ThreadMeter`](crate::ThreadMeter) charges what the estimates miss. An account is cheap to
/// share by `Arc`; all methods take `&self`.
#[derive(Debug, Default)]
pub struct MemoryAccount {
    used_bytes: AtomicU64,
    /// The part of `used_bytes` that was allocated, but that no code has charged.
    unaccounted_bytes: AtomicU64,
    /// The bytes of the result so far, which count towards the own limit only.
    result_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    limit_bytes: Option<u64>,
    parent: Option<Arc<MemoryAccount>>,
    /// True if only a fair share of the parent's limit may be used.
    is_share: bool,
    /// True if the owner of the parent is also the owner of this account.
    is_part: bool,
    refusals: AtomicU64,
    child_refusals: AtomicU64,
}

impl MemoryAccount {
    /// Returns an account without a limit and without a parent.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Returns an account that may use `limit_bytes` (`None`: no limit of its own).
    ///
    /// It also charges all its bytes to `parent`.
    pub fn new(limit_bytes: Option<u64>, parent: Option<Arc<MemoryAccount>>) -> Self {
        let mut account = Self::default();
        (account.limit_bytes, account.parent) = (limit_bytes, parent);
        account
    }

    /// Returns the account of one user, who may use a fair share of the parent's limit. The share
    /// depends on what all users take ([`share`]).
    pub fn share_of(parent: Arc<MemoryAccount>) -> Self {
        let mut account = Self::new(None, Some(parent));
        account.is_share = true;
        account
    }

    /// Returns the account of one of several threads that work for the owner of `whole`, whose
    /// limits and errors hold.
    pub fn part_of(whole: Arc<MemoryAccount>) -> Self {
        let mut account = Self::new(None, Some(whole));
        account.is_part = true;
        account
    }

    /// Charges bytes.
    ///
    /// Errors: 32 if the limit, or the parent's limit, would be exceeded. Nothing is charged then.
    pub fn charge(&self, bytes: u64) -> Result<()> {
        match self.try_charge(bytes) {
            // The caller may account for memory that is charged as unaccounted.
            Err(_) if self.release_unaccounted(bytes) > 0 => self.try_charge(bytes),
            charged => charged,
        }
    }

    fn try_charge(&self, bytes: u64) -> Result<()> {
        let used_bytes = self.used_bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let all_bytes = used_bytes.saturating_add(self.result_bytes.load(Ordering::Relaxed));
        if self.limit_bytes.is_some_and(|limit| all_bytes > limit) {
            self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(self.refuse());
        }
        if self.share_room_bytes(used_bytes.saturating_sub(bytes)).is_some_and(|room| bytes > room) {
            self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
            let message = "the user's share of the memory of all queries would be exceeded";
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        if let Some(parent) = &self.parent
            && let Err(error) = parent.charge(bytes)
        {
            self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
            let message = "global memory limit of all queries would be exceeded";
            // A share says so itself.
            let passes_on = parent.is_share || self.is_part;
            return Err(if passes_on { error } else { Error::new(ErrorCode::ResourceLimit, message) });
        }
        self.peak_bytes.fetch_max(all_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the bytes that the share of a user who holds `own_bytes` still admits.
    fn share_room_bytes(&self, own_bytes: u64) -> Option<u64> {
        let parent = self.parent.as_ref().filter(|_| self.is_share)?;
        Some(share::room_bytes(own_bytes, parent.used_bytes(), parent.limit_bytes?))
    }

    /// Counts bytes of a result that is kept as a whole until its client fetches it.
    ///
    /// They count towards the limit of the query itself as long as the account lives. Other
    /// accounts are charged for the part of them that is in memory. Errors: 32 if the limit is
    /// exceeded.
    pub fn count_result(&self, bytes: u64) -> Result<()> {
        let result_bytes = self.result_bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let all_bytes = result_bytes.saturating_add(self.used_bytes());
        self.peak_bytes.fetch_max(all_bytes, Ordering::Relaxed);
        if self.limit_bytes.is_some_and(|limit| all_bytes > limit) { Err(self.refuse()) } else { Ok(()) }
    }

    /// Counts a refusal by the own limit, and returns its error.
    fn refuse(&self) -> Error {
        self.refusals.fetch_add(1, Ordering::Relaxed);
        if let Some(parent) = &self.parent {
            parent.child_refusals.fetch_add(1, Ordering::Relaxed);
        }
        Error::new(ErrorCode::ResourceLimit, "query would use more memory than allowed")
    }

    /// Checks that this many bytes could be charged, but charges nothing. Errors: 32 if they could
    /// not.
    pub fn check_room(&self, bytes: u64) -> Result<()> {
        self.charge(bytes)?;
        self.release(bytes);
        Ok(())
    }

    /// Releases bytes that were charged before.
    pub fn release(&self, bytes: u64) {
        let before = self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        debug_assert!(before >= bytes, "an account of {before} bytes gives back {bytes}");
        if let Some(parent) = &self.parent {
            parent.release(bytes);
        }
    }

    /// Charges bytes that were allocated and that no code has accounted for.
    ///
    /// A later [`MemoryAccount::charge`] may take them over. Errors: 32 as there.
    pub(crate) fn charge_unaccounted(&self, bytes: u64) -> Result<()> {
        self.try_charge(bytes)?;
        self.unaccounted_bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Releases unaccounted bytes, at most those that are charged, and returns their number.
    pub(crate) fn release_unaccounted(&self, bytes: u64) -> u64 {
        let less = |unaccounted: u64| Some(unaccounted.saturating_sub(bytes));
        let before = self.unaccounted_bytes.try_update(Ordering::Relaxed, Ordering::Relaxed, less);
        let released = before.unwrap_or_else(|bytes| bytes).min(bytes);
        if released > 0 {
            self.release(released);
        }
        released
    }

    /// Returns the bytes that code has accounted for.
    pub fn accounted_bytes(&self) -> u64 {
        self.used_bytes().saturating_sub(self.unaccounted_bytes.load(Ordering::Relaxed))
    }

    /// Returns the bytes in use now.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Returns the peak of the bytes in use.
    pub fn peak(&self) -> u64 {
        self.peak_bytes.load(Ordering::Relaxed)
    }

    /// Returns how many times the account's own limit was reached.
    pub fn refusals(&self) -> u64 {
        self.refusals.load(Ordering::Relaxed)
    }

    /// Returns how often the accounts below this one have reached limits of their own.
    pub fn child_refusals(&self) -> u64 {
        self.child_refusals.load(Ordering::Relaxed)
    }

    /// Returns the bytes that could still be charged; `None` without a limit.
    pub fn room_bytes(&self) -> Option<u64> {
        let taken = self.used_bytes().saturating_add(self.result_bytes.load(Ordering::Relaxed));
        let own = self.limit_bytes.map(|limit| limit.saturating_sub(taken));
        let parent = self.parent.as_ref().and_then(|parent| parent.room_bytes());
        own.into_iter().chain(parent).chain(self.share_room_bytes(self.used_bytes())).min()
    }

    /// Returns the least limit of the account and its ancestors.
    pub fn limit_bytes(&self) -> Option<u64> {
        let parent = self.parent.as_ref().and_then(|parent| parent.limit_bytes());
        self.limit_bytes.into_iter().chain(parent).min()
    }
}

impl Drop for MemoryAccount {
    /// Gives the bytes that the query still holds back to the parent.
    fn drop(&mut self) {
        if let Some(parent) = &self.parent {
            parent.release(*self.used_bytes.get_mut());
        }
    }
}

/// Bytes charged to an account, released on drop. A structure that grows holds one charge.
#[derive(Debug)]
pub struct Charge {
    account: Arc<MemoryAccount>,
    bytes: u64,
}

impl Charge {
    /// Returns an empty charge.
    pub fn new(account: Arc<MemoryAccount>) -> Self {
        Self { account, bytes: 0 }
    }

    /// Charges more bytes. Errors: 32 as [`MemoryAccount::charge`].
    pub fn grow(&mut self, bytes: u64) -> Result<()> {
        self.account.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Releases some of the bytes, at most those charged.
    pub fn shrink(&mut self, bytes: u64) {
        let bytes = bytes.min(self.bytes);
        self.account.release(bytes);
        self.bytes -= bytes;
    }

    /// Gives back everything.
    pub fn clear(&mut self) {
        self.shrink(self.bytes);
    }

    /// Returns the bytes charged now.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.account.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_limit() {
        let account = MemoryAccount::new(Some(100), None);
        account.charge(60).unwrap();
        assert_eq!(account.charge(41).unwrap_err().number(), 32);
        account.charge(40).unwrap();
        account.release(100);
        assert_eq!((account.used_bytes(), account.peak()), (0, 100));
    }

    #[test]
    fn limit_of_the_parent_is_shared_and_returned() {
        let all = Arc::new(MemoryAccount::new(Some(100), None));
        let first = MemoryAccount::new(None, Some(Arc::clone(&all)));
        let second = MemoryAccount::new(Some(90), Some(Arc::clone(&all)));
        first.charge(50).unwrap();
        assert_eq!(second.charge(51).unwrap_err().number(), 32);
        assert_eq!((second.used_bytes(), all.used_bytes()), (0, 50));
        assert_eq!((first.room_bytes(), second.room_bytes()), (Some(50), Some(50)));
        drop(first);
        assert_eq!(second.room_bytes(), Some(90));
        second.charge(51).unwrap();
        assert_eq!(all.used_bytes(), 51);
    }

    #[test]
    fn a_user_leaves_memory_to_others() {
        let all = Arc::new(MemoryAccount::new(Some(800), None));
        let (first, second) =
            (MemoryAccount::share_of(Arc::clone(&all)), MemoryAccount::share_of(Arc::clone(&all)));
        let query = MemoryAccount::new(None, Some(Arc::new(first)));
        assert_eq!(query.room_bytes(), Some(700));
        assert_eq!(query.charge(701).unwrap_err().number(), 32);
        query.charge(700).unwrap();
        assert_eq!(query.charge(1).unwrap_err().number(), 32);
        second.charge(80).unwrap();
        assert_eq!((query.room_bytes(), all.used_bytes()), (Some(0), 780));
        query.release(700);
        second.charge(600).unwrap();
    }

    #[test]
    fn a_result_counts_towards_the_own_limit_only() {
        let all = Arc::new(MemoryAccount::new(Some(50), None));
        let account = MemoryAccount::new(Some(100), Some(Arc::clone(&all)));
        account.count_result(90).unwrap();
        assert_eq!((account.room_bytes(), all.used_bytes()), (Some(10), 0));
        assert_eq!(account.charge(11).unwrap_err().number(), 32);
        account.charge(10).unwrap();
        assert_eq!(account.count_result(1).unwrap_err().number(), 32);
        assert_eq!(account.refusals(), 2);
        drop(account);
        assert_eq!(all.used_bytes(), 0);
    }

    #[test]
    fn the_least_limit_counts() {
        let all = Arc::new(MemoryAccount::new(Some(100), None));
        assert_eq!(MemoryAccount::new(None, Some(Arc::clone(&all))).limit_bytes(), Some(100));
        assert_eq!(MemoryAccount::new(Some(200), Some(Arc::clone(&all))).limit_bytes(), Some(100));
        assert_eq!(MemoryAccount::new(Some(50), Some(all)).limit_bytes(), Some(50));
        assert_eq!(MemoryAccount::unlimited().limit_bytes(), None);
    }

    #[test]
    fn a_charge_gives_back_on_drop() {
        let account = Arc::new(MemoryAccount::unlimited());
        let mut charge = Charge::new(Arc::clone(&account));
        charge.grow(10).unwrap();
        charge.shrink(3);
        assert_eq!(account.used_bytes(), 7);
        drop(charge);
        assert_eq!(account.used_bytes(), 0);
    }
}
