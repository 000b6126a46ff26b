//! Calendar arithmetic: adds amounts and durations to dates.

use crate::calendar::{Civil, MAX_MS, MIN_MS, in_range};
use crate::parse::Duration;
use crate::unit::Unit;

/// The amount beyond which every unit leads out of AQL's range: the range's width in milliseconds.
const MAX_AMOUNT: f64 = (MAX_MS - MIN_MS) as f64;

/// Adds `amount` units to a count of milliseconds; `None` if the result is out of AQL's range.
///
/// Months keep the day of the month, so that one month after January 31st is March 2nd or 3rd. The
/// fraction of an amount of years is counted in months, that of months in milliseconds.
pub fn add_units(ms: i64, amount: f64, unit: Unit) -> Option<i64> {
    if amount.is_nan() || amount.abs() > MAX_AMOUNT {
        return None;
    }
    let (months, rest_ms) = match unit {
        Unit::Year => split_months(amount * 12.0),
        Unit::Month => split_months(amount),
        _ => (0, amount * unit.ms() as f64),
    };
    // Casts saturate; the sum is checked.
    add(ms, months, rest_ms.trunc() as i64)
}

/// Adds a duration, or subtracts it if `sign` is -1.
pub fn add_duration(ms: i64, duration: Duration, sign: i64) -> Option<i64> {
    let months = duration.years.checked_mul(12)?.checked_add(duration.months)?;
    add(ms, months.checked_mul(sign)?, duration.ms.checked_mul(sign)?)
}

/// Returns whole months, and the milliseconds of the rest.
fn split_months(months: f64) -> (i64, f64) {
    (months.trunc() as i64, months.fract() * Unit::Month.ms() as f64)
}

fn add(ms: i64, months: i64, rest_ms: i64) -> Option<i64> {
    let mut sum = ms;
    if months != 0 {
        let date = Civil::from_ms(ms);
        sum = Civil { month: date.month.checked_add(months)?, ..date }.to_ms()?;
    }
    sum.checked_add(rest_ms).filter(|sum| in_range(*sum))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calendar::to_iso_utc;

    #[test]
    fn months_keep_the_day() {
        let january_31 = Civil { year: 2015, month: 1, day: 31, ..Civil::default() }.to_ms().unwrap();
        assert_eq!(to_iso_utc(add_units(january_31, 1.0, Unit::Month).unwrap()), "2015-03-03T00:00:00.000Z");
        assert_eq!(
            to_iso_utc(add_units(january_31, -11.0, Unit::Month).unwrap()),
            "2014-03-03T00:00:00.000Z"
        );
        assert_eq!(to_iso_utc(add_units(january_31, 2.0, Unit::Month).unwrap()), "2015-03-31T00:00:00.000Z");
        assert_eq!(to_iso_utc(add_units(january_31, 1.5, Unit::Year).unwrap()), "2016-07-31T00:00:00.000Z");
    }

    #[test]
    fn refuses_what_leads_out_of_range() {
        assert_eq!(add_units(0, 100_000.0, Unit::Year), None);
        assert_eq!(add_units(MAX_MS, 1.0, Unit::Millisecond), None);
        for amount in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, 1e18] {
            assert_eq!(add_units(0, amount, Unit::Day), None);
            assert_eq!(add_units(0, amount, Unit::Year), None);
        }
        let endless = Duration { years: i64::MAX, months: i64::MAX, ms: i64::MAX };
        assert_eq!(add_duration(0, endless, -1), None);
    }

    proptest! {
        #[test]
        fn fixed_units_subtract_back(ms in 0i64..10_000_000_000_000, amount in -100_000i64..100_000) {
            for unit in [Unit::Week, Unit::Day, Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond] {
                if let Some(sum) = add_units(ms, amount as f64, unit) {
                    prop_assert_eq!(add_units(sum, -amount as f64, unit), Some(ms));
                }
            }
        }
    }
}
