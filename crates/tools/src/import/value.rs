//! Conversions from the text of a field to JSON.

use velocypack::json::write_str;

use super::table_options::Datatype;

/// Writes a field as JSON; `None` unless it is UTF-8.
///
/// With `has_quotes` it is a text, unless a datatype says otherwise. An empty field without quotes
/// has no value, whatever the datatype.
pub(super) fn write(
    field: &[u8],
    has_quotes: bool,
    datatype: Option<Datatype>,
    convert: bool,
    out: &mut Vec<u8>,
) -> Option<()> {
    if field.is_empty() && !has_quotes {
        out.extend_from_slice(b"null");
        return Some(());
    }
    match datatype {
        Some(Datatype::Null) => out.extend_from_slice(b"null"),
        Some(Datatype::Boolean) => {
            let is_false = matches!(field, b"false" | b"null" | b"0");
            out.extend_from_slice(if is_false { b"false" } else { b"true" });
        }
        Some(Datatype::Number) => {
            if !write_number(field, out) {
                out.push(b'0');
            }
        }
        Some(Datatype::String) => write_str(std::str::from_utf8(field).ok()?, out),
        None if has_quotes || !convert => write_str(std::str::from_utf8(field).ok()?, out),
        None if matches!(field, b"null" | b"true" | b"false") => out.extend_from_slice(field),
        None if write_number(field, out) => {}
        None => write_str(std::str::from_utf8(field).ok()?, out),
    }
    Some(())
}

/// Writes a number in JSON's form, and returns true if the field is one.
///
/// JSON's form has neither a plus sign nor leading zeros, and has digits around the point. A number
/// beyond the range of a double does not count: it would lose its value.
fn write_number(field: &[u8], out: &mut Vec<u8>) -> bool {
    let (sign, rest) = match field.split_first() {
        Some((b'-', rest)) => (&b"-"[..], rest),
        Some((b'+', rest)) => (&b""[..], rest),
        _ => (&b""[..], field),
    };
    let (whole, behind) = rest.split_at(digits(rest));
    let (fraction, exponent) = match behind.strip_prefix(b".") {
        Some(behind) => behind.split_at(digits(behind)),
        None => (&b""[..], behind),
    };
    if whole.is_empty() && fraction.is_empty() || !exponent.is_empty() && !is_exponent(exponent) {
        return false;
    }
    if !exponent.is_empty() || whole.len() > f64::MAX_10_EXP as usize {
        let number = std::str::from_utf8(rest).ok().and_then(|text| text.parse::<f64>().ok());
        if !number.is_some_and(f64::is_finite) {
            return false;
        }
    }
    let zeros = whole.iter().take_while(|digit| **digit == b'0').count();
    let whole = whole.get(zeros..).filter(|whole| !whole.is_empty()).unwrap_or(b"0");
    out.extend_from_slice(sign);
    out.extend_from_slice(whole);
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
    out.extend_from_slice(exponent);
    true
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn is_exponent(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"e").or_else(|| text.strip_prefix(b"E")) else { return false };
    let rest = rest.strip_prefix(b"+").or_else(|| rest.strip_prefix(b"-")).unwrap_or(rest);
    !rest.is_empty() && digits(rest) == rest.len()
}
