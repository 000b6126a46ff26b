//! Damaged records of the change log give errors.

use proptest::prelude::*;

use super::*;

fn record() -> Vec<u8> {
    let mut entries = ChangeBuffer::default();
    let origin = Origin { id: catalog::CollectionId(7), globally_unique_id: "h1/7", name: "caf\u{e9}" };
    let document = velocypack::Slice::EMPTY_OBJECT;
    entries.add_document(ChangeKind::Inserted, origin, document, None);
    entries.add_document(ChangeKind::Updated, origin, document, Some(document));
    entries.add_definition(ChangeKind::Truncated, Some(origin), &[]);
    entries.add_definition(ChangeKind::UserRemoved, None, b"record");
    let mut record = Vec::new();
    let write = |_: &[u8], value: &[u8]| {
        record.extend_from_slice(value);
        Ok(())
    };
    entries.write_parts(DatabaseId(1), 10, 99, write).unwrap();
    record
}

fn read(value: &[u8]) -> errors::Result<Vec<(u64, ChangeKind)>> {
    let mut entries = Vec::new();
    ChangePart::read(10, value)?.for_each(|change| {
        entries.push((change.position, change.kind));
        Ok(())
    })?;
    Ok(entries)
}

#[test]
fn a_record_gives_its_entries() {
    let record = record();
    let kinds: Vec<ChangeKind> = read(&record).unwrap().iter().map(|(_, kind)| *kind).collect();
    use ChangeKind::*;
    assert_eq!(kinds, [Inserted, Updated, Truncated, UserRemoved]);
    let part = ChangePart::read(10, &record).unwrap();
    assert_eq!((part.position(), part.end(), part.time), (11, 16, 99));
}

#[test]
fn every_shorter_record_is_damaged() {
    let record = record();
    for length in 0..record.len() {
        read(&record[..length]).unwrap_err();
    }
}

#[test]
fn entries_that_are_removed_leave_the_positions_of_the_others() {
    let record = record();
    let part = ChangePart::read(10, &record).unwrap();
    assert_eq!(part.thin(&record, |_| false).unwrap(), Thinned::Unchanged);
    assert_eq!(part.thin(&record, |_| true).unwrap(), Thinned::Empty);
    let Thinned::Changed(thinned) = part.thin(&record, |name| name.is_some()).unwrap() else {
        panic!("three of four entries are removed")
    };
    assert_eq!(read(&thinned).unwrap(), [(14, ChangeKind::UserRemoved)]);
    let part = ChangePart::read(10, &thinned).unwrap();
    assert_eq!(part.end(), 16);
    assert_eq!(part.thin(&thinned, |name| name.is_some()).unwrap(), Thinned::Unchanged);
    assert_eq!(part.thin(&thinned, |_| true).unwrap(), Thinned::Empty);
}

proptest! {
    #[test]
    fn a_damaged_record_never_panics(place in 0..200_usize, byte: u8) {
        let mut record = record();
        if let Some(target) = record.get_mut(place) {
            *target = byte;
        }
        let _ = read(&record);
        let _ = ChangePart::read(10, &record).and_then(|part| part.thin(&record, |name| name.is_some()));
    }

    #[test]
    fn keys_order_as_positions_do(a in 0..u64::MAX, b in 0..u64::MAX) {
        let database = DatabaseId(5);
        prop_assert_eq!(part_key(database, a, 0).cmp(&part_key(database, b, 0)), a.cmp(&b));
        prop_assert_eq!(part_of_key(&part_key(database, a, 3)), Some((database, a, 3)));
    }
}
