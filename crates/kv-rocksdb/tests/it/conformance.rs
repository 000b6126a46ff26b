//! RocksDB keeps the promises of the key-value trait.

use std::sync::Arc;

use kv::Engine;
use kv::conformance::{Fixture, Folders};
use kv_rocksdb::{RocksEngine, RocksOptions};

fn folders() -> impl Fixture {
    Folders::new(|folder| {
        // The minimum memory, so that the cases reach its limits.
        let options = RocksOptions { memory_bytes: 16 << 20, ..RocksOptions::default() };
        RocksEngine::open(folder, &options).expect("open") as Arc<dyn Engine>
    })
}

kv::conformance_tests!(folders());

mod encrypted {
    use encryption::MasterKey;

    use super::*;

    fn folders() -> impl Fixture {
        let master = Arc::new(MasterKey::random().expect("random bytes"));
        Folders::new(move |folder| {
            let encryption = Some(Arc::clone(&master));
            let options = RocksOptions { memory_bytes: 16 << 20, encryption, ..RocksOptions::default() };
            RocksEngine::open(folder, &options).expect("open") as Arc<dyn Engine>
        })
    }

    kv::conformance_tests!(folders());
}
