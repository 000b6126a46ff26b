//! XGMML: a graph as XML, for programs such as Cytoscape. Nodes are vertices with their `_id`;
//! edges refer to them.

use velocypack::{Slice, json};

use super::form::for_each;
use super::form::xml::{DECLARATION, escape};
use super::options::Settings;
use crate::Failure;

/// The label of documents without one, as in arangoexport.
const DEFAULT_LABEL: &str = "Default-Label";

/// A writer of the nodes and edges of a graph.
pub(super) struct GraphForm {
    label_attribute: String,
    label_only: bool,
}

impl GraphForm {
    pub(super) fn new(settings: &Settings) -> Self {
        GraphForm { label_attribute: settings.label_attribute.clone(), label_only: settings.label_only }
    }

    pub(super) fn begin(&self, name: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(DECLARATION);
        out.extend_from_slice(b"<graph label=\"");
        escape(name, out);
        out.extend_from_slice(b"\" xmlns=\"http://www.cs.rpi.edu/XGMML\" directed=\"1\">\n");
    }

    /// Writes some vertices or edges, which are JSON Lines.
    pub(super) fn lines(&self, lines: &[u8], are_edges: bool, out: &mut Vec<u8>) -> Result<(), Failure> {
        for_each(lines, |document| {
            let name: &[u8] = if are_edges { b"edge" } else { b"node" };
            out.push(b'<');
            out.extend_from_slice(name);
            quoted("label", self.label(document).as_bytes(), out);
            match are_edges {
                true => {
                    id(document, "source", "_from", out);
                    id(document, "target", "_to", out);
                }
                false => id(document, "id", "_id", out),
            }
            if self.label_only {
                out.extend_from_slice(b"/>\n");
                return Ok(());
            }
            out.extend_from_slice(b">\n");
            document.entries().for_each(|(name, value)| attribute(Some(name), value, out));
            out.extend_from_slice(b"</");
            out.extend_from_slice(name);
            out.extend_from_slice(b">\n");
            Ok(())
        })
    }

    pub(super) fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"</graph>\n");
    }

    /// Returns the label of a document: an attribute, if it is a text.
    fn label<'d>(&self, document: Slice<'d>) -> &'d str {
        document.get(&self.label_attribute).and_then(|value| value.as_str()).unwrap_or(DEFAULT_LABEL)
    }
}

fn id(document: Slice<'_>, name: &str, attribute: &str, out: &mut Vec<u8>) {
    let value = document.get(attribute).and_then(|value| value.as_str()).unwrap_or_default();
    quoted(name, value.as_bytes(), out);
}

/// Writes ` name="value"`.
fn quoted(name: &str, value: &[u8], out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    escape(&String::from_utf8_lossy(value), out);
    out.push(b'"');
}

fn attribute(name: Option<&str>, value: Slice<'_>, out: &mut Vec<u8>) {
    if value.is_null() {
        return;
    }
    out.extend_from_slice(b"<att");
    if let Some(name) = name {
        quoted("name", name.as_bytes(), out);
    }
    let kind = match () {
        () if value.is_array() || value.is_object() => "list",
        () if value.is_integer() => "integer",
        () if value.is_number() => "real",
        () if value.is_bool() => "boolean",
        () => "string",
    };
    quoted("type", kind.as_bytes(), out);
    if kind == "list" {
        out.extend_from_slice(b">\n");
        match value.is_object() {
            true => value.entries().for_each(|(name, value)| attribute(Some(name), value, out)),
            false => value.elements().for_each(|value| attribute(None, value, out)),
        }
        out.extend_from_slice(b"</att>\n");
        return;
    }
    match value.as_str() {
        Some(text) => quoted("value", text.as_bytes(), out),
        None => {
            let mut text = Vec::new();
            json::write(value, None, &mut text);
            quoted("value", &text, out);
        }
    }
    out.extend_from_slice(b"/>\n");
}
