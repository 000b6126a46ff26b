//! The end of a statement: lines are collected until brackets, texts and comments are closed.

/// Returns true if a text could continue: something is open, or its last word needs another one.
pub(super) fn is_open(text: &str) -> bool {
    let mut scanner = Scanner { rest: text, brackets: Vec::new(), last: Last::Start };
    while scanner.step() {}
    scanner.is_open()
}

/// The part of a template in which the scanner is, apart from brackets.
const TEMPLATE: char = '`';

struct Scanner<'a> {
    rest: &'a str,
    /// The open brackets, and `` ` `` for an open template.
    brackets: Vec<char>,
    last: Last,
}

/// The last piece of code, which decides what a slash means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Start,
    /// A name, number, text or closing bracket: a slash divides.
    Value,
    /// An operator or opening bracket: a slash begins a regular expression.
    Operator,
    /// An operator after which the statement continues.
    Binary,
    /// A text, comment or expression without its end.
    Unclosed,
}

/// Words that an expression follows.
const BEFORE_EXPRESSIONS: &[&str] =
    &["return", "typeof", "case", "in", "of", "new", "delete", "void", "throw", "do", "else", "instanceof"];

impl Scanner<'_> {
    fn is_open(&self) -> bool {
        // An extra bracket is an error that the next line cannot correct.
        !self.brackets.is_empty() || matches!(self.last, Last::Binary | Last::Unclosed)
    }

    /// Reads the next piece. Returns false at the end.
    fn step(&mut self) -> bool {
        if self.brackets.last() == Some(&TEMPLATE) {
            return self.template();
        }
        let Some(first) = self.rest.chars().next() else { return false };
        match first {
            char if char.is_whitespace() => self.skip(char.len_utf8()),
            '/' if self.rest.starts_with("//") => self.comment("\n", true),
            '/' if self.rest.starts_with("/*") => self.comment("*/", false),
            '/' if self.last != Last::Value => self.expression(),
            '"' | '\'' => self.text(first),
            '`' => {
                self.brackets.push(TEMPLATE);
                self.skip(1);
            }
            '(' | '[' | '{' => self.opening(first),
            ')' | ']' | '}' => self.closing(),
            char if is_word(char) => self.word(),
            _ => self.operator(),
        }
        true
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn opening(&mut self, bracket: char) {
        self.brackets.push(bracket);
        self.last = Last::Operator;
        self.skip(1);
    }

    fn closing(&mut self) {
        self.brackets.pop();
        self.last = Last::Value;
        self.skip(1);
    }

    fn comment(&mut self, end: &str, ends_with_text: bool) {
        match self.rest.get(2..).and_then(|rest| rest.find(end)) {
            Some(at) => self.skip(2 + at + end.len()),
            None => {
                self.rest = "";
                if !ends_with_text {
                    self.last = Last::Unclosed;
                }
            }
        }
    }

    fn text(&mut self, quote: char) {
        let mut is_escaped = false;
        for (at, char) in self.rest.char_indices().skip(1) {
            match char {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                // A text that is not closed on its line is an error.
                '\n' => return self.after(at),
                _ if char == quote => return self.after(at + 1),
                _ => {}
            }
        }
        self.rest = "";
        self.last = if is_escaped { Last::Unclosed } else { Last::Value };
    }

    fn after(&mut self, bytes: usize) {
        self.skip(bytes);
        self.last = Last::Value;
    }

    fn expression(&mut self) {
        let (mut is_escaped, mut in_class) = (false, false);
        for (at, char) in self.rest.char_indices().skip(1) {
            match char {
                '\n' => return self.after(at),
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => return self.after(at + 1),
                _ => {}
            }
        }
        self.rest = "";
        self.last = Last::Value;
    }

    /// Reads the text of a template, up to its end or an expression in it.
    fn template(&mut self) -> bool {
        let mut is_escaped = false;
        for (at, char) in self.rest.char_indices() {
            match char {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '`' => {
                    self.brackets.pop();
                    self.after(at + 1);
                    return true;
                }
                '$' if self.rest.get(at + 1..).is_some_and(|rest| rest.starts_with('{')) => {
                    self.skip(at + 1);
                    self.opening('{');
                    return true;
                }
                _ => {}
            }
        }
        self.rest = "";
        false
    }

    fn word(&mut self) {
        let end = self.rest.find(|char| !is_word(char)).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        self.last = if BEFORE_EXPRESSIONS.contains(&word) { Last::Operator } else { Last::Value };
        self.skip(end);
    }

    fn operator(&mut self) {
        let char = self.rest.chars().next().unwrap_or_default();
        self.last = match char {
            ';' | ':' | '!' | '~' => Last::Operator,
            '+' | '-' if self.rest.starts_with("++") || self.rest.starts_with("--") => {
                self.skip(1);
                Last::Value
            }
            _ => Last::Binary,
        };
        self.skip(char.len_utf8());
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '$'
}
