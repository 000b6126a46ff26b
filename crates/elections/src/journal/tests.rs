//! Journals that are cut, damaged and compacted.

use std::sync::Arc;

use openraft::{CommittedLeaderId, EntryPayload};

use super::recover::recover;
use super::{Contents, Disk, Folder, Journal};
use crate::codec::raft::snapshot;
use crate::error::Error;
use crate::member::Holder;
use crate::state::{Command, State};
use crate::types::{Entry, LogId, StoredMembership, Vote};

fn log_id(term: u64, index: u64) -> LogId {
    LogId::new(CommittedLeaderId::new(term, 1), index)
}

fn entry(term: u64, index: u64) -> Entry {
    let renewal = Command::Renew { epoch: 3, holder: Holder { member: 1, run: u64::MAX } };
    Entry { log_id: log_id(term, index), payload: EntryPayload::Normal(renewal) }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(test)
}

async fn open(folder: &std::path::Path) -> crate::error::Result<Journal> {
    Journal::open(Arc::new(Folder::open(folder)?), 1, 77).await
}

/// Returns a description of contents that two equal ones share.
fn describe(contents: &Contents) -> String {
    format!("{contents:?}")
}

/// Writes one frame of each kind, and returns the bytes after each.
async fn written(folder: &std::path::Path) -> Vec<Vec<u8>> {
    let journal = open(folder).await.unwrap();
    let bytes = || std::fs::read(folder.join("journal")).unwrap();
    let mut steps = vec![bytes()];
    journal.vote(Vote::new(1, 1)).await.unwrap();
    steps.push(bytes());
    journal.entries(vec![entry(1, 0), entry(1, 1), entry(1, 2)]).await.unwrap();
    steps.push(bytes());
    journal.truncate(2).await.unwrap();
    steps.push(bytes());
    journal.entries(vec![entry(2, 2), entry(2, 3)]).await.unwrap();
    steps.push(bytes());
    let membership = StoredMembership::default();
    journal.snapshot(snapshot(Some(log_id(1, 1)), membership, State::default())).await.unwrap();
    steps.push(bytes());
    journal.vote(Vote::new_committed(2, 1)).await.unwrap();
    steps.push(bytes());
    steps
}

#[test]
fn everything_survives_a_restart_and_a_compaction() {
    let folder = tempfile::tempdir().unwrap();
    run(async {
        written(folder.path()).await;
        let before = open(folder.path()).await.unwrap().read(describe).await;
        let journal = open(folder.path()).await.unwrap();
        assert_eq!(journal.read(describe).await, before);
        let length = std::fs::metadata(folder.path().join("journal")).unwrap().len();
        journal.purge(log_id(1, 1)).await.unwrap();
        let purged = journal.read(describe).await;
        drop(journal);
        assert!(std::fs::metadata(folder.path().join("journal")).unwrap().len() < length);
        let journal = open(folder.path()).await.unwrap();
        assert_eq!(journal.read(describe).await, purged);
        assert_eq!(journal.read(|contents| contents.log.len()).await, 2);
        assert_eq!(journal.read(|contents| contents.last()).await, Some(log_id(2, 3)));
        journal.entries(vec![entry(2, 4)]).await.unwrap();
        drop(journal);
        let journal = open(folder.path()).await.unwrap();
        assert_eq!(journal.read(|contents| contents.last()).await, Some(log_id(2, 4)));
    });
}

#[test]
fn a_journal_that_ends_anywhere_within_its_last_frame_is_cut_there() {
    let folder = tempfile::tempdir().unwrap();
    let steps = run(written(folder.path()));
    for pair in steps.windows(2) {
        let before = describe(&recover(&pair[0]).unwrap().contents);
        for length in pair[0].len()..pair[1].len() {
            let recovered = recover(&pair[1][..length]).unwrap();
            assert_eq!(recovered.length, pair[0].len());
            assert_eq!(describe(&recovered.contents), before);
        }
        // The file can be long enough while its last bytes are not there.
        let mut zeros = pair[0].clone();
        zeros.resize(pair[1].len() + 4096, 0);
        assert_eq!(recover(&zeros).unwrap().length, pair[0].len());
    }
}

#[test]
fn a_cut_journal_goes_on_behind_its_last_whole_frame() {
    let folder = tempfile::tempdir().unwrap();
    run(async {
        let steps = written(folder.path()).await;
        let whole = &steps[steps.len() - 2];
        let torn = &steps.last().unwrap()[..whole.len() + 7];
        std::fs::write(folder.path().join("journal"), torn).unwrap();
        let journal = open(folder.path()).await.unwrap();
        journal.entries(vec![entry(2, 4)]).await.unwrap();
        drop(journal);
        let journal = open(folder.path()).await.unwrap();
        assert_eq!(journal.read(|contents| contents.last()).await, Some(log_id(2, 4)));
    });
}

#[test]
fn a_flipped_bit_before_the_last_frame_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let steps = run(written(folder.path()));
    let (last, before) = (steps.last().unwrap(), steps[steps.len() - 2].len());
    for at in 0..before {
        for bit in [0, 7] {
            let mut damaged = last.clone();
            damaged[at] ^= 1 << bit;
            let error = recover(&damaged).expect_err("the damage is noticed");
            assert!(matches!(error, Error::Damaged { .. }), "byte {at}: {error}");
        }
    }
    let error = recover(&[]).unwrap_err().to_string();
    assert!(error.contains("does not begin as a journal") && error.contains("empty the folder"), "{error}");
}

#[test]
fn any_bytes_are_read_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let steps = run(written(folder.path()));
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        let mut bytes = rng.choice(&steps).unwrap().clone();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(0..bytes.len());
            match rng.u8(0..3) {
                0 => bytes[at] = rng.u8(..),
                1 => bytes.truncate(at + 1),
                _ => bytes.extend_from_within(at..),
            }
        }
        let _ = recover(&bytes);
    }
}

#[test]
fn a_folder_is_used_once() {
    let folder = tempfile::tempdir().unwrap();
    let first = Folder::open(folder.path()).unwrap();
    let error = Folder::open(folder.path()).err().unwrap().to_string();
    assert!(error.contains("another process uses it"), "{error}");
    drop(first);
    assert!(Folder::open(folder.path()).unwrap().read().unwrap().is_none());
}
