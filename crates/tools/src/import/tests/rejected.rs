//! Tests of the way from the server's messages to lines of the file.

use super::super::batch::{Batch, RowLines};
use super::super::rejected::rows;

#[test]
fn messages_lead_to_their_rows() {
    // The server's details about these lines: the second is not JSON, the fifth is not an object,
    // the fourth and the sixth are not unique.
    let body = b"{\"_key\":\"a\"}\n{oops\n\n{\"_key\":\"a\"}\n[1]\n{\"_key\":\"b\"}\n";
    let details = [
        "at position 2: invalid JSON: ...",
        "at position 5: invalid JSON type (expecting object)",
        "at position 1: creating document failed with error 'unique'",
        "at position 2: creating document failed with error 'unique'",
        "something else",
    ];
    let batch = Batch { lines: RowLines::From(101), ..Batch::default() };
    let found: Vec<(u64, String)> =
        rows(body, &batch, &details).into_iter().map(|row| (row.line, row.row)).collect();
    let expected =
        [(102, "{oops"), (105, "[1]"), (104, "{\"_key\":\"a\"}"), (106, "{\"_key\":\"b\"}"), (101, "")];
    assert_eq!(found, expected.map(|(line, row)| (line, row.to_owned())));
}

#[test]
fn tables_have_lines_of_their_own() {
    let body = b"[\"a\"]\n[1]\n[2]\n";
    let batch = Batch { header_bytes: 6, lines: RowLines::Each(vec![2, 9]), ..Batch::default() };
    let details = ["at position 0: creating document failed with error 'x'", "at position 1: wrong number"];
    let found: Vec<(u64, String)> =
        rows(body, &batch, &details).into_iter().map(|row| (row.line, row.reason)).collect();
    assert_eq!(found[1], (2, "wrong number".to_owned()));
    assert_eq!(found[0].0, 9, "the first row was not read, so the first that was is the second");
}
