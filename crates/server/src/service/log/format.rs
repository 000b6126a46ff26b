//! The format of an entry as a line.

use std::fmt::Write;

use velocypack::json;

use super::{Entry, Level};

/// The format of lines.
#[derive(Clone, Debug)]
pub struct Format {
    /// Write one JSON object per line.
    pub json: bool,
    /// Colour the levels, for a terminal.
    pub color: bool,
    /// Escape control characters, so that no text can forge a line. JSON always escapes them.
    pub escape_control_characters: bool,
    /// Escape characters beyond ASCII.
    pub escape_unicode: bool,
    /// Include the process's id.
    pub process: bool,
}

impl Default for Format {
    fn default() -> Self {
        Format {
            json: false,
            color: false,
            escape_control_characters: true,
            escape_unicode: false,
            process: true,
        }
    }
}

impl Format {
    /// Returns the line of an entry, with its line break.
    pub fn line(&self, entry: &Entry) -> String {
        if self.json { self.json_line(entry) } else { self.text_line(entry) }
    }

    fn json_line(&self, entry: &Entry) -> String {
        let mut out = Vec::with_capacity(128 + entry.text.len());
        let mut add = |name: &str, value: &str| {
            out.push(if out.is_empty() { b'{' } else { b',' });
            json::write_str(name, &mut out);
            out.push(b':');
            json::write_str(value, &mut out);
        };
        add("time", &entry.date());
        add("level", entry.level.name());
        add("topic", entry.topic);
        add("message", &entry.text);
        if self.process {
            out.extend_from_slice(format!(",\"pid\":{}", std::process::id()).as_bytes());
        }
        out.extend_from_slice(b"}\n");
        String::from_utf8(out).unwrap_or_default()
    }

    fn text_line(&self, entry: &Entry) -> String {
        let mut line = entry.date();
        if self.process {
            // Writing to a string does not fail.
            let _ = write!(line, " [{}]", std::process::id());
        }
        let (begin, end) = if self.color { (color(entry.level), "\x1b[0m") } else { ("", "") };
        let _ = write!(line, " {begin}{}{end} {{{}}} ", entry.level.name(), entry.topic);
        for character in entry.text.chars() {
            match character {
                '\n' if self.escape_control_characters => line.push_str("\\n"),
                '\r' if self.escape_control_characters => line.push_str("\\r"),
                '\t' if self.escape_control_characters => line.push_str("\\t"),
                other if self.escape_control_characters && other.is_control() => {
                    let _ = write!(line, "\\x{:02x}", u32::from(other));
                }
                other if self.escape_unicode && !other.is_ascii() => {
                    let _ = write!(line, "\\u{{{:x}}}", u32::from(other));
                }
                other => line.push(other),
            }
        }
        line.push('\n');
        line
    }
}

fn color(level: Level) -> &'static str {
    match level {
        Level::Fatal | Level::Error => "\x1b[1;31m",
        Level::Warning => "\x1b[1;33m",
        Level::Info => "\x1b[1m",
        Level::Debug | Level::Trace => "",
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    fn entry(text: &str) -> Entry {
        let time = UNIX_EPOCH + Duration::from_micros(1_700_000_000_123_456);
        Entry { id: 1, topic: "queries", level: Level::Warning, time, text: text.to_owned() }
    }

    #[test]
    fn a_line_of_text() {
        let format = Format { process: false, ..Format::default() };
        let line = format.line(&entry("slow\nquery \x1b[0m é"));
        assert_eq!(line, "2023-11-14T22:13:20.123456Z WARNING {queries} slow\\nquery \\x1b[0m é\n");
        let ascii = Format { escape_unicode: true, ..format };
        assert!(ascii.line(&entry("é")).ends_with("\\u{e9}\n"));
    }

    #[test]
    fn a_line_of_json() {
        let line = Format { json: true, process: false, ..Format::default() }.line(&entry("a \"b\"\n"));
        let expected = r#"{"time":"2023-11-14T22:13:20.123456Z","level":"WARNING","topic":"queries","message":"a \"b\"\n"}"#;
        assert_eq!(line, format!("{expected}\n"));
    }
}
