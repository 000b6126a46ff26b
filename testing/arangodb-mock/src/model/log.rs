//! The log: one entry for each change, with increasing ticks.

use serde_json::{Map, Value, json};

/// The tick before the first entry. A new server has written its own collections by then.
const FIRST_TICK: u64 = 1_000;

/// The types of entries.
///
/// Source: ArangoDB 3.12 documentation, "HTTP interface for WAL access", "Operation Types".
pub(crate) mod kind {
    pub(crate) const DATABASE_CREATED: u64 = 1100;
    pub(crate) const DATABASE_DROPPED: u64 = 1101;
    pub(crate) const COLLECTION_CREATED: u64 = 2000;
    pub(crate) const COLLECTION_DROPPED: u64 = 2001;
    pub(crate) const COLLECTION_RENAMED: u64 = 2002;
    pub(crate) const COLLECTION_CHANGED: u64 = 2003;
    pub(crate) const TRUNCATED: u64 = 2004;
    pub(crate) const INDEX_CREATED: u64 = 2100;
    pub(crate) const INDEX_DROPPED: u64 = 2101;
    pub(crate) const VIEW_CREATED: u64 = 2110;
    pub(crate) const VIEW_DROPPED: u64 = 2111;
    pub(crate) const VIEW_CHANGED: u64 = 2112;
    pub(crate) const BEGIN: u64 = 2200;
    pub(crate) const COMMIT: u64 = 2201;
    pub(crate) const ABORT: u64 = 2202;
    pub(crate) const PUT: u64 = 2300;
    pub(crate) const REMOVE: u64 = 2302;
}

/// An entry of the log.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) tick: u64,
    pub(crate) database: String,
    /// The JSON object, in one line.
    pub(crate) line: String,
}

/// The log.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    last: u64,
    /// The last tick whose entry is gone.
    gone: u64,
}

/// A part of the log, as a reader asks for it.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) lines: String,
    /// The tick of the last entry in `lines`; 0 without entries.
    pub(crate) last_included: u64,
    pub(crate) last_scanned: u64,
    pub(crate) has_more: bool,
    /// False if entries after the asked tick are gone.
    pub(crate) is_complete: bool,
}

impl Default for Log {
    fn default() -> Self {
        Log { entries: Vec::new(), last: FIRST_TICK, gone: FIRST_TICK }
    }
}

impl Log {
    /// Appends an entry. `fields` are those after tick, type and database.
    pub(crate) fn append(&mut self, kind: u64, database: &str, fields: Value) {
        // Operations that the log does not show have numbers too.
        self.last += 1 + self.last % 3;
        let mut entry = Map::new();
        entry.insert("tick".to_owned(), json!(self.last.to_string()));
        entry.insert("type".to_owned(), json!(kind));
        entry.insert("db".to_owned(), json!(database));
        if let Value::Object(fields) = fields {
            entry.extend(fields);
        }
        let line = Value::Object(entry).to_string();
        self.entries.push(Entry { tick: self.last, database: database.to_owned(), line });
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Returns the first tick that a reader can have.
    pub(crate) fn first(&self) -> u64 {
        self.entries.first().map_or(self.last, |entry| entry.tick)
    }

    pub(crate) fn forget(&mut self) {
        self.gone = self.last;
        self.entries.clear();
    }

    /// Returns the entries after `from` up to `to`, of one database or of all.
    ///
    /// The size counts after each entry, as the documentation has it: so a part has at least one
    /// entry, and may end within a transaction.
    pub(crate) fn part(&self, from: u64, to: u64, database: Option<&str>, max_bytes: usize) -> Part {
        let mut part = Part { is_complete: from >= self.gone, last_scanned: from, ..Part::default() };
        for entry in self.entries.iter().filter(|entry| entry.tick > from && entry.tick <= to) {
            if part.lines.len() >= max_bytes {
                part.has_more = true;
                return part;
            }
            part.last_scanned = entry.tick;
            if database.is_none_or(|database| database == entry.database) {
                part.lines.push_str(&entry.line);
                part.lines.push('\n');
                part.last_included = entry.tick;
            }
        }
        part.last_scanned = part.last_scanned.max(self.last.min(to));
        part
    }
}
