//! Unit tests of the cache. `tests/http/query_cache.http` tests it through HTTP.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};

use aql_value::{Charge, MemoryAccount};

use super::dependencies::Dependencies;
use super::*;

fn entry(text: &str, bytes: usize) -> Entry {
    Entry {
        key: ResultKey::of(&QueryRequest::new(text)),
        rows: vec![0; bytes],
        row_count: 1,
        extra: Vec::new(),
        dependencies: Dependencies::none(),
        hits: AtomicU64::new(0),
        run_time: Duration::ZERO,
        added: SystemTime::now(),
        _charge: Charge::new(Arc::new(MemoryAccount::unlimited())),
    }
}

fn cache(max_results: usize, max_results_bytes: u64) -> ResultsCache {
    let mode = CacheMode::On;
    let properties = CacheProperties { mode, max_results, max_results_bytes, ..CacheProperties::default() };
    ResultsCache::new(properties, Arc::new(MemoryAccount::unlimited()))
}

fn texts(cache: &ResultsCache) -> Vec<String> {
    cache.entries("db").iter().map(|entry| entry.text().to_owned()).collect()
}

#[test]
fn what_was_not_used_lately_goes_first() {
    let cache = cache(2, 1 << 20);
    let database: Arc<str> = "db".into();
    cache.put(&database, entry("a", 10));
    cache.put(&database, entry("b", 10));
    assert!(cache.get("db", &ResultKey::of(&QueryRequest::new("a"))).is_some());
    cache.put(&database, entry("c", 10));
    assert_eq!(texts(&cache), ["a", "c"]);
    assert!(cache.forget_oldest());
    assert_eq!(texts(&cache), ["c"]);
    assert!(cache.forget_oldest() && !cache.forget_oldest());
}

#[test]
fn results_stay_within_the_limits() {
    let cache = cache(10, 100);
    let database: Arc<str> = "db".into();
    cache.put(&database, entry("a", 60));
    cache.put(&database, entry("b", 60));
    assert_eq!(texts(&cache), ["b"]);
    cache.put(&database, entry("huge", 17 << 20));
    assert_eq!(texts(&cache), ["b"]);
    cache.set_properties(CacheProperties { max_entry_bytes: 10, ..cache.properties() });
    assert!(texts(&cache).is_empty());
}

#[test]
fn databases_are_apart() {
    let cache = cache(10, 1 << 20);
    cache.put(&"db".into(), entry("a", 10));
    cache.put(&"other".into(), entry("b", 10));
    cache.clear("other");
    assert_eq!(texts(&cache), ["a"]);
    cache.set_properties(CacheProperties { mode: CacheMode::Demand, ..cache.properties() });
    assert!(texts(&cache).is_empty());
}

#[test]
fn the_mode_and_the_query_decide_together() {
    let request = |wanted| QueryRequest { cache: wanted, ..QueryRequest::new("RETURN 1") };
    for (mode, none, yes, no) in [
        (CacheMode::Off, false, false, false),
        (CacheMode::On, true, true, false),
        (CacheMode::Demand, false, true, false),
    ] {
        let cache = cache(10, 1 << 20);
        cache.set_properties(CacheProperties { mode, ..CacheProperties::default() });
        let wanted = [None, Some(true), Some(false)].map(|wanted| cache.is_wanted(&request(wanted)));
        assert_eq!(wanted, [none, yes, no], "{mode:?}");
    }
    let cache = cache(10, 1 << 20);
    let mut streamed = request(Some(true));
    streamed.options.stream = true;
    assert!(!cache.is_wanted(&streamed));
}
