//! Conversion of foreign encodings to the canonical one.

use crate::iterate::{Elements, RawEntries};
use crate::{Builder, Kind, Result, Slice};

/// Appends a value in the encoding that this crate itself writes.
///
/// Objects get a sorted index table, arrays one where they need it, system attributes become small
/// integers, and numbers take their shortest form. The order of attributes stays.
///
/// Types that JSON lacks become what [`crate::json::write`] prints for them, so that the rest of
/// the server sees only the kinds of AQL. UTC dates become their milliseconds, binary values
/// strings of hexadecimal digits, everything else null. Only the `_id` marker stays.
///
/// The value must have passed [`crate::validate`]. Errors: a name twice, nesting deeper than 500
/// levels, a length over 4 GiB.
pub fn normalize(value: Slice<'_>, out: &mut Vec<u8>) -> Result<()> {
    let mut builder = Builder::append_to(std::mem::take(out));
    let length = builder.len_bytes();
    let result = rebuild(value, &mut builder);
    *out = builder.into_vec();
    if result.is_err() {
        out.truncate(length);
    }
    result
}

/// An array or object that is being rebuilt.
enum Open<'a> {
    Array(Elements<'a>),
    Object(RawEntries<'a>),
}

fn rebuild(value: Slice<'_>, out: &mut Builder) -> Result<()> {
    let mut stack = Vec::new();
    stack.extend(begin(value, out)?);
    while let Some(open) = stack.last_mut() {
        let next = match open {
            Open::Array(elements) => elements.next(),
            Open::Object(entries) => match entries.next() {
                Some((name, value)) => {
                    out.key_bytes(name)?;
                    Some(value)
                }
                None => None,
            },
        };
        match next {
            Some(value) => stack.extend(begin(value, out)?),
            None => {
                out.close()?;
                stack.pop();
            }
        }
    }
    Ok(())
}

/// Adds a scalar, or opens an array or object and returns its members.
fn begin<'a>(value: Slice<'a>, out: &mut Builder) -> Result<Option<Open<'a>>> {
    match value.kind() {
        Kind::Array => {
            out.open_array()?;
            return Ok(Some(Open::Array(value.elements())));
        }
        Kind::Object => {
            out.open_object()?;
            return Ok(Some(Open::Object(value.raw_entries())));
        }
        Kind::String => out.add_str_bytes(value.str_bytes().unwrap_or(&[]))?,
        Kind::Int | Kind::UInt | Kind::Double => match value.as_number() {
            Some(number) => out.add_number(number)?,
            None => out.add_null()?,
        },
        Kind::Bool => out.add_bool(value.as_bool() == Some(true))?,
        Kind::UtcDate => out.add_i64(value.as_utc_date().unwrap_or(0))?,
        Kind::Binary => out.add_str_bytes(&hexadecimal(value.as_binary().unwrap_or(&[])))?,
        Kind::IdMarker => out.add_id_marker()?,
        _ => out.add_null()?,
    }
    Ok(None)
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|&byte| crate::json::hex(byte)).collect()
}
