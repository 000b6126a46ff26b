//! The choice of segments that are merged.

use errors::{Error, Result};

use crate::properties::{Printer, Properties};

/// The rule that chooses segments to merge (`consolidationPolicy`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Consolidation {
    /// Segments of similar size, and segments with many deleted documents.
    Tier {
        /// Maximum size in bytes of a merged segment.
        segments_bytes_max: u64,
        /// Maximum share of the largest segment in the bytes of all that are merged, from 0 to 1.
        max_skew_threshold: f64,
        /// Minimum share of deleted documents from which on segments are rewritten, from 0 to 1.
        min_deletion_ratio: f64,
        /// The client's values of options that ArangoDB removed in 3.12.7. They have no effect.
        former: FormerTierOptions,
    },
    /// Segments that together have less than a share of all bytes (deprecated in ArangoDB).
    BytesAccum {
        /// That share, from 0 to 1.
        threshold: f64,
    },
}

// All numbers are finite: they were checked when they were parsed.
impl Eq for Consolidation {}

const SEGMENTS_BYTES_MAX: u64 = 8 << 30;
const MAX_SKEW_THRESHOLD: f64 = 0.4;
const MIN_DELETION_RATIO: f64 = 0.5;
const THRESHOLD: f64 = 0.1;

/// The options of `tier` before ArangoDB 3.12.7, as far as a client set them. Clients of these
/// versions expect what they set in the reply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FormerTierOptions {
    segments_bytes_floor: Option<u64>,
    segments_max: Option<u64>,
    segments_min: Option<u64>,
    min_score: Option<f64>,
}

impl FormerTierOptions {
    fn parse(policy: Properties<'_>) -> Result<Self> {
        Ok(FormerTierOptions {
            segments_bytes_floor: policy.unsigned("segmentsBytesFloor")?,
            segments_max: policy.unsigned("segmentsMax")?,
            segments_min: policy.unsigned("segmentsMin")?,
            min_score: policy.number("minScore")?,
        })
    }

    fn print(&self, printer: &mut Printer<'_>) {
        let whole = [
            ("segmentsBytesFloor", self.segments_bytes_floor),
            ("segmentsMax", self.segments_max),
            ("segmentsMin", self.segments_min),
        ];
        for (name, number) in whole {
            number.into_iter().for_each(|number| printer.unsigned(name, number));
        }
        self.min_score.into_iter().for_each(|score| printer.double("minScore", score));
    }
}

impl Default for Consolidation {
    fn default() -> Self {
        Consolidation::Tier {
            segments_bytes_max: SEGMENTS_BYTES_MAX,
            max_skew_threshold: MAX_SKEW_THRESHOLD,
            min_deletion_ratio: MIN_DELETION_RATIO,
            former: FormerTierOptions::default(),
        }
    }
}

impl Consolidation {
    /// Reads the value of `consolidationPolicy`. Errors: 10.
    pub(crate) fn parse(policy: Properties<'_>) -> Result<Self> {
        match policy.text("type")? {
            None | Some("tier") => Ok(Consolidation::Tier {
                segments_bytes_max: policy.unsigned("segmentsBytesMax")?.unwrap_or(SEGMENTS_BYTES_MAX),
                max_skew_threshold: share(policy, "maxSkewThreshold", MAX_SKEW_THRESHOLD)?,
                min_deletion_ratio: share(policy, "minDeletionRatio", MIN_DELETION_RATIO)?,
                former: FormerTierOptions::parse(policy)?,
            }),
            Some("bytes_accum") => {
                Ok(Consolidation::BytesAccum { threshold: share(policy, "threshold", THRESHOLD)? })
            }
            Some(other) => Err(Error::bad_parameter(format!(
                "'type' of 'consolidationPolicy' is '{other}'; it must be 'tier' or 'bytes_accum'"
            ))),
        }
    }

    pub(crate) fn print(&self, printer: &mut Printer<'_>) {
        match self {
            Consolidation::Tier { segments_bytes_max, max_skew_threshold, min_deletion_ratio, former } => {
                printer.text("type", "tier");
                printer.unsigned("segmentsBytesMax", *segments_bytes_max);
                printer.double("maxSkewThreshold", *max_skew_threshold);
                printer.double("minDeletionRatio", *min_deletion_ratio);
                former.print(printer);
            }
            Consolidation::BytesAccum { threshold } => {
                printer.text("type", "bytes_accum");
                printer.double("threshold", *threshold);
            }
        }
    }
}

/// Reads a number from 0 to 1. Errors: 10.
fn share(policy: Properties<'_>, name: &str, default: f64) -> Result<f64> {
    let value = policy.number(name)?.unwrap_or(default);
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(Error::bad_parameter(format!("'{name}' is {value}; it must be from 0 to 1")))
}
