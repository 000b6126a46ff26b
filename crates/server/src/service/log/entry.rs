//! One entry of the log.

use std::fmt::{self, Write};
use std::time::SystemTime;

use tracing::field::{Field, Visit};

use super::Level;

/// Default limit of the text of an entry, in bytes.
pub(super) const TEXT_MAX_BYTES: usize = 64 << 10;

/// One entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The number, which ascends from the start of the server.
    pub id: u64,
    /// The topic.
    pub topic: &'static str,
    /// The level.
    pub level: Level,
    /// The time of the event.
    pub time: SystemTime,
    /// The message, followed by the fields.
    pub text: String,
}

impl Entry {
    pub(super) fn new(id: u64, topic: &'static str, level: Level, text: String) -> Self {
        Entry { id, topic, level, time: SystemTime::now(), text }
    }

    /// Returns the time as text, in UTC with microseconds.
    pub fn date(&self) -> String {
        jiff::Timestamp::try_from(self.time).map_or_else(|_| String::new(), |time| format!("{time:.6}"))
    }
}

/// The message of an event and its fields.
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
