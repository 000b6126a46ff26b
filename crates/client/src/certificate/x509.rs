//! The fields of X.509 certificates (RFC 5280).

use std::net::{Ipv4Addr, Ipv6Addr};

use super::Certificate;
use super::der::{
    GENERALIZED_TIME, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, UTC_TIME, Value, Values,
};

/// The tags of fields that a certificate may leave out.
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;

/// The object identifiers of a common name and of the extension with other names.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const OTHER_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

/// The tags of names in that extension.
const DNS_NAME: u8 = 0x82;
const ADDRESS: u8 = 0x87;

/// Reads a certificate. `None` if it is broken.
pub(super) fn parse(der: &[u8]) -> Option<Certificate> {
    let mut fields = Values(der).tagged(SEQUENCE)?.values().tagged(SEQUENCE)?.values();
    let mut serial = fields.next()?;
    if serial.tag == VERSION {
        serial = fields.next()?;
    }
    if serial.tag != INTEGER {
        return None;
    }
    let (_algorithm, _issuer) = (fields.tagged(SEQUENCE)?, fields.tagged(SEQUENCE)?);
    let mut validity = fields.tagged(SEQUENCE)?.values();
    let (not_before, not_after) = (seconds(validity.next()?)?, seconds(validity.next()?)?);
    let subject = fields.tagged(SEQUENCE)?;
    let _key = fields.tagged(SEQUENCE)?;
    let extensions = fields.find(|field| field.tag == EXTENSIONS);
    let mut names = extensions.and_then(other_names).unwrap_or_default();
    if names.is_empty() {
        names.extend(common_name(subject));
    }
    Some(Certificate { names, not_before, not_after })
}

fn other_names(extensions: Value<'_>) -> Option<Vec<String>> {
    let list = extensions.values().tagged(SEQUENCE)?.values();
    let content = list.into_iter().find_map(|extension| {
        let mut fields = extension.values();
        let is_wanted = fields.tagged(OBJECT_IDENTIFIER)?.content == OTHER_NAMES;
        // A bool may stand between that says if the extension is critical.
        is_wanted.then(|| fields.find(|field| field.tag == OCTET_STRING)).flatten()
    })?;
    let names = Values(content.content).tagged(SEQUENCE)?.values();
    Some(names.filter_map(name).collect())
}

fn name(value: Value<'_>) -> Option<String> {
    match (value.tag, value.content) {
        (DNS_NAME, text) => Some(String::from_utf8_lossy(text).into_owned()),
        (ADDRESS, bytes) => match (<[u8; 4]>::try_from(bytes), <[u8; 16]>::try_from(bytes)) {
            (Ok(bytes), _) => Some(Ipv4Addr::from(bytes).to_string()),
            (_, Ok(bytes)) => Some(Ipv6Addr::from(bytes).to_string()),
            _ => None,
        },
        _ => None,
    }
}

fn common_name(subject: Value<'_>) -> Option<String> {
    subject.values().flat_map(Value::values).find_map(|attribute| {
        let mut fields = attribute.values();
        let is_wanted = fields.tagged(OBJECT_IDENTIFIER)?.content == COMMON_NAME;
        let text = fields.next().filter(|_| is_wanted)?;
        Some(String::from_utf8_lossy(text.content).into_owned())
    })
}

/// Reads a time as seconds since 1970.
fn seconds(time: Value<'_>) -> Option<i64> {
    let digits = std::str::from_utf8(time.content).ok()?.strip_suffix('Z')?;
    let (year, rest) = match time.tag {
        UTC_TIME => {
            let year: i64 = digits.get(..2)?.parse().ok()?;
            // Two digits stand for the years from 1950 to 2049.
            (if year < 50 { 2_000 + year } else { 1_900 + year }, digits.get(2..)?)
        }
        GENERALIZED_TIME => (digits.get(..4)?.parse().ok()?, digits.get(4..)?),
        _ => return None,
    };
    let field = |at: usize| rest.get(at..at + 2)?.parse::<i64>().ok();
    let (month, day, hour, minute, second) = (field(0)?, field(2)?, field(4)?, field(6)?, field(8)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    Some(((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
}

/// Returns the days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}
