//! The options of `FUSE_RANKS()`.

use aql_value::Value;
use errors::{Error, ErrorCode, Result};

/// The constant of reciprocal rank fusion, if none is given. Source: the paper that
/// [`super::fuse_ranks`] names.
const RANK_CONSTANT: f64 = 60.0;

/// Maximum weight of a list, and maximum of `k`, so that no sum overflows.
const NUMBER_MAX: f64 = 1e9;

/// How an entry of a list contributes to its score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    /// By the reciprocal of its rank.
    Rank,
    /// By its score between those of the list's ends.
    Score,
}

/// The options, checked.
pub(super) struct Options {
    /// The weight of each list; 1 if it is missing.
    pub(super) weights: Vec<f64>,
    pub(super) k: f64,
    pub(super) limit: usize,
    pub(super) by: By,
}

impl Options {
    /// Reads the options for this many lists. Errors: 1542.
    pub(super) fn of(given: &Value, lists: usize) -> Result<Options> {
        let mut options = Options { weights: Vec::new(), k: RANK_CONSTANT, limit: usize::MAX, by: By::Rank };
        if !given.is_null() && !given.is_object() {
            return Err(refused("the options must be an object"));
        }
        for (name, value) in given.entries() {
            if value.is_null() {
                continue;
            }
            match name {
                "weights" => options.weights = weights(&value, lists)?,
                "k" => {
                    options.k =
                        parameter(&value).ok_or_else(|| refused("'k' must be a number from 0 to 1e9"))?;
                }
                "limit" => {
                    let limit = value.as_f64().filter(|limit| *limit >= 0.0);
                    options.limit = limit.ok_or_else(|| refused("'limit' must be a number from 0"))? as usize;
                }
                "by" => {
                    options.by = match value.as_str() {
                        Some("rank") => By::Rank,
                        Some("score") => By::Score,
                        _ => return Err(refused("'by' must be \"rank\" or \"score\"")),
                    }
                }
                _ => {
                    let name = crate::argument::quoted(name);
                    return Err(refused(&format!("option '{name}' is unknown; use weights, k, limit or by")));
                }
            }
        }
        Ok(options)
    }
}

fn weights(given: &Value, lists: usize) -> Result<Vec<f64>> {
    let weights: Option<Vec<f64>> = match given.is_array() && given.len() <= lists {
        true => given.elements().map(|weight| parameter(&weight)).collect(),
        false => None,
    };
    weights.ok_or_else(|| {
        refused("'weights' must be an array of numbers from 0 to 1e9, at most one for each list")
    })
}

fn parameter(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| (0.0..=NUMBER_MAX).contains(number))
}

/// Returns error 1542, which says what is wrong.
pub(super) fn refused(reason: &str) -> Error {
    Error::new(ErrorCode::QueryFunctionArgumentTypeMismatch, format!("in function 'FUSE_RANKS()': {reason}"))
}
