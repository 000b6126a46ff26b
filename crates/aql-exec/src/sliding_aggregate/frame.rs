//! The rows in the window of a row.

/// The extent of a window around its row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reach {
    /// Numbers of rows before and after; `None`: all.
    Rows { preceding: Option<u64>, following: Option<u64> },
    /// Rows whose number differs by at most these distances.
    Distance { preceding: f64, following: f64 },
    /// Rows whose timestamp differs by at most an ISO 8601 duration.
    Duration { preceding: Box<str>, following: Box<str> },
}

/// The bounds of the numbers of the rows in a window, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Reach {
    /// Returns true if no row ever leaves the window.
    pub(crate) fn keeps_all(&self) -> bool {
        matches!(self, Self::Rows { preceding: None, .. })
    }

    /// Returns true if a row's window never begins or ends before that of the previous row.
    ///
    /// That fails if months are subtracted: one month before March 31st is March 3rd, and one
    /// before April 1st is March 1st.
    pub(crate) fn only_moves_on(&self) -> bool {
        let has_months = |duration: &str| {
            let date = duration.split('T').next().unwrap_or_default();
            date.contains(['Y', 'M'])
        };
        match self {
            Self::Duration { preceding, following } => !has_months(preceding) && !has_months(following),
            _ => true,
        }
    }

    /// Returns the frame of a row with a number, for windows by range.
    ///
    /// A frame may extend beyond the range of dates.
    pub(crate) fn frame(&self, number: f64) -> Frame {
        match self {
            Self::Rows { .. } => Frame { low: f64::NEG_INFINITY, high: f64::INFINITY },
            Self::Distance { preceding, following } => {
                Frame { low: number - preceding, high: number + following }
            }
            Self::Duration { preceding, following } => {
                // Casts saturate; a result out of range is not a date.
                let shifted = |duration: &str, sign| {
                    let duration = aql_date::parse_duration(duration)?;
                    let shifted = aql_date::add_duration(number as i64, duration, sign)?;
                    Some(shifted as f64 + number.fract())
                };
                Frame {
                    low: shifted(preceding, -1).unwrap_or(f64::NEG_INFINITY),
                    high: shifted(following, 1).unwrap_or(f64::INFINITY),
                }
            }
        }
    }
}
