//! Comments of Rust code: the rules of `docs/style.md` that a program can check.
//!
//! No sentence begins with a bare "What", "Who" or "Whether", except for questions. No sentence has
//! more than [`MAX_WORDS`] words, and no comment line has more than [`MAX_COLUMNS`] columns.

mod comments;

use crate::{Failure, files};
use comments::{CommentLine, comment_lines};

/// Columns of a line that begins with a comment, unless it is a single long URL.
const MAX_COLUMNS: usize = 100;

/// Words of a sentence; code in backticks counts as one word.
const MAX_WORDS: usize = 35;

/// Words that do not begin a sentence, except for a question.
const BARE: [&str; 3] = ["What", "Who", "Whether"];

/// Checks the comments of every Rust file.
pub(crate) fn check() -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for file in files::tracked("*.rs")? {
        let source =
            std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        wrong.extend(
            mistakes(&source)
                .map(|mistake| format!("{}:{}: {}", file.display(), mistake.line, mistake.description)),
        );
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("see docs/style.md\n{}", wrong.join("\n"))) }
}

/// A violation of the style.
#[derive(Debug, PartialEq, Eq)]
struct Mistake {
    line: usize,
    description: String,
}

/// A word of a comment and the number of its line.
type Word<'a> = (usize, &'a str);

fn mistakes(source: &str) -> impl Iterator<Item = Mistake> {
    let lines = comment_lines(source);
    let mut found: Vec<Mistake> = lines.iter().filter_map(too_long).collect();
    for paragraph in paragraphs(&lines) {
        found.extend(sentences(&paragraph).into_iter().flat_map(|sentence| sentence.mistakes()));
    }
    found.sort_by_key(|mistake| mistake.line);
    found.into_iter()
}

fn too_long(line: &CommentLine<'_>) -> Option<Mistake> {
    let is_url = line.text.contains("://") && line.text.split_whitespace().count() == 1;
    let is_wrong = line.stands_alone && line.columns > MAX_COLUMNS && !is_url;
    is_wrong.then(|| Mistake {
        line: line.number,
        description: format!("{} columns; at most {MAX_COLUMNS}", line.columns),
    })
}

/// Returns the words of each paragraph, heading and list item.
///
/// Tables, fenced code and indented code are omitted.
fn paragraphs<'a>(lines: &[CommentLine<'a>]) -> Vec<Vec<Word<'a>>> {
    let mut paragraphs: Vec<Vec<Word<'a>>> = vec![Vec::new()];
    let mut is_fenced = false;
    let mut before: Option<&CommentLine<'_>> = None;
    for line in lines {
        let continues = before.is_some_and(|before| follows(line, before));
        before = Some(line);
        is_fenced &= continues;
        let text = line.text.trim_start();
        let is_fence = text.starts_with("```");
        is_fenced ^= is_fence;
        let is_left_out = is_fenced || is_fence || text.starts_with('|') || line.text.starts_with("    ");
        let is_item = begins_item(text);
        if is_left_out || !continues || text.is_empty() || is_item {
            paragraphs.push(Vec::new());
        }
        if let Some(paragraph) = paragraphs.last_mut().filter(|_| !is_left_out) {
            let words = text.split_whitespace().skip(usize::from(is_item));
            paragraph.extend(words.map(|word| (line.number, word)));
        }
        if text.starts_with('#') {
            paragraphs.push(Vec::new());
        }
    }
    paragraphs
}

/// Returns true if the line continues the comment of the line before it.
fn follows(line: &CommentLine<'_>, before: &CommentLine<'_>) -> bool {
    line.number == before.number + 1
        && (line.marker, line.column) == (before.marker, before.column)
        && line.stands_alone
}

/// Returns true for a heading and for the first line of a list item: `- a`, `* a`, `1. a`.
fn begins_item(text: &str) -> bool {
    let marker = text.split(' ').next().unwrap_or_default();
    let number = marker.strip_suffix('.').unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    matches!(marker, "-" | "*" | "#" | "##" | "###") || is_number
}

/// A sentence of a comment.
struct Sentence<'a> {
    words: Vec<Word<'a>>,
    /// The number of words, with code in backticks as one.
    count: usize,
}

/// Splits a paragraph after `.`, `:`, `;`, `!` and `?`.
fn sentences<'a>(paragraph: &[Word<'a>]) -> Vec<Sentence<'a>> {
    let mut sentences = Vec::new();
    let mut sentence = Sentence { words: Vec::new(), count: 0 };
    let mut is_code = false;
    for word in paragraph {
        sentence.count += usize::from(!is_code);
        sentence.words.push(*word);
        is_code ^= word.1.matches('`').count() % 2 == 1;
        if !is_code && last_character(word.1).is_some_and(|last| ".:;!?".contains(last)) {
            sentences.push(std::mem::replace(&mut sentence, Sentence { words: Vec::new(), count: 0 }));
        }
    }
    sentences.push(sentence);
    sentences
}

/// Returns the last character of a word before closing brackets, quotes and marks of emphasis.
fn last_character(word: &str) -> Option<char> {
    word.trim_end_matches([')', '"', '\'', '*', '_']).chars().next_back()
}

impl Sentence<'_> {
    fn mistakes(&self) -> Vec<Mistake> {
        let Some((line, first)) = self.words.first() else { return Vec::new() };
        let mistake = |description| Mistake { line: *line, description };
        let is_question = self.words.last().and_then(|(_, last)| last_character(last)) == Some('?');
        let bare = first.trim_start_matches(['(', '"', '*', '_']);
        let mut found = Vec::new();
        if BARE.contains(&bare) && !is_question {
            found.push(mistake(format!("begins with a bare {bare}: {}", self.beginning())));
        }
        if self.count > MAX_WORDS {
            found.push(mistake(format!("{} words; at most {MAX_WORDS}: {}", self.count, self.beginning())));
        }
        found
    }

    /// Returns the first words, for a message.
    fn beginning(&self) -> String {
        let words: Vec<&str> = self.words.iter().take(8).map(|(_, word)| *word).collect();
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(usize, String)> {
        mistakes(source).map(|mistake| (mistake.line, mistake.description)).collect()
    }

    fn is_clean(source: &str) -> bool {
        found(source).is_empty()
    }

    #[test]
    fn bare_words_are_found_and_questions_are_not() {
        assert_eq!(
            found("/// Fine. Whether\n/// it holds.\nfn f() {}"),
            [(1, "begins with a bare Whether: Whether it holds.".to_owned())]
        );
        assert_eq!(found("let a = 1; // Who waits.\n").len(), 1);
        assert_eq!(found("// - What is read.\n// - (Whether it is.)\n").len(), 2);
        assert!(is_clean("// What is read? Who knows?\n"));
        assert!(is_clean("// Says what is read, and whether.\n// Whatever.\n"));
        assert!(is_clean("let text = \"// What\";\n"));
    }

    #[test]
    fn long_sentences_are_found_where_they_begin() {
        let words = |count: usize| vec!["a"; count].join(" ");
        assert!(is_clean(&format!("// {}.\n", words(10)).repeat(9)));
        let long = format!("/// Short.\n/// {}\n/// {}.\n", words(18), words(18));
        assert_eq!(found(&long).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2]);
        // Each of these separates the two halves.
        for separator in ["\n///", "\n", "\nfn f() {}\n", "\n/// - item\n/// - item\n"] {
            assert!(is_clean(&format!("/// {}{separator}\n/// {}\n", words(20), words(20))), "{separator}");
        }
    }

    #[test]
    fn code_and_tables_do_not_count() {
        let code = "`a b c d e f g. What h i j`";
        assert!(is_clean(&format!("// {}.\n", [code; 3].join("\n// "))));
        let many = "word ".repeat(18);
        assert!(is_clean(&format!("//! ```\n//! {many}\n//! What {many}\n//! ```\n")));
        assert!(is_clean(&format!("//! | {many}\n//! | {many} |\n")));
        assert!(is_clean(&format!("//!     {many}\n//!     {many}\n")));
        // A fence that is not closed ends with its comment.
        assert_eq!(found("//! ```\n//! What\n\n// What follows.\n").len(), 1);
    }

    #[test]
    fn long_lines_are_found_unless_they_are_urls() {
        let line = |indent: usize, text: &str| format!("{}// {text}\n", " ".repeat(indent));
        assert!(is_clean(&line(0, &"x".repeat(97))));
        assert_eq!(found(&line(1, &"ä".repeat(97))), [(1, "101 columns; at most 100".to_owned())]);
        assert!(is_clean(&line(0, &format!("https://{}", "x".repeat(100)))));
        assert!(!is_clean(&line(0, &format!("See https://{}", "x".repeat(100)))));
    }
}
