//! The reads of a snapshot: lookups, order, bounds, limits.

use super::{
    Fixture, NO_LIMITS, Pairs, begin, check_rewinds, delete, dump_range, get_in, put, read_prefix, scan,
    scan_releasing,
};
use crate::{BlockLimits, Durability, Engine, KeyRange, LOOKUP_BYTES, PrefixScan, ScanSpec, Snapshot};

/// Keys with every awkward byte at every awkward place.
const AWKWARD_KEYS: &[&[u8]] = &[
    b"\0",
    b"\0\0",
    b"\0\x01",
    b"\x01",
    b"a",
    b"a\0",
    b"a\0b",
    b"aa",
    b"ab",
    b"b",
    b"b\xff",
    b"b\xff\xff",
    b"c",
    b"\x7f",
    b"\x80",
    b"\xfe\xff",
    b"\xff",
    b"\xff\0",
    b"\xff\xff",
    b"\xff\xff\xff",
];

fn put_numbers(engine: &dyn Engine, count: usize) {
    let mut transaction = begin(engine);
    for i in 0..count {
        transaction.put(format!("key{i:05}").as_bytes(), format!("value{i}").as_bytes()).expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
}

fn keys_of(pairs: &Pairs) -> Vec<Vec<u8>> {
    pairs.iter().map(|(key, _)| key.clone()).collect()
}

/// An absent key has no value. An empty value is a value.
pub fn absent_keys_have_no_value(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", ""), ("b", "1")]);
    delete(&*engine, &["b"]);
    let snapshot = engine.snapshot().expect("snapshot");
    assert_eq!(get_in(&*snapshot, "a"), Some(String::new()));
    assert_eq!(get_in(&*snapshot, "b"), None);
    assert_eq!(get_in(&*snapshot, "c"), None);
    assert!(snapshot.get_many(&[]).expect("get_many").is_empty());
}

/// `get_many` returns one entry per key, in the order of the request, even for repeated keys.
pub fn lookups_answer_in_the_order_of_the_request(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_numbers(&*engine, 1000);
    let snapshot = engine.snapshot().expect("snapshot");
    let mut keys: Vec<String> = (0..1200).map(|i| format!("key{:05}", i * 7919 % 1100)).collect();
    check_look_up(&*snapshot, &keys);
    keys.sort();
    check_look_up(&*snapshot, &keys);
    keys.truncate(2);
    check_look_up(&*snapshot, &keys);
}

/// Looks up keys. Those below 1,000 are present.
fn check_look_up(snapshot: &dyn Snapshot, keys: &[String]) {
    let asked: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
    let values = snapshot.get_many(&asked).expect("get_many");
    assert_eq!(values.len(), keys.len());
    for (i, key) in keys.iter().enumerate() {
        let number: usize = key["key".len()..].parse().expect("number");
        let expected = (number < 1000).then(|| format!("value{number}"));
        assert_eq!(values.get(i), expected.as_deref().map(str::as_bytes), "{key}");
    }
}

/// A lookup of long values ends early, and can be continued; one of presence does not end early.
///
/// The result is the same in any order of the keys, and with writes of a transaction over them.
pub fn lookups_of_long_values_end_early(fixture: &dyn Fixture) {
    const VALUE_BYTES: usize = 1 << 20;
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    // Short values come first, then long ones, then an absent key.
    let keys: Vec<String> = (0..320).map(|i| format!("key{i:03}")).collect();
    let value = |i: usize| vec![i as u8; if i < 300 { 1 } else { VALUE_BYTES }];
    for (i, key) in keys.iter().enumerate().take(319) {
        transaction.put(key.as_bytes(), &value(i)).expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
    let snapshot = engine.snapshot().expect("snapshot");
    let mut writing = begin(&*engine);
    writing.put(b"key310", &value(310)).expect("put");
    let mut asked: Vec<usize> = (0..keys.len()).collect();
    for _ in 0..2 {
        let names: Vec<&[u8]> = asked.iter().map(|i| keys[*i].as_bytes()).collect();
        let exists: Vec<bool> = asked.iter().map(|i| *i < 319).collect();
        for reader in [&*snapshot, &*writing.view()] {
            let mut found = 0;
            while found < names.len() {
                let values = reader.get_many(&names[found..]).expect("get_many");
                assert!(!values.is_empty() && values.bytes().len() < LOOKUP_BYTES + VALUE_BYTES);
                for (i, got) in asked[found..].iter().zip(values.iter()) {
                    assert!(got == (*i < 319).then(|| value(*i)).as_deref(), "{i}");
                }
                found += values.len();
            }
            assert_eq!(reader.contains_many(&names).expect("contains_many"), exists);
        }
        asked.reverse();
    }
}

/// Keys are ordered as `memcmp` orders them, whatever the order of the writes.
pub fn keys_are_ordered_byte_by_byte(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    for key in AWKWARD_KEYS.iter().rev() {
        transaction.put(key, key).expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
    let snapshot = engine.snapshot().expect("snapshot");
    let pairs = scan(&*snapshot, ScanSpec::forward(KeyRange::all()), NO_LIMITS);
    let mut expected: Vec<Vec<u8>> = AWKWARD_KEYS.iter().map(|key| key.to_vec()).collect();
    expected.sort();
    assert_eq!(keys_of(&pairs), expected);
    assert!(pairs.iter().all(|(key, value)| key == value));
    let values = snapshot.get_many(AWKWARD_KEYS).expect("get_many");
    assert!(values.iter().zip(AWKWARD_KEYS).all(|(value, key)| value == Some(*key)));
}

/// For each prefix, in any order, a prefix scan returns the keys that begin with it, in blocks of
/// any size.
pub fn prefixes_are_read_one_after_the_other(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    for key in AWKWARD_KEYS {
        transaction.put(key, key).expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
    let snapshot = engine.snapshot().expect("snapshot");
    delete(&*engine, &["a", "b"]);
    let mut reader = snapshot.prefix_scan().expect("prefix_scan");
    let absent: [&[u8]; 3] = [b"d", b"a\0c", b"\xff\xff\xff\xff"];
    for prefix in AWKWARD_KEYS.iter().rev().chain(&absent).chain(AWKWARD_KEYS) {
        let mut expected: Vec<Vec<u8>> =
            AWKWARD_KEYS.iter().filter(|key| key.starts_with(prefix)).map(|key| key.to_vec()).collect();
        expected.sort();
        for rows in [1, 2, 100] {
            assert_eq!(keys_of(&read_prefix(&mut *reader, prefix, rows)), expected, "{prefix:?} {rows}");
        }
    }
}

/// Prefetches do not change what prefixes return: not for those that were not prefetched, and
/// not after ones that were never read.
pub fn prefetched_prefixes_read_the_same(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    // Few, many and no keys for a prefix.
    for prefix in 0..300_usize {
        for number in 0..[0, 3, 1, 200][prefix % 4] {
            let key = format!("{prefix:03}/{number:03}");
            transaction.put(key.as_bytes(), key.as_bytes()).expect("put");
        }
    }
    transaction.commit(Durability::Buffered).expect("commit");
    let snapshot = engine.snapshot().expect("snapshot");
    delete(&*engine, &["001/001"]);
    let names: Vec<String> = (0..300).map(|prefix| format!("{prefix:03}/")).collect();
    let prefixes: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
    let mut reader = snapshot.prefix_scan().expect("prefix_scan");
    let check = |reader: &mut dyn PrefixScan, numbers: &mut dyn Iterator<Item = usize>, rows| {
        for number in numbers {
            let pairs = read_prefix(reader, prefixes[number], rows);
            assert_eq!(pairs.len(), [0, 3, 1, 200][number % 4], "{number}");
            assert!(pairs.iter().all(|(key, _)| key.starts_with(prefixes[number])), "{number}");
        }
    };
    reader.prefetch(&[]);
    reader.prefetch(&prefixes[..20]);
    check(&mut *reader, &mut (0..20), 1000);
    // Prefetched again after it was read, twice, and out of order.
    reader.prefetch(&prefixes[..10]);
    reader.prefetch(&prefixes[5..15]);
    check(&mut *reader, &mut (0..30).rev(), 100);
    // Never read.
    reader.prefetch(&prefixes[100..110]);
    check(&mut *reader, &mut (20..40), 1);
    // More than are fetched concurrently, and the rest of the earlier ones.
    reader.prefetch(&prefixes);
    check(&mut *reader, &mut (0..300), 1000);
    reader.prefetch(&prefixes[..20]);
    reader.release();
    check(&mut *reader, &mut (0..20), 1000);
    reader.prefetch(&prefixes[..20]);
    assert!(snapshot.concurrent_reads() > 0);
}

/// Every range over awkward keys holds exactly the keys from its start to below its end, in both
/// directions.
pub fn ranges_include_their_start_and_exclude_their_end(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    for key in AWKWARD_KEYS.iter().step_by(2) {
        transaction.put(key, b"").expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
    let snapshot = engine.snapshot().expect("snapshot");
    for start in AWKWARD_KEYS {
        for end in AWKWARD_KEYS {
            let range = KeyRange::new(*start, *end);
            let mut expected: Vec<Vec<u8>> = AWKWARD_KEYS
                .iter()
                .step_by(2)
                .filter(|key| range.contains(key))
                .map(|key| key.to_vec())
                .collect();
            expected.sort();
            let forward = scan(&*snapshot, ScanSpec::forward(range.clone()), NO_LIMITS);
            assert_eq!(keys_of(&forward), expected, "{range:?}");
            expected.reverse();
            let backward = scan(&*snapshot, ScanSpec::backward(range.clone()), NO_LIMITS);
            assert_eq!(keys_of(&backward), expected, "{range:?} backwards");
        }
    }
}

/// A range with an empty end has no end, and neither has a prefix of 0xFF bytes.
pub fn a_range_without_an_end_reaches_the_last_key(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let mut transaction = begin(&*engine);
    for key in [&b"a"[..], b"\xff\xff\x01", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"] {
        transaction.put(key, b"").expect("put");
    }
    transaction.commit(Durability::Buffered).expect("commit");
    let snapshot = engine.snapshot().expect("snapshot");
    for (range, count) in
        [(KeyRange::all(), 3), (KeyRange::after(b"a"), 2), (KeyRange::prefix(b"\xff\xff"), 2)]
    {
        assert_eq!(scan(&*snapshot, ScanSpec::forward(range.clone()), NO_LIMITS).len(), count);
        assert_eq!(scan(&*snapshot, ScanSpec::backward(range), NO_LIMITS).len(), count);
    }
}

/// A reverse scan returns the same pairs in the opposite order, whatever the block size.
pub fn reverse_scans_are_forward_scans_backwards(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_numbers(&*engine, 500);
    let snapshot = engine.snapshot().expect("snapshot");
    let range = KeyRange::new("key00017", "key00473");
    let mut forward = scan(&*snapshot, ScanSpec::forward(range.clone()), NO_LIMITS);
    assert_eq!(forward.len(), 456);
    forward.reverse();
    for rows in [1, 7, 1000] {
        let limits = BlockLimits { rows, bytes: 1 << 20 };
        assert_eq!(scan(&*snapshot, ScanSpec::backward(range.clone()), limits), forward);
        assert_eq!(scan(&*snapshot, ScanSpec::backward(range.clone()).sequential(), limits), forward);
    }
}

/// A scan of keys only returns every pair with an empty value.
pub fn scans_of_keys_leave_the_values_out(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_numbers(&*engine, 50);
    let snapshot = engine.snapshot().expect("snapshot");
    let whole = scan(&*snapshot, ScanSpec::forward(KeyRange::all()), NO_LIMITS);
    for spec in [ScanSpec::forward(KeyRange::all()), ScanSpec::backward(KeyRange::all())] {
        let mut keys = scan(&*snapshot, spec.clone().keys_only(), NO_LIMITS);
        assert!(keys.iter().all(|(_, value)| value.is_empty()));
        if spec.reverse {
            keys.reverse();
        }
        assert_eq!(keys_of(&keys), keys_of(&whole));
    }
}

/// A block ends at its limit of rows, or with the pair that reaches its limit of bytes. It has at
/// least one pair.
pub fn blocks_keep_to_their_limits(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_numbers(&*engine, 100);
    let snapshot = engine.snapshot().expect("snapshot");
    let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all())).expect("scan");
    let mut next = |rows, bytes| {
        let block = scan.next_block(BlockLimits { rows, bytes }).expect("next_block");
        block.map_or(0, |block| block.len())
    };
    assert_eq!(next(1, 1 << 20), 1, "one row");
    assert_eq!(next(10, 1 << 20), 10, "ten rows");
    assert_eq!(next(10, 1), 1, "one pair is always there");
    assert_eq!(next(10, 0), 1, "one pair is always there");
    assert_eq!(next(1000, 40), 3, "pairs of 8 and 7 bytes until 40 are reached");
    assert_eq!(next(usize::MAX, usize::MAX), 84, "the rest");
    assert_eq!(next(1, 1), 0, "nothing is left");
}

/// After `None`, a scan returns `None`, even if it was released and more was written since.
pub fn a_finished_scan_stays_finished(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put(&*engine, &[("a", "1"), ("b", "2")]);
    let snapshot = engine.snapshot().expect("snapshot");
    for spec in [ScanSpec::forward(KeyRange::all()), ScanSpec::backward(KeyRange::all())] {
        let mut scan = snapshot.scan(spec).expect("scan");
        assert_eq!(scan.next_block(NO_LIMITS).expect("next_block").map(|block| block.len()), Some(2));
        assert!(scan.next_block(NO_LIMITS).expect("next_block").is_none());
        put(&*engine, &[("c", "3"), ("A", "0")]);
        assert!(scan.next_block(NO_LIMITS).expect("next_block").is_none());
        scan.release();
        assert!(scan.next_block(NO_LIMITS).expect("next_block").is_none());
    }
    let mut empty = snapshot.scan(ScanSpec::forward(KeyRange::new("x", "y"))).expect("scan");
    assert!(empty.next_block(NO_LIMITS).expect("next_block").is_none());
    assert!(empty.next_block(NO_LIMITS).expect("next_block").is_none());
}

/// A released scan loses and repeats nothing, and does not see later writes.
pub fn released_scans_continue_after_the_last_pair(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_numbers(&*engine, 300);
    let snapshot = engine.snapshot().expect("snapshot");
    for spec in [ScanSpec::forward(KeyRange::all()), ScanSpec::backward(KeyRange::all()).sequential()] {
        let expected = scan(&*snapshot, spec.clone(), NO_LIMITS);
        for rows in [1, 13, 299, 300] {
            let limits = BlockLimits { rows, bytes: 1 << 20 };
            let pairs = scan_releasing(&*snapshot, spec.clone(), limits, |block| {
                put(&*engine, &[("key00150x", "new"), ("zzz", "new")]);
                block % 2 == 1
            });
            assert_eq!(pairs, expected);
        }
    }
}

/// A scan that goes back to a key returns its pair again, and all after it.
pub fn scans_go_back_to_a_key(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_numbers(&*engine, 300);
    let snapshot = engine.snapshot().expect("snapshot");
    put(&*engine, &[("key00150x", "new"), ("zzz", "new")]);
    check_rewinds(&*snapshot);
}

/// A scan reads its snapshot, even if it begins and continues after later writes, and after the
/// snapshot's handle is gone.
pub fn scans_end_with_what_was_there_at_their_start(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    put_numbers(&*engine, 10);
    let snapshot = engine.snapshot().expect("snapshot");
    let before = dump_range(&*snapshot, KeyRange::all());
    let mut scan = snapshot.scan(ScanSpec::forward(KeyRange::all())).expect("scan");
    drop(snapshot);
    let limits = BlockLimits { rows: 3, bytes: 1 << 20 };
    let mut texts = Vec::new();
    let mut count = 0;
    while let Some(block) = scan.next_block(limits).expect("next_block") {
        for (key, value) in block.iter() {
            texts.push(format!("{}={}", key.escape_ascii(), value.escape_ascii()));
        }
        count += 1;
        delete(&*engine, &["key00005", "key00008"]);
        put(&*engine, &[("key00009", &format!("{count}")), ("key00010", "new")]);
        if count == 2 {
            scan.release();
        }
    }
    assert_eq!(texts.join(" "), before);
}

/// Values of megabytes are read whole, by lookup and by scan.
pub fn large_values_come_back_whole(fixture: &dyn Fixture) {
    let engine = fixture.engine();
    let large: Vec<u8> = (0..5_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let mut transaction = begin(&*engine);
    transaction.put(b"large", &large).expect("put");
    transaction.put(b"small", b"1").expect("put");
    transaction.commit(Durability::Buffered).expect("commit");
    let snapshot = engine.snapshot().expect("snapshot");
    let values = snapshot.get_many(&[b"small", b"large"]).expect("get_many");
    assert!(values.get(1) == Some(&large[..]));
    let limits = BlockLimits { rows: 1000, bytes: 1000 };
    let pairs = scan(&*snapshot, ScanSpec::forward(KeyRange::all()), limits);
    assert_eq!(pairs.len(), 2);
    assert!(pairs[0].1 == large);
}
