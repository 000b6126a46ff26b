//! Numbers as text.

use crate::Number;

/// Powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Integers up to here are exact as doubles.
const EXACT_INTEGER_MAX: u64 = 1 << 53;

/// Reads the number that `bytes` start with. Gives it and the bytes it takes; or where the mistake is.
#[inline]
pub(super) fn parse(bytes: &[u8]) -> Result<(Number, usize), (usize, &'static str)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut digits, end) = parse_digits(bytes, start, Digits::default());
    if end == start {
        return Err((end, "expected a digit"));
    }
    if end > start + 1 && bytes.get(start) == Some(&b'0') {
        return Err((start, "a number must not start with 0"));
    }
    let next = bytes.get(end).copied().unwrap_or(0);
    if next != b'.' && next | 0x20 != b'e' {
        return integer(bytes.get(..end).unwrap_or(&[]), digits, negative).map(|number| (number, end));
    }
    let mut position = end;
    let mut exponent = 0i32;
    if next == b'.' {
        let (with_fraction, behind) = parse_digits(bytes, end + 1, digits);
        if behind == end + 1 {
            return Err((behind, "expected a digit after the decimal point"));
        }
        digits = with_fraction;
        exponent = -i32::try_from(behind - end - 1).unwrap_or(i32::MAX);
        position = behind;
    }
    if bytes.get(position).copied().unwrap_or(0) | 0x20 == b'e' {
        let (value, behind) = parse_exponent(bytes, position + 1)?;
        exponent = exponent.saturating_add(value);
        position = behind;
    }
    double(bytes.get(..position).unwrap_or(&[]), digits, exponent, negative).map(|number| (number, position))
}

/// Digits read so far.
#[derive(Clone, Copy, Default)]
struct Digits {
    value: u64,
    /// There were so many that `value` is not what they say.
    overflowed: bool,
}

#[inline]
fn parse_digits(bytes: &[u8], start: usize, mut digits: Digits) -> (Digits, usize) {
    let mut position = start;
    while let Some(&byte) = bytes.get(position) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        // Up to 19 digits always fit, so that the common case is one comparison.
        if digits.value > (u64::MAX - 9) / 10 {
            match digits.value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit))) {
                Some(value) => digits.value = value,
                None => digits.overflowed = true,
            }
        } else {
            digits.value = digits.value * 10 + u64::from(digit);
        }
        position += 1;
    }
    (digits, position)
}

/// Reads sign and digits of an exponent. It stays within ±100,000: doubles end far below, and digits
/// before it can make up for no more than their number.
fn parse_exponent(bytes: &[u8], start: usize) -> Result<(i32, usize), (usize, &'static str)> {
    let negative = bytes.get(start) == Some(&b'-');
    let first = start + usize::from(matches!(bytes.get(start), Some(b'+' | b'-')));
    let (digits, end) = parse_digits(bytes, first, Digits::default());
    if end == first {
        return Err((end, "expected a digit in the exponent"));
    }
    let value = if digits.overflowed { 100_000 } else { digits.value.min(100_000) as i32 };
    Ok((if negative { -value } else { value }, end))
}

#[inline]
fn integer(text: &[u8], digits: Digits, negative: bool) -> Result<Number, (usize, &'static str)> {
    match (negative, digits.overflowed) {
        (false, false) => Ok(Number::from_u64(digits.value)),
        (true, false) if digits.value == 0 => Ok(Number::Double(-0.0)),
        (true, false) if digits.value <= i64::MIN.unsigned_abs() => {
            Ok(Number::Int((digits.value as i64).wrapping_neg()))
        }
        _ => slow_double(text),
    }
}

#[inline]
fn double(
    text: &[u8],
    digits: Digits,
    exponent: i32,
    negative: bool,
) -> Result<Number, (usize, &'static str)> {
    // Both factors are exact, so the one rounding of the operation is the right one (Clinger 1990).
    let power = EXACT_POWERS.get(exponent.unsigned_abs() as usize);
    if let Some(power) = power
        && !digits.overflowed
        && digits.value <= EXACT_INTEGER_MAX
    {
        let value = digits.value as f64;
        let value = if exponent < 0 { value / power } else { value * power };
        return Ok(Number::Double(if negative { -value } else { value }));
    }
    slow_double(text)
}

#[cold]
fn slow_double(text: &[u8]) -> Result<Number, (usize, &'static str)> {
    let value = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value.is_finite() => Ok(Number::Double(value)),
        _ => Err((0, "the number is out of range")),
    }
}

/// Appends a double as the shortest text that reads back as the same double:
/// - whole numbers below 2^53 without a point (`1`), as ArangoDB writes them;
/// - whole numbers from 2^53 to 2^64 with all digits and `.0`, so that they do not read back as an
///   integer of another value, as ArangoDB does since 3.12.3;
/// - from 1e21 up and below 1e-6 with an exponent (`1e+21`, `1.5e-7`), all others without, as JavaScript.
///
/// NaN and the infinities are written as `null`.
pub fn write_f64(value: f64, out: &mut Vec<u8>) {
    const TWO_53: f64 = 9_007_199_254_740_992.0;
    const TWO_64: f64 = 18_446_744_073_709_551_616.0;
    if !value.is_finite() {
        out.extend_from_slice(b"null");
    } else if value.trunc() != value || value.abs() >= TWO_64 {
        write_shortest(value, out);
    } else if value == 0.0 {
        out.extend_from_slice(if value.is_sign_negative() { b"-0" } else { b"0" });
    } else if value.abs() < TWO_53 {
        write_i64(value as i64, out);
    } else {
        if value < 0.0 {
            out.push(b'-');
        }
        write_u64(value.abs() as u64, out);
        out.extend_from_slice(b".0");
    }
}

fn write_shortest(value: f64, out: &mut Vec<u8>) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    match text.split_once('e') {
        None => out.extend_from_slice(text.as_bytes()),
        Some((mantissa, exponent)) => write_exponent(mantissa, exponent.parse().unwrap_or(0), out),
    }
}

/// Appends `mantissa` times ten to the power of `exponent` in JavaScript's layout. The mantissa has one
/// digit before its point.
fn write_exponent(mantissa: &str, exponent: i32, out: &mut Vec<u8>) {
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    out.extend_from_slice(sign.as_bytes());
    let digits = mantissa.bytes().filter(|byte| *byte != b'.');
    if (-6..0).contains(&exponent) {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', (-exponent - 1) as usize));
        out.extend(digits);
    } else if (0..21).contains(&exponent) {
        let start = out.len();
        out.extend(digits);
        // More digits than places before the point cannot be: such doubles are printed without exponent.
        out.resize(out.len().max(start + exponent as usize + 1), b'0');
    } else {
        out.extend_from_slice(mantissa.as_bytes());
        out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
        write_u64(u64::from(exponent.unsigned_abs()), out);
    }
}

#[inline]
pub(super) fn write_i64(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

#[inline]
pub(super) fn write_u64(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}
