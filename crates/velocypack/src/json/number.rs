//! Numbers as text.

use super::room::Room;
use crate::Number;

/// Upper bound of the bytes of a number.
pub(super) const NUMBER_BYTES: usize = 32;

/// Powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Integers up to here are exact as doubles.
const EXACT_INTEGER_MAX: u64 = 1 << 53;

/// Reads the number that `bytes` start with. Returns it and its length, or the offset of the error.
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
    /// True if `value` lost digits.
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

/// Reads the sign and the digits of an exponent.
///
/// The result stays within ±100,000. Doubles end far below, and digits before the exponent can make
/// up for no more than their number.
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

/// Appends a whole number.
pub fn write_u64(value: u64, out: &mut Vec<u8>) {
    if value < 10 {
        return out.push(b'0' + value as u8);
    }
    let mut room = Room::new(out, NUMBER_BYTES);
    put_u64(&mut room, value);
    room.finish();
}

/// Appends a double as the shortest text that reads back as the same double:
/// - whole numbers below 2^53 without a point (`1`), as ArangoDB writes them;
/// - whole numbers from 2^53 to 2^64 with all digits and `.0`, so that they do not read back as an
///   integer of another value, as ArangoDB does since 3.12.3;
/// - from 1e21 up and below 1e-6 with an exponent (`1e+21`, `1.5e-7`), all others without, as
///   JavaScript.
///
/// NaN and the infinities are written as `null`.
pub fn write_f64(value: f64, out: &mut Vec<u8>) {
    let mut room = Room::new(out, 2 * NUMBER_BYTES);
    put_f64(&mut room, value);
    room.finish();
}

/// Appends a double like [`write_f64`].
pub(super) fn put_f64(room: &mut Room<'_>, value: f64) {
    const TWO_53: f64 = 9_007_199_254_740_992.0;
    const TWO_64: f64 = 18_446_744_073_709_551_616.0;
    // The conversion saturates and turns NaN into 0.
    let whole = value as i64;
    if whole as f64 == value && value.abs() < TWO_53 {
        if whole == 0 && value.is_sign_negative() {
            return room.put(b"-0", 2);
        }
        put_i64(room, whole);
    } else if !value.is_finite() {
        room.put(b"null", 4);
    } else if value.trunc() != value || value.abs() >= TWO_64 {
        if !put_decimal(room, value) {
            put_shortest(room, value);
        }
    } else {
        room.put(b"-", usize::from(value < 0.0));
        put_u64(room, value.abs() as u64);
        room.put(b".0", 2);
    }
}

/// Appends a double that is a decimal number of at most 15 digits, eight of them after the point.
/// Returns false, and appends nothing, for any other double and for a whole number.
///
/// Decimals of up to 15 digits are told apart by doubles, so no other text that reads back as the
/// same double is as short.
#[inline]
fn put_decimal(room: &mut Room<'_>, value: f64) -> bool {
    const SCALE: f64 = 1e8;
    const ONE: u64 = 100_000_000;
    let size = value.abs();
    if !(1e-6..1e7).contains(&size) {
        return false;
    }
    let scaled = (size * SCALE + 0.5) as u64;
    // Both are exact as doubles, so the quotient is the double nearest to the decimal number.
    if scaled as f64 / SCALE != size || scaled.is_multiple_of(ONE) {
        return false;
    }
    room.put(b"-", usize::from(value < 0.0));
    put_first_digits(room, scaled / ONE);
    let digits = eight_digits(scaled % ONE);
    let zeroes = (digits & ONLY_DIGITS).leading_zeros() as usize / 8;
    room.put(b".", 1);
    room.put(&digits.to_le_bytes(), 8 - zeroes);
    true
}

fn put_shortest(room: &mut Room<'_>, value: f64) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    // An exponent has at most three digits and a sign.
    match text.bytes().rev().take(5).position(|byte| byte == b'e').map(|at| text.len() - 1 - at) {
        None => room.put_slice(text.as_bytes()),
        Some(at) => {
            let (mantissa, exponent) = (text.get(..at), text.get(at + 1..));
            let exponent = exponent.and_then(|exponent| exponent.parse().ok()).unwrap_or(0);
            put_exponent(room, mantissa.unwrap_or_default(), exponent);
        }
    }
}

/// Appends `mantissa` times ten to the power of `exponent` in JavaScript's layout. The mantissa has
/// one digit before its point.
#[cold]
fn put_exponent(room: &mut Room<'_>, mantissa: &str, exponent: i32) {
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    room.put_slice(sign.as_bytes());
    let digits = mantissa.bytes().filter(|byte| *byte != b'.');
    if (-6..0).contains(&exponent) {
        room.put_slice(b"0.");
        (1..-exponent).for_each(|_| room.put(b"0", 1));
        digits.for_each(|digit| room.put(&[digit], 1));
    } else if (0..21).contains(&exponent) {
        let places = exponent as usize + 1;
        // Digits never outnumber the places before the point: such doubles are printed without
        // exponent.
        let missing = places.saturating_sub(digits.clone().count());
        digits.for_each(|digit| room.put(&[digit], 1));
        (0..missing).for_each(|_| room.put(b"0", 1));
    } else {
        room.put_slice(mantissa.as_bytes());
        room.put(if exponent < 0 { b"e-" } else { b"e+" }, 2);
        put_u64(room, u64::from(exponent.unsigned_abs()));
    }
}

#[inline(always)]
pub(super) fn put_i64(room: &mut Room<'_>, value: i64) {
    room.put(b"-", usize::from(value < 0));
    put_u64(room, value.unsigned_abs());
}

#[inline(always)]
pub(super) fn put_u64(room: &mut Room<'_>, value: u64) {
    const EIGHT: u64 = 100_000_000;
    if value < EIGHT {
        return put_first_digits(room, value);
    }
    let (high, low) = (value / EIGHT, value % EIGHT);
    if high < EIGHT {
        put_first_digits(room, high);
    } else {
        put_first_digits(room, high / EIGHT);
        room.put(&eight_digits(high % EIGHT).to_le_bytes(), 8);
    }
    room.put(&eight_digits(low).to_le_bytes(), 8);
}

/// Appends a number below 10^8 without leading zeroes.
#[inline(always)]
fn put_first_digits(room: &mut Room<'_>, value: u64) {
    let digits = eight_digits(value);
    // The lowest bits of a byte are its digit. At least one digit is written.
    let zeroes = ((digits & ONLY_DIGITS) | 1 << 56).trailing_zeros() & !7;
    room.put(&(digits >> zeroes).to_le_bytes(), 8 - zeroes as usize / 8);
}

const ONLY_DIGITS: u64 = 0x0F0F_0F0F_0F0F_0F0F;

/// Returns the eight digits of a number below 10^8 as text, the first in the lowest byte.
///
/// Halves, quarters and digits are divided side by side, by multiplications that are exact for
/// numbers that small.
#[inline(always)]
const fn eight_digits(value: u64) -> u64 {
    let fours = (value / 10_000) | (value % 10_000) << 32;
    let hundreds = ((fours * 5_243) >> 19) & 0x0000_007F_0000_007F;
    let twos = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
    let ones = tens | (twos - 10 * tens) << 8;
    ones | 0x3030_3030_3030_3030
}
