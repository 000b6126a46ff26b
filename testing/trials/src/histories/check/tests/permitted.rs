//! Histories without an anomaly.

use super::*;

#[test]
fn write_skew_is_permitted() {
    expect(
        &[
            transaction("read x, append y 1"),
            transaction("read y, append x 1"),
            transaction("read x 1, read y 1"),
        ],
        &[],
    );
    expect(&[transaction("read r, write s 1"), transaction("read s, write r 1")], &[]);
}

#[test]
fn transactions_in_turn_are_right() {
    let history = [
        timed(0, 1, "read x, append x 1, append x 2, read x 1 2, write r 1, read r 1"),
        timed(2, 3, "append x 3, read x 1 2 3, read r 1, write r 2, write r 3"),
        timed(4, 5, "read x 1 2 3, read r 3"),
    ];
    expect(&history, &[]);
}

#[test]
fn a_concurrent_transaction_reads_the_state_of_its_beginning() {
    let history =
        [timed(0, 5, "read x, read y"), timed(1, 2, "append x 1, append y 1"), timed(6, 7, "read x 1")];
    expect(&history, &[]);
}

#[test]
fn an_unknown_transaction_may_or_may_not_have_taken_place() {
    let writer = unknown("append x 1, append y 1, write r 1");
    expect(&[writer.clone(), timed(2, 3, "read x, read y, read r")], &[]);
    expect(&[writer, timed(2, 3, "read x 1, read y 1, read r 1")], &[]);
}

#[test]
fn an_aborted_transaction_may_read_anything_that_was_committed() {
    let history =
        [transaction("append x 1"), aborted("read x 1, append x 2, read x 1 2"), transaction("read x 1")];
    expect(&history, &[]);
}

#[test]
fn concurrent_blind_writes_have_no_order() {
    let history = [timed(0, 3, "write r 1"), timed(1, 2, "write r 2"), timed(4, 5, "read r 1")];
    expect(&history, &[]);
}
