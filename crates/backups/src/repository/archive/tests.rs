use super::*;
use crate::log_position::{LogId, LogPosition};
use crate::repository::Age;
use crate::repository::tests::all;

const LOG: LogId = LogId { server: 0xab, log: u64::MAX };

fn record(first: u64, time: u64, entries: &[u8]) -> LogRecord<'_> {
    LogRecord { first, end: first + 1, time, is_first_part: true, is_last_part: true, entries }
}

fn writer(records: &[LogRecord<'_>]) -> SegmentWriter {
    let mut writer = SegmentWriter::new(0);
    records.iter().for_each(|record| writer.push(record).unwrap());
    writer
}

#[test]
fn a_segment_is_read_as_it_was_written() {
    let big = vec![7; 100_000];
    let records = [record(1, 10, b"one"), record(2, 9, b""), record(3, 11, &big)];
    for places in all() {
        let repository = &places.repository;
        let (name, bytes) = repository.put_segment(LOG, (1, 3), &writer(&records), None).unwrap();
        assert_eq!(name, SegmentName { first: 1, last: 3, time: 11 });
        assert!(bytes < 1_000, "{bytes} bytes: it is not compressed");
        let segment = repository.segment(LOG, &name, None).unwrap();
        let found: Vec<LogRecord<'_>> = segment.records().map(Result::unwrap).collect();
        assert_eq!((found.as_slice(), segment.name()), (records.as_slice(), name));
        assert_eq!(repository.segments(LOG).unwrap(), [name]);
        assert!(repository.segments(LogId { log: 1, ..LOG }).unwrap().is_empty());
    }
}

#[test]
fn an_encrypted_segment_is_read_by_its_key_and_checked_without() {
    let (master, other) = (MasterKey::random().unwrap(), MasterKey::random().unwrap());
    let records = [record(1, 10, b"one"), record(2, 9, b"two")];
    for places in all() {
        let repository = &places.repository;
        let (name, _) = repository.put_segment(LOG, (1, 2), &writer(&records), Some(&master)).unwrap();
        let read = |key| repository.segment(LOG, &name, key);
        let segment = read(Some(&master)).unwrap();
        let found: Vec<LogRecord<'_>> = segment.records().map(Result::unwrap).collect();
        assert_eq!(found, records);
        repository.check_segment(LOG, &name).unwrap();
        assert!(read(None).unwrap_err().message().contains("is encrypted; name a key"));
        assert!(read(Some(&other)).unwrap_err().message().contains("another key"));
        let path = segment_path(LOG, &name);
        let mut content = repository.place.read(&path).unwrap().unwrap();
        let last = content.last_mut().unwrap();
        *last ^= 1;
        repository.place.write(&path, &content).unwrap();
        assert!(repository.check_segment(LOG, &name).unwrap_err().message().contains("checksum"));
    }
}

#[test]
fn damaged_segments_are_refused_with_their_address() {
    for places in all() {
        let repository = &places.repository;
        let (name, _) = repository.put_segment(LOG, (1, 2), &writer(&[record(1, 10, b"one")]), None).unwrap();
        let path = segment_path(LOG, &name);
        let content = repository.place.read(&path).unwrap().unwrap();
        let mut damaged: Vec<Vec<u8>> = (0..content.len())
            .step_by(5)
            .map(|at| {
                let mut copy = content.clone();
                copy[at] ^= 1;
                copy
            })
            .collect();
        damaged.extend((0..content.len()).step_by(9).map(|length| content[..length].to_vec()));
        for copy in damaged {
            repository.place.write(&path, &copy).unwrap();
            let error = repository.segment(LOG, &name, None).unwrap_err();
            assert_eq!(error.code(), ErrorCode::FailedToDownloadBackup);
            assert!(error.message().contains(&name.to_string()), "{}", error.message());
        }
        // The content of one segment under the name of another.
        let other = SegmentName { first: 2, ..name };
        repository.place.write(&segment_path(LOG, &other), &content).unwrap();
        assert!(repository.segment(LOG, &other, None).is_err());
        let missing = SegmentName { first: 9, last: 9, time: 9 };
        assert!(repository.segment(LOG, &missing, None).unwrap_err().message().contains("missing"));
    }
}

#[test]
fn logs_are_listed_with_their_states() {
    for places in all() {
        let repository = &places.repository;
        assert!(repository.logs().unwrap().is_empty());
        for first in [1, 11, 21] {
            repository
                .put_segment(LOG, (first, first + 9), &writer(&[record(first, first, b"")]), None)
                .unwrap();
        }
        let state = ArchiveState { owner: "a".to_owned(), position: 30, time: 44 };
        repository.put_archive_state(LOG, &state).unwrap();
        places.remote.put("logs/what/ever", "");
        places.remote.put(&format!("logs/{LOG}/.new"), "");
        let logs = repository.logs().unwrap();
        assert_eq!(logs.len(), 1);
        assert_eq!(logs[&LOG].state, Some(state));
        assert_eq!(logs[&LOG].segments.iter().map(|name| name.last).collect::<Vec<_>>(), [10, 20, 30]);
        places.remote.put(&format!("logs/{LOG}/STATE"), "{\"format\":2}");
        assert_eq!(repository.logs().unwrap_err().code(), ErrorCode::RemoteRepositoryConfigBad);
    }
}

#[test]
fn segments_go_with_the_backups_before_them() {
    for places in all() {
        let repository = &places.repository;
        for first in [1, 11, 21] {
            repository
                .put_segment(LOG, (first, first + 9), &writer(&[record(first, first, b"")]), None)
                .unwrap();
        }
        let at = |complete| LogPosition { id: LOG, complete, end: complete, time: 0 };
        for complete in [5, 15] {
            let id = places.backup_at("b", &[("CURRENT", "b")], Some(at(complete)));
            repository.upload(&places.backups, &id, &Default::default()).unwrap();
        }
        // A log of another server that has no backup yet.
        let other = LogId { server: 1, log: 2 };
        repository.put_segment(other, (1, 2), &writer(&[record(1, u64::MAX, b"")]), None).unwrap();
        repository.prune(&Age { newest: Some(2), oldest_seconds: None }).unwrap();
        assert_eq!(repository.segments(LOG).unwrap().len(), 3);
        let (_, freed) = repository.prune(&Age { newest: Some(1), oldest_seconds: None }).unwrap();
        assert!(freed > 0);
        let firsts: Vec<u64> = repository.segments(LOG).unwrap().iter().map(|name| name.first).collect();
        assert_eq!(firsts, [11, 21]);
        assert_eq!(repository.segments(other).unwrap().len(), 1);
    }
}

#[test]
fn a_chain_ends_with_the_first_gap() {
    let name = |first, last| SegmentName { first, last, time: last * 10 };
    let state = |position| ArchiveState { owner: String::new(), position, time: 1_000 };
    let at = |complete| LogPosition { id: LOG, complete, end: complete + 2, time: 7 };
    let whole =
        ArchivedLog { segments: vec![name(1, 10), name(11, 20), name(21, 30)], state: Some(state(30)) };
    let chain = whole.chain(&at(15));
    assert_eq!((chain.segments.len(), chain.end, chain.time, chain.gap), (2, 31, 1_000, None));
    let chain = whole.chain(&at(31));
    assert_eq!((chain.segments.len(), chain.end, chain.time, chain.gap), (0, 31, 1_000, None));
    let mut holey = whole;
    holey.segments.remove(1);
    let chain = holey.chain(&at(5));
    assert_eq!((chain.segments.len(), chain.end, chain.time, chain.gap), (1, 11, 100, Some((11, 20))));
    assert_eq!(holey.chain(&at(21)).gap, None);
    // The last segment is missing, as the state tells.
    holey.segments.pop();
    let chain = holey.chain(&at(5));
    assert_eq!((chain.end, chain.time, chain.gap), (11, 100, Some((11, 30))));
    // The archive began after the backup.
    let late = ArchivedLog { segments: vec![name(11, 20)], state: Some(state(20)) };
    assert_eq!(late.chain(&at(5)).gap, Some((5, 10)));
}

#[test]
fn spans_begin_with_a_backup() {
    for places in all() {
        let repository = &places.repository;
        let upload = |complete| {
            let at = LogPosition { id: LOG, complete, end: complete, time: complete };
            let id = places.backup_at("b", &[("CURRENT", "b")], Some(at));
            repository.upload(&places.backups, &id, &Default::default()).unwrap();
        };
        [1, 5, 25, 35].into_iter().for_each(upload);
        for first in [1, 21] {
            repository
                .put_segment(LOG, (first, first + 9), &writer(&[record(first, first, b"")]), None)
                .unwrap();
        }
        let spans = repository.restorable_spans().unwrap();
        let ends: Vec<(u64, u64)> = spans.iter().map(|span| (span.begin.end, span.chain.end)).collect();
        assert_eq!(ends, [(1, 11), (25, 31), (35, 35)]);
    }
}
