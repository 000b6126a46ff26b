//! How long nothing was acknowledged after each kind of fault.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A fault that was made.
#[derive(Debug)]
pub(crate) struct Disturbance {
    /// The process and the fault, for example `store killed`.
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) begin: Instant,
    /// The moment from which all processes could be used again.
    pub(crate) end: Instant,
}

/// Prints the longest times without an acknowledged write, by the kind of the fault.
pub(crate) fn print(made: &[Disturbance], acknowledged: &[Instant]) {
    let mut by_kind: BTreeMap<&str, Vec<(Duration, &str)>> = BTreeMap::new();
    for one in made {
        let gap = longest_gap(acknowledged, one.begin, one.end);
        by_kind.entry(&one.kind).or_default().push((gap, &one.text));
    }
    println!("the longest time without an acknowledged write, in seconds:");
    println!("  {:<16} {:>5} {:>7} {:>8}", "fault", "times", "median", "greatest");
    for (kind, mut gaps) in by_kind {
        gaps.sort_unstable();
        let median = gaps.get((gaps.len() - 1) / 2).map_or(0.0, |(gap, _)| gap.as_secs_f32());
        let (greatest, text) = gaps.last().map_or((0.0, ""), |(gap, text)| (gap.as_secs_f32(), text));
        println!("  {kind:<16} {:>5} {median:>7.2} {greatest:>8.2}  ({text})", gaps.len());
    }
}

/// Returns the longest time without one of the moments, which ascend, that has a part between
/// `begin` and `end`.
fn longest_gap(moments: &[Instant], begin: Instant, end: Instant) -> Duration {
    let first = moments.partition_point(|moment| *moment < begin).saturating_sub(1);
    let last = (moments.partition_point(|moment| *moment <= end) + 1).min(moments.len());
    let near = moments.get(first..last).unwrap_or_default();
    near.iter()
        .zip(near.iter().skip(1))
        .map(|(one, next)| next.duration_since(*one))
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_gap_may_begin_before_and_end_after_the_fault() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let moments = [0, 500, 600, 1000, 1100, 1150, 3000].map(at);
        let gap = |begin, end| longest_gap(&moments, at(begin), at(end)).as_millis();
        assert_eq!(gap(550, 1120), 400);
        assert_eq!(gap(700, 800), 400);
        assert_eq!(gap(1120, 1200), 1850);
        assert_eq!(gap(100, 200), 500);
        assert_eq!(gap(4000, 5000), 0);
    }
}
