//! The cells of one column of a record batch, read one by one as values.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, downcast_integer};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{DataType, Field, TimeUnit};
use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Limits, json};

use crate::column::is_json;
use crate::temporal;

/// Maximum nesting of columns that are read.
const MAX_DEPTH: usize = 64;
/// Maximum memory of one document that is made. Dictionaries may repeat a long value.
const MAX_DOCUMENT_BYTES: usize = 64 << 20;

type Read<'a, T> = Box<dyn Fn(usize) -> T + 'a>;

/// See the module.
pub(crate) struct Cells<'a> {
    nulls: Option<&'a NullBuffer>,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Null,
    Bool(Read<'a, bool>),
    Int(Read<'a, i64>),
    UInt(Read<'a, u64>),
    Float(Read<'a, f64>),
    Text(Read<'a, &'a str>),
    Json(Read<'a, &'a str>),
    /// A text that is made; `None` if the value has none.
    Made(Read<'a, Option<String>>),
    List(Read<'a, Range<usize>>, Box<Cells<'a>>),
    Struct(Vec<(&'a str, Cells<'a>)>),
    Map(Read<'a, Range<usize>>, Box<(Cells<'a>, Cells<'a>)>),
    Dictionary(Read<'a, usize>, Box<Cells<'a>>),
}

impl<'a> Cells<'a> {
    /// Opens a column. Errors: 400 for a type that documents cannot hold.
    pub(crate) fn open(field: &'a Field, array: &'a dyn Array, depth: usize) -> Result<Self> {
        if depth > MAX_DEPTH {
            return Err(refused(field, "is nested too deeply"));
        }
        let kind = match array.data_type() {
            DataType::Null => Kind::Null,
            DataType::Boolean => {
                let cells = array.as_boolean();
                Kind::Bool(Box::new(move |row| cells.value(row)))
            }
            DataType::Int8 => Kind::Int(numbers::<Int8Type, _>(array, i64::from)),
            DataType::Int16 => Kind::Int(numbers::<Int16Type, _>(array, i64::from)),
            DataType::Int32 => Kind::Int(numbers::<Int32Type, _>(array, i64::from)),
            DataType::Int64 => Kind::Int(numbers::<Int64Type, _>(array, |value| value)),
            DataType::UInt8 => Kind::UInt(numbers::<UInt8Type, _>(array, u64::from)),
            DataType::UInt16 => Kind::UInt(numbers::<UInt16Type, _>(array, u64::from)),
            DataType::UInt32 => Kind::UInt(numbers::<UInt32Type, _>(array, u64::from)),
            DataType::UInt64 => Kind::UInt(numbers::<UInt64Type, _>(array, |value| value)),
            DataType::Float16 => Kind::Float(numbers::<Float16Type, _>(array, f64::from)),
            DataType::Float32 => Kind::Float(numbers::<Float32Type, _>(array, f64::from)),
            DataType::Float64 => Kind::Float(numbers::<Float64Type, _>(array, |value| value)),
            DataType::Decimal32(_, scale) => Kind::Float(decimals::<Decimal32Type>(array, *scale)),
            DataType::Decimal64(_, scale) => Kind::Float(decimals::<Decimal64Type>(array, *scale)),
            DataType::Decimal128(_, scale) => Kind::Float(decimals::<Decimal128Type>(array, *scale)),
            DataType::Decimal256(_, scale) => Kind::Float(decimals::<Decimal256Type>(array, *scale)),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                let texts = texts(array);
                if is_json(field) { Kind::Json(texts) } else { Kind::Text(texts) }
            }
            DataType::Date32 => {
                Kind::Made(numbers::<Date32Type, _>(array, |day| temporal::date(temporal::day_to_ms(day))))
            }
            DataType::Date64 => Kind::Made(numbers::<Date64Type, _>(array, temporal::date)),
            DataType::Timestamp(unit, _) => Kind::Made(timestamps(array, *unit)),
            DataType::Time32(TimeUnit::Second) => {
                Kind::Made(numbers::<Time32SecondType, _>(array, |value| {
                    time(value.into(), TimeUnit::Second)
                }))
            }
            DataType::Time32(_) => {
                Kind::Made(numbers::<Time32MillisecondType, _>(array, |value| temporal::time(value.into())))
            }
            DataType::Time64(TimeUnit::Microsecond) => {
                Kind::Made(numbers::<Time64MicrosecondType, _>(array, |value| {
                    time(value, TimeUnit::Microsecond)
                }))
            }
            DataType::Time64(_) => Kind::Made(numbers::<Time64NanosecondType, _>(array, |value| {
                time(value, TimeUnit::Nanosecond)
            })),
            DataType::List(element) => {
                let lists = array.as_list::<i32>();
                let offsets = lists.value_offsets();
                Kind::List(ranges(offsets), Self::child(element, lists.values(), depth)?)
            }
            DataType::LargeList(element) => {
                let lists = array.as_list::<i64>();
                let offsets = lists.value_offsets();
                Kind::List(ranges(offsets), Self::child(element, lists.values(), depth)?)
            }
            DataType::FixedSizeList(element, _) => {
                let lists = array.as_fixed_size_list();
                let length = usize::try_from(lists.value_length()).unwrap_or(0);
                let range = move |row: usize| row.saturating_mul(length)..(row + 1).saturating_mul(length);
                Kind::List(Box::new(range), Self::child(element, lists.values(), depth)?)
            }
            DataType::Struct(fields) => {
                let columns = array.as_struct().columns().iter();
                let cells = fields.iter().zip(columns).map(|(field, column)| {
                    Ok((field.name().as_str(), Self::open(field, column.as_ref(), depth + 1)?))
                });
                Kind::Struct(cells.collect::<Result<_>>()?)
            }
            DataType::Map(_, _) => {
                let maps = array.as_map();
                let (keys, values) = maps.entries_fields();
                let keys = Self::open(keys, maps.keys().as_ref(), depth + 1)?;
                let values = Self::open(values, maps.values().as_ref(), depth + 1)?;
                if !matches!(keys.kind, Kind::Text(_)) {
                    return Err(refused(field, "is a map whose keys are not texts"));
                }
                Kind::Map(ranges(maps.value_offsets()), Box::new((keys, values)))
            }
            DataType::Dictionary(key, _) => {
                macro_rules! dictionary {
                    ($key:ty) => {
                        Self::dictionary::<$key>(field, array, depth)?
                    };
                }
                downcast_integer! {
                    key.as_ref() => (dictionary),
                    _ => return Err(refused(field, "has a dictionary without whole numbers as keys")),
                }
            }
            other => {
                let what = format!("has the type {other}, which no document can hold; cast it to text");
                return Err(refused(field, &what));
            }
        };
        Ok(Cells { nulls: array.nulls(), kind })
    }

    fn child(field: &'a Field, array: &'a dyn Array, depth: usize) -> Result<Box<Self>> {
        Self::open(field, array, depth + 1).map(Box::new)
    }

    fn dictionary<K: ArrowDictionaryKeyType>(
        field: &'a Field,
        array: &'a dyn Array,
        depth: usize,
    ) -> Result<Kind<'a>> {
        let dictionary = array.as_dictionary::<K>();
        let keys = dictionary.keys().values();
        // The values have the field's extension type.
        let values = Self::child(field, dictionary.values().as_ref(), depth)?;
        Ok(Kind::Dictionary(Box::new(move |row| keys[row].as_usize()), values))
    }

    pub(crate) fn is_null(&self, row: usize) -> bool {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return true;
        }
        match &self.kind {
            Kind::Null => true,
            // JSON has no such number.
            Kind::Float(cells) => !cells(row).is_finite(),
            Kind::Dictionary(key, values) => values.is_null(key(row)),
            _ => false,
        }
    }

    /// Appends the value of a row. Errors: 400 if it has none.
    pub(crate) fn write(&self, row: usize, out: &mut Builder) -> Result<()> {
        if out.len_bytes() + out.bookkeeping_bytes() > MAX_DOCUMENT_BYTES {
            let message = "a row of the Arrow data makes a document of more than 64 MiB; split it";
            return Err(Error::bad_parameter(message));
        }
        if self.is_null(row) {
            return Ok(out.add_null()?);
        }
        match &self.kind {
            Kind::Null => out.add_null()?,
            Kind::Bool(cells) => out.add_bool(cells(row))?,
            Kind::Int(cells) => out.add_i64(cells(row))?,
            Kind::UInt(cells) => out.add_u64(cells(row))?,
            Kind::Float(cells) => out.add_f64(cells(row))?,
            Kind::Text(cells) => out.add_str(cells(row))?,
            Kind::Json(cells) => json::parse(cells(row).as_bytes(), &Limits::default(), out)
                .map_err(|error| Error::bad_parameter(format!("JSON text is not valid: {error}")))?,
            Kind::Made(cells) => {
                let text = cells(row).ok_or_else(|| {
                    Error::bad_parameter("a date or time is outside of the years 0 to 9999")
                })?;
                out.add_str(&text)?;
            }
            Kind::List(range, element) => {
                out.open_array()?;
                range(row).try_for_each(|row| element.write(row, out))?;
                out.close()?;
            }
            Kind::Struct(columns) => {
                out.open_object()?;
                write_cells(columns, row, out)?;
                close_object(out)?;
            }
            Kind::Map(range, entries) => {
                let (keys, values) = entries.as_ref();
                out.open_object()?;
                for row in range(row) {
                    if let Kind::Text(key) = &keys.kind {
                        out.key(key(row))?;
                        values.write(row, out)?;
                    }
                }
                close_object(out)?;
            }
            Kind::Dictionary(key, values) => values.write(key(row), out)?,
        }
        Ok(())
    }
}

/// Writes the attributes of an object. Those that are null are left out.
pub(crate) fn write_cells(columns: &[(&str, Cells<'_>)], row: usize, out: &mut Builder) -> Result<()> {
    for (name, cells) in columns.iter().filter(|(_, cells)| !cells.is_null(row)) {
        out.key(name)?;
        cells.write(row, out).map_err(|error| {
            let message = format!("column `{name}`: {}", error.message());
            error.with_message(message)
        })?;
    }
    Ok(())
}

/// Closes an object. Errors: 400 if two of its attributes have one name.
pub(crate) fn close_object(out: &mut Builder) -> Result<()> {
    out.close().map_err(|error| Error::bad_parameter(error.to_string()))
}

fn numbers<'a, A: ArrowPrimitiveType, T: 'a>(
    array: &'a dyn Array,
    convert: impl Fn(A::Native) -> T + 'a,
) -> Read<'a, T> {
    let values = array.as_primitive::<A>().values();
    Box::new(move |row| convert(values[row]))
}

/// Reads decimals as the nearest doubles.
fn decimals<'a, A: ArrowPrimitiveType>(array: &'a dyn Array, scale: i8) -> Read<'a, f64>
where
    A::Native: std::fmt::Display,
{
    let exponent = -i16::from(scale);
    numbers::<A, _>(array, move |value| format!("{value}e{exponent}").parse().unwrap_or(f64::NAN))
}

fn texts(array: &dyn Array) -> Read<'_, &str> {
    match array.data_type() {
        DataType::Utf8 => {
            let texts = array.as_string::<i32>();
            Box::new(move |row| texts.value(row))
        }
        DataType::LargeUtf8 => {
            let texts = array.as_string::<i64>();
            Box::new(move |row| texts.value(row))
        }
        _ => {
            let texts = array.as_string_view();
            Box::new(move |row| texts.value(row))
        }
    }
}

fn timestamps(array: &dyn Array, unit: TimeUnit) -> Read<'_, Option<String>> {
    let text = move |value| temporal::moment(temporal::to_ms(value, unit)?);
    match unit {
        TimeUnit::Second => numbers::<TimestampSecondType, _>(array, text),
        TimeUnit::Millisecond => numbers::<TimestampMillisecondType, _>(array, text),
        TimeUnit::Microsecond => numbers::<TimestampMicrosecondType, _>(array, text),
        TimeUnit::Nanosecond => numbers::<TimestampNanosecondType, _>(array, text),
    }
}

fn time(value: i64, unit: TimeUnit) -> Option<String> {
    temporal::time(temporal::to_ms(value, unit)?)
}

fn ranges<O: ArrowNativeType>(offsets: &[O]) -> Read<'_, Range<usize>> {
    Box::new(move |row| offsets[row].as_usize()..offsets[row + 1].as_usize())
}

fn refused(field: &Field, what: &str) -> Error {
    let message = format!("the column `{}` of the Arrow data {what}", field.name());
    Error::new(ErrorCode::HttpBadParameter, message)
}
