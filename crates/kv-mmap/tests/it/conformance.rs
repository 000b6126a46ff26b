//! The memory-mapped engine keeps the promises of the key-value trait.

use std::sync::Arc;

use encryption::MasterKey;
use kv::Engine;
use kv::conformance::{Fixture, Folders};
use kv_mmap::{MmapEngine, MmapOptions};

/// Returns stores with the minimum memory and a short interval, so that the cases reach the limits,
/// and layers are merged at any moment of a case.
fn folders_with(encryption: Option<Arc<MasterKey>>) -> impl Fixture {
    Folders::new(move |folder| {
        let options = MmapOptions {
            memory_bytes: 16 << 20,
            cache_bytes: 0,
            flush_interval_ms: 5,
            encryption: encryption.clone(),
            ..MmapOptions::default()
        };
        MmapEngine::open(folder, &options).expect("open") as Arc<dyn Engine>
    })
}

mod plain {
    use super::*;

    kv::conformance_tests!(folders_with(None));
}

mod encrypted {
    use super::*;

    fn folders() -> impl Fixture {
        folders_with(Some(Arc::new(MasterKey::random().expect("random bytes"))))
    }

    kv::conformance_tests!(folders());
}
