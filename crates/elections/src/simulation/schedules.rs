//! Thousands of random schedules: never two leaders, and always one in the end.

use super::schedule::schedule;

/// The percentage of the lease that is waited out.
const WAITED: u32 = 110;

fn all_hold(seeds: std::ops::Range<u64>) {
    let count = seeds.end - seeds.start;
    let mut epochs = 0;
    let mut failures = Vec::new();
    for seed in seeds {
        match schedule(seed, WAITED) {
            Ok(epoch) => epochs += epoch,
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(epochs > 2 * count, "the schedules change leaders: {epochs} epochs in {count} schedules");
}

#[test]
fn one_member_at_most_may_write_in_each_of_a_thousand_schedules() {
    all_hold(0..1000);
}

#[test]
fn one_member_at_most_may_write_in_each_of_another_thousand_schedules() {
    all_hold(1000..2000);
}

#[test]
fn without_the_wait_for_the_lease_two_members_may_write() {
    let found = (0..50).any(|seed| schedule(seed, 0).is_err_and(|error| error.contains("may write at once")));
    assert!(found, "the schedules above would not notice if the lease were not waited out");
}
