//! Queries that write.

use crate::common::{self, Fixture, Run, value};

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.collection("c").index("c", r#"{"type":"persistent","fields":["u"],"unique":true,"sparse":true}"#);
    fixture.insert("c", r#"[{"_key":"1","v":1},{"_key":"2","v":2},{"_key":"3","v":3}]"#);
    fixture
}

fn content(fixture: &Fixture) -> Vec<String> {
    fixture.query("FOR d IN c SORT d._key RETURN UNSET(d, '_id', '_rev')")
}

/// Runs a query with each batch size on a fresh database; the results are the same.
fn write(query: &str) -> (Vec<String>, Vec<String>, (u64, u64)) {
    let mut outcomes = Vec::new();
    for batch_rows in [1, 2, 1024] {
        let fixture = fixture();
        let answer = fixture.run(query, &Run { batch_rows, ..Run::default() }).expect(query);
        let writes = (answer.statistics.writes_executed, answer.statistics.writes_ignored);
        outcomes.push((answer.results, content(&fixture), writes));
    }
    assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{query}: {outcomes:#?}");
    outcomes.swap_remove(0)
}

#[test]
fn insert() {
    let (results, content, writes) =
        write("FOR i IN 4..5 INSERT {_key: TO_STRING(i), v: i} INTO c RETURN [NEW._id, NEW.v]");
    assert_eq!(results, [r#"["c/4",4]"#, r#"["c/5",5]"#]);
    assert_eq!(content.len(), 5);
    assert_eq!(writes, (2, 0));
    assert_eq!(fixture().error("INSERT {_key: '1'} INTO c"), 1210);
    assert_eq!(fixture().error("INSERT 'x' INTO c"), 1227);
    assert_eq!(fixture().error("FOR i IN 1..2 INSERT {u: 1} INTO c"), 1210);
}

#[test]
fn insert_over_existing_documents() {
    let (results, content, writes) = write(
        "FOR k IN ['3', '4'] INSERT {_key: k, w: 1} INTO c OPTIONS {overwriteMode: 'update'} RETURN [OLD.v, NEW.v, NEW.w]",
    );
    assert_eq!(results, ["[3,3,1]", "[null,null,1]"]);
    assert_eq!(content[2], r#"{"_key":"3","v":3,"w":1}"#);
    assert_eq!(writes, (2, 0));
    let (results, content, _) =
        write("INSERT {_key: '3', w: 1} INTO c OPTIONS {overwriteMode: 'replace'} RETURN [OLD.v, NEW.v]");
    assert_eq!((results[0].as_str(), content[2].as_str()), ("[3,null]", r#"{"_key":"3","w":1}"#));
    let (results, content, writes) = write(
        "FOR k IN ['3', '4'] INSERT {_key: k, w: 1} INTO c OPTIONS {overwriteMode: 'ignore'} RETURN NEW.w",
    );
    assert_eq!((results, content.len(), writes), (vec!["null".to_owned(), "1".to_owned()], 4, (1, 1)));
}

#[test]
fn errors_can_be_ignored() {
    let (results, content, writes) = write(
        "FOR k IN ['1', '4', 'bad key', '5'] INSERT {_key: k} INTO c OPTIONS {ignoreErrors: true} RETURN NEW._key",
    );
    assert_eq!(results, [r#""4""#, r#""5""#]);
    assert_eq!((content.len(), writes), (5, (2, 2)));
    let (_, content, writes) = write("FOR k IN ['1', 'nope'] REMOVE k IN c OPTIONS {ignoreErrors: true}");
    assert_eq!((content.len(), writes), (2, (1, 1)));
}

#[test]
fn an_error_leaves_nothing_behind() {
    let fixture = fixture();
    let before = content(&fixture);
    assert_eq!(fixture.error("FOR k IN ['7', '8', '1'] INSERT {_key: k} INTO c"), 1210);
    assert_eq!(content(&fixture), before);
}

#[test]
fn update_and_replace() {
    let (results, content, writes) =
        write("FOR d IN c FILTER d.v > 1 UPDATE d WITH {v: d.v * 10, n: {a: 1}} IN c RETURN [OLD.v, NEW.v]");
    assert_eq!(results, ["[2,20]", "[3,30]"]);
    assert_eq!(content[1], r#"{"_key":"2","v":20,"n":{"a":1}}"#);
    assert_eq!(writes, (2, 0));
    let (_, content, _) = write("UPDATE '1' WITH {v: null, w: 1} IN c OPTIONS {keepNull: false}");
    assert_eq!(content[0], r#"{"_key":"1","w":1}"#);
    let (_, content, _) = write("REPLACE {_key: '1', z: true} IN c");
    assert_eq!(content[0], r#"{"_key":"1","z":true}"#);
    let (_, content, _) = write("UPDATE {_key: '1', w: 5} IN c");
    assert_eq!(content[0], r#"{"_key":"1","v":1,"w":5}"#);
    assert_eq!(fixture().error("UPDATE 'nope' WITH {a: 1} IN c"), 1202);
    assert_eq!(
        fixture().error("UPDATE {_key: '1', _rev: 'x'} WITH {a: 1} IN c OPTIONS {ignoreRevs: false}"),
        1200
    );
}

#[test]
fn updates_by_version() {
    let query = |version: i64| {
        format!(
            "UPDATE '2' WITH {{v: {version}, changed: true}} IN c OPTIONS {{versionAttribute: 'v'}} RETURN NEW.changed"
        )
    };
    assert_eq!(write(&query(1)).1[1], r#"{"_key":"2","v":2}"#);
    assert_eq!(write(&query(3)).1[1], r#"{"_key":"2","v":3,"changed":true}"#);
}

#[test]
fn remove() {
    let (results, content, writes) = write("FOR d IN c FILTER d.v != 2 REMOVE d IN c RETURN OLD.v");
    assert_eq!((results, writes), (vec!["1".to_owned(), "3".to_owned()], (2, 0)));
    assert_eq!(content, [r#"{"_key":"2","v":2}"#]);
    for selector in ["'2'", "{_key: '2'}", "{_id: 'c/2'}", "DOCUMENT('c/2')"] {
        assert_eq!(write(&format!("REMOVE {selector} IN c")).1.len(), 2, "{selector}");
    }
    assert_eq!(fixture().error("REMOVE 'nope' IN c"), 1202);
}

#[test]
fn upsert() {
    let (results, content, writes) = write(
        "FOR v IN [3, 4, 4] UPSERT {v: v} INSERT {_key: TO_STRING(v), v: v, n: 1} UPDATE {n: (OLD.n || 0) + 1} IN c RETURN [OLD.v, NEW.n]",
    );
    assert_eq!(results, ["[3,1]", "[null,1]", "[4,2]"]);
    assert_eq!(content[2..], [r#"{"_key":"3","v":3,"n":1}"#, r#"{"_key":"4","v":4,"n":2}"#]);
    assert_eq!(writes, (3, 0));
    let (_, content, _) = write("UPSERT {_key: '1'} INSERT {x: 1} REPLACE {y: OLD.v} IN c");
    assert_eq!(content[0], r#"{"_key":"1","y":1}"#);
    let (_, content, _) = write(
        "FOR i IN 1..5 UPSERT {u: i % 2} INSERT {_key: CONCAT('u', i), u: i % 2, n: 1} UPDATE {n: OLD.n + 1} IN c",
    );
    assert_eq!(content[3..], [r#"{"_key":"u1","u":1,"n":3}"#, r#"{"_key":"u2","u":0,"n":2}"#]);
}

#[test]
fn a_query_reads_the_state_at_its_start() {
    let (_, content, writes) = write("FOR d IN c INSERT {_key: CONCAT('n', d._key), v: d.v + 100} INTO c");
    assert_eq!((content.len(), writes), (6, (3, 0)));
    let (_, content, _) = write("FOR d IN c UPDATE d WITH {v: d.v + (FOR x IN [1] RETURN d.v)[0]} IN c");
    assert_eq!(content, [r#"{"_key":"1","v":2}"#, r#"{"_key":"2","v":4}"#, r#"{"_key":"3","v":6}"#]);
}

#[test]
fn a_limit_after_a_write_does_not_stop_it() {
    let (results, content, writes) =
        write("FOR i IN 10..19 INSERT {_key: TO_STRING(i)} INTO c LIMIT 2 RETURN NEW._key");
    assert_eq!(results, [r#""10""#, r#""11""#]);
    assert_eq!((content.len(), writes), (13, (10, 0)));
}

#[test]
fn writes_within_subqueries() {
    let (results, content, _) =
        write("FOR i IN 1..2 LET x = (INSERT {_key: CONCAT('s', i)} INTO c RETURN NEW._key) RETURN x");
    assert_eq!(results, [r#"["s1"]"#, r#"["s2"]"#]);
    assert_eq!(content.len(), 5);
}

#[test]
fn a_document_of_another_collection_can_be_stored() {
    let fixture = fixture();
    fixture.collection("o");
    fixture.run("FOR d IN c INSERT d INTO o", &Run::default()).unwrap();
    assert_eq!(
        fixture.query("FOR d IN o SORT d._key RETURN [d._id, d.v]"),
        [r#"["o/1",1]"#, r#"["o/2",2]"#, r#"["o/3",3]"#]
    );
    fixture
        .run("FOR d IN c INSERT {_key: d._key, copy: d} INTO o OPTIONS {overwrite: true}", &Run::default())
        .unwrap();
    assert_eq!(
        fixture.query("FOR d IN o SORT d._key LIMIT 1 RETURN [d._id, d.copy._id]"),
        [r#"["o/1","c/1"]"#]
    );
}

#[test]
fn writing_needs_a_transaction() {
    let fixture = fixture();
    let plan = std::sync::Arc::new(fixture.plan("INSERT {} INTO c", &Run::default()).unwrap());
    let data = aql_exec::DataAccess::Read(fixture.store.snapshot().unwrap());
    let mut execution = common::start(&plan, data, &Run::default()).unwrap();
    assert_eq!(execution.next_batch(10).unwrap_err().number(), 1004);
    // The error persists.
    assert_eq!(execution.next_batch(10).unwrap_err().number(), 1004);
}

#[test]
fn documents_from_bind_parameters() {
    let fixture = fixture();
    let run = Run { bind: value(r#"{"docs":[{"_key":"a"},{"_key":"b"}]}"#), ..Run::default() };
    let answer = fixture.run("FOR d IN @docs INSERT d INTO c RETURN NEW._key", &run).unwrap();
    assert_eq!(answer.results, [r#""a""#, r#""b""#]);
}
