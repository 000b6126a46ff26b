//! The isolation of snapshots from later changes.

use super::{Fixture, HINTS, begin, begin_load, delete, dump, dump_now, get, put};
use crate::{Durability, KeyRange, LoadKind};

/// A snapshot reads the same before and after writes, deletes, range drops, loads and compactions.
pub fn snapshots_do_not_change(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]);
    let snapshot = engine.snapshot().expect("snapshot");
    let before = dump(&*snapshot);
    assert_eq!(before, "a=1 b=2 c=3 d=4");

    put(&*engine, &[("a", "changed"), ("e", "new")]);
    assert_eq!(dump(&*snapshot), before, "after puts");
    delete(&*engine, &["b"]);
    assert_eq!(dump(&*snapshot), before, "after a delete");
    engine.drop_range(&KeyRange::new("c", "e")).expect("drop_range");
    assert_eq!(dump(&*snapshot), before, "after a range drop");
    let mut load = begin_load(&*engine);
    load.add(b"c", b"loaded").expect("add");
    load.add(b"cc", b"loaded").expect("add");
    load.finish(Durability::Buffered).expect("finish");
    assert_eq!(dump(&*snapshot), before, "after a load");
    engine.compact(&KeyRange::all()).expect("compact");
    assert_eq!(dump(&*snapshot), before, "after a compaction");
    assert_eq!(get(&*engine, "d"), None);
    assert_eq!(dump_now(&*engine), "a=changed c=loaded cc=loaded e=new");
    assert_eq!(snapshot.get_many(&[b"d", b"cc"]).expect("get_many").get(0), Some(&b"4"[..]));
}

/// Snapshots do not change even if nothing was ever committed, but only loaded.
pub fn snapshots_of_loaded_pairs_do_not_change(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut load = begin_load(&*engine);
    load.add(b"a", b"1").expect("add");
    load.add(b"b", b"2").expect("add");
    load.finish(Durability::Buffered).expect("finish");
    let snapshot = engine.snapshot().expect("snapshot");
    engine.drop_range(&KeyRange::all()).expect("drop_range");
    assert_eq!(dump(&*snapshot), "a=1 b=2");
    assert_eq!(dump_now(&*engine), "");
}

/// A snapshot of pairs that were only loaded keeps them through deletions and compactions.
pub fn snapshots_of_loaded_pairs_outlive_compactions(fixture: &dyn Fixture) {
    for hint in HINTS {
        let engine = fixture.engine();
        let mut load = engine.load(LoadKind::Visible, hint).expect("load");
        for key in [b"a", b"b", b"c"] {
            load.add(key, b"1").expect("add");
        }
        load.finish(Durability::Buffered).expect("finish");
        let snapshot = engine.snapshot().expect("snapshot");
        delete(&*engine, &["c"]);
        for _ in 0..2 {
            engine.compact(&KeyRange::all()).expect("compact");
            assert_eq!(dump(&*snapshot), "a=1 b=1 c=1", "{hint:?}");
        }
        assert_eq!(dump_now(&*engine), "a=1 b=1");
    }
}

/// Snapshots are independent: each keeps its own state, in whatever order they end.
pub fn snapshots_outlive_later_snapshots(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut snapshots = Vec::new();
    for i in 0..20 {
        put(&*engine, &[("a", &i.to_string())]);
        snapshots.push((i, engine.snapshot().expect("snapshot")));
    }
    snapshots.retain(|(i, _)| i % 3 != 1);
    engine.compact(&KeyRange::all()).expect("compact");
    for (i, snapshot) in &snapshots {
        assert_eq!(dump(&**snapshot), format!("a={i}"));
    }
    while snapshots.len() > 1 {
        snapshots.remove(snapshots.len() / 2);
        for (i, snapshot) in &snapshots {
            assert_eq!(dump(&**snapshot), format!("a={i}"));
        }
    }
}

/// Every snapshot that is taken after a commit shows it.
pub fn a_commit_is_visible_to_the_next_snapshot(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    for i in 0..200 {
        let mut transaction = begin(&*engine);
        transaction.put(b"n", i.to_string().as_bytes()).expect("put");
        let durability = if i % 50 == 0 { Durability::Synced } else { Durability::Buffered };
        transaction.commit(durability).expect("commit");
        assert_eq!(get(&*engine, "n"), Some(i.to_string()));
    }
}

/// The statistics count living snapshots, because an operator must notice a snapshot that lives too
/// long.
pub fn the_statistics_count_living_snapshots(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1")]);
    let before = engine.statistics().snapshots;
    let snapshots: Vec<_> = (0..3).map(|_| engine.snapshot().expect("snapshot")).collect();
    assert_eq!(engine.statistics().snapshots, before + 3);
    drop(snapshots);
    assert_eq!(engine.statistics().snapshots, before);
}
