//! Loads with every hint.

use super::{Fixture, HINTS, NO_LIMITS, begin, begin_load, delete, dump, dump_now, get, put, scan};
use crate::{BulkLoad, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, ScanSpec};

fn load(engine: &dyn Engine, hint: LoadHint, pairs: &[(&str, &str)]) {
    finish(engine.load(LoadKind::Visible, hint).expect("load"), pairs);
}

fn finish(mut load: Box<dyn BulkLoad>, pairs: &[(&str, &str)]) {
    for (key, value) in pairs {
        load.add(key.as_bytes(), value.as_bytes()).expect("add");
    }
    load.finish(Durability::Buffered).expect("finish");
}

/// Nothing of a load is visible before its end. After it everything is, except to older snapshots
/// and transactions.
pub fn a_load_is_visible_from_its_end_on(fixture: &dyn Fixture) {
    for hint in HINTS {
        let engine = fixture.engine();
        put(&*engine, &[("a", "1"), ("z", "1")]);
        let mut load = engine.load(LoadKind::Visible, hint).expect("load");
        let count = 20_000;
        for i in 0..count {
            load.add(format!("k{i:06}").as_bytes(), format!("value {i}").as_bytes()).expect("add");
        }
        assert_eq!(dump_now(&*engine), "a=1 z=1");
        let before = engine.snapshot().expect("snapshot");
        let mut transaction = begin(&*engine);
        load.finish(Durability::Buffered).expect("finish");
        assert_eq!(dump(&*before), "a=1 z=1");
        assert_eq!(dump(&*transaction.view()), "a=1 z=1");
        let after = engine.snapshot().expect("snapshot");
        assert_eq!(scan(&*after, ScanSpec::forward(KeyRange::all()), NO_LIMITS).len(), count + 2);
        assert_eq!(get(&*engine, "k012345"), Some("value 12345".into()));
        assert_eq!(get(&*engine, "a"), Some("1".into()));
    }
}

/// A load that is dropped has no effect.
pub fn an_abandoned_load_leaves_nothing(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    for hint in HINTS {
        let mut load = engine.load(LoadKind::Visible, hint).expect("load");
        for i in 0..1000 {
            load.add(format!("k{i:06}").as_bytes(), b"value").expect("add");
        }
        drop(load);
        assert_eq!(dump_now(&*engine), "a=1");
    }
}

/// A key that is not greater than the one before is refused, and the load continues without it.
pub fn keys_of_a_load_must_ascend(fixture: &dyn Fixture) {
    for hint in HINTS {
        let engine = fixture.engine();
        let mut load = engine.load(LoadKind::Visible, hint).expect("load");
        load.add(b"b", b"1").expect("add");
        for key in [&b"a"[..], b"b", b"aaaa", b"\0"] {
            assert!(matches!(load.add(key, b"2"), Err(Error::Misuse { .. })));
        }
        load.add(b"b\0", b"3").expect("add");
        load.begin_run().expect("begin_run");
        assert!(matches!(load.add(b"b", b"4"), Err(Error::Misuse { .. })));
        load.finish(Durability::Buffered).expect("finish");
        assert_eq!(dump_now(&*engine), r"b=1 b\x00=3");
    }
}

/// A load without pairs changes nothing.
pub fn an_empty_load_is_not_an_error(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    for hint in HINTS {
        for durability in [Durability::Buffered, Durability::Synced] {
            engine.load(LoadKind::Visible, hint).expect("load").finish(durability).expect("finish");
        }
    }
    assert_eq!(dump_now(&*engine), "");
}

/// Loaded pairs are pairs like all others: they can be read, replaced, deleted and locked.
pub fn loaded_pairs_can_be_changed(fixture: &dyn Fixture) {
    for hint in HINTS {
        let engine = fixture.engine();
        load(&*engine, hint, &[("a", "1"), ("b", "2"), ("c", "3")]);
        put(&*engine, &[("b", "changed")]);
        delete(&*engine, &["c"]);
        let mut transaction = begin(&*engine);
        assert_eq!(transaction.insert_unique(b"a", b"2"), Err(Error::Exists));
        transaction.insert_unique(b"c", b"again").expect("insert");
        transaction.commit(Durability::Buffered).expect("commit");
        assert_eq!(dump_now(&*engine), "a=1 b=changed c=again");
        engine.drop_range(&KeyRange::new("a", "c")).expect("drop_range");
        assert_eq!(dump_now(&*engine), "c=again");
    }
}

/// A private load is visible to every later reader, even if there are older snapshots, and even if
/// its range was dropped before.
pub fn a_private_load_is_there_for_who_comes_after(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1"), ("m", "1"), ("z", "1")]);
    for (round, hint) in HINTS.into_iter().enumerate() {
        let before = engine.snapshot().expect("snapshot");
        let round = round.to_string();
        let load = engine.load(LoadKind::Private, hint).expect("load");
        finish(load, &[("k", &round), ("l", &round)]);
        assert_eq!(dump_now(&*engine), format!("a=1 k={round} l={round} m=1 z=1"));
        assert_eq!(get(&*engine, "m"), Some("1".into()));
        drop(before);
        put(&*engine, &[("l", "changed")]);
        assert_eq!(dump_now(&*engine), format!("a=1 k={round} l=changed m=1 z=1"));
        engine.drop_range(&KeyRange::new("k", "m")).expect("drop_range");
        assert_eq!(dump_now(&*engine), "a=1 m=1 z=1");
    }
}

/// A range that was dropped can be loaded, and dropped again.
pub fn a_dropped_range_can_be_loaded_again(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    for (round, hint) in HINTS.into_iter().enumerate() {
        let round = round.to_string();
        load(&*engine, hint, &[("a", &round), ("b", &round), ("c", &round)]);
        assert_eq!(dump_now(&*engine), format!("a={round} b={round} c={round}"));
        engine.drop_range(&KeyRange::all()).expect("drop_range");
        assert_eq!(dump_now(&*engine), "");
    }
    finish(begin_load(&*engine), &[("b", "end")]);
    engine.compact(&KeyRange::all()).expect("compact");
    assert_eq!(dump_now(&*engine), "b=end");
}

/// Loads of several threads with interleaved keys all succeed, and so do concurrent writes.
pub fn several_loads_run_concurrently(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let engine = &engine;
            scope.spawn(move || {
                for (round, hint) in HINTS.into_iter().enumerate() {
                    let mut load = engine.load(LoadKind::Visible, hint).expect("load");
                    for i in 0..500 {
                        load.add(format!("k{i:04}-{thread}-{round}").as_bytes(), b"value").expect("add");
                    }
                    load.finish(Durability::Buffered).expect("finish");
                    put(&**engine, &[(&format!("w{thread}-{round}"), "1")]);
                }
            });
        }
    });
    let snapshot = engine.snapshot().expect("snapshot");
    let keys = scan(&*snapshot, ScanSpec::forward(KeyRange::prefix(b"k")).keys_only(), NO_LIMITS);
    assert_eq!(keys.len(), 4 * HINTS.len() * 500);
    let written = scan(&*snapshot, ScanSpec::forward(KeyRange::prefix(b"w")), NO_LIMITS);
    assert_eq!(written.len(), 4 * HINTS.len());
}

/// A load with a sync is visible like any other.
pub fn a_synced_load_is_there(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    for (round, hint) in HINTS.into_iter().enumerate() {
        let mut load = engine.load(LoadKind::Visible, hint).expect("load");
        load.add(format!("k{round}").as_bytes(), b"1").expect("add");
        load.finish(Durability::Synced).expect("finish");
    }
    assert_eq!(dump_now(&*engine), "k0=1 k1=1 k2=1");
}

/// The starts of runs make no difference to the stored data.
pub fn runs_make_no_difference(fixture: &dyn Fixture) {
    for hint in HINTS {
        let engine = fixture.engine();
        let mut load = engine.load(LoadKind::Visible, hint).expect("load");
        load.begin_run().expect("begin_run");
        for key in ["a", "m", "z"] {
            load.add(key.as_bytes(), b"1").expect("add");
            load.begin_run().expect("begin_run");
        }
        assert_eq!(dump_now(&*engine), "");
        load.finish(Durability::Buffered).expect("finish");
        assert_eq!(dump_now(&*engine), "a=1 m=1 z=1");
    }
}
