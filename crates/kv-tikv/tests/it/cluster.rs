//! The conformance suite against a real cluster, whose PD `PERSEA_TIKV_PD` names. Without the
//! variable there is nothing to test here.
//!
//! `PERSEA_TIKV_CA` encrypts the connections, and `PERSEA_TIKV_IDENTITY` is a file with the
//! client's certificate and key. `PERSEA_TIKV_ONE_PHASE=false` forbids commits in one phase: a
//! mock of TiKV may show them to readers whose timestamps are smaller. `PERSEA_TIKV_CASE`
//! chooses the cases whose names contain it.

#![allow(clippy::print_stderr, reason = "a test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use kv::Engine;
use kv_tikv::{TikvEngine, TikvOptions, TlsFiles};

/// Returns the options of a new store in the cluster, or `None` without a cluster.
fn options() -> Option<TikvOptions> {
    static STORES: AtomicU64 = AtomicU64::new(0);
    let pd = std::env::var("PERSEA_TIKV_PD").ok()?;
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let number = STORES.fetch_add(1, Ordering::Relaxed);
    let tls = std::env::var("PERSEA_TIKV_CA").ok().map(|authority| {
        let identity = std::env::var("PERSEA_TIKV_IDENTITY").ok();
        TlsFiles {
            authority: authority.into(),
            identity: identity.map(|file| (file.clone().into(), file.into())),
        }
    });
    Some(TikvOptions {
        tls,
        pd: pd.split(',').map(str::to_owned).collect(),
        prefix: format!("persea-test-{time}-{number}"),
        one_phase: std::env::var("PERSEA_TIKV_ONE_PHASE").map_or(true, |value| value != "false"),
        ..TikvOptions::default()
    })
}

#[test]
fn the_suite_holds_on_a_cluster() {
    if options().is_none() {
        return;
    }
    let wanted = std::env::var("PERSEA_TIKV_CASE").unwrap_or_default();
    let mut failed = Vec::new();
    for (name, case) in kv::conformance::cases().into_iter().filter(|(name, _)| name.contains(&wanted)) {
        let started = Instant::now();
        let fixture = || TikvEngine::open(&options().unwrap()).expect("open") as Arc<dyn Engine>;
        let result = std::panic::catch_unwind(|| case(&fixture));
        eprintln!("{name}: {} ms", started.elapsed().as_millis());
        if result.is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
