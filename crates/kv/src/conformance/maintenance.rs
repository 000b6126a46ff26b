//! Range drops, sizes, compaction, checkpoints, closing.

use super::{Fixture, HINTS, NO_LIMITS, begin, begin_load, dump, dump_now, get, put, scan};
use crate::{Durability, Engine, Error, KeyRange, LoadKind, ScanSpec, TransactionOptions};

fn put_many(engine: &dyn Engine, prefix: &str, count: usize, value_bytes: usize) {
    let mut transaction = begin(engine);
    for i in 0..count {
        // Values that do not compress.
        let mut state = i as u64 + 1;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        });
        let value: Vec<u8> = noise.take(value_bytes).collect();
        transaction.put(format!("{prefix}{i:06}").as_bytes(), &value).expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
}

/// Exactly the keys of the range are gone, for lookups and for scans in both directions.
///
/// Transactions that began before the drop still see them.
pub fn a_dropped_range_is_gone(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let text = |pairs: &[&str]| pairs.join(" ");
    put(&*engine, &[("a", "1"), ("b", "2"), ("b\0", "3"), ("bb", "4"), ("c", "5"), ("d", "6")]);
    let mut old = begin(&*engine);
    engine.drop_range(&KeyRange::prefix(b"b")).expect("drop_range");
    assert_eq!(dump_now(&*engine), text(&["a=1", "c=5", "d=6"]));
    assert_eq!(dump(&*old.view()), text(&["a=1", "b=2", r"b\x00=3", "bb=4", "c=5", "d=6"]));
    let snapshot = engine.snapshot().expect("snapshot");
    assert_eq!(scan(&*snapshot, ScanSpec::backward(KeyRange::all()), NO_LIMITS).len(), 3);
    assert_eq!(get(&*engine, "bb"), None);
    engine.drop_range(&KeyRange::new("c", "d")).expect("drop_range");
    engine.drop_range(&KeyRange::new("x", "a")).expect("an empty range drops nothing");
    assert_eq!(dump_now(&*engine), text(&["a=1", "d=6"]));
    engine.drop_range(&KeyRange::after(b"a")).expect("drop_range without an end");
    assert_eq!(dump_now(&*engine), "a=1");
    put(&*engine, &[("\u{7f}", "1")]);
    engine.drop_range(&KeyRange::all()).expect("drop_range");
    assert_eq!(dump_now(&*engine), "");
}

/// Pairs that are written after a range drop stay.
pub fn a_dropped_range_can_be_written_again(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    for round in 0..5 {
        put_many(&*engine, "p", 200, 10);
        engine.drop_range(&KeyRange::prefix(b"p")).expect("drop_range");
        put(&*engine, &[("p000003", &round.to_string())]);
        assert_eq!(dump_now(&*engine), format!("p000003={round}"));
        if round % 2 == 0 {
            engine.compact(&KeyRange::all()).expect("compact");
            assert_eq!(dump_now(&*engine), format!("p000003={round}"));
        }
        engine.drop_range(&KeyRange::prefix(b"p")).expect("drop_range");
        assert_eq!(dump_now(&*engine), "");
    }
}

/// Split points ascend, lie strictly inside the range and are no more than requested. The pieces
/// add up to the range.
pub fn split_points_divide_a_range(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let range = KeyRange::prefix(b"p");
    assert_eq!(engine.split_points(&range, 4).expect("split_points"), Vec::<Vec<u8>>::new());
    put_many(&*engine, "p", 5000, 200);
    put_many(&*engine, "q", 100, 10);
    for is_compacted in [false, true] {
        if is_compacted {
            engine.compact(&KeyRange::all()).expect("compact");
        }
        for parts in [0, 1, 2, 4, 16] {
            let points = engine.split_points(&range, parts).expect("split_points");
            assert!(points.len() <= parts.saturating_sub(1), "{} points for {parts} parts", points.len());
            assert!(points.iter().all(|point| range.contains(point) && *point > range.start));
            assert!(points.is_sorted_by(|left, right| left < right));
            let snapshot = engine.snapshot().expect("snapshot");
            let starts = std::iter::once(&range.start).chain(&points);
            let ends = points.iter().chain(std::iter::once(&range.end));
            let counts: Vec<usize> = starts
                .zip(ends)
                .map(|(start, end)| {
                    let piece = KeyRange::new(start.clone(), end.clone());
                    scan(&*snapshot, ScanSpec::forward(piece).keys_only(), NO_LIMITS).len()
                })
                .collect();
            assert_eq!(counts.iter().sum::<usize>(), 5000, "{counts:?}");
            if !points.is_empty() {
                let largest = counts.iter().max().copied().unwrap_or_default();
                assert!(
                    largest <= 5000 * 3 / counts.len(),
                    "no piece is much larger than the others: {counts:?}"
                );
            }
        }
    }
    let narrow = KeyRange::single(b"p000007");
    assert!(
        engine.split_points(&narrow, 4).expect("split_points").iter().all(|point| narrow.contains(point))
    );
}

/// The size of a range is roughly the size of its data, once the data has settled.
pub fn sizes_follow_the_data(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_many(&*engine, "p", 2000, 500);
    engine.compact(&KeyRange::all()).expect("compact");
    let size = |range: KeyRange| engine.approximate_size_bytes(&range).expect("size");
    let all = size(KeyRange::all());
    assert!((500_000..4_000_000).contains(&all), "{all} for 1,000,000 bytes");
    let half = size(KeyRange::new("p", "p001000"));
    assert!((250_000..2_000_000).contains(&half), "{half} for 500,000 bytes");
    assert!(size(KeyRange::prefix(b"x")) < 100_000);
    assert_eq!(size(KeyRange::new("x", "a")), 0, "an empty range has no size");

    let whole = KeyRange::prefix(b"p");
    let share = |part: KeyRange| engine.approximate_share(&part, &whole).expect("share").expect("not empty");
    assert_eq!(share(whole.clone()), 1.0);
    let half = share(KeyRange::new("p", "p001000"));
    assert!((0.25..0.75).contains(&half), "{half} of the range for half of it");
    assert!(share(KeyRange::new("p001000", "p001002")) < 0.1);
    assert_eq!(share(KeyRange::new("p001002", "p001000")), 0.0);
}

/// A compaction has no visible effect.
pub fn compaction_changes_nothing_visible(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_many(&*engine, "p", 100, 10);
    let snapshot = engine.snapshot().expect("snapshot");
    let before = dump(&*snapshot);
    let mut transaction = begin(&*engine);
    transaction.put(b"p000001", b"changed").expect("put");
    engine.compact(&KeyRange::prefix(b"p")).expect("compact");
    engine.compact(&KeyRange::all()).expect("compact");
    engine.compact(&KeyRange::new("x", "a")).expect("compact nothing");
    assert_eq!(dump(&*snapshot), before);
    assert_eq!(dump_now(&*engine), before);
    transaction.commit(Durability::Buffered).expect("commit");
    assert_eq!(get(&*engine, "p000001"), Some("changed".into()));
}

/// Everything committed can be made durable, whether there is something new or not.
pub fn sync_succeeds(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    engine.sync().expect("sync");
    put(&*engine, &[("a", "1")]);
    engine.sync().expect("sync");
    engine.sync().expect("sync");
}

/// A checkpoint creates a folder that did not exist, unless the engine does not support
/// checkpoints.
pub fn checkpoints_need_a_new_folder(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    let folder = std::env::temp_dir().join(format!("kv-checkpoint-{}-{:p}", std::process::id(), &*engine));
    match engine.checkpoint(&folder) {
        Ok(()) => {
            assert!(folder.read_dir().expect("the folder is there").count() > 0);
            let again = engine.checkpoint(&folder);
            assert!(again.is_err(), "a checkpoint must not overwrite an existing folder");
            std::fs::remove_dir_all(&folder).expect("remove");
        }
        Err(Error::Unsupported { .. }) => assert!(!folder.exists()),
        Err(error) => panic!("{error}"),
    }
}

/// After `close`, every new operation fails with `Closed`.
pub fn a_closed_engine_says_so(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    engine.close().expect("close");
    engine.close().expect("a second close does nothing");
    assert_eq!(engine.snapshot().err(), Some(Error::Closed));
    assert_eq!(engine.begin(TransactionOptions::default()).err(), Some(Error::Closed));
    assert_eq!(engine.drop_range(&KeyRange::all()), Err(Error::Closed));
    for hint in HINTS {
        assert_eq!(engine.load(LoadKind::Visible, hint).err(), Some(Error::Closed));
    }
    assert_eq!(engine.split_points(&KeyRange::all(), 2), Err(Error::Closed));
    assert_eq!(engine.approximate_size_bytes(&KeyRange::all()), Err(Error::Closed));
    assert_eq!(engine.approximate_share(&KeyRange::all(), &KeyRange::all()), Err(Error::Closed));
    assert_eq!(engine.compact(&KeyRange::all()), Err(Error::Closed));
    assert_eq!(engine.sync(), Err(Error::Closed));
    assert_eq!(engine.checkpoint(std::path::Path::new("/nonexistent")), Err(Error::Closed));
    let _ = engine.statistics();
}

/// Transactions, snapshots, scans and loads that are alive at `close` do no harm.
///
/// Reads return the same data as before or `Closed`, and no commit succeeds.
pub fn closing_with_readers_is_safe(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1"), ("b", "2"), ("c", "3")]);
    let snapshot = engine.snapshot().expect("snapshot");
    let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all())).expect("scan");
    let limits = crate::BlockLimits { rows: 1, bytes: 1 << 20 };
    assert!(scan.next_block(limits).expect("next_block").is_some());
    let mut transaction = begin(&*engine);
    transaction.put(b"d", b"4").expect("put");
    let mut lazy = super::begin_waiting(&*engine, 0);
    let load = begin_load(&*engine);

    engine.close().expect("close");
    assert!(matches!(scan.next_block(limits), Ok(Some(_)) | Err(Error::Closed)));
    scan.release();
    assert!(matches!(scan.next_block(limits), Ok(Some(_)) | Err(Error::Closed)));
    match snapshot.get_many(&[b"a"]) {
        Ok(values) => assert_eq!(values.get(0), Some(&b"1"[..])),
        Err(error) => assert_eq!(error, Error::Closed),
    }
    assert_eq!(transaction.commit(Durability::Buffered), Err(Error::Closed));
    assert_eq!(lazy.get_many(&[b"a"]), Err(Error::Closed));
    assert_eq!(lazy.view().get_many(&[b"a"]), Err(Error::Closed));
    drop(lazy);
    assert_eq!(load.finish(Durability::Buffered), Err(Error::Closed));
    drop((snapshot, scan));
    drop(engine);
}
