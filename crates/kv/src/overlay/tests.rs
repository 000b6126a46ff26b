use std::sync::Arc;

use super::Overlay;
use crate::{
    BlockLimits, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, MemoryEngine, ScanSpec, Snapshot,
};

fn base(count: usize) -> Arc<dyn Snapshot> {
    let engine = MemoryEngine::new();
    let mut load = engine.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
    for i in 0..count {
        load.add(format!("k{i:04}").as_bytes(), b"base").unwrap();
    }
    load.finish(Durability::Buffered).unwrap();
    engine.snapshot().unwrap()
}

#[test]
fn an_empty_overlay_is_its_base() {
    let base = base(3);
    let mut overlay = Overlay::new(1000);
    assert!(Arc::ptr_eq(&overlay.view(&base), &base));
    let savepoint = overlay.savepoint();
    overlay.put(b"k0001", b"own").unwrap();
    assert!(!Arc::ptr_eq(&overlay.view(&base), &base));
    overlay.rollback_to(savepoint);
    assert!(Arc::ptr_eq(&overlay.view(&base), &base));
}

#[test]
fn a_view_over_another_base_is_another_view() {
    let (first, second) = (base(1), base(2));
    let mut overlay = Overlay::new(1000);
    overlay.put(b"x", b"own").unwrap();
    let _ = overlay.view(&first);
    let view = overlay.view(&second);
    assert_eq!(view.get_many(&[b"k0001"]).unwrap().get(0), Some(&b"base"[..]));
}

#[test]
fn blocks_without_writes_between_their_keys_are_passed_on_whole() {
    let base = base(100);
    let mut overlay = Overlay::new(1000);
    overlay.put(b"k0049x", b"own").unwrap();
    let view = overlay.view(&base);
    let limits = BlockLimits { rows: 10, bytes: 1 << 20 };
    let mut scan = view.scan(ScanSpec::forward(KeyRange::all())).unwrap();
    let sizes: Vec<usize> =
        std::iter::from_fn(|| scan.next_block(limits).unwrap()).map(|block| block.len()).collect();
    assert_eq!(sizes, [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1]);
}

#[test]
fn undo_is_kept_only_for_savepoints() {
    let mut overlay = Overlay::new(1 << 20);
    for _ in 0..1000 {
        overlay.put(b"key", &[0; 100]).unwrap();
    }
    assert!(overlay.memory_bytes() < 1000, "{}", overlay.memory_bytes());
    let savepoint = overlay.savepoint();
    overlay.put(b"key", &[1; 100]).unwrap();
    overlay.put(b"key", &[2; 100]).unwrap();
    let kept = overlay.memory_bytes();
    assert!(kept > 300, "two overwritten values are kept: {kept}");
    assert_eq!(overlay.size_bytes(), 103);
    overlay.rollback_to(savepoint);
    // Exactly the two values, without the capacity of the list.
    assert_eq!(kept - overlay.memory_bytes(), 2 * 103);
}

#[test]
fn a_refused_write_changes_nothing() {
    let mut overlay = Overlay::new(10);
    overlay.put(b"a", b"12345").unwrap();
    assert_eq!(overlay.put(b"a", b"1234567890"), Err(Error::TooLarge { limit_bytes: 10 }));
    assert_eq!(overlay.get(b"a").unwrap().value(), Some(&b"12345"[..]));
    overlay.put(b"a", b"123456789").unwrap();
    assert_eq!((overlay.len(), overlay.size_bytes()), (1, 10));
    overlay.delete(b"a").unwrap();
    assert_eq!((overlay.len(), overlay.size_bytes()), (1, 1));
    assert_eq!(overlay.get(b"a").unwrap().value(), None);
}
