//! Tests of the description of a group.

use velocypack::{Builder, Limits, Slice, json};

use super::status::{failure, lines};

fn value(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

#[test]
fn a_group_is_described_in_lines() {
    let view = value(
        r#"{"id": 2, "epoch": 5, "leader": 1, "leads": false, "synchronous": true,
            "position": {"epoch": 5, "tick": "17"},
            "members": [{"id": 1, "endpoint": "tcp://a:1", "leads": true, "acknowledged": null},
                        {"id": 2, "endpoint": "tcp://b:2", "leads": false, "acknowledged": "17"}],
            "setAside": ["/data/group/set-aside/epoch-4-after-9.jsonl"], "failure": null}"#,
    );
    assert_eq!(
        lines(Slice::new(&view)),
        [
            "member 1 leads in epoch 5",
            "a write is acknowledged once a majority has it",
            "  1  tcp://a:1  leads",
            "  2  tcp://b:2  (this one)  has everything up to 17",
            "this member is at 17 of epoch 5",
            "writes that only this member had: /data/group/set-aside/epoch-4-after-9.jsonl",
        ]
    );
    assert_eq!(failure(Slice::new(&view)), None);
}

#[test]
fn a_group_without_a_leader_is_a_failure() {
    let view =
        value(r#"{"id": 1, "epoch": 3, "leader": null, "position": null, "members": [], "failure": null}"#);
    let expected = ["nobody leads after epoch 3", "this member copies data, and cannot lead yet"];
    assert_eq!(lines(Slice::new(&view)), expected);
    assert_eq!(failure(Slice::new(&view)).unwrap(), "nobody leads");
    let stopped = value(r#"{"leader": 1, "members": [], "failure": "the disk is full"}"#);
    assert!(failure(Slice::new(&stopped)).unwrap().contains("the disk is full"));
    let alone = value(r#"{"group": null}"#);
    assert_eq!(lines(Slice::new(&alone)), ["this server is in no group"]);
    assert_eq!(failure(Slice::new(&alone)), None);
}
