//! The rows that the server rejected, from its messages.
//!
//! A message begins with "at position N: ". Rows that cannot be read are counted from 1 among all
//! rows of the body, empty ones included. Rows that can be read but not stored ("creating document
//! failed ...") are counted from 0 among those that can be read.

use std::collections::HashSet;

use super::batch::{Batch, RejectedRow};

/// The beginning of messages about documents that were read and could not be stored.
const NOT_STORED: &str = "creating document failed";

/// Returns the rows of the messages, in the order of the messages.
///
/// A message without a position has the batch's first line.
pub(super) fn rows(body: &[u8], batch: &Batch, details: &[&str]) -> Vec<RejectedRow> {
    let texts: Vec<&[u8]> = body
        .get(batch.header_bytes..)
        .unwrap_or_default()
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .collect();
    let messages: Vec<(Option<usize>, &str)> = details.iter().map(|detail| split(detail)).collect();
    let unread: HashSet<usize> = messages
        .iter()
        .filter(|(_, reason)| !reason.starts_with(NOT_STORED))
        .filter_map(|(at, _)| *at)
        .collect();
    // Computed only if a row could not be stored.
    let mut read: Option<Vec<usize>> = None;
    let mut row_of = |at: usize, reason: &str| {
        if !reason.starts_with(NOT_STORED) {
            return at.checked_sub(1);
        }
        let read = read.get_or_insert_with(|| {
            let rows = texts.iter().enumerate().filter(|(_, text)| !text.is_empty());
            rows.map(|(row, _)| row).filter(|row| !unread.contains(&(row + 1))).collect()
        });
        read.get(at).copied()
    };
    messages
        .iter()
        .map(|(at, reason)| {
            let row = at.and_then(|at| row_of(at, reason));
            let text = row.and_then(|row| texts.get(row)).copied().unwrap_or_default();
            RejectedRow {
                line: batch.lines.of(row.unwrap_or(0)),
                reason: (*reason).to_owned(),
                row: String::from_utf8_lossy(text).into_owned(),
            }
        })
        .collect()
}

fn split(detail: &str) -> (Option<usize>, &str) {
    let found = detail.strip_prefix("at position ").and_then(|rest| rest.split_once(": "));
    match found.and_then(|(at, reason)| Some((at.parse().ok()?, reason))) {
        Some((at, reason)) => (Some(at), reason),
        None => (None, detail),
    }
}
