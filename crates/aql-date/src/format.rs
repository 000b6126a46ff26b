//! The placeholders of `DATE_FORMAT()`.

use std::convert::Infallible;

use crate::calendar::{Civil, is_leap_year};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// All placeholders, without their `%`; longer ones come before their prefixes.
const PLACEHOLDERS: [&str; 32] = [
    "yyyyyy", "yyyy", "yy", "y", "mmmm", "mmm", "mm", "m", "dd", "d", "hh", "h", "ii", "i", "ss", "s", "fff",
    "f", "wwww", "www", "w", "xxx", "x", "kk", "k", "t", "z", "l", "q", "a", "&", "%",
];

/// Fills the placeholders of `format` (in any case) with parts of a moment.
///
/// `local` is the local time of the moment `utc_ms`. A `%` that begins no placeholder is omitted.
pub fn format_date(format: &str, local: Civil, utc_ms: i64) -> String {
    let mut output = String::with_capacity(format.len() + 16);
    let _: Result<(), Infallible> = try_format_date(format, local, utc_ms, |piece| {
        output.push_str(piece);
        Ok(())
    });
    output
}

/// Does the same piece by piece, for formats of any length. Errors: the first of `push`.
pub fn try_format_date<E>(
    format: &str,
    local: Civil,
    utc_ms: i64,
    mut push: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = format;
    while let Some((text, after)) = rest.split_once('%') {
        push(text)?;
        rest = after;
        let found = PLACEHOLDERS.iter().find(|placeholder| {
            after.get(..placeholder.len()).is_some_and(|start| start.eq_ignore_ascii_case(placeholder))
        });
        if let Some(placeholder) = found {
            push(&filled(placeholder, local, utc_ms))?;
            rest = &after[placeholder.len()..];
        }
    }
    push(rest)
}

/// Returns the text of a placeholder.
fn filled(placeholder: &str, local: Civil, utc_ms: i64) -> String {
    let weekday = name(&WEEKDAYS, local.day_of_week());
    let month = name(&MONTHS, local.month - 1);
    match placeholder {
        "t" => utc_ms.to_string(),
        // The clock of the zone, with `Z` whatever the zone is.
        "z" => format!("{}Z", local.to_iso_local()),
        "w" => local.day_of_week().to_string(),
        "www" => weekday.chars().take(3).collect(),
        "wwww" => weekday.to_owned(),
        "y" => local.year.to_string(),
        "yy" => format!("{:02}", local.year % 100),
        "yyyy" => format!("{:04}", local.year),
        "yyyyyy" => format!("{:+07}", local.year),
        "m" => local.month.to_string(),
        "mm" => format!("{:02}", local.month),
        "mmm" => month.chars().take(3).collect(),
        "mmmm" => month.to_owned(),
        "d" => local.day.to_string(),
        "dd" => format!("{:02}", local.day),
        "h" => local.hour.to_string(),
        "hh" => format!("{:02}", local.hour),
        "i" => local.minute.to_string(),
        "ii" => format!("{:02}", local.minute),
        "s" => local.second.to_string(),
        "ss" => format!("{:02}", local.second),
        "f" => local.millisecond.to_string(),
        "fff" => format!("{:03}", local.millisecond),
        "x" => local.day_of_year().to_string(),
        "xxx" => format!("{:03}", local.day_of_year()),
        "k" => local.iso_week().0.to_string(),
        "kk" => format!("{:02}", local.iso_week().0),
        "l" => u8::from(is_leap_year(local.year)).to_string(),
        "q" => local.quarter().to_string(),
        "a" => local.days_in_month().to_string(),
        "%" => "%".to_owned(),
        // `%&` separates a placeholder from letters that would extend it.
        _ => String::new(),
    }
}

fn name(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fills_every_placeholder() {
        let ms = 1_456_790_399_007; // 2016-02-29T23:59:59.007Z, a Monday
        let format = |format: &str| format_date(format, Civil::from_ms(ms), ms);
        assert_eq!(format("%yyyyyy %yyyy %yy %y"), "+002016 2016 16 2016");
        assert_eq!(format("%mmmm %mmm %mm %m %dd %d"), "February Feb 02 2 29 29");
        assert_eq!(format("%hh:%ii:%ss.%fff %h %i %s %f"), "23:59:59.007 23 59 59 7");
        assert_eq!(format("%wwww %www %w %xxx %x %kk %k"), "Monday Mon 1 060 60 09 9");
        assert_eq!(format("%l %q %a %t %z"), "1 1 29 1456790399007 2016-02-29T23:59:59.007Z");
        assert_eq!(
            format("%MM %Yyyy %m%&month %mmonth %%l = %l %j 100%"),
            "02 2016 2month 02onth %l = 1 j 100"
        );
        assert_eq!(format("日本%日%"), "日本日");
    }

    #[test]
    fn placeholders_are_tried_longest_first() {
        for (position, short) in PLACEHOLDERS.iter().enumerate() {
            assert!(!PLACEHOLDERS[position + 1..].iter().any(|long| long.starts_with(short)), "{short}");
        }
    }

    proptest! {
        #[test]
        fn no_format_makes_it_panic(format in "[%a-z&é]{0,20}", ms in crate::calendar::MIN_MS..=crate::calendar::MAX_MS) {
            format_date(&format, Civil::from_ms(ms), ms);
        }
    }
}
