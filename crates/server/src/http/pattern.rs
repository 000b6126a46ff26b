//! Patterns of paths: `{name}` stands for any one part, and `{*}` at the end for any number of parts.

/// The pattern that a path has matched: where its named parts are.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    pub(crate) pattern: &'static str,
}

impl Match {
    /// At which part of the path `{name}` stands.
    pub fn position(self, name: &str) -> Option<usize> {
        self.parts().position(|part| {
            part.strip_prefix('{').and_then(|part| part.strip_suffix('}')).is_some_and(|found| found == name)
        })
    }

    /// From which part on `{*}` stands; behind all parts when there is none.
    pub fn rest(self) -> usize {
        self.position("*").unwrap_or(usize::MAX)
    }

    fn parts(self) -> impl Iterator<Item = &'static str> {
        self.pattern.split('/').skip(1)
    }
}
