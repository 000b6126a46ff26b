//! A history of each anomaly.

use super::*;

#[test]
fn a_dirty_write_is_a_cycle_of_writes() {
    let history = [
        transaction("append x 1, append y 1"),
        transaction("append x 2, append y 2"),
        transaction("read x 1 2, read y 2 1"),
    ];
    // The reader sees a state that no order of the two explains.
    expect(&history, &[("G0", &[0, 1])]);
}

#[test]
fn an_aborted_write_must_not_be_read() {
    expect(&[aborted("append x 1"), transaction("read x 1")], &[("G1a", &[0, 1])]);
    expect(&[aborted("write r 1"), aborted("read r 1")], &[("G1a", &[0, 1])]);
    let mut refused = transaction("read x");
    refused.refused.push((key("x"), 1));
    expect(&[refused, transaction("read x 1")], &[("G1a", &[0, 1])]);
}

#[test]
fn an_intermediate_write_must_not_be_read() {
    let history = [transaction("append x 1, append x 2"), transaction("read x 1"), transaction("read x 1 2")];
    let found = found(&history);
    assert!(found.contains(&("G1b".to_owned(), vec![0, 1])), "{found:?}");
    expect(&[transaction("write r 1, write r 2"), transaction("read r 1")], &[("G1b", &[0, 1])]);
}

#[test]
fn two_transactions_must_not_read_each_other() {
    let history = [transaction("append x 1, read y 1"), transaction("append y 1, read x 1")];
    expect(&history, &[("G1c", &[0, 1])]);
    let history = [transaction("write r 1, read s 1"), transaction("write s 1, read r 1")];
    expect(&history, &[("G1c", &[0, 1])]);
}

#[test]
fn a_reader_must_not_see_a_half() {
    let history =
        [transaction("append x 1, append y 1"), transaction("read x 1, read y"), transaction("read y 1")];
    expect(&history, &[("G-single", &[0, 1])]);
    let history = [
        transaction("read r, write r 1, read s, write s 1"),
        transaction("read r 1, write r 2, read s 1, write s 2"),
        transaction("read r 1, read s 2"),
    ];
    expect(&history, &[("G-single", &[1, 2])]);
}

#[test]
fn two_halves_of_different_transactions_are_seen_in_different_orders() {
    // The long fork: each reader sees one of two writes, which parallel snapshot isolation permits.
    let history = [
        transaction("append x 1"),
        transaction("append y 1"),
        transaction("read x 1, read y"),
        transaction("read x, read y 1"),
        transaction("read x 1, read y 1"),
    ];
    expect(&history, &[("G-nonadjacent", &[0, 1, 2, 3])]);
}

#[test]
fn an_update_must_not_be_lost() {
    let history = [transaction("read r, write r 1"), transaction("read r, write r 2")];
    assert!(found(&history).contains(&("lost update".to_owned(), vec![0, 1])));
    let history =
        [transaction("read x, append x 1"), transaction("read x, append x 2"), transaction("read x 1 2")];
    let found = found(&history);
    assert!(found.contains(&("lost update".to_owned(), vec![0, 1])), "{found:?}");
}

#[test]
fn own_writes_must_be_read() {
    expect(&[transaction("append x 1, read x")], &[("internal", &[0])]);
    expect(&[aborted("write r 1, read r")], &[("internal", &[0])]);
    expect(&[aborted("read x, append x 1, read x 2 1"), transaction("append x 2")], &[("internal", &[0])]);
    let history = [transaction("append x 1"), transaction("read x, read x 1")];
    expect(&history, &[("internal", &[1])]);
}

#[test]
fn lists_must_be_beginnings_of_each_other() {
    let writers = [transaction("append x 1"), transaction("append x 2")];
    let history = [&writers[..], &[transaction("read x 1 2"), transaction("read x 2")]].concat();
    expect(&history, &[("incompatible order", &[2, 3])]);
}

#[test]
fn an_element_must_be_there_once_and_come_from_somebody() {
    expect(&[transaction("append x 1"), transaction("read x 1 1")], &[("duplicate elements", &[1])]);
    expect(&[transaction("read x 7")], &[("garbage read", &[0])]);
}

#[test]
fn acknowledged_writes_must_be_there_in_the_end() {
    expect(&[timed(0, 1, "append x 1"), timed(2, 3, "read x")], &[("lost write", &[0, 1])]);
    expect(
        &[timed(0, 1, "write r 1"), timed(2, 3, "read r")],
        &[("lost write", &[0, 1]), ("G-single-realtime", &[0, 1])],
    );
    // A register holds an older value again.
    let history = [timed(0, 1, "write r 1"), timed(2, 3, "write r 2"), timed(4, 5, "read r 1")];
    expect(&history, &[("lost write", &[1, 2])]);
    // The half of a transaction without reply is there, so all of it must be.
    let history = [unknown("append x 1, append y 1"), timed(2, 3, "read x 1"), timed(4, 5, "read y")];
    expect(&history, &[("lost write", &[0, 2])]);
}

#[test]
fn a_commit_is_visible_to_transactions_that_begin_after_it() {
    let history = [timed(0, 1, "append x 1"), timed(2, 3, "read x"), timed(4, 5, "read x 1")];
    expect(&history, &[("G-single-realtime", &[0, 1])]);
}

#[test]
fn the_shortest_cycle_is_reported() {
    // A chain of four transactions that each read their predecessor, closed by one that also
    // closes a cycle of two.
    let history = [
        transaction("append x 1, read y 4"),
        transaction("read x 1, append x 2"),
        transaction("read x 1 2, append x 3"),
        transaction("read x 1 2 3, append y 4, read z 1"),
        transaction("append z 1, read y 4"),
    ];
    expect(&history, &[("G1c", &[3, 4])]);
}
