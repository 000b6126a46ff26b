//! Damage to generated files of a log.

use super::noise;
use crate::recovery::wal_reader::WalFile;

/// Returns a file with the records in RocksDB's format, and the end of each record.
pub(super) fn log_of(records: &[Vec<u8>]) -> (Vec<u8>, Vec<usize>) {
    let (mut log, mut ends) = (Vec::new(), Vec::new());
    for record in records {
        let mut rest = &record[..];
        let mut is_first = true;
        loop {
            let left = (32 << 10) - log.len() % (32 << 10);
            if left < 7 {
                log.resize(log.len() + left, 0);
                continue;
            }
            let (part, behind) = rest.split_at(rest.len().min(left - 7));
            let kind = match (is_first, behind.is_empty()) {
                (true, true) => 1,
                (true, false) => 2,
                (false, false) => 3,
                (false, true) => 4,
            };
            let covered: Vec<u8> = [kind].iter().chain(part).copied().collect();
            let crc = crc32c::crc32c(&covered).rotate_right(15).wrapping_add(0xa282_ead8);
            log.extend(crc.to_le_bytes());
            log.extend((part.len() as u16).to_le_bytes());
            log.extend(covered);
            (rest, is_first) = (behind, false);
            if rest.is_empty() {
                break;
            }
        }
        ends.push(log.len());
    }
    (log, ends)
}

/// Returns a file of batches of many sizes, some longer than several blocks.
fn random_log(seed: u64) -> (Vec<u8>, Vec<usize>) {
    let numbers = noise(seed, 60);
    let mut sequence = 1_u64;
    let mut batch = |number: &u8| {
        let bytes =
            if number.is_multiple_of(8) { usize::from(*number) * 500 } else { usize::from(*number) * 10 + 1 };
        let mut batch = sequence.to_le_bytes().to_vec();
        batch.extend(1_u32.to_le_bytes());
        batch.extend(noise(sequence + seed, bytes));
        sequence += 1;
        batch
    };
    log_of(&numbers.iter().map(&mut batch).collect::<Vec<_>>())
}

fn read(mut bytes: &[u8]) -> WalFile {
    WalFile::read_from(&mut bytes).unwrap()
}

#[test]
fn any_cut_of_any_log_is_a_torn_end() {
    for seed in 1..4 {
        let (log, ends) = random_log(seed);
        for cut in (0..log.len()).step_by(2_997).chain(ends.iter().map(|end| end - 1)).chain([log.len()]) {
            let file = read(&log[..cut]);
            let whole = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(file.records, whole as u64, "seed {seed}, cut at {cut}");
            let end = whole.checked_sub(1).map_or(0, |last| ends[last]);
            assert_eq!(file.flaw.is_none(), end == cut);
            assert!(file.flaw.is_none_or(|flaw| flaw.valid_at.is_none()));
            assert_eq!((file.intact_bytes, file.next_sequence.unwrap_or(1)), (end as u64, whole as u64 + 1));
        }
    }
}

#[test]
fn any_change_before_the_last_record_is_damage() {
    for seed in 1..4 {
        let (log, ends) = random_log(seed);
        let (last, last_but_one) = (ends[ends.len() - 1], ends[ends.len() - 2]);
        for at in (0..last - 1).step_by(1_499) {
            let mut changed = log.clone();
            changed[at] ^= 0x10;
            let file = read(&changed);
            let Some(flaw) = file.flaw else {
                // Only the unused end of a block may change unnoticed.
                assert!(log[at / 32768 * 32768..][at % 32768..32768.min(at % 32768 + 7)].contains(&0));
                continue;
            };
            let whole = ends.iter().filter(|end| **end <= at).count();
            assert_eq!(file.records, whole as u64, "seed {seed}, changed at {at}");
            if at < last_but_one {
                assert!(flaw.valid_at.is_some_and(|place| place > at as u64 - at as u64 % 32768));
                assert!(flaw.later_records > 0, "seed {seed}, changed at {at}");
            }
        }
    }
}

#[test]
fn a_copy_of_a_log_within_a_torn_record_is_no_record() {
    let (inner, _) = random_log(3);
    let mut batch = 5_000_000_000_000_u64.to_le_bytes().to_vec();
    batch.extend(1_u32.to_le_bytes());
    batch.extend([0; 100]);
    let mut torn = batch.clone();
    torn.extend(&inner[..20_000]);
    let (log, _) = log_of(&[batch, torn]);
    let file = read(&log[..log.len() - 10]);
    assert_eq!((file.records, file.flaw.unwrap().valid_at), (1, None));
}
