//! From the text of a field to JSON.

use velocypack::json::write_str;

use super::settings::Datatype;

/// Writes a field as JSON. `has_quotes`: then it is a text, unless a datatype says otherwise. A field without quotes
/// and without anything in it is no value, whatever the datatype. Nothing but UTF-8 can be written; `None` otherwise.
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

/// Writes what looks like a number, without leading zeros; answers whether it does.
fn write_number(field: &[u8], out: &mut Vec<u8>) -> bool {
    let (sign, rest) = match field.strip_prefix(b"-") {
        Some(rest) => (&b"-"[..], rest),
        None => (&b""[..], field),
    };
    let whole = digits(rest);
    let behind = rest.get(whole..).unwrap_or_default();
    let fraction = match behind.strip_prefix(b".") {
        Some(behind) => match digits(behind) {
            0 => return false,
            count => count + 1,
        },
        None => 0,
    };
    let exponent = behind.get(fraction..).unwrap_or_default();
    if whole == 0 || !exponent.is_empty() && !is_exponent(exponent) {
        return false;
    }
    let zeros = rest.iter().take(whole - 1).take_while(|digit| **digit == b'0').count();
    out.extend_from_slice(sign);
    out.extend_from_slice(rest.get(zeros..).unwrap_or_default());
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
