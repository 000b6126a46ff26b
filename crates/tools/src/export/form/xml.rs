//! XML: a `doc` for each document, an `att` with name, type and value for each attribute.

use velocypack::{Slice, json};

use super::{TextForm, for_each};
use crate::Failure;

/// The first line of every file.
pub(in super::super) const DECLARATION: &[u8] =
    b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// A writer of documents.
pub(super) struct XmlForm {
    name: String,
}

impl XmlForm {
    pub(super) fn new(name: &str) -> Self {
        XmlForm { name: name.to_owned() }
    }
}

impl TextForm for XmlForm {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(DECLARATION);
        out.extend_from_slice(b"<collection name=\"");
        escape(&self.name, out);
        out.extend_from_slice(b"\">\n");
    }

    fn lines(&mut self, lines: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        for_each(lines, |document| {
            out.extend_from_slice(b"<doc");
            if let Some(key) = document.get("_key").and_then(|key| key.as_str()) {
                out.extend_from_slice(b" key=\"");
                escape(key, out);
                out.push(b'"');
            }
            out.extend_from_slice(b">\n");
            match document.is_object() {
                true => document.entries().for_each(|(name, value)| attribute(name, value, out)),
                false => attribute("value", document, out),
            }
            out.extend_from_slice(b"</doc>\n");
            Ok(())
        })
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"</collection>\n");
    }
}

fn attribute(name: &str, value: Slice<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<att name=\"");
    escape(name, out);
    out.extend_from_slice(b"\" type=\"");
    out.extend_from_slice(type_name(value).as_bytes());
    out.extend_from_slice(b"\" value=\"");
    match value.as_str() {
        Some(text) => escape(text, out),
        None => {
            let mut text = Vec::new();
            json::write(value, None, &mut text);
            escape(&String::from_utf8_lossy(&text), out);
        }
    }
    out.extend_from_slice(b"\"/>\n");
}

fn type_name(value: Slice<'_>) -> &'static str {
    if value.is_string() {
        "string"
    } else if value.is_number() {
        "number"
    } else if value.is_bool() {
        "boolean"
    } else if value.is_array() {
        "array"
    } else if value.is_object() {
        "object"
    } else {
        "null"
    }
}

/// Writes a text within quotes.
///
/// Line breaks and tabs are escaped, so that readers keep them. Other control characters, which XML
/// does not allow, become replacement characters.
pub(in super::super) fn escape(text: &str, out: &mut Vec<u8>) {
    for character in text.chars() {
        match character {
            '&' => out.extend_from_slice(b"&amp;"),
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '"' => out.extend_from_slice(b"&quot;"),
            '\n' => out.extend_from_slice(b"&#10;"),
            '\r' => out.extend_from_slice(b"&#13;"),
            '\t' => out.extend_from_slice(b"&#9;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.extend_from_slice("\u{fffd}".as_bytes()),
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}
