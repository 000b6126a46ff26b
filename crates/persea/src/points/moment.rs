//! The moment to which a backup is restored.

use std::fmt;

use backups::LogPosition;
use database::changes::Token;
use tools::Failure;

/// Microseconds of a millisecond.
const MICROS: u64 = 1_000;

/// A moment in the history of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// The last commit of this millisecond since 1970, as changes show the times of commits.
    Time(u64),
    /// The commit that has this position of the change log.
    Position {
        /// The log; `None` if the user gave a tick.
        log: Option<u64>,
        /// The position.
        position: u64,
    },
}

impl Moment {
    /// Reads a time in ISO 8601 (UTC unless it has an offset), a token of a change, or a tick.
    ///
    /// Errors: text for the user.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = || {
            Failure::option(format!(
                "--at is '{text}'; it must be a time such as 2026-11-28T12:00:00Z, a token of a change (v1...) or \
                 a tick"
            ))
        };
        if text.starts_with("v1.") {
            let token = Token::parse(text).map_err(|_| wrong())?;
            return Ok(Moment::Position { log: Some(token.log), position: token.position });
        }
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let position = text.parse().map_err(|_| wrong())?;
            return Ok(Moment::Position { log: None, position });
        }
        let date = aql_date::parse_date(text).and_then(aql_date::ParsedDate::to_ms);
        date.and_then(|ms| u64::try_from(ms).ok()).map(Moment::Time).ok_or_else(wrong)
    }

    /// Returns true if the restored state has a commit, by its first position and its time in
    /// microseconds since 1970.
    pub(super) fn includes(&self, first: u64, time: u64) -> bool {
        match self {
            Moment::Time(ms) => time / MICROS <= *ms,
            Moment::Position { position, .. } => first <= *position,
        }
    }

    /// Returns true if a backup may be of this moment or before it.
    pub(super) fn is_behind(&self, backup: &LogPosition) -> bool {
        match self {
            Moment::Time(ms) => backup.time / MICROS <= *ms,
            // A transaction ends with a position of its own, behind the one of its last change.
            Moment::Position { log, position } => {
                log.is_none_or(|log| log == backup.id.log) && position.saturating_add(2) >= backup.end
            }
        }
    }

    /// Returns true if an archive that covers the positions below `end`, and all commits up to
    /// `time`, has this moment.
    pub(super) fn is_covered(&self, end: u64, time: u64) -> bool {
        match self {
            Moment::Time(ms) => *ms <= time / MICROS,
            Moment::Position { position, .. } => *position < end,
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Time(ms) => formatter.write_str(&iso(ms.saturating_mul(MICROS))),
            Moment::Position { log: Some(log), position } => {
                Token { log: *log, position: *position }.fmt(formatter)
            }
            Moment::Position { log: None, position } => write!(formatter, "the tick {position}"),
        }
    }
}

/// Returns microseconds since 1970 in ISO 8601, in whole milliseconds.
pub(super) fn iso(micros: u64) -> String {
    aql_date::to_iso_utc(i64::try_from(micros / MICROS).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use backups::LogId;

    use super::*;

    #[test]
    fn a_moment_is_a_time_a_token_or_a_tick() {
        let parse = |text: &str| Moment::parse(text).map_err(|failure| failure.text().to_owned());
        assert_eq!(parse("1970-01-01T00:00:01.5Z"), Ok(Moment::Time(1_500)));
        assert_eq!(parse("1970-01-01 01:00:01+01:00"), Ok(Moment::Time(1_000)));
        assert_eq!(parse("1970-01-02"), Ok(Moment::Time(86_400_000)));
        assert_eq!(parse("v1.ab.12"), Ok(Moment::Position { log: Some(0xab), position: 12 }));
        assert_eq!(parse("4294967297"), Ok(Moment::Position { log: None, position: 4_294_967_297 }));
        for wrong in
            ["", "now", "v1.", "v1.x.y", "1969-12-31T00:00:00Z", "99999999999999999999999", "2026-13-01"]
        {
            assert!(parse(wrong).unwrap_err().contains("--at"), "{wrong}");
        }
    }

    #[test]
    fn a_time_includes_the_commits_of_its_millisecond() {
        let moment = Moment::Time(7);
        assert!(moment.includes(1, 7_999) && !moment.includes(1, 8_000));
        let position = Moment::Position { log: None, position: 7 };
        assert!(position.includes(7, u64::MAX) && !position.includes(8, 0));
    }

    #[test]
    fn a_backup_is_before_the_moments_behind_its_end() {
        let backup = LogPosition { id: LogId { server: 1, log: 2 }, complete: 10, end: 12, time: 5_500 };
        assert!(Moment::Time(5).is_behind(&backup) && !Moment::Time(4).is_behind(&backup));
        let at = |log, position| Moment::Position { log, position };
        assert!(at(Some(2), 10).is_behind(&backup) && at(None, 10).is_behind(&backup));
        assert!(!at(Some(2), 9).is_behind(&backup) && !at(Some(3), 10).is_behind(&backup));
    }
}
