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
/// Options of `tier` before ArangoDB 3.12.7. They are checked and not kept, as in later versions.
const FORMER_TIER_OPTIONS: [&str; 4] = ["segmentsBytesFloor", "segmentsMax", "segmentsMin", "minScore"];

impl Default for Consolidation {
    fn default() -> Self {
        Consolidation::Tier {
            segments_bytes_max: SEGMENTS_BYTES_MAX,
            max_skew_threshold: MAX_SKEW_THRESHOLD,
            min_deletion_ratio: MIN_DELETION_RATIO,
        }
    }
}

impl Consolidation {
    /// Reads the value of `consolidationPolicy`. Errors: 10.
    pub(crate) fn parse(policy: Properties<'_>) -> Result<Self> {
        match policy.text("type")? {
            None | Some("tier") => {
                for name in FORMER_TIER_OPTIONS {
                    policy.number(name)?;
                }
                Ok(Consolidation::Tier {
                    segments_bytes_max: policy.unsigned("segmentsBytesMax")?.unwrap_or(SEGMENTS_BYTES_MAX),
                    max_skew_threshold: share(policy, "maxSkewThreshold", MAX_SKEW_THRESHOLD)?,
                    min_deletion_ratio: share(policy, "minDeletionRatio", MIN_DELETION_RATIO)?,
                })
            }
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
            Consolidation::Tier { segments_bytes_max, max_skew_threshold, min_deletion_ratio } => {
                printer.text("type", "tier");
                printer.unsigned("segmentsBytesMax", *segments_bytes_max);
                printer.double("maxSkewThreshold", *max_skew_threshold);
                printer.double("minDeletionRatio", *min_deletion_ratio);
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
