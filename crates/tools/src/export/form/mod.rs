//! Conversions from JSON Lines to the text of a file.

mod csv;
pub(super) mod xml;

use velocypack::{Builder, Limits, Slice, json};

use super::options::{Form, Settings};
use crate::Failure;
use csv::CsvForm;
use xml::XmlForm;

/// A writer of documents in one form.
pub(super) trait TextForm {
    /// Writes the text before all documents.
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Writes some documents, which are JSON Lines.
    fn lines(&mut self, lines: &[u8], out: &mut Vec<u8>) -> Result<(), Failure>;

    /// Writes the text after all documents.
    fn end(&mut self, out: &mut Vec<u8>);
}

/// Returns the form of text files.
///
/// `name` is the exported subject; `has_documents` is true if some were written before.
pub(super) fn text_form(settings: &Settings, name: &str, has_documents: bool) -> Box<dyn TextForm> {
    match settings.form {
        Form::Csv => Box::new(CsvForm::new(settings)),
        Form::Json => Box::new(ArrayForm { has_documents }),
        Form::Xml => Box::new(XmlForm::new(name)),
        // The two others have writers of their own.
        Form::Lines | Form::Parquet | Form::Xgmml => Box::new(LinesForm),
    }
}

/// Calls `write` for each document of some lines.
pub(super) fn for_each(
    lines: &[u8],
    mut write: impl FnMut(Slice<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut document = Builder::new();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        document.clear();
        json::parse(line, &Limits::default(), &mut document)
            .map_err(|error| Failure::new(format!("the server sent a document that is not JSON: {error}")))?;
        write(document.as_slice())?;
    }
    Ok(())
}

/// JSON Lines, unchanged.
struct LinesForm;

impl TextForm for LinesForm {
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    fn lines(&mut self, lines: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        out.extend_from_slice(lines);
        Ok(())
    }

    fn end(&mut self, _out: &mut Vec<u8>) {}
}

/// An array with one document per line.
struct ArrayForm {
    has_documents: bool,
}

impl TextForm for ArrayForm {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"[\n");
    }

    fn lines(&mut self, lines: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if self.has_documents {
                out.extend_from_slice(b",\n");
            }
            self.has_documents = true;
            out.extend_from_slice(line);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.has_documents { b"\n]\n" } else { b"]\n" });
    }
}
