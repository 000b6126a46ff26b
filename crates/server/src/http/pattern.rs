//! Patterns of paths: `{name}` stands for any one segment, and `{*}` at the end for any number of
//! segments.

/// The pattern that a path has matched, to find its named segments.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    pub(crate) pattern: &'static str,
}

impl Match {
    /// Returns the index of the segment that `{name}` stands for.
    pub fn position(self, name: &str) -> Option<usize> {
        segments(self.pattern).position(|part| {
            part.strip_prefix('{').and_then(|part| part.strip_suffix('}')).is_some_and(|found| found == name)
        })
    }

    /// Returns the index of the first segment that `{*}` stands for, or `usize::MAX` without `{*}`.
    pub fn rest(self) -> usize {
        self.position("*").unwrap_or(usize::MAX)
    }
}

/// Returns the segments of a pattern.
pub(crate) fn segments(pattern: &'static str) -> impl Iterator<Item = &'static str> {
    pattern.split('/').filter(|segment| !segment.is_empty())
}

/// Returns the segment with an index.
pub(crate) fn segment(pattern: &'static str, index: usize) -> Option<&'static str> {
    segments(pattern).nth(index)
}

/// Returns true for a `{name}`.
pub(crate) fn is_name(segment: &str) -> bool {
    segment.starts_with('{') && !is_rest(segment)
}

/// Returns true if a pattern ends with `{*}`.
pub(crate) fn has_rest(pattern: &'static str) -> bool {
    segments(pattern).last().is_some_and(is_rest)
}

fn is_rest(segment: &str) -> bool {
    segment == "{*}"
}
