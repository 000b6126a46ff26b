//! The second pass: which documents differ.

use std::collections::BTreeMap;

use client::Client;
use replication_client::for_each_revision;

use super::buckets::Differing;
use crate::Failure;

/// The documents that differ.
#[derive(Debug)]
pub(super) struct Differences {
    /// A line for each, up to the number that was asked for.
    pub(super) lines: Vec<String>,
    /// True if there are more.
    pub(super) is_cut: bool,
}

/// Reads the documents of differing buckets again, and returns at most `most` lines.
pub(super) fn find(
    source: &Client,
    here: &Client,
    collection: &str,
    differing: &Differing,
    most: usize,
) -> Result<Differences, Failure> {
    // A document that agrees leaves the map, so what remains differs.
    let mut left = BTreeMap::new();
    for_each_revision(source, collection, &mut |key, revision| {
        if differing.has(key) {
            left.insert(key.to_owned(), revision.to_owned());
        }
    })?;
    let mut lines: Vec<(String, &str)> = Vec::new();
    let mut count = 0;
    let mut note = |key: &str, text| {
        count += 1;
        if lines.len() < most {
            lines.push((key.to_owned(), text));
        }
    };
    for_each_revision(here, collection, &mut |key, revision| {
        if !differing.has(key) {
            return;
        }
        match left.remove(key) {
            Some(other) if other == revision => {}
            Some(_) => note(key, "has different revisions"),
            None => note(key, "is not at the source"),
        }
    })?;
    left.keys().for_each(|key| note(key, "is not here"));
    lines.sort();
    let is_cut = differing.is_cut || count > most;
    Ok(Differences {
        lines: lines.into_iter().map(|(key, text)| format!("{key:?} {text}")).collect(),
        is_cut,
    })
}
