//! Values as JSON for a model: without what it does not need, and with long texts and vectors cut.

use velocypack::{Kind, Slice, json};

/// Numbers from which an array of numbers is cut.
const VECTOR_MIN: usize = 24;

/// Numbers that are shown of an array that is cut.
const VECTOR_SHOWN: usize = 4;

/// A printer of values.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    /// Bytes after which a text is cut; 0 cuts neither texts nor vectors.
    pub text_max_bytes: usize,
    /// True to leave out `_rev` of documents.
    pub drops_revisions: bool,
}

impl Default for Printer {
    fn default() -> Self {
        Printer { text_max_bytes: 2_000, drops_revisions: true }
    }
}

impl Printer {
    /// Returns the printer of complete values.
    pub const COMPLETE: Printer = Printer { text_max_bytes: 0, drops_revisions: false };

    /// Appends a value. Its nesting is bounded by the depth of values.
    pub fn print(&self, value: Slice<'_>, out: &mut Vec<u8>) {
        match value.kind() {
            Kind::String => self.print_text(value.as_str().unwrap_or_default(), out),
            Kind::Array if self.is_long_vector(value) => {
                out.push(b'[');
                for element in value.elements().take(VECTOR_SHOWN) {
                    json::write(element, None, out);
                    out.push(b',');
                }
                let rest = value.len().saturating_sub(VECTOR_SHOWN);
                json::write_str(&format!("... {rest} more numbers"), out);
                out.push(b']');
            }
            Kind::Array => {
                out.push(b'[');
                for (position, element) in value.elements().enumerate() {
                    if position > 0 {
                        out.push(b',');
                    }
                    self.print(element, out);
                }
                out.push(b']');
            }
            Kind::Object => {
                let is_document = value.get("_id").is_some();
                out.push(b'{');
                let mut is_first = true;
                for (name, value) in value.entries() {
                    if self.drops_revisions && is_document && name == "_rev" {
                        continue;
                    }
                    if !std::mem::take(&mut is_first) {
                        out.push(b',');
                    }
                    json::write_str(name, out);
                    out.push(b':');
                    self.print(value, out);
                }
                out.push(b'}');
            }
            _ => json::write(value, None, out),
        }
    }

    fn print_text(&self, text: &str, out: &mut Vec<u8>) {
        if self.text_max_bytes == 0 || text.len() <= self.text_max_bytes {
            return json::write_str(text, out);
        }
        let shown = text.get(..text.floor_char_boundary(self.text_max_bytes)).unwrap_or_default();
        let rest = text.len() - shown.len();
        json::write_str(&format!("{shown}... ({rest} more bytes)"), out);
    }

    fn is_long_vector(&self, value: Slice<'_>) -> bool {
        self.text_max_bytes > 0
            && value.len() >= VECTOR_MIN
            && value.elements().take(VECTOR_SHOWN).all(Slice::is_number)
    }
}

#[cfg(test)]
mod tests {
    use velocypack::{Builder, Limits};

    use super::*;

    fn printed(printer: Printer, text: &str) -> String {
        let mut builder = Builder::new();
        json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
        let mut out = Vec::new();
        printer.print(builder.as_slice(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn long_texts_and_vectors_are_cut() {
        let printer = Printer { text_max_bytes: 3, drops_revisions: true };
        assert_eq!(printed(printer, r#"["abc","abäcd"]"#), r#"["abc","ab... (4 more bytes)"]"#);
        let vector = format!("[{}1]", "0.5,".repeat(99));
        assert_eq!(printed(printer, &vector), r#"[0.5,0.5,0.5,0.5,"... 96 more numbers"]"#);
        assert_eq!(printed(Printer::COMPLETE, &vector), vector);
    }

    #[test]
    fn revisions_of_documents_are_left_out() {
        let text = r#"{"_id":"a/b","_rev":"x","c":{"_rev":"kept"}}"#;
        assert_eq!(printed(Printer::default(), text), r#"{"_id":"a/b","c":{"_rev":"kept"}}"#);
        assert_eq!(printed(Printer::COMPLETE, text), text);
    }
}
