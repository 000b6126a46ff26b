use super::*;
use proptest::prelude::*;

fn sort(pairs: &[(Vec<u8>, Vec<u8>)], budget_bytes: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut sorter = Sorter::new(std::env::temp_dir(), budget_bytes);
    for (key, value) in pairs {
        sorter.add(key, value).unwrap();
    }
    let mut sorted = sorter.finish().unwrap();
    let mut all = Vec::new();
    while let Some((key, value)) = sorted.next_pair().unwrap() {
        all.push((key.to_vec(), value.to_vec()));
    }
    all
}

proptest! {
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
fn more_runs_than_are_merged_at_once() {
    for count in [500u32, 5_000] {
        // Keys that occur often, with values that tell in which order they came.
        let pairs: Vec<_> = (0..count)
            .map(|n| (vec![(n.wrapping_mul(7919) % 251) as u8], n.to_be_bytes().to_vec()))
            .collect();
        let mut expected = pairs.clone();
        expected.sort();
        assert_eq!(sort(&pairs, 1), expected);
    }
}

#[test]
fn merging_can_be_ended() {
    let stop = || Err(Error::new(1500, "query killed"));
    let mut sorter = Sorter::new(std::env::temp_dir(), 1).with_check(Box::new(stop));
    let value = vec![0; BYTES_PER_CHECK / 8];
    let added = (0..1000u32).try_for_each(|n| sorter.add(&n.to_be_bytes(), &value));
    assert_eq!(added.unwrap_err().number(), 1500);
}

#[test]
fn a_folder_that_is_not_there_is_named_as_the_reason() {
    let mut sorter = Sorter::new("/does/not/exist".into(), 1);
    sorter.add(b"a", b"").unwrap();
    let message = sorter.add(b"b", b"").unwrap_err().to_string();
    assert!(message.contains("creating a temporary file"), "{message}");
}
