//! The formats of texts that draft 4 defines. Others are ignored.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A format.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Format {
    DateTime,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Uri,
}

impl Format {
    /// Returns the format of a name, if it is one that is checked.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "date-time" => Format::DateTime,
            "email" => Format::Email,
            "hostname" => Format::Hostname,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            "uri" => Format::Uri,
            _ => return None,
        })
    }

    /// Returns true if a text has the format.
    pub(crate) fn fits(self, text: &str) -> bool {
        match self {
            Format::DateTime => is_date_time(text).unwrap_or(false),
            Format::Email => is_email(text),
            Format::Hostname => is_hostname(text),
            Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Format::Uri => is_uri(text),
        }
    }
}

/// RFC 3339, section 5.6. `None` and false are wrong.
fn is_date_time(text: &str) -> Option<bool> {
    let (date, time) = (text.get(..10)?, text.get(11..)?);
    let separator = text.as_bytes().get(10)?;
    let (clock, rest) = (time.get(..8)?, time.get(8..)?);
    let fraction_ends = match rest.strip_prefix('.') {
        Some(digits) => {
            let end = digits.find(|character: char| !character.is_ascii_digit())?;
            if end == 0 {
                return None;
            }
            end + 1
        }
        None => 0,
    };
    let zone = rest.get(fraction_ends..)?;
    let is_zone = match zone {
        "Z" | "z" => true,
        _ => {
            let offset = zone.strip_prefix(['+', '-'])?;
            offset.len() == 5 && pair(offset, 0)? <= 23 && offset.get(2..3)? == ":" && pair(offset, 3)? <= 59
        }
    };
    let year: u32 = digits(date.get(..4)?)?;
    let (month, day) = (pair(date, 5)?, pair(date, 8)?);
    let is_date =
        date.get(4..5)? == "-" && date.get(7..8)? == "-" && (1..=days_of(year, month)).contains(&day);
    let (hour, minute, second) = (pair(clock, 0)?, pair(clock, 3)?, pair(clock, 6)?);
    let is_clock = clock.get(2..3)? == ":" && clock.get(5..6)? == ":" && hour <= 23 && minute <= 59;
    // A leap second ends an hour in some zone.
    Some(is_date && is_clock && second <= 60 && is_zone && matches!(separator, b'T' | b't'))
}

fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn pair(text: &str, at: usize) -> Option<u32> {
    digits(text.get(at..at + 2)?)
}

fn days_of(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    }
}

/// The common part of RFC 5322: a local part without blanks, and a host or an address in brackets.
fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let is_quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    let is_dotted = !local.starts_with('.') && !local.ends_with('.') && !local.contains("..");
    let is_plain = is_dotted
        && !local.contains(|c: char| c.is_whitespace() || c.is_control() || "()<>[]:;@\\,\"".contains(c));
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match address {
        Some(address) => match address.strip_prefix("IPv6:") {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => address.parse::<Ipv4Addr>().is_ok(),
        },
        None => is_hostname(host),
    };
    !local.is_empty() && local.len() <= 64 && (is_quoted || is_plain) && is_host
}

/// RFC 1034, section 3.1, with digits at the beginning of labels (RFC 1123).
fn is_hostname(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

/// RFC 3986: a scheme, and only characters that may stand in a URI.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let bytes = rest.as_bytes();
    let is_legal = |(at, byte): (usize, &u8)| match byte {
        b'%' => bytes.get(at + 1..at + 3).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit)),
        _ => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte),
    };
    is_scheme && bytes.iter().enumerate().all(is_legal) && rest.matches('#').count() <= 1
}
