//! Parsers of dates and durations in ISO 8601 form.

use crate::calendar::{Civil, HOUR_MS, MINUTE_MS, in_range};

/// Reads a date as AQL's functions accept it.
///
/// ```text
/// [+] year [- month [- day [(T | blank) hh : mm [: ss [. digits]]]]] [Z | (+|-) (h[h]:mm | hhmm)]
/// ```
///
/// Year, month and day may lack leading zeros. Surrounding blanks are ignored. Three digits of the
/// fraction count. The components must be in their usual ranges, but the day may exceed its month
/// (2015-02-31 is March 3rd).
pub fn parse_date(text: &str) -> Option<ParsedDate> {
    let mut input = Input::new(text.trim_matches([' ', '\t', '\r', '\n']));
    input.skip(b'+');
    let mut civil = Civil { year: input.digits(1, 4)?, month: 1, day: 1, ..Civil::default() };
    if input.skip(b'-') {
        civil.month = input.digits(1, 2).filter(|month| (1..=12).contains(month))?;
        if input.skip(b'-') {
            civil.day = input.digits(1, 2).filter(|day| (1..=31).contains(day))?;
            if input.skip(b'T') || input.skip(b't') || input.skip(b' ') {
                input.time_of_day(&mut civil)?;
            }
        }
    }
    let offset_ms = input.zone_offset_ms()?;
    input.is_at_end().then_some(ParsedDate { civil, offset_ms })
}

/// A date as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedDate {
    civil: Civil,
    offset_ms: i64,
}

impl ParsedDate {
    /// Returns the moment in milliseconds since 1970-01-01 UTC; `None` if it is out of AQL's range.
    pub fn to_ms(self) -> Option<i64> {
        let ms = self.civil.to_ms()?.checked_sub(self.offset_ms)?;
        in_range(ms).then_some(ms)
    }
}

/// An ISO 8601 duration, `PnYnMnWnDTnHnMn.nS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Duration {
    /// Years.
    pub years: i64,
    /// Months.
    pub months: i64,
    /// Weeks, days and the time part together.
    pub ms: i64,
}

/// Reads a duration.
///
/// Every part may be missing, but not all of them; only seconds may have a fraction.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut input = Input::new(text);
    if !input.skip(b'P') {
        return None;
    }
    let mut duration = Duration::default();
    // The units in the order in which they may appear; the time units after `T`.
    let mut last_unit = 0;
    let mut in_time = false;
    while !input.is_at_end() {
        if !in_time && input.skip(b'T') {
            in_time = true;
            if input.is_at_end() {
                return None;
            }
            continue;
        }
        let number = input.digits(1, 18)?;
        let fraction_ms = input.fraction_ms()?;
        let (position, unit_ms) = match (in_time, input.take()?) {
            (false, b'Y') => (1, 0),
            (false, b'M') => (2, 0),
            (false, b'W') => (3, 7 * 24 * HOUR_MS),
            (false, b'D') => (4, 24 * HOUR_MS),
            (true, b'H') => (5, HOUR_MS),
            (true, b'M') => (6, MINUTE_MS),
            (true, b'S') => (7, 1000),
            _ => return None,
        };
        if position <= last_unit || (fraction_ms.is_some() && position != 7) {
            return None;
        }
        last_unit = position;
        match position {
            1 => duration.years = number,
            2 => duration.months = number,
            _ => {
                let part_ms = number.checked_mul(unit_ms)?.checked_add(fraction_ms.unwrap_or(0))?;
                duration.ms = duration.ms.checked_add(part_ms)?;
            }
        }
    }
    (last_unit > 0).then_some(duration)
}

/// The bytes that are still unread.
struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes() }
    }

    fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    fn take(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    /// Returns true and reads `byte` if it comes next.
    fn skip(&mut self, byte: u8) -> bool {
        let found = self.bytes.first() == Some(&byte);
        if found {
            self.take();
        }
        found
    }

    fn digits_after(&mut self, byte: u8, fewest: usize, most: usize) -> Option<i64> {
        if self.skip(byte) { self.digits(fewest, most) } else { None }
    }

    /// Reads a number of `fewest` to `most` (at most 18) digits; `None` if there are fewer or more.
    fn digits(&mut self, fewest: usize, most: usize) -> Option<i64> {
        let found = self.bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(fewest..=most).contains(&found) {
            return None;
        }
        let (digits, rest) = self.bytes.split_at(found);
        self.bytes = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    /// Reads `.` and digits as milliseconds; `Some(None)` if there is no dot.
    #[allow(clippy::option_option, reason = "no fraction is not a wrong fraction")]
    fn fraction_ms(&mut self) -> Option<Option<i64>> {
        if !self.skip(b'.') {
            return Some(None);
        }
        let found = self.bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.bytes.split_at(found);
        self.bytes = rest;
        let leading = digits.iter().chain(b"00").take(3);
        (found > 0).then(|| Some(leading.fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))))
    }

    fn time_of_day(&mut self, civil: &mut Civil) -> Option<()> {
        civil.hour = self.digits(2, 2).filter(|hour| *hour <= 24)?;
        civil.minute = self.digits_after(b':', 2, 2).filter(|minute| *minute <= 59)?;
        if self.skip(b':') {
            civil.second = self.digits(2, 2).filter(|second| *second <= 59)?;
            civil.millisecond = self.fraction_ms()?.unwrap_or(0);
        }
        // 24:00:00 is the day's end; no later time is valid.
        (civil.hour < 24 || (civil.minute, civil.second, civil.millisecond) == (0, 0, 0)).then_some(())
    }

    /// Reads `Z` or an offset; without either, the date is in UTC too.
    fn zone_offset_ms(&mut self) -> Option<i64> {
        if self.is_at_end() || self.skip(b'Z') || self.skip(b'z') {
            return Some(0);
        }
        let sign = match self.take()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let digits_of_hours = if self.bytes.get(1) == Some(&b':') { 1 } else { 2 };
        let hours = self.digits_of_offset(digits_of_hours)?;
        self.skip(b':');
        let minutes = self.digits_of_offset(2)?;
        (hours <= 23 && minutes <= 59).then_some(sign * (hours * HOUR_MS + minutes * MINUTE_MS))
    }

    /// Reads exactly `count` digits, whatever follows them.
    fn digits_of_offset(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.bytes.split_at_checked(count)?;
        let number = Input { bytes: digits }.digits(count, count)?;
        self.bytes = rest;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calendar::{MAX_MS, MIN_MS, to_iso_utc};

    fn iso(text: &str) -> Option<String> {
        parse_date(text)?.to_ms().map(to_iso_utc)
    }

    #[test]
    fn reads_every_documented_form() {
        for (text, expected) in [
            ("2014-05-07T14:19:09.522", "2014-05-07T14:19:09.522Z"),
            ("2014-05-07 14:19:09.522Z", "2014-05-07T14:19:09.522Z"),
            ("2014-05-07T14:19:09+01:00", "2014-05-07T13:19:09.000Z"),
            ("2014-05-07T14:19:09-0730", "2014-05-07T21:49:09.000Z"),
            ("2014-05-07Z", "2014-05-07T00:00:00.000Z"),
            ("2014-05-07+01:00", "2014-05-06T23:00:00.000Z"),
            ("2014-05+01:00", "2014-04-30T23:00:00.000Z"),
            ("2014-05-07T02:00:00+0:00", "2014-05-07T02:00:00.000Z"),
            ("2014-05-07T02:00:00-1:30", "2014-05-07T03:30:00.000Z"),
            ("2014-5-7", "2014-05-07T00:00:00.000Z"),
            ("2015", "2015-01-01T00:00:00.000Z"),
            ("+2015-10", "2015-10-01T00:00:00.000Z"),
            ("  2015-02-31\n", "2015-03-03T00:00:00.000Z"),
            ("2015-05-15T24:00:00.000Z", "2015-05-16T00:00:00.000Z"),
            ("2022-05-28T11:00:46.115508Z", "2022-05-28T11:00:46.115Z"),
            ("2022-05-28T11:00:46.1Z", "2022-05-28T11:00:46.100Z"),
            ("2022-05-28T11:05", "2022-05-28T11:05:00.000Z"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn refuses_other_texts_than_dates() {
        for text in [
            "",
            " ",
            "foo",
            "12345",
            "-1",
            "2015-13",
            "2015-00",
            "2015-1-32",
            "2015-1-0",
            "2015-",
            "2015-01-",
            "2015-01-01T",
            "2015-01-01T1:00:00",
            "2015-01-01T25:00:00",
            "2015-01-01T24:00:01",
            "2015-01-01T00:60:00",
            "2015-01-01T00:00:60",
            "2015-01-01T00:00:00.",
            "2015-01-01T00:00:00.1.",
            "2015-01-01T00:00:00ZZ",
            "2015-01-01T00:00:00+1",
            "2015-01-01T00:00:00+24:00",
            "2015-001",
            "2015-01-001",
            "2014-01:00",
            "2015-01-01X",
            "２０１５",
        ] {
            assert!(parse_date(text).is_none(), "{text}");
        }
        // Well formed, but before the year 0.
        assert_eq!(parse_date("0000-01-01T00:00:00+01:00").map(ParsedDate::to_ms), Some(None));
    }

    #[test]
    fn reads_durations() {
        let duration = |years, months, ms| Some(Duration { years, months, ms });
        assert_eq!(parse_duration("P1Y"), duration(1, 0, 0));
        assert_eq!(parse_duration("P3M2W"), duration(0, 3, 14 * 24 * HOUR_MS));
        assert_eq!(parse_duration("P5DT26H"), duration(0, 0, 5 * 24 * HOUR_MS + 26 * HOUR_MS));
        assert_eq!(parse_duration("PT30M44.4S"), duration(0, 0, 30 * MINUTE_MS + 44_400));
        assert_eq!(parse_duration("P1Y2M3W4DT5H6M7.89S").map(|it| (it.years, it.months)), Some((1, 2)));
        for text in [
            "",
            "P",
            "PT",
            "P1",
            "1Y",
            "-P1Y",
            "P1YT",
            "P1M1Y",
            "P1.5Y",
            "PT1D",
            "P1H",
            "PT1.S",
            "P1Y1Y",
            "P9999999999999999999Y",
            "P999999999999999999W",
            "p1y",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn reads_what_was_written(ms in MIN_MS..=MAX_MS) {
            prop_assert_eq!(parse_date(&to_iso_utc(ms)).and_then(ParsedDate::to_ms), Some(ms));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[-+0-9TZ:. PYMWDHS]{0,30}") {
            let _ = parse_date(&text).map(ParsedDate::to_ms);
            let _ = parse_duration(&text);
        }
    }
}
