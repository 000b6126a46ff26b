//! Parquet: each row becomes a line of JSON, and the lines are imported as JSON Lines are.
//!
//! Columns that are null in a row are left out. Timestamps, dates and times of day become texts in
//! ISO 8601, decimals the nearest double. Bytes have no form in JSON, and are refused.

use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use aql_date::to_iso_utc;
use parquet::data_type::Decimal;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use velocypack::json::{write_f64, write_str};

use super::options::MAX_ROW_BYTES;
use crate::input::STDIN;
use crate::{Failure, Progress};

const MS_PER_DAY: i64 = 86_400_000;

/// The rows of a file as lines of JSON.
struct Lines {
    rows: RowIter<'static>,
    /// The line that is being read, of which `read` bytes were.
    line: Vec<u8>,
    read: usize,
    /// The number of rows that were made lines, and that of all.
    made: u64,
    total: u64,
    /// The size of the file, and how much of it was counted as read.
    bytes: u64,
    counted: u64,
    progress: Arc<Progress>,
}

/// Opens a file. `progress` counts bytes of the file, as far as its rows were read.
pub(super) fn open(path: &str, progress: &Arc<Progress>) -> Result<Box<dyn Read + Send>, Failure> {
    if path == STDIN {
        return Err(Failure::option(
            "Parquet is read from its end, so it must be a file, not standard input",
        ));
    }
    let unreadable = |error: &dyn std::fmt::Display| Failure::new(format!("{path} cannot be read: {error}"));
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let bytes = file.metadata().map_err(|error| unreadable(&error))?.len();
    let (rows, total) = guarded(|| {
        let reader = SerializedFileReader::new(file).map_err(io::Error::other)?;
        let total = reader.metadata().file_metadata().num_rows();
        Ok((reader.into_iter(), u64::try_from(total).unwrap_or(0)))
    })
    .map_err(|error| unreadable(&error))?;
    progress.add_total(bytes);
    let progress = Arc::clone(progress);
    Ok(Box::new(Lines { rows, line: Vec::new(), read: 0, made: 0, total, bytes, counted: 0, progress }))
}

/// Runs a part of the decoder, which panics on some files that are not valid.
fn guarded<T>(decode: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(io::Error::other("the file is not valid Parquet")))
}

impl Lines {
    /// Makes the next row a line. Returns false at the end.
    fn next_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.read = 0;
        let Some(row) = guarded(|| self.rows.next().transpose().map_err(io::Error::other))? else {
            self.progress.add(self.bytes - self.counted);
            self.counted = self.bytes;
            return Ok(false);
        };
        write_row(&row, &mut self.line)?;
        self.line.push(b'\n');
        if self.line.len() > MAX_ROW_BYTES {
            return Err(io::Error::other(format!("row {} is too long", self.made + 1)));
        }
        self.made += 1;
        let share = self.made.min(self.total) as f64 / self.total.max(1) as f64;
        let counted = ((self.bytes as f64 * share) as u64).clamp(self.counted, self.bytes);
        self.progress.add(counted - self.counted);
        self.counted = counted;
        Ok(true)
    }
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read >= self.line.len() {
            if !self.next_line()? {
                return Ok(0);
            }
        }
        let count = self.line.get(self.read..).unwrap_or_default().read(buffer)?;
        self.read += count;
        Ok(count)
    }
}

fn write_row(row: &Row, line: &mut Vec<u8>) -> io::Result<()> {
    line.push(b'{');
    let start = line.len();
    for (name, field) in row.get_column_iter() {
        if is_null(field) {
            continue;
        }
        if line.len() > start {
            line.push(b',');
        }
        write_str(name, line);
        line.push(b':');
        write_field(name, field, line)?;
    }
    line.push(b'}');
    Ok(())
}

/// Returns true for null, and for a number that JSON lacks.
fn is_null(field: &Field) -> bool {
    match field {
        Field::Null => true,
        Field::Float16(number) => !f32::from(*number).is_finite(),
        Field::Float(number) => !number.is_finite(),
        Field::Double(number) => !number.is_finite(),
        _ => false,
    }
}

/// Appends a value of a column.
fn write_field(column: &str, field: &Field, line: &mut Vec<u8>) -> io::Result<()> {
    match field {
        field if is_null(field) => line.extend_from_slice(b"null"),
        Field::Null => {}
        Field::Bool(flag) => write!(line, "{flag}")?,
        Field::Byte(number) => write!(line, "{number}")?,
        Field::Short(number) => write!(line, "{number}")?,
        Field::Int(number) => write!(line, "{number}")?,
        Field::Long(number) => write!(line, "{number}")?,
        Field::UByte(number) => write!(line, "{number}")?,
        Field::UShort(number) => write!(line, "{number}")?,
        Field::UInt(number) => write!(line, "{number}")?,
        Field::ULong(number) => write!(line, "{number}")?,
        Field::Float16(number) => write_f64(f32::from(*number).into(), line),
        Field::Float(number) => write_f64((*number).into(), line),
        Field::Double(number) => write_f64(*number, line),
        Field::Decimal(decimal) => write_f64(number_of(decimal), line),
        Field::Str(text) => write_str(text, line),
        Field::Date(days) => write_str(date_of(&to_iso_utc(i64::from(*days) * MS_PER_DAY)), line),
        Field::TimeMillis(ms) => write_str(time_of(&to_iso_utc(i64::from(*ms))), line),
        Field::TimeMicros(us) => write_str(time_of(&to_iso_utc(us.div_euclid(1_000))), line),
        Field::TimestampMillis(ms) => write_str(&to_iso_utc(*ms), line),
        Field::TimestampMicros(us) => write_str(&to_iso_utc(us.div_euclid(1_000)), line),
        Field::Group(row) => write_row(row, line)?,
        Field::ListInternal(list) => {
            line.push(b'[');
            for (position, element) in list.elements().iter().enumerate() {
                if position > 0 {
                    line.push(b',');
                }
                write_field(column, element, line)?;
            }
            line.push(b']');
        }
        Field::MapInternal(map) => {
            line.push(b'{');
            for (position, (key, value)) in map.entries().iter().enumerate() {
                let Field::Str(key) = key else {
                    let message = format!("the column '{column}' has a map whose keys are not texts");
                    return Err(io::Error::other(message));
                };
                if position > 0 {
                    line.push(b',');
                }
                write_str(key, line);
                line.push(b':');
                write_field(column, value, line)?;
            }
            line.push(b'}');
        }
        Field::Bytes(_) => {
            let message = format!("the column '{column}' has bytes, which JSON lacks; cast it to text first");
            return Err(io::Error::other(message));
        }
    }
    Ok(())
}

/// Returns the nearest double of a decimal, whose digits are big-endian in two's complement.
fn number_of(decimal: &Decimal) -> f64 {
    let digits = decimal.data();
    let is_negative = digits.first().is_some_and(|byte| *byte >= 0x80);
    let start = if is_negative { -1.0 } else { 0.0 };
    let unscaled = digits.iter().fold(start, |number, byte| number * 256.0 + f64::from(*byte));
    unscaled / 10_f64.powi(decimal.scale())
}

/// Returns the date of `YYYY-MM-DDTHH:MM:SS.mmmZ`.
fn date_of(timestamp: &str) -> &str {
    timestamp.split_once('T').map_or(timestamp, |(date, _)| date)
}

/// Returns the time of day of `YYYY-MM-DDTHH:MM:SS.mmmZ`, without the zone.
fn time_of(timestamp: &str) -> &str {
    timestamp.split_once('T').map_or(timestamp, |(_, time)| time).trim_end_matches('Z')
}
