//! Texts as bytes and back, in the encodings of `Buffer`.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use errors::Error;
use rquickjs::Value;

use super::{Call, NativeResult, Table};

pub(super) const TABLE: Table =
    &[("encode", |call| call.give_bytes(encoded(&call.text(0)?, &call.text(1)?)?)), ("decode", decode)];

/// Decodes with or without padding, as Node.js does.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT.with_encode_padding(false));

/// `decode(bytes, encoding)`: the text of bytes.
fn decode<'js>(call: &Call<'_, 'js>) -> NativeResult<Value<'js>> {
    call.give(decoded(&call.bytes(0)?, &call.text(1)?)?)
}

/// Returns the bytes of a text. Characters that the encoding does not know are omitted.
fn encoded(text: &str, encoding: &str) -> Result<Vec<u8>, Error> {
    Ok(match encoding {
        "utf8" => text.as_bytes().to_vec(),
        "latin1" => text.encode_utf16().map(|unit| unit as u8).collect(),
        "utf16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        "hex" => from_hex(text),
        "base64" | "base64url" => from_base64(text),
        other => return Err(unknown(other)),
    })
}

fn decoded(bytes: &[u8], encoding: &str) -> Result<String, Error> {
    let units = |unit: fn([u8; 2]) -> u16| bytes.as_chunks().0.iter().copied().map(unit).collect::<Vec<_>>();
    Ok(match encoding {
        "utf8" => String::from_utf8_lossy(bytes).into_owned(),
        "latin1" => bytes.iter().map(|byte| char::from(*byte)).collect(),
        "utf16le" => String::from_utf16_lossy(&units(u16::from_le_bytes)),
        "utf16be" => String::from_utf16_lossy(&units(u16::from_be_bytes)),
        "hex" => to_hex(bytes),
        "base64" => BASE64.encode(bytes),
        "base64url" => to_base64_url(bytes),
        other => return Err(unknown(other)),
    })
}

fn unknown(encoding: &str) -> Error {
    Error::bad_parameter(format!("unknown encoding {encoding:?}"))
}

/// Returns bytes as digits.
pub(super) fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS.get(usize::from(digit)).copied().unwrap_or_default())).collect()
}

/// Returns the bytes of digits, up to the first character that is not a digit.
fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().map_while(|digit| Some(digit.to_digit(16)? as u8)).collect();
    digits.as_chunks().0.iter().map(|[high, low]| high << 4 | low).collect()
}

/// Returns bytes in the URL-safe alphabet of base64.
pub(super) fn to_base64_url(bytes: &[u8]) -> String {
    BASE64_URL.encode(bytes)
}

/// Returns the bytes of either alphabet. White space is skipped.
pub(super) fn from_base64(text: &str) -> Vec<u8> {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let text = text.replace('-', "+").replace('_', "/");
    BASE64.decode(text.trim_end_matches('=')).unwrap_or_default()
}
