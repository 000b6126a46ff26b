//! Dates as documents write them for time-to-live indexes:
//!
//! ```text
//! YYYY-MM-DD [(T | blank) hh:mm[:ss[.fraction]] [Z | (+|-)hh:mm]]
//! ```

const SECONDS_PER_DAY: i64 = 86_400;

/// Returns the moment of a date in seconds since 1970-01-01 UTC; `None` for any other text. A date
/// without an offset is UTC.
pub(super) fn seconds_of_date(text: &str) -> Option<f64> {
    let mut input = text.as_bytes();
    let year = number(&mut input, 4)?;
    skip(&mut input, b"-")?;
    let month = number(&mut input, 2).filter(|month| (1..=12).contains(month))?;
    skip(&mut input, b"-")?;
    let day = number(&mut input, 2).filter(|day| (1..=days_in_month(year, month)).contains(day))?;
    let mut seconds = days_since_1970(year, month, day) * SECONDS_PER_DAY;
    let mut fraction = 0.0;
    if skip(&mut input, b"T").or_else(|| skip(&mut input, b" ")).is_some() {
        seconds += 3600 * number(&mut input, 2).filter(|hour| *hour < 24)?;
        skip(&mut input, b":")?;
        seconds += 60 * number(&mut input, 2).filter(|minute| *minute < 60)?;
        if skip(&mut input, b":").is_some() {
            seconds += number(&mut input, 2).filter(|second| *second < 60)?;
            fraction = fraction_of_second(&mut input)?;
        }
    }
    seconds -= offset_seconds(&mut input)?;
    input.is_empty().then_some(seconds as f64 + fraction)
}

/// Parses a number of exactly `digits` digits.
fn number(input: &mut &[u8], digits: usize) -> Option<i64> {
    let (head, rest) = input.split_at_checked(digits)?;
    *input = rest;
    head.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + i64::from(byte.wrapping_sub(b'0')))
    })
}

fn skip(input: &mut &[u8], expected: &[u8]) -> Option<()> {
    *input = input.strip_prefix(expected)?;
    Some(())
}

/// Parses the digits after a decimal point; 0 if there is no point.
fn fraction_of_second(input: &mut &[u8]) -> Option<f64> {
    const MOST_DIGITS: usize = 9;
    if skip(input, b".").is_none() {
        return Some(0.0);
    }
    let digits = input.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=MOST_DIGITS).contains(&digits) {
        return None;
    }
    let number = number(input, digits)?;
    Some(number as f64 / 10f64.powi(i32::try_from(digits).ok()?))
}

/// Parses `Z`, `+hh:mm`, `-hh:mm` or nothing.
fn offset_seconds(input: &mut &[u8]) -> Option<i64> {
    if input.is_empty() || skip(input, b"Z").is_some() {
        return Some(0);
    }
    let sign = match skip(input, b"+") {
        Some(()) => 1,
        None => {
            skip(input, b"-")?;
            -1
        }
    };
    let hours = number(input, 2).filter(|hours| *hours < 24)?;
    skip(input, b":")?;
    let minutes = number(input, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 3600 + minutes * 60))
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Counts the days from 1970-01-01 in the Gregorian calendar, in years that start in March so that
/// leap days come last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    const DAYS_TO_1970: i64 = 719_468;
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - DAYS_TO_1970
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_dates_are_read() {
        for (text, expected) in [
            ("1970-01-01", 0.0),
            ("2019-02-14T17:39:33.000Z", 1_550_165_973.0),
            ("2019-05-27", 1_558_915_200.0),
            ("2019-05-27T21:20:00", 1_558_992_000.0),
            ("2019-05-27 21:20", 1_558_992_000.0),
            ("2019-05-27T21:20:00Z", 1_558_992_000.0),
            ("2019-05-27T21:20:00.123+01:30", 1_558_986_600.123),
            ("2019-05-27T21:20:00.123-02:00", 1_558_999_200.123),
            ("2000-02-29T00:00:00Z", 951_782_400.0),
            ("1969-12-31T23:59:59Z", -1.0),
        ] {
            assert_eq!(seconds_of_date(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_dates() {
        for text in [
            "",
            "x",
            "2019",
            "2019-05",
            "2019-13-01",
            "2019-02-29",
            "2019-05-27T",
            "2019-05-27T24:00:00",
            "2019-05-27T21:20:00.Z",
            "2019-05-27T21:20:00+1",
            "2019-05-27T21:20:00Zx",
            "1550165973",
            "2019-05-2é",
        ] {
            assert_eq!(seconds_of_date(text), None, "{text}");
        }
    }
}
