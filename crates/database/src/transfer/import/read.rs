//! The documents of a body in each of its forms.

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Limits, Slice, json};

use super::{DocumentSource, Import, ImportForm, quoted, shortened};

impl Import<'_> {
    pub(super) fn json(&mut self, text: &[u8]) -> Result<()> {
        let form = match (self.request.form, text.trim_ascii_start().first()) {
            (ImportForm::Auto, Some(b'[')) => ImportForm::List,
            (ImportForm::Auto, _) => ImportForm::Lines,
            (form, _) => form,
        };
        match form {
            ImportForm::Lines | ImportForm::Auto => self.lines(text),
            ImportForm::Table => self.table(text),
            ImportForm::List => {
                let mut builder = Builder::new();
                json::parse_strict(text, &Limits::default(), &mut builder)
                    .map_err(|error| Error::new(ErrorCode::HttpCorruptedJson, error.to_string()))?;
                let bytes = builder.into_vec();
                self.list(Slice::new(&bytes))
            }
        }
    }

    pub(super) fn list(&mut self, list: Slice<'_>) -> Result<()> {
        if !list.is_array() {
            return Err(Error::new(ErrorCode::HttpBadParameter, "expecting a JSON array in the request"));
        }
        for (position, document) in (1..).zip(list.elements()) {
            self.take(document, position)?;
        }
        Ok(())
    }

    pub(super) fn documents_of(&mut self, source: &mut dyn DocumentSource) -> Result<()> {
        let mut position = 0;
        source.for_each(&mut |document| {
            position += 1;
            match document {
                Ok(document) => self.take(document, position),
                Err(error) => self.reject(position, error.code(), error.message()),
            }
        })
    }

    fn lines(&mut self, text: &[u8]) -> Result<()> {
        for (position, line) in (1..).zip(lines(text)) {
            if line.is_empty() {
                self.outcome.empty += 1;
                continue;
            }
            self.scratch.clear();
            match json::parse_strict(line, &Limits::default(), &mut self.scratch) {
                Ok(()) => self.take_scratch(position)?,
                Err(error) => self.reject_line(position, &error.to_string(), line)?,
            }
        }
        Ok(())
    }

    fn reject_line(&mut self, position: u64, error: &str, line: &[u8]) -> Result<()> {
        let line = shortened(String::from_utf8_lossy(line).into_owned());
        self.reject(
            position,
            ErrorCode::HttpCorruptedJson,
            &format!("invalid JSON: {error}, offending line: {line}"),
        )
    }

    fn table(&mut self, text: &[u8]) -> Result<()> {
        let mut lines = lines(text).inspect(|line| self.outcome.empty += u64::from(line.is_empty()));
        let Some(header) = lines.find(|line| !line.is_empty()) else { return Ok(()) };
        let rows: Vec<&[u8]> = lines.collect();
        let header = parse(header).map_err(|_| no_header())?;
        let names = attribute_names(Slice::new(&header))?;
        for (position, line) in (1..).zip(rows).filter(|(_, line)| !line.is_empty()) {
            match parse(line) {
                Err(error) => self.reject_line(position, &error, line)?,
                Ok(values) => self.row(&names, Slice::new(&values), position)?,
            }
        }
        Ok(())
    }

    fn row(&mut self, names: &[&str], values: Slice<'_>, position: u64) -> Result<()> {
        if !values.is_array() {
            let message = format!("invalid JSON type (expecting array), offending line: {}", quoted(values));
            return self.reject(position, ErrorCode::BadParameter, &message);
        }
        if values.len() != names.len() && !self.request.ignore_missing {
            let message = format!(
                "wrong number of JSON values (got {}, expected {}), offending line: {}",
                values.len(),
                names.len(),
                quoted(values)
            );
            return self.reject(position, ErrorCode::BadParameter, &message);
        }
        let row = &mut self.scratch;
        row.clear();
        row.open_object()?;
        for (name, value) in names.iter().zip(values.elements()).filter(|(_, value)| !value.is_null()) {
            row.key(name)?;
            row.add_slice(value)?;
        }
        row.close_keeping_last()?;
        self.take_scratch(position)
    }

    fn take_scratch(&mut self, position: u64) -> Result<()> {
        let scratch = std::mem::take(&mut self.scratch);
        let taken = self.take(Slice::new(scratch.as_bytes()), position);
        self.scratch = scratch;
        taken
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    // An empty body has no lines, rather than one empty line.
    let lines = (!text.is_empty()).then(|| text.split(|byte| *byte == b'\n'));
    lines.into_iter().flatten().map(<[u8]>::trim_ascii)
}

fn parse(line: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut builder = Builder::new();
    json::parse_strict(line, &Limits::default(), &mut builder).map_err(|error| error.to_string())?;
    Ok(builder.into_vec())
}

fn attribute_names(header: Slice<'_>) -> Result<Vec<&str>> {
    if !header.is_array() {
        return Err(no_header());
    }
    let names: Option<Vec<&str>> = header.elements().map(|name| name.as_str()).collect();
    names.ok_or_else(no_header)
}

fn no_header() -> Error {
    Error::new(ErrorCode::HttpBadParameter, "no JSON array of attribute names found in first line")
}
