//! CSV (RFC 4180) in arangoexport's form: a line of names, texts in quotes, arrays and objects as
//! JSON in quotes.

use velocypack::{Slice, json};

use super::super::options::Settings;
use super::{TextForm, for_each};
use crate::Failure;

/// The characters that spreadsheets interpret as the beginning of a formula.
const FORMULA: [char; 4] = ['+', '=', '@', '-'];

/// A writer of rows.
pub(super) struct CsvForm {
    fields: Vec<String>,
    escape_formulae: bool,
}

impl CsvForm {
    pub(super) fn new(settings: &Settings) -> Self {
        CsvForm { fields: settings.fields.clone(), escape_formulae: settings.escape_formulae }
    }

    fn value(&self, value: Slice<'_>, out: &mut Vec<u8>) {
        if let Some(text) = value.as_str() {
            let is_formula = self.escape_formulae && text.starts_with(FORMULA);
            quoted(if is_formula { "'" } else { "" }, text, out);
        } else if value.is_array() || value.is_object() {
            quoted("", &value.to_json_string(), out);
        } else if !value.is_null() {
            json::write(value, None, out);
        }
    }
}

impl TextForm for CsvForm {
    fn begin(&mut self, out: &mut Vec<u8>) {
        for (position, field) in self.fields.iter().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            match field.contains(['"', ',', '\n', '\r']) {
                true => quoted("", field, out),
                false => out.extend_from_slice(field.as_bytes()),
            }
        }
        out.push(b'\n');
    }

    fn lines(&mut self, lines: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        for_each(lines, |document| {
            for (position, field) in self.fields.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                if let Some(value) = document.get(field) {
                    self.value(value, out);
                }
            }
            out.push(b'\n');
            Ok(())
        })
    }

    fn end(&mut self, _out: &mut Vec<u8>) {}
}

fn quoted(before: &str, text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(before.as_bytes());
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
