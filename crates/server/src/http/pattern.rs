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
        self.parts().position(|part| {
            part.strip_prefix('{').and_then(|part| part.strip_suffix('}')).is_some_and(|found| found == name)
        })
    }

    /// Returns the index of the first segment that `{*}` stands for, or `usize::MAX` without `{*}`.
    pub fn rest(self) -> usize {
        self.position("*").unwrap_or(usize::MAX)
    }

    fn parts(self) -> impl Iterator<Item = &'static str> {
        self.pattern.split('/').skip(1)
    }
}
