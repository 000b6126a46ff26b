//! The patterns of `.foxxignore`: which files of a folder a bundle leaves out.
//!
//! A line is a pattern. `*` stands for any characters of a name, `?` for one, `[a-z]` for one of a
//! class, `{a,b}` for alternatives, and `**` for any number of folders. A pattern with a slash at
//! its beginning names a path from the root, any other one a path at any depth. A pattern with a
//! slash at its end names folders with all that is in them, any other one files only. `!` keeps
//! files that other patterns leave out, and `#` begins a comment. foxx-cli reads the file so, too.

use crate::Failure;

/// The file with the patterns.
pub(super) const FILE: &str = ".foxxignore";

/// The patterns of a folder without the file.
pub(super) const DEFAULTS: &[&str] = &[".git/", ".svn/", ".hg/", "*.swp", ".DS_Store"];

/// Maximum size in bytes of the file.
pub(super) const BYTES_MAX: u64 = 64 << 10;

/// Maximum number of patterns, alternatives counted singly.
const PATTERNS_MAX: usize = 1_000;

/// The files that a bundle leaves out.
#[derive(Debug)]
pub(super) struct Ignore {
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    segments: Vec<Segment>,
    keeps: bool,
    names_folders: bool,
}

/// A part of a pattern between slashes.
#[derive(Debug)]
enum Segment {
    AnyDepth,
    Name(Vec<Token>),
}

#[derive(Debug)]
enum Token {
    Character(char),
    Any,
    Run,
    Class { characters: Vec<(char, char)>, is_negated: bool },
}

impl Ignore {
    /// Reads the lines of the file. Errors: it has too many patterns.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let mut patterns = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (keeps, pattern) = match line.strip_prefix('!') {
                Some(pattern) => (true, pattern),
                None => (false, line),
            };
            let mut alternatives = vec![pattern.to_owned()];
            while let Some(next) = expand(&alternatives) {
                alternatives = next;
                check_count(patterns.len() + alternatives.len())?;
            }
            patterns.extend(alternatives.iter().map(|pattern| Pattern::parse(pattern, keeps)));
            check_count(patterns.len())?;
        }
        Ok(Ignore { patterns })
    }

    /// Returns the patterns of a folder without the file.
    pub(super) fn defaults() -> Result<Self, Failure> {
        Self::parse(&DEFAULTS.join("\n"))
    }

    /// Returns true if a bundle leaves out the file or folder at a path from the root.
    pub(super) fn leaves_out(&self, path: &str, is_folder: bool) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        let hits =
            |keeps: bool| self.patterns.iter().any(|p| p.keeps == keeps && p.covers(&names, is_folder));
        hits(false) && !hits(true)
    }

    /// Returns true if nothing within a folder that is left out can be kept.
    pub(super) fn is_final(&self) -> bool {
        !self.patterns.iter().any(|pattern| pattern.keeps)
    }
}

fn check_count(count: usize) -> Result<(), Failure> {
    match count > PATTERNS_MAX {
        true => Err(Failure::new(format!("{FILE} has more than {PATTERNS_MAX} patterns"))),
        false => Ok(()),
    }
}

/// Replaces the first braces of each pattern by their alternatives; `None` if no pattern has any.
fn expand(patterns: &[String]) -> Option<Vec<String>> {
    let mut expanded = Vec::new();
    let mut has_changed = false;
    for pattern in patterns {
        let parts = pattern.split_once('}').and_then(|(before, after)| {
            let (head, body) = before.rsplit_once('{')?;
            body.contains(',').then_some((head, body, after))
        });
        match parts {
            Some((head, body, after)) => {
                has_changed = true;
                expanded.extend(body.split(',').map(|word| format!("{head}{word}{after}")));
            }
            None => expanded.push(pattern.clone()),
        }
    }
    has_changed.then_some(expanded)
}

impl Pattern {
    fn parse(text: &str, keeps: bool) -> Self {
        let is_anchored = text.starts_with('/');
        let names_folders = text.ends_with('/');
        let mut segments: Vec<Segment> = if is_anchored { Vec::new() } else { vec![Segment::AnyDepth] };
        segments.extend(text.split('/').filter(|name| !name.is_empty()).map(|name| match name {
            "**" => Segment::AnyDepth,
            name => Segment::Name(tokens(name)),
        }));
        if matches!(segments.last(), Some(Segment::AnyDepth)) {
            segments.push(Segment::Name(vec![Token::Run]));
        }
        Pattern { segments, keeps, names_folders }
    }

    /// Returns true if the pattern names the path, or a folder that has it.
    fn covers(&self, names: &[&str], is_folder: bool) -> bool {
        if !self.names_folders {
            return !is_folder && self.matches(names);
        }
        let folders = names.len() - usize::from(!is_folder);
        (1..=folders).any(|count| names.get(..count).is_some_and(|names| self.matches(names)))
    }

    fn matches(&self, names: &[&str]) -> bool {
        wildcard(
            &self.segments,
            names,
            |segment| matches!(segment, Segment::AnyDepth),
            |segment, name| match segment {
                Segment::AnyDepth => true,
                Segment::Name(tokens) => {
                    let characters: Vec<char> = name.chars().collect();
                    wildcard(tokens, &characters, |token| matches!(token, Token::Run), Token::matches)
                }
            },
        )
    }
}

impl Token {
    fn matches(&self, character: &char) -> bool {
        match self {
            Token::Character(expected) => expected == character,
            Token::Any | Token::Run => true,
            Token::Class { characters, is_negated } => {
                characters.iter().any(|(first, last)| (first..=last).contains(&character)) != *is_negated
            }
        }
    }
}

/// Matches a whole text with a pattern, in time that is at most their product.
fn wildcard<P, T>(
    pattern: &[P],
    text: &[T],
    is_run: impl Fn(&P) -> bool,
    is_match: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut from) = (0, 0);
    // The pattern behind the last run, and the text that the run has not taken yet.
    let mut retry: Option<(usize, usize)> = None;
    while let Some(item) = text.get(from) {
        match pattern.get(at) {
            Some(part) if is_run(part) => {
                at += 1;
                retry = Some((at, from));
            }
            Some(part) if is_match(part, item) => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((behind, taken)) = retry else { return false };
                retry = Some((behind, taken + 1));
                (at, from) = (behind, taken + 1);
            }
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(is_run)
}

fn tokens(name: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = name.chars();
    while let Some(character) = rest.next() {
        tokens.push(match character {
            '*' => Token::Run,
            '?' => Token::Any,
            '\\' => Token::Character(rest.next().unwrap_or('\\')),
            '[' => match class(rest.as_str()) {
                Some((class, length)) => {
                    rest = rest.as_str().get(length..).unwrap_or_default().chars();
                    class
                }
                None => Token::Character('['),
            },
            other => Token::Character(other),
        });
    }
    tokens
}

/// Reads a class behind its opening bracket. Returns it with its length in bytes.
fn class(text: &str) -> Option<(Token, usize)> {
    let (body, _) = text.split_once(']').filter(|(body, _)| !body.is_empty())?;
    let inner = body.strip_prefix(['!', '^']);
    let mut characters = Vec::new();
    let mut rest = inner.unwrap_or(body).chars().peekable();
    while let Some(first) = rest.next() {
        let mut ahead = rest.clone();
        let last = ahead.next().filter(|dash| *dash == '-').and_then(|_| ahead.next());
        if last.is_some() {
            rest = ahead;
        }
        characters.push((first, last.unwrap_or(first)));
    }
    Some((Token::Class { characters, is_negated: inner.is_some() }, body.len() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_leave_files_out() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (".git/", &[".git/config", "a/.git/x/y"], &[".gitignore", "git/x"]),
            ("*.swp", &["x.swp", ".y.swp", "a/b/x.swp"], &["x.swp.js", "swp"]),
            ("/package.json", &["package.json"], &["node_modules/joi/package.json"]),
            ("node_modules/", &["node_modules/a/index.js", "x/node_modules/b"], &["node_modules2/a"]),
            ("lib", &["lib", "a/lib"], &["lib/a", "a/lib/b"]),
            ("hello/**/world", &["hello/world", "hello/a/world", "x/hello/a/b/world"], &["hello/worlds"]),
            ("test/**", &["test/a", "test/a/b"], &["test", "tests/a"]),
            (".*", &[".a", "b/.c"], &["a.b", ".d/e"]),
            ("?[a-c].[!x]s", &["1b.js", "d/2c.ts"], &["1d.js", "1b.xs"]),
            ("*.{md,txt}", &["a.md", "b/c.txt"], &["a.js", "md"]),
            ("\\#a", &["#a"], &["a"]),
            ("a/", &["a/b"], &["a"]),
            ("*a*a*a*a*b", &["aaaab", "xaxaxaxaxb"], &["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]),
            ("[a", &["[a"], &["a"]),
            ("# a\n\n", &[], &["# a", "a"]),
        ];
        for (patterns, out, kept) in cases {
            let ignore = Ignore::parse(patterns).unwrap();
            for path in *out {
                assert!(ignore.leaves_out(path, false), "{patterns:?} leaves out {path}");
            }
            for path in *kept {
                assert!(!ignore.leaves_out(path, false), "{patterns:?} keeps {path}");
            }
        }
    }

    #[test]
    fn an_exclamation_mark_keeps_files() {
        let ignore = Ignore::parse("*.js\nlib/\n!index.js\n!/lib/keep/").unwrap();
        assert!(ignore.leaves_out("a.js", false) && ignore.leaves_out("lib/x", false) && !ignore.is_final());
        for path in ["index.js", "lib/index.js", "lib/keep/a.js"] {
            assert!(!ignore.leaves_out(path, false), "{path}");
        }
        assert!(Ignore::defaults().unwrap().is_final());
    }

    #[test]
    fn the_number_of_patterns_is_bounded() {
        let many = "{a,b}".repeat(20);
        assert!(Ignore::parse(&many).unwrap_err().text().contains("more than 1000 patterns"));
        assert!(Ignore::parse(&"a\n".repeat(1_001)).is_err() && Ignore::parse(&"a\n".repeat(1_000)).is_ok());
    }
}
