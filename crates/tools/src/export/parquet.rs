//! Parquet: a column for each attribute.
//!
//! The type of a column must be known before its first value is written, and depends on all values.
//! So documents first go to a temporary file next to the result while their types are recorded, and
//! from there to the columns. Numbers, booleans and texts keep their types. An attribute becomes a
//! text of JSON if its values have different types, or are arrays or objects.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use memchr::memchr_iter;
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use velocypack::{Slice, json};

use super::form::for_each;
use super::output::{Written, part_of, unwritable};
use super::rows::Rows;
use crate::{Failure, Progress};

/// The maximum number of columns.
const MAX_COLUMNS: usize = 4_096;

/// The bytes of documents after which a row group is written.
const GROUP_BYTES: usize = 64 << 20;

/// The types of the values of an attribute so far.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    booleans: bool,
    integers: bool,
    numbers: bool,
    texts: bool,
    others: bool,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Integer,
    Double,
    Text,
    Json,
}

impl Seen {
    fn add(&mut self, value: Slice<'_>) {
        if value.is_null() {
        } else if value.is_bool() {
            self.booleans = true;
        } else if value.as_i64().is_some() {
            self.integers = true;
        } else if value.is_number() {
            self.numbers = true;
        } else if value.is_string() {
            self.texts = true;
        } else {
            self.others = true;
        }
    }

    fn kind(self) -> Kind {
        match (self.booleans, self.integers || self.numbers, self.texts, self.others) {
            (true, false, false, false) => Kind::Boolean,
            (false, true, false, false) if self.numbers => Kind::Double,
            (false, true, false, false) => Kind::Integer,
            (false, false, _, false) => Kind::Text,
            _ => Kind::Json,
        }
    }
}

/// The attributes, in the order in which they were found.
#[derive(Debug)]
struct Columns {
    names: Vec<String>,
    seen: Vec<Seen>,
    positions: HashMap<String, usize>,
    /// True if the attributes were named, so that no others are added.
    is_fixed: bool,
}

impl Columns {
    fn new(fields: &[String]) -> Self {
        let mut columns = Columns {
            names: Vec::new(),
            seen: Vec::new(),
            positions: HashMap::new(),
            is_fixed: !fields.is_empty(),
        };
        fields.iter().for_each(|field| columns.add(field));
        columns
    }

    fn add(&mut self, name: &str) {
        if !self.positions.contains_key(name) {
            self.positions.insert(name.to_owned(), self.names.len());
            self.names.push(name.to_owned());
            self.seen.push(Seen::default());
        }
    }

    fn note(&mut self, document: Slice<'_>) -> Result<(), Failure> {
        if !document.is_object() {
            return Err(Failure::new("Parquet requires objects, but the query returns other values"));
        }
        for (name, value) in document.entries() {
            if !self.is_fixed {
                self.add(name);
            }
            let position = self.positions.get(name).copied();
            if let Some(seen) = position.and_then(|position| self.seen.get_mut(position)) {
                seen.add(value);
            }
        }
        if self.names.len() > MAX_COLUMNS {
            let text =
                format!("the documents have more than {MAX_COLUMNS} attributes; select some with --fields");
            return Err(Failure::new(text));
        }
        Ok(())
    }

    fn schema(&self) -> Result<Arc<Type>, ParquetError> {
        let mut fields = Vec::new();
        for (name, seen) in self.names.iter().zip(&self.seen) {
            let (physical, logical) = match seen.kind() {
                Kind::Boolean => (PhysicalType::BOOLEAN, None),
                Kind::Integer => (PhysicalType::INT64, None),
                Kind::Double => (PhysicalType::DOUBLE, None),
                Kind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
                Kind::Json => (PhysicalType::BYTE_ARRAY, Some(LogicalType::Json)),
            };
            let field = Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical)
                .build()?;
            fields.push(Arc::new(field));
        }
        Type::group_type_builder("documents").with_fields(fields).build().map(Arc::new)
    }
}

/// A temporary file that is removed on drop.
struct Spool {
    path: PathBuf,
}

impl Drop for Spool {
    fn drop(&mut self) {
        // Nobody needs the file; it is not a failure if it stays.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Writes a file with all rows.
pub(super) fn write(
    path: &Path,
    fields: &[String],
    rows: &mut dyn Rows,
    progress: &Progress,
    written: &Written,
) -> Result<(), Failure> {
    let mut columns = Columns::new(fields);
    let mut spool_path = part_of(path).into_os_string();
    spool_path.push(".rows");
    let spool = Spool { path: spool_path.into() };
    let spool_name = spool.path.display().to_string();
    let unspooled = |error: std::io::Error| unwritable(&spool_name, &error);
    let mut file = BufWriter::new(File::create(&spool.path).map_err(unspooled)?);
    while let Some(lines) = rows.next_lines()? {
        for_each(&lines, |document| columns.note(document))?;
        file.write_all(&lines).map_err(unspooled)?;
        progress.add(memchr_iter(b'\n', &lines).count() as u64);
    }
    file.flush().map_err(unspooled)?;
    if columns.names.is_empty() {
        return Err(Failure::new(
            "there is nothing to export, so the columns are unknown; name them with --fields",
        ));
    }
    let part = part_of(path);
    let name = part.display().to_string();
    let unwritten = |error: ParquetError| Failure::new(format!("{name} cannot be written: {error}"));
    let target = File::create(&part).map_err(|error| unwritable(&name, &error))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("persea ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let schema = columns.schema().map_err(unwritten)?;
    let mut writer = SerializedFileWriter::new(target, schema, Arc::new(properties)).map_err(unwritten)?;
    let mut lines = BufReader::new(File::open(&spool.path).map_err(unspooled)?);
    let mut group = Vec::new();
    loop {
        let bytes = lines.read_until(b'\n', &mut group).map_err(unspooled)?;
        if group.len() >= GROUP_BYTES || bytes == 0 && !group.is_empty() {
            write_group(&mut writer, &columns, &group).map_err(|failure| failure.during(&name))?;
            group.clear();
        }
        if bytes == 0 {
            break;
        }
    }
    writer.close().map_err(unwritten)?;
    let bytes = std::fs::metadata(&part).map_err(|error| unwritable(&name, &error))?.len();
    written.fetch_add(bytes, Ordering::Relaxed);
    std::fs::rename(&part, path).map_err(|error| unwritable(&path.display().to_string(), &error))
}

/// The values of one column of a row group.
enum Values {
    Boolean(Vec<bool>),
    Integer(Vec<i64>),
    Double(Vec<f64>),
    Text(Vec<ByteArray>),
}

/// A column of a row group: its values, and a flag for each row that has one.
struct Column {
    values: Values,
    present: Vec<i16>,
}

impl Column {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Boolean => Values::Boolean(Vec::new()),
            Kind::Integer => Values::Integer(Vec::new()),
            Kind::Double => Values::Double(Vec::new()),
            Kind::Text | Kind::Json => Values::Text(Vec::new()),
        };
        Column { values, present: Vec::new() }
    }

    fn push(&mut self, kind: Kind, value: Option<Slice<'_>>) {
        let Some(value) = value.filter(|value| !value.is_null()) else { return self.present.push(0) };
        self.present.push(1);
        match &mut self.values {
            Values::Boolean(values) => values.push(value.as_bool().unwrap_or_default()),
            Values::Integer(values) => values.push(value.as_i64().unwrap_or_default()),
            Values::Double(values) => values.push(value.as_f64().unwrap_or_default()),
            Values::Text(values) => {
                let text = match value.as_str().filter(|_| kind == Kind::Text) {
                    Some(text) => text.as_bytes().to_vec(),
                    None => {
                        let mut text = Vec::new();
                        json::write(value, None, &mut text);
                        text
                    }
                };
                values.push(ByteArray::from(text));
            }
        }
    }

    fn write(&self, mut writer: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let present = Some(self.present.as_slice());
        match &self.values {
            Values::Boolean(values) => writer.typed::<BoolType>().write_batch(values, present, None)?,
            Values::Integer(values) => writer.typed::<Int64Type>().write_batch(values, present, None)?,
            Values::Double(values) => writer.typed::<DoubleType>().write_batch(values, present, None)?,
            Values::Text(values) => writer.typed::<ByteArrayType>().write_batch(values, present, None)?,
        };
        writer.close()
    }
}

fn write_group(
    writer: &mut SerializedFileWriter<File>,
    columns: &Columns,
    lines: &[u8],
) -> Result<(), Failure> {
    let kinds: Vec<Kind> = columns.seen.iter().map(|seen| seen.kind()).collect();
    let mut group: Vec<Column> = kinds.iter().map(|kind| Column::new(*kind)).collect();
    for_each(lines, |document| {
        for ((column, kind), name) in group.iter_mut().zip(&kinds).zip(&columns.names) {
            column.push(*kind, document.get(name));
        }
        Ok(())
    })?;
    let unwritten = |error: ParquetError| Failure::new(format!("the rows cannot be written: {error}"));
    let mut rows = writer.next_row_group().map_err(unwritten)?;
    for column in &group {
        let next = rows.next_column().map_err(unwritten)?;
        let next = next.ok_or_else(|| Failure::new("the file has fewer columns than it should"))?;
        column.write(next).map_err(unwritten)?;
    }
    rows.close().map(|_| ()).map_err(unwritten)
}
