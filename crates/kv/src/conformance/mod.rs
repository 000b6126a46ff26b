//! The tests that every engine must pass. They define the behaviour of the traits.
//!
//! An engine's tests call [`crate::conformance_tests!`] with a fixture that creates engines, and
//! get one test per case:
//!
//! ```ignore
//! kv::conformance_tests!(|| kv::MemoryEngine::new() as std::sync::Arc<dyn kv::Engine>);
//! ```

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests, though of other crates")]

use std::sync::Arc;
use std::time::Duration;

use crate::{
    Block, BlockLimits, BulkLoad, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, PrefixScan,
    Result, ScanSpec, Snapshot, SnapshotAt, TransactionOptions, WaitPolicy, WriteTransaction,
};

pub mod concurrency;
pub mod conflicts;
pub mod crash;
mod folders;
pub mod loading;
pub mod maintenance;
pub mod model;
mod mounted;
pub mod reading;
pub mod snapshots;
pub mod transactions;
pub mod views;
mod wait;

pub use folders::Folders;
pub use mounted::Mounted;
pub use wait::wait_until;

/// A source of engines for cases. It lives as long as the case.
pub trait Fixture {
    /// Creates a new, empty store.
    fn engine(&self) -> Arc<dyn Engine>;
}

impl<F: Fn() -> Arc<dyn Engine>> Fixture for F {
    fn engine(&self) -> Arc<dyn Engine> {
        self()
    }
}

/// A case. It panics if the engine breaks its promise.
pub type Case = fn(&dyn Fixture);

/// Returns all cases by name.
pub fn cases() -> Vec<(&'static str, Case)> {
    crate::conformance_cases!(list)
}

/// Runs all cases.
pub fn run(make: impl Fn() -> Arc<dyn Engine>) {
    for (_, case) in cases() {
        case(&make);
    }
}

/// Defines one `#[test]` per case. The argument is an expression for a [`Fixture`], evaluated anew
/// for each test.
#[macro_export]
macro_rules! conformance_tests {
    ($fixture:expr) => {
        $crate::conformance_cases!(tests $fixture);
    };
}

/// The list of cases. To add a case, write it and add a line here.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_cases {
    ($what:ident $($fixture:expr)?) => {
        $crate::conformance_cases! { @$what ($($fixture)?)
            reading::absent_keys_have_no_value,
            reading::lookups_answer_in_the_order_of_the_request,
            reading::lookups_of_long_values_end_early,
            reading::keys_are_ordered_byte_by_byte,
            reading::ranges_include_their_start_and_exclude_their_end,
            reading::a_range_without_an_end_reaches_the_last_key,
            reading::reverse_scans_are_forward_scans_backwards,
            reading::scans_of_keys_leave_the_values_out,
            reading::blocks_keep_to_their_limits,
            reading::a_finished_scan_stays_finished,
            reading::released_scans_continue_after_the_last_pair,
            reading::scans_go_back_to_a_key,
            reading::scans_end_with_what_was_there_at_their_start,
            reading::prefixes_are_read_one_after_the_other,
            reading::prefetched_prefixes_read_the_same,
            reading::large_values_come_back_whole,
            snapshots::snapshots_do_not_change,
            snapshots::snapshots_of_loaded_pairs_do_not_change,
            snapshots::snapshots_of_loaded_pairs_outlive_compactions,
            snapshots::snapshots_outlive_later_snapshots,
            snapshots::a_commit_is_visible_to_the_next_snapshot,
            snapshots::the_statistics_count_living_snapshots,
            transactions::a_transaction_reads_its_own_writes,
            transactions::others_see_nothing_before_the_commit,
            transactions::rollback_and_drop_leave_nothing,
            transactions::later_writes_of_a_key_replace_earlier_ones,
            transactions::deleting_an_absent_key_is_not_an_error,
            transactions::insert_unique_refuses_a_present_key,
            transactions::insert_unique_takes_a_key_deleted_before,
            transactions::savepoints_nest,
            transactions::a_savepoint_can_be_used_again,
            transactions::writes_beyond_the_limit_are_refused,
            transactions::pairs_beyond_the_limit_are_refused,
            transactions::the_figures_of_a_transaction_follow_its_writes,
            transactions::empty_transactions_commit,
            transactions::synced_commits_are_commits,
            transactions::many_writes_commit_together,
            transactions::transactions_read_the_state_of_their_begin,
            transactions::transactions_can_read_the_state_of_their_first_read,
            views::a_view_without_writes_is_the_snapshot,
            views::views_do_not_see_later_writes,
            views::views_outlive_their_transaction,
            views::scans_merge_writes_into_the_snapshot,
            views::merged_scans_resume,
            views::merged_scans_go_back_to_a_key,
            views::prefixes_are_read_with_the_writes,
            views::rolled_back_writes_leave_views,
            conflicts::the_first_writer_of_a_key_wins,
            conflicts::a_write_committed_since_the_snapshot_conflicts,
            conflicts::deletes_conflict_as_puts_do,
            conflicts::a_conflict_leaves_the_transaction_as_it_was,
            conflicts::different_keys_do_not_conflict,
            conflicts::a_locked_key_cannot_be_written,
            conflicts::a_committed_lock_counts_as_a_write,
            conflicts::rollback_lets_go_of_keys,
            conflicts::rollback_to_a_savepoint_keeps_the_locks,
            conflicts::updates_are_not_lost,
            conflicts::of_two_inserts_of_a_key_one_succeeds,
            conflicts::unguarded_writes_are_not_locked,
            conflicts::unguarded_writes_do_not_conflict_with_earlier_commits,
            conflicts::a_commit_before_the_begin_does_not_conflict,
            conflicts::old_transactions_see_conflicts_of_long_ago,
            conflicts::a_waiting_write_continues_after_a_rollback,
            conflicts::a_waiting_lock_reads_what_it_waited_for,
            conflicts::waiting_ends_with_the_timeout,
            conflicts::deadlocks_end_in_a_conflict,
            conflicts::the_statistics_count_conflicts,
            concurrency::concurrent_increments_add_up,
            concurrency::waiting_increments_never_conflict,
            concurrency::commits_are_seen_whole,
            concurrency::one_of_many_inserts_of_a_key_succeeds,
            concurrency::scans_and_writes_do_not_disturb_each_other,
            maintenance::a_dropped_range_is_gone,
            maintenance::a_dropped_range_can_be_written_again,
            maintenance::split_points_divide_a_range,
            maintenance::sizes_follow_the_data,
            maintenance::compaction_changes_nothing_visible,
            maintenance::sync_succeeds,
            maintenance::checkpoints_need_a_new_folder,
            maintenance::a_closed_engine_says_so,
            maintenance::closing_with_readers_is_safe,
            loading::a_load_is_visible_from_its_end_on,
            loading::an_abandoned_load_leaves_nothing,
            loading::keys_of_a_load_must_ascend,
            loading::an_empty_load_is_not_an_error,
            loading::loaded_pairs_can_be_changed,
            loading::a_private_load_is_there_for_who_comes_after,
            loading::a_dropped_range_can_be_loaded_again,
            loading::several_loads_run_concurrently,
            loading::a_synced_load_is_there,
            loading::runs_make_no_difference,
            model::random_histories_are_as_the_model_says,
        }
    };
    (@tests ($fixture:expr) $($module:ident::$case:ident,)*) => {
        $(
            #[test]
            fn $case() {
                $crate::conformance::$module::$case(&$fixture);
            }
        )*
    };
    (@list () $($module:ident::$case:ident,)*) => {
        vec![$((stringify!($case), $crate::conformance::$module::$case as $crate::conformance::Case)),*]
    };
}

/// Pairs in the form in which the cases compare them.
pub(crate) type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// Limits that no case reaches.
pub(crate) const NO_LIMITS: BlockLimits = BlockLimits { rows: 1_000_000, bytes: 1 << 30 };

/// Begins a transaction that reads the current state and does not wait.
pub(crate) fn begin(engine: &dyn Engine) -> Box<dyn WriteTransaction> {
    engine.begin(TransactionOptions::default()).expect("begin")
}

/// Begins a transaction that reads the state at its first read, and waits for keys.
pub(crate) fn begin_waiting(engine: &dyn Engine, wait_ms: u64) -> Box<dyn WriteTransaction> {
    let snapshot = SnapshotAt::FirstRead;
    let wait = WaitPolicy::UpTo(Duration::from_millis(wait_ms));
    engine.begin(TransactionOptions { wait, snapshot, ..Default::default() }).expect("begin")
}

/// The hint of long runs, which an engine with table files may write to such files.
pub(crate) const SORTED: LoadHint = LoadHint::Sorted { pairs: 1 << 20 };

/// Hints that may lead to different methods of loading.
pub(crate) const HINTS: [LoadHint; 3] = [SORTED, LoadHint::Sorted { pairs: 1 }, LoadHint::Scattered];

/// Begins a load of long runs that older snapshots do not show.
pub(crate) fn begin_load(engine: &dyn Engine) -> Box<dyn BulkLoad> {
    engine.load(LoadKind::Visible, SORTED).expect("load")
}

/// Commits pairs.
pub(crate) fn put(engine: &dyn Engine, pairs: &[(&str, &str)]) {
    let mut transaction = begin(engine);
    for (key, value) in pairs {
        transaction.put(key.as_bytes(), value.as_bytes()).expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
}

/// Commits removals.
pub(crate) fn delete(engine: &dyn Engine, keys: &[&str]) {
    let mut transaction = begin(engine);
    for key in keys {
        transaction.delete(key.as_bytes()).expect("delete");
    }
    transaction.commit(Durability::Buffered).expect("commit");
}

/// Returns the current value of a key.
pub(crate) fn get(engine: &dyn Engine, key: &str) -> Option<String> {
    get_in(engine.snapshot().expect("snapshot").as_ref(), key)
}

/// Returns the value of a key in a snapshot.
pub(crate) fn get_in(snapshot: &dyn Snapshot, key: &str) -> Option<String> {
    text(snapshot.get_many(&[key.as_bytes()]).expect("get_many").get(0))
}

/// Returns the value of a key as a transaction sees it.
pub(crate) fn get_by(transaction: &dyn WriteTransaction, key: &str) -> Option<String> {
    text(transaction.get_many(&[key.as_bytes()]).expect("get_many").get(0))
}

fn text(value: Option<&[u8]>) -> Option<String> {
    value.map(|value| String::from_utf8(value.to_vec()).expect("text"))
}

/// Returns the number of all pairs.
pub fn count(engine: &dyn Engine) -> usize {
    let snapshot = engine.snapshot().expect("snapshot");
    let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all())).expect("scan");
    let mut count = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 }).expect("block") {
        count += block.len();
    }
    count
}

/// Returns all pairs of a scan.
pub(crate) fn scan(snapshot: &dyn Snapshot, spec: ScanSpec, limits: BlockLimits) -> Pairs {
    scan_releasing(snapshot, spec, limits, |_| false)
}

/// Returns the pairs whose keys begin with `prefix`. Reads them in blocks of `rows` pairs and
/// releases the scan after each second block.
pub(crate) fn read_prefix(scan: &mut dyn PrefixScan, prefix: &[u8], rows: usize) -> Pairs {
    let mut pairs = Pairs::new();
    for block_number in 0.. {
        let mut block = Block::new();
        let after = pairs.last().map(|(key, _): &(Vec<u8>, Vec<u8>)| key.clone());
        let limits = BlockLimits { rows, bytes: 1 << 20 };
        let has_more = scan.read(prefix, after.as_deref(), limits, &mut block).expect("read");
        assert!(block.len() <= rows && (!has_more || block.len() == rows), "{} of {rows} pairs", block.len());
        pairs.extend(block.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
        if !has_more {
            break;
        }
        if block_number % 2 == 1 {
            scan.release();
        }
    }
    pairs
}

/// Checks that scans of all pairs can go back to each key that they have returned.
fn check_rewinds(snapshot: &dyn Snapshot) {
    for spec in [ScanSpec::forward(KeyRange::all()), ScanSpec::backward(KeyRange::all())] {
        let expected = scan(snapshot, spec.clone(), NO_LIMITS);
        for (rows, to) in
            [(1, 0), (40, 0), (40, 17), (40, 39), (usize::MAX, 0), (usize::MAX, expected.len() - 1)]
        {
            let mut scan = snapshot.scan(spec.clone()).expect("scan");
            scan.next_block(BlockLimits { rows, bytes: usize::MAX }).expect("next_block");
            if rows == usize::MAX {
                assert!(scan.next_block(NO_LIMITS).expect("next_block").is_none());
            }
            let rest = expected.get(to..).expect("a key that was returned");
            scan.rewind(&rest.first().expect("a key").0);
            let block = scan.next_block(NO_LIMITS).expect("next_block").expect("pairs");
            let pairs: Pairs = block.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect();
            assert_eq!(pairs, rest, "{rows} rows, back to {to}");
        }
    }
}

/// Returns all pairs of a scan. Releases the scan after the blocks whose number `release` accepts.
pub(crate) fn scan_releasing(
    snapshot: &dyn Snapshot,
    spec: ScanSpec,
    limits: BlockLimits,
    release: impl Fn(usize) -> bool,
) -> Pairs {
    let mut scan = snapshot.scan(spec).expect("scan");
    let mut pairs = Pairs::new();
    let mut blocks = 0;
    while let Some(block) = scan.next_block(limits).expect("next_block") {
        assert!(!block.is_empty(), "a block must have at least one pair");
        assert!(block.len() <= limits.rows, "a block must respect its limit of rows");
        pairs.extend(block.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
        blocks += 1;
        if release(blocks) {
            scan.release();
        }
    }
    pairs
}

/// Returns all keys and values of a snapshot as text: `a=1 b=2`.
pub(crate) fn dump(snapshot: &dyn Snapshot) -> String {
    dump_range(snapshot, KeyRange::all())
}

/// Returns all keys and values of a range as text.
pub(crate) fn dump_range(snapshot: &dyn Snapshot, range: KeyRange) -> String {
    let pairs = scan(snapshot, ScanSpec::forward(range), NO_LIMITS);
    let texts: Vec<String> =
        pairs.iter().map(|(key, value)| format!("{}={}", key.escape_ascii(), value.escape_ascii())).collect();
    texts.join(" ")
}

/// Returns all current keys and values as text.
pub(crate) fn dump_now(engine: &dyn Engine) -> String {
    dump(engine.snapshot().expect("snapshot").as_ref())
}

/// Fails unless `result` is a conflict.
#[track_caller]
pub(crate) fn assert_conflict<T: std::fmt::Debug>(result: Result<T>) {
    match result {
        Err(Error::Conflict) => {}
        other => panic!("expected a conflict, got {other:?}"),
    }
}
