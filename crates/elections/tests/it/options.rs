//! Options and folders that cannot work.

use std::fs;
use std::time::Duration;

use elections::{Elections, Error, Member};

use super::group::Group;

#[test]
fn options_that_cannot_work_are_refused() {
    let group = Group::start(0);
    let member = |id: u64| Member { id, endpoint: String::from("e") };
    let cases: [(Vec<Member>, Duration, &str); 6] = [
        (vec![], Duration::from_secs(2), "0 members"),
        (vec![member(1), member(1)], Duration::from_secs(2), "two members have the id 1"),
        (vec![member(2)], Duration::from_secs(2), "is not among the members"),
        (vec![member(1), member(1 << 61)], Duration::from_secs(2), "between 1 and 2^60"),
        (vec![member(1)], Duration::from_millis(10), "the lease is 10ms"),
        (vec![member(1)], Duration::from_secs(600), "the lease is 600s"),
    ];
    for (members, lease, reason) in cases {
        let mut options = group.options_without_data(1);
        (options.members, options.lease) = (members, lease);
        let error = Elections::start(options).err().unwrap().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_damaged_journal_stops_the_start() {
    let mut group = Group::start(1);
    group.wait_for_writer();
    group.stop_member(1, false);
    let path = group.folder(1).join("journal");
    let mut bytes = fs::read(&path).unwrap();
    bytes[30] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = Elections::start(group.options(1)).err().unwrap();
    assert!(matches!(error, Error::Damaged { at: 16, .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), bytes, "the file stays as it was");
}

#[test]
fn a_folder_in_use_stops_the_start() {
    let group = Group::start(1);
    let error = Elections::start(group.options(1)).err().unwrap().to_string();
    assert!(error.contains("another process uses it"), "{error}");
}
