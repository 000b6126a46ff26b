//! The comments of Rust source text, found without a full parser.
//!
//! The scanner knows just enough of the syntax to tell a comment from the same characters in a
//! string: strings, raw strings, characters and lifetimes.

/// One line of a comment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommentLine<'a> {
    /// The number of the line in the file, from 1.
    pub(super) number: usize,
    /// The marker before the text: `//`, `///` or `//!`.
    pub(super) marker: &'a str,
    /// The text after the marker and one blank.
    pub(super) text: &'a str,
    /// The column of the marker, from 0, in bytes.
    pub(super) column: usize,
    /// The number of characters in the whole line, up to the end of the comment.
    pub(super) columns: usize,
    /// True if nothing but blanks precedes the marker.
    pub(super) stands_alone: bool,
}

/// Returns the lines of all comments in the order of the file.
pub(super) fn comment_lines(source: &str) -> Vec<CommentLine<'_>> {
    let mut scanner = Scanner { source, position: 0, line: 1, line_start: 0, found: Vec::new() };
    while scanner.position < source.len() {
        scanner.step();
    }
    scanner.found
}

struct Scanner<'a> {
    source: &'a str,
    /// Bytes before the next token.
    position: usize,
    line: usize,
    line_start: usize,
    found: Vec<CommentLine<'a>>,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.position..).unwrap_or_default()
    }

    /// Passes one token.
    fn step(&mut self) {
        let rest = self.rest();
        if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            self.comment(rest.get(..length).unwrap_or_default());
            self.advance(length);
        } else if rest.starts_with("/*") {
            self.block_comment();
        } else if let Some(length) = raw_string(rest) {
            self.advance(length);
        } else if rest.starts_with('"') {
            self.advance(quoted(rest, '"'));
        } else if rest.starts_with('\'') {
            self.advance(character(rest));
        } else {
            self.advance(word(rest));
        }
    }

    fn advance(&mut self, length: usize) {
        let passed = self.rest().get(..length).unwrap_or_default();
        if let Some(last) = passed.rfind('\n') {
            self.line += passed.matches('\n').count();
            self.line_start = self.position + last + 1;
        }
        self.position += length;
    }

    fn comment(&mut self, text: &'a str) {
        let before = self.source.get(self.line_start..self.position).unwrap_or_default();
        let columns = before.chars().count() + text.chars().count();
        let length = if text.starts_with("///") || text.starts_with("//!") { 3 } else { 2 };
        let (marker, text) = text.split_at(length);
        self.found.push(CommentLine {
            number: self.line,
            marker,
            text: text.strip_prefix(' ').unwrap_or(text),
            column: before.len(),
            columns,
            stands_alone: before.trim().is_empty(),
        });
    }

    /// Passes a block comment, each line of which counts as a comment. Such comments do not nest.
    fn block_comment(&mut self) {
        let rest = self.rest();
        let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
        for (offset, line) in rest.get(..length).unwrap_or_default().lines().enumerate() {
            let text = line.trim_start().trim_start_matches(['/', '*']).trim_end_matches("*/");
            self.found.push(CommentLine {
                number: self.line + offset,
                marker: "/*",
                text,
                column: 0,
                columns: line.chars().count(),
                stands_alone: true,
            });
        }
        self.advance(length);
    }
}

/// Returns the length of the raw string at the start of the text.
fn raw_string(text: &str) -> Option<usize> {
    let start = ["r", "br", "cr"].into_iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let hashes = start.len() - start.trim_start_matches('#').len();
    let content = start.get(hashes..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content.find(&end)? + end.len();
    Some(text.len() - content.len() + length)
}

/// Returns the length of the literal that the text begins with, up to an unescaped `quote`.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (position, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return position + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the character literal, or of the quote before a lifetime.
fn character(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1).map(|(_, character)| character);
    match (characters.next(), characters.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => quoted(text, '\''),
        _ => 1,
    }
}

/// Returns the length of the name or number at the start of the text, or of one other character.
fn word(text: &str) -> usize {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    match text.find(|character| !is_part(character)) {
        Some(0) => text.chars().next().map_or(1, char::len_utf8),
        Some(length) => length,
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<(usize, &str, &str)> {
        comment_lines(source).into_iter().map(|line| (line.number, line.marker, line.text)).collect()
    }

    #[test]
    fn comments_are_found_with_their_lines_and_markers() {
        let source = "//! Top.\n\n/// Item.\nfn f() {} // Trailing.\n    // Own.\n//\n";
        assert_eq!(
            texts(source),
            [
                (1, "//!", "Top."),
                (3, "///", "Item."),
                (4, "//", "Trailing."),
                (5, "//", "Own."),
                (6, "//", "")
            ]
        );
        let lines = comment_lines(source);
        assert_eq!((lines[2].stands_alone, lines[2].column), (false, 10));
        assert_eq!((lines[3].stands_alone, lines[3].column), (true, 4));
    }

    #[test]
    fn strings_and_characters_hold_no_comments() {
        for code in [
            r#"let url = "https://x"; "#,
            r#"let text = "a\"// b\\"; "#,
            r##"let raw = r#"" // "#; "##,
            "let raw = br\"\\\"; ",
            "let text = \"two\n// lines\"; ",
            "let quote = ('\"', '\\'', b'\"', '/'); ",
            "fn f<'a>(x: &'a str, y: &'static str) {} ",
            "for r in rr {} ",
        ] {
            let source = format!("{code}// End.");
            let found = texts(&source);
            assert_eq!(found.iter().map(|line| line.2).collect::<Vec<_>>(), ["End."], "{code}");
        }
    }

    #[test]
    fn block_comments_are_comments_line_by_line() {
        let source = "/* One.\n * Two. */ fn f() {}\n// Three.";
        assert_eq!(texts(source), [(1, "/*", " One."), (2, "/*", " Two. "), (3, "//", "Three.")]);
    }
}
