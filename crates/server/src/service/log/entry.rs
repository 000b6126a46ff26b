//! One entry of the log.

use std::fmt::{self, Write};
use std::time::SystemTime;

use tracing::field::{Field, Visit};

use super::Level;

/// Longest text of an entry unless configured otherwise.
pub(super) const TEXT_MAX_BYTES: usize = 64 << 10;

/// One entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Ascending since the start.
    pub id: u64,
    /// Its topic.
    pub topic: &'static str,
    /// Its level.
    pub level: Level,
    /// When.
    pub time: SystemTime,
    /// What, with the fields behind it.
    pub text: String,
}

impl Entry {
    pub(super) fn new(id: u64, topic: &'static str, level: Level, text: String) -> Self {
        Entry { id, topic, level, time: SystemTime::now(), text }
    }

    /// The time as text, in UTC to the microsecond.
    pub fn date(&self) -> String {
        jiff::Timestamp::try_from(self.time).map_or_else(|_| String::new(), |time| format!("{time:.6}"))
    }
}

/// Collects the message of an event and the fields behind it.
pub(super) struct Fields {
    message: String,
    fields: String,
    max_bytes: usize,
}

impl Fields {
    pub(super) fn new(max_bytes: usize) -> Self {
        Fields { message: String::new(), fields: String::new(), max_bytes }
    }

    pub(super) fn finish(self) -> String {
        let Fields { message: mut text, fields, max_bytes } = self;
        text.push_str(&fields);
        if text.len() > max_bytes {
            let end = (0..=max_bytes).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            text.push_str("...");
        }
        text
    }

    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => self.message.write_fmt(value),
            name => write!(self.fields, ", {name}: {value}"),
        };
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format_args!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, format_args!("{value}"));
    }
}
