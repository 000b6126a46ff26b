use encryption::TemporaryFolder;
use proptest::prelude::*;

use super::*;

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn sort(pairs: &[(Vec<u8>, Vec<u8>)], budget_bytes: usize) -> Pairs {
    let mut sorter = Sorter::new(std::env::temp_dir().into(), budget_bytes);
    for (key, value) in pairs {
        sorter.add(key, value).unwrap();
    }
    read(sorter.finish().unwrap())
}

fn read(mut sorted: SortedPairs) -> Pairs {
    let mut all = Vec::new();
    while let Some((key, value)) = sorted.next_pair().unwrap() {
        all.push((key.to_vec(), value.to_vec()));
    }
    all
}

#[test]
fn many_pairs_are_divided_evenly() {
    for budget_bytes in [usize::MAX, 1 << 20] {
        let mut sorter = Sorter::new(std::env::temp_dir().into(), budget_bytes);
        (0..100_000u32).for_each(|n| sorter.add(&n.wrapping_mul(7919).to_be_bytes(), b"value").unwrap());
        let ranges = Sorter::finish_in_ranges(vec![sorter], 4).unwrap();
        let counts: Vec<usize> = ranges.into_iter().map(|range| read(range).len()).collect();
        assert!(
            counts.len() == 4 && counts.iter().all(|count| (15_000..35_000).contains(count)),
            "{counts:?}"
        );
    }
}

/// Generates keys of many lengths with long common prefixes.
fn keys() -> impl Strategy<Value = Vec<u8>> {
    let start = prop::sample::select(vec!["", "\0", "\u{1}a long common start/", "\u{1}a long"]);
    let rest = prop_oneof![
        8 => prop::collection::vec(0u8..4, 0..20),
        // Longer than the part that is kept of a group's first key.
        1 => prop::collection::vec(0u8..2, 0..3).prop_map(|end| [vec![1; 600], end].concat()),
    ];
    (start, rest).prop_map(|(start, rest)| [start.as_bytes(), &rest].concat())
}

fn pairs() -> impl Strategy<Value = Pairs> {
    let values = prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..4),
        // Long enough for many groups in a run, and longer than a buffer.
        1 => (0usize..50_000).prop_map(|length| vec![7; length]),
    ];
    prop::collection::vec((keys(), values), 0..100)
}

proptest! {
    #[test]
    fn ranges_are_together_all_that_was_added_in_order(
        parts in prop::collection::vec((pairs(), 1usize..500_000), 1..4),
        count in 1usize..6,
    ) {
        let mut expected: Vec<_> = parts.iter().flat_map(|(pairs, _)| pairs.clone()).collect();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let sorter = |(pairs, budget_bytes): &(Pairs, usize)| {
            let mut sorter = Sorter::new(std::env::temp_dir().into(), *budget_bytes);
            pairs.iter().for_each(|(key, value)| sorter.add(key, value).unwrap());
            sorter
        };
        let ranges = Sorter::finish_in_ranges(parts.iter().map(sorter).collect(), count).unwrap();
        prop_assert!((1..=count).contains(&ranges.len()));
        // Reads the last range first, because no range needs pairs that another one has read.
        let mut found: Vec<Vec<_>> = ranges.into_iter().rev().map(read).collect();
        found.reverse();
        for (before, after) in found.iter().zip(&found[1..]) {
            if let (Some((before, _)), Some((after, _))) = (before.last(), after.first()) {
                prop_assert!(before < after, "equal keys are in one range");
            }
        }
        prop_assert_eq!(found.concat(), expected);
    }

    #[test]
    fn any_budget_gives_the_order_of_a_stable_sort(
        pairs in prop::collection::vec((prop::collection::vec(0u8..4, 0..4), prop::collection::vec(any::<u8>(), 0..4)), 0..200),
        budget_bytes in 1usize..5000,
    ) {
        let mut expected = pairs.clone();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(sort(&pairs, budget_bytes), expected);
    }
}

#[test]
fn more_runs_than_one_merge_takes() {
    for count in [500u32, 5_000] {
        // Keys that occur often, with values that show the order in which they were added.
        let pairs: Vec<_> = (0..count)
            .map(|n| (vec![(n.wrapping_mul(7919) % 251) as u8], n.to_be_bytes().to_vec()))
            .collect();
        let mut expected = pairs.clone();
        expected.sort();
        assert_eq!(sort(&pairs, 1), expected);
    }
}

#[test]
fn what_is_kept_of_a_long_run_does_not_grow_with_it() {
    let file = Arc::new(TemporaryFolder::from(std::env::temp_dir()).create().unwrap());
    let mut writer = RunWriter::new(Arc::clone(&file), 0, 1 << 16);
    let keys: Vec<[u8; 4]> = (0..100_000u32).map(u32::to_be_bytes).collect();
    keys.iter().for_each(|key| writer.write(key, &[0; 300]).unwrap());
    let run = Arc::new(writer.finish().unwrap());
    assert!((32..=64).contains(&run.samples().count()), "{}", run.samples().count());
    for from in [1, 40_000, 99_999] {
        let start = Some(Arc::from(&keys[from][..]));
        let mut source = Sorted::Run(Arc::clone(&run)).read(&(start..None), 4096);
        for key in keys.iter().skip(from).take(3) {
            assert!(source.advance().unwrap() && source.key() == key);
        }
    }
}

#[test]
fn merging_can_be_ended() {
    let stop = || Err(Error::killed());
    let mut sorter = Sorter::new(std::env::temp_dir().into(), 1).with_check(Box::new(stop));
    let value = vec![0; BYTES_PER_CHECK / 8];
    let added = (0..1000u32).try_for_each(|n| sorter.add(&n.to_be_bytes(), &value));
    assert_eq!(added.unwrap_err().number(), 1500);
}

#[test]
fn a_folder_that_is_not_there_is_named_as_the_reason() {
    let mut sorter = Sorter::new(std::path::Path::new("/does/not/exist").into(), 1);
    sorter.add(b"a", b"").unwrap();
    let message = sorter.add(b"b", b"").unwrap_err().to_string();
    assert!(message.contains("creating a temporary file"), "{message}");
}
