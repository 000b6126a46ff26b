//! The end of a run: what the members have, and what was lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use client::{Client, Request};
use harness::requests::query;
use serde_json::{Value, json};

use crate::failover::writer::Unit;
use crate::journal::Outcome;

/// The documents of a member by key: their numbers and revisions.
pub(crate) type Documents = BTreeMap<String, (u64, String)>;

/// Keys with the numbers that they had in files of former leaders.
pub(crate) type SetAside = BTreeSet<(String, u64)>;

/// Acknowledged writes that are not there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Their number.
    pub(crate) count: usize,
    /// Those of which no file has all documents.
    pub(crate) in_silence: Vec<String>,
    /// Contradictions: half of a write, or one that was refused and is there.
    pub(crate) wrong: Vec<String>,
}

/// Returns the documents that a member shows. Errors: text for the user.
pub(crate) fn documents(client: &Client) -> Result<Documents, String> {
    let request = Request::post("/_api/cursor").header("x-arango-allow-dirty-read", "true");
    let rows = query(client, request, "FOR d IN docs RETURN [d._key, d.n, d._rev]", &json!({}));
    let rows = rows.map_err(|failure| failure.to_string())?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(rows.iter().map(|row| (text(&row[0]), (row[1].as_u64().unwrap_or(0), text(&row[2])))).collect())
}

/// Returns the first difference of two members.
pub(crate) fn difference(one: &Documents, other: &Documents) -> Option<String> {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let key = keys.into_iter().find(|key| one.get(*key) != other.get(*key))?;
    Some(format!("{key} is {:?} at one and {:?} at the other", one.get(key), other.get(key)))
}

/// Reads the files of former leaders. Errors: text for the user.
pub(crate) fn read_set_aside(files: &[PathBuf]) -> Result<SetAside, String> {
    let mut found = SetAside::new();
    for file in files {
        let failed = |reason: String| format!("{}: {reason}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
        for line in text.lines() {
            let entry: Value = serde_json::from_str(line).map_err(|error| failed(error.to_string()))?;
            let data = &entry["data"];
            if let Some((key, number)) = data["_key"].as_str().zip(data["n"].as_u64()) {
                found.insert((key.to_owned(), number));
            }
        }
    }
    Ok(found)
}

/// Compares what was written with what is there.
pub(crate) fn compare(units: &[Unit], documents: &Documents, set_aside: &SetAside) -> Lost {
    let mut lost = Lost::default();
    for unit in units {
        // A later write to the same key has the greater number.
        let is_there = |key: &&String| documents.get(*key).is_some_and(|(number, _)| *number >= unit.number);
        let there = unit.keys.iter().filter(is_there).count();
        if there > 0 && there < unit.keys.len() {
            lost.wrong.push(format!("{there} of {} documents of {unit:?} are there", unit.keys.len()));
        }
        let is_replaced = documents.get(&unit.keys[0]).is_some_and(|(number, _)| *number > unit.number);
        if unit.outcome == Outcome::Refused && there > 0 && !is_replaced {
            lost.wrong.push(format!("{unit:?} was refused and is there"));
        }
        if unit.outcome == Outcome::Acknowledged && there == 0 {
            lost.count += 1;
            if !unit.keys.iter().all(|key| set_aside.contains(&(key.clone(), unit.number))) {
                lost.in_silence.push(format!("{unit:?}"));
            }
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(keys: &[&str], number: u64, outcome: Outcome) -> Unit {
        Unit { keys: keys.iter().map(|key| (*key).to_owned()).collect(), number, outcome }
    }

    #[test]
    fn lost_halved_and_refused_writes_are_found() {
        use Outcome::{Acknowledged, Refused, Unknown};
        let documents: Documents = [("a", 1), ("b", 2), ("r", 9)]
            .map(|(key, number)| (key.to_owned(), (number, String::new())))
            .into_iter()
            .collect();
        let judge = |units: &[Unit], set_aside: &[(&str, u64)]| {
            let set_aside = set_aside.iter().map(|(key, number)| ((*key).to_owned(), *number)).collect();
            compare(units, &documents, &set_aside)
        };
        let right = [
            unit(&["a"], 1, Acknowledged),
            unit(&["b"], 2, Unknown),
            unit(&["x"], 3, Unknown),
            unit(&["y"], 4, Refused),
            unit(&["r"], 8, Refused),
            unit(&["r"], 7, Acknowledged),
        ];
        assert_eq!(judge(&right, &[]), Lost::default());
        let lost = judge(&[unit(&["x", "y"], 5, Acknowledged)], &[("x", 5)]);
        assert_eq!((lost.count, lost.in_silence.len()), (1, 1));
        let lost = judge(&[unit(&["x", "y"], 5, Acknowledged)], &[("x", 5), ("y", 5)]);
        assert_eq!((lost.count, lost.in_silence.len()), (1, 0));
        assert_eq!(judge(&[unit(&["r"], 10, Acknowledged)], &[]).count, 1);
        assert_eq!(judge(&[unit(&["a", "x"], 1, Unknown)], &[]).wrong.len(), 1);
        assert_eq!(judge(&[unit(&["b"], 2, Refused)], &[]).wrong.len(), 1);
    }
}
