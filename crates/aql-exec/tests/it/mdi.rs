//! Multi-dimensional indexes with more entries than golden files have.

use crate::common::{Fixture, Run};

/// Creates points of a square grid, which a narrow box crosses in many places of the index.
fn grid(side: u32) -> Fixture {
    let fixture = Fixture::new();
    fixture.collection("points");
    fixture.index("points", r#"{"type":"mdi","fields":["x","y"],"fieldValueTypes":"double"}"#);
    for x in 0..side {
        let row: Vec<_> = (0..side).map(|y| format!(r#"{{"x":{x},"y":{y}}}"#)).collect();
        fixture.insert("points", &format!("[{}]", row.join(",")));
    }
    fixture
}

#[test]
fn reading_ahead_saves_seeks() {
    let fixture = grid(64);
    let run = |lookahead: u64| {
        let query = format!(
            "FOR p IN points OPTIONS {{lookahead: {lookahead}}} FILTER p.x >= 31 AND p.x <= 32 \
             COLLECT WITH COUNT INTO n RETURN n"
        );
        let answer = fixture.run(&query, &Run::default());
        answer.map(|answer| (answer.results, answer.statistics.seeks, answer.statistics.scanned_index))
    };
    let found = |lookahead| run(lookahead).expect("the query runs");
    let (few, many) = (found(0), found(1000));
    assert_eq!(few.0, ["128"]);
    assert_eq!(many.0, ["128"]);
    assert!(many.1 < few.1, "{few:?} {many:?}");
    assert!(many.2 > few.2, "{few:?} {many:?}");
    assert_eq!(found(u64::MAX >> 1).1, 1);
}
