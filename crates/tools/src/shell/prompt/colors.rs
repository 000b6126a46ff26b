//! Colours of code.

/// The words of the language.
const KEYWORDS: &[&str] = &[
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "extends",
    "finally",
    "for",
    "function",
    "if",
    "in",
    "instanceof",
    "let",
    "new",
    "of",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "yield",
];

/// The words that are values.
const VALUES: &[&str] = &["true", "false", "null", "undefined", "NaN", "Infinity"];

const KEYWORD: &str = "\x1b[1;34m";
const NUMBER: &str = "\x1b[33m";
const STRING: &str = "\x1b[32m";
const COMMENT: &str = "\x1b[90m";
const VALUE: &str = "\x1b[36m";
const END: &str = "\x1b[0m";

/// Returns code with colours. Without them it is the same text.
pub(super) fn colored(code: &str) -> String {
    let mut text = String::with_capacity(code.len() * 2);
    let mut rest = code;
    while !rest.is_empty() {
        let (length, color) = piece(rest);
        let (piece, behind) = rest.split_at(length);
        match color {
            Some(color) => text.extend([color, piece, END]),
            None => text.push_str(piece),
        }
        rest = behind;
    }
    text
}

/// Returns the length and the colour of the first piece of code that is not empty.
fn piece(code: &str) -> (usize, Option<&'static str>) {
    let first = code.chars().next().unwrap_or_default();
    match first {
        '"' | '\'' | '`' => (text_length(code, first), Some(STRING)),
        '/' if code.starts_with("//") => (code.find('\n').unwrap_or(code.len()), Some(COMMENT)),
        '/' if code.starts_with("/*") => {
            (code.get(2..).and_then(|rest| rest.find("*/")).map_or(code.len(), |at| at + 4), Some(COMMENT))
        }
        char if char.is_ascii_digit() => {
            (length_while(code, |char| char.is_alphanumeric() || char == '.'), Some(NUMBER))
        }
        char if char.is_alphabetic() || char == '_' || char == '$' => {
            let length = length_while(code, |char| char.is_alphanumeric() || char == '_' || char == '$');
            let word = code.get(..length).unwrap_or_default();
            let color = KEYWORDS.contains(&word).then_some(KEYWORD);
            (length, color.or(VALUES.contains(&word).then_some(VALUE)))
        }
        char => (char.len_utf8(), None),
    }
}

fn length_while(code: &str, is_part: impl Fn(char) -> bool) -> usize {
    code.find(|char| !is_part(char)).unwrap_or(code.len())
}

/// Returns the length of a text in quotes, up to the end of the code if it is not closed.
fn text_length(code: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, char) in code.char_indices().skip(1) {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if char == quote => return at + char.len_utf8(),
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_their_colors() {
        let text = colored("var s = 'it\\'s' + 12; // end");
        assert_eq!(
            text,
            format!("{KEYWORD}var{END} s = {STRING}'it\\'s'{END} + {NUMBER}12{END}; {COMMENT}// end{END}")
        );
    }

    #[test]
    fn colors_change_no_text() {
        for code in ["", "'", "/* ä", "`a ${b}", "x1 = null", "é€😀 in '\\"] {
            let plain = [KEYWORD, NUMBER, STRING, COMMENT, VALUE, END]
                .iter()
                .fold(colored(code), |text, color| text.replace(color, ""));
            assert_eq!(plain, code);
        }
    }
}
