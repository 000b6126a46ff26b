//! The columns of CSV and TSV: names and types, columns that are omitted, and merged columns.

use velocypack::json::write_str;

use super::options::Settings;
use super::record::Record;
use super::table_options::{Datatype, MergePart, TableSettings};
use super::value;
use crate::{Console, Failure};

/// The form of rows.
#[derive(Debug)]
pub(super) struct Columns {
    columns: Vec<Column>,
    merges: Vec<Vec<Part>>,
    table: TableSettings,
    /// A JSON array of the attributes' names, and a line break.
    header: Vec<u8>,
}

#[derive(Debug)]
struct Column {
    is_removed: bool,
    /// True for `_key`, whose values are texts even if they look like numbers.
    is_key: bool,
    datatype: Option<Datatype>,
}

/// A part of a merged attribute.
#[derive(Debug)]
enum Part {
    Field(usize),
    /// An earlier merged attribute.
    Merged(usize),
    Text(String),
}

impl Columns {
    /// Reads the columns from the line of names.
    pub(super) fn new(record: &Record, settings: &Settings, console: &Console) -> Result<Self, Failure> {
        let table = &settings.table;
        let mut names = Vec::new();
        for (position, (field, has_quotes)) in record.fields().enumerate() {
            let name = std::str::from_utf8(field).map_err(|_| {
                let place = table.headers_file.as_ref().unwrap_or(&settings.file);
                Failure::new(format!("{place}: the name of column {} is not UTF-8", position + 1))
            })?;
            // Blanks around a name are for the eye, unless quotes hold them.
            names.push(if has_quotes { name } else { name.trim_matches([' ', '\t']) });
        }
        warn_of_unknown(&names, settings, console);
        let renamed = |name: &str| {
            let translation = table.translate.iter().find(|(from, _)| from == name);
            translation.map_or_else(|| name.to_owned(), |(_, to)| to.clone())
        };
        let mut columns = Vec::new();
        let mut kept = Vec::new();
        for name in &names {
            let attribute = renamed(name);
            let is_removed = settings.removed.iter().any(|removed| removed == name || *removed == attribute);
            let datatype = table.datatypes.iter().find(|(typed, _)| typed == name || *typed == attribute);
            columns.push(Column {
                is_removed,
                is_key: attribute == "_key",
                datatype: datatype.map(|(_, datatype)| *datatype),
            });
            if !is_removed {
                kept.push(attribute);
            }
        }
        let mut merges: Vec<Vec<Part>> = Vec::new();
        for (position, merge) in table.merges.iter().enumerate() {
            let mut parts = Vec::new();
            for part in &merge.parts {
                parts.push(match part {
                    MergePart::Text(text) => Part::Text(text.clone()),
                    MergePart::Attribute(name) => {
                        let field = names.iter().position(|known| known == name);
                        let before = table.merges.iter().take(position).position(|known| known.name == *name);
                        match (field, before) {
                            (_, Some(before)) => Part::Merged(before),
                            (Some(field), None) => Part::Field(field),
                            (None, None) => {
                                console.warning(&format!(
                                    "--merge-attributes: attribute {name:?} for {:?} does not exist and is treated as empty",
                                    merge.name
                                ));
                                Part::Text(String::new())
                            }
                        }
                    }
                });
            }
            merges.push(parts);
            kept.push(merge.name.clone());
        }
        Ok(Columns { columns, merges, table: table.clone(), header: header(&kept) })
    }

    /// Returns the line of names in the server's form.
    pub(super) fn header(&self) -> &[u8] {
        &self.header
    }

    /// Writes a row as a line of JSON. On an error, which has the reason, nothing is written.
    pub(super) fn write(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), String> {
        let (found, expected) = (record.len(), self.columns.len());
        if found != expected && !self.table.ignore_missing {
            return Err(format!("wrong number of values (got {found}, expected {expected})"));
        }
        let begin = out.len();
        let written = self.write_fields(record, out);
        if written.is_none() {
            out.truncate(begin);
            return Err("it is not UTF-8".to_owned());
        }
        Ok(())
    }

    fn write_fields(&self, record: &Record, out: &mut Vec<u8>) -> Option<()> {
        out.push(b'[');
        let begin = out.len();
        // A short row has no values at its end.
        let fields = record.fields().chain(std::iter::repeat((&b""[..], false)));
        for (column, (field, has_quotes)) in
            self.columns.iter().zip(fields).filter(|(column, _)| !column.is_removed)
        {
            if out.len() > begin {
                out.push(b',');
            }
            let convert = self.table.convert && (!column.is_key || field == b"null");
            value::write(field, has_quotes, column.datatype, convert, out)?;
        }
        if !self.merges.is_empty() {
            let fields: Vec<&[u8]> = record.fields().map(|(field, _)| field).collect();
            for text in self.merged(&fields)? {
                if out.len() > begin {
                    out.push(b',');
                }
                write_str(&text, out);
            }
        }
        out.extend_from_slice(b"]\n");
        Some(())
    }

    fn merged(&self, fields: &[&[u8]]) -> Option<Vec<String>> {
        let mut merged: Vec<String> = Vec::with_capacity(self.merges.len());
        for parts in &self.merges {
            let mut text = String::new();
            for part in parts {
                text.push_str(match part {
                    Part::Text(text) => text,
                    Part::Merged(position) => merged.get(*position).map_or("", String::as_str),
                    Part::Field(position) => {
                        std::str::from_utf8(fields.get(*position).copied().unwrap_or_default()).ok()?
                    }
                });
            }
            merged.push(text);
        }
        Some(merged)
    }
}

/// Warns of options that name no column of the file.
fn warn_of_unknown(names: &[&str], settings: &Settings, console: &Console) {
    let table = &settings.table;
    let is_known = |name: &String| {
        let is_new = |(from, to): &(String, String)| to == name && names.contains(&from.as_str());
        names.contains(&name.as_str()) || table.translate.iter().any(is_new)
    };
    let translated =
        table.translate.iter().map(|(from, _)| ("translate", from, names.contains(&from.as_str())));
    let typed = table.datatypes.iter().map(|(name, _)| ("datatype", name, is_known(name)));
    let removed = settings.removed.iter().map(|name| ("remove-attribute", name, is_known(name)));
    for (option, name, _) in translated.chain(typed).chain(removed).filter(|(_, _, is_known)| !is_known) {
        console.warning(&format!(
            "--{option}: {} has no column {name:?}; its columns are {names:?}",
            settings.file
        ));
    }
}

fn header(names: &[String]) -> Vec<u8> {
    let mut header = vec![b'['];
    for (position, name) in names.iter().enumerate() {
        if position > 0 {
            header.push(b',');
        }
        write_str(name, &mut header);
    }
    header.extend_from_slice(b"]\n");
    header
}
