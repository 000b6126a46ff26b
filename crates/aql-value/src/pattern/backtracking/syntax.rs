//! The syntax tree of an expression that needs backtracking, and its parser.
//!
//! The parser reads groups, quantifiers, look-around and references itself. It leaves each class,
//! escape and letter to `regex-syntax`, so that they mean the same as in all other expressions.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, HirKind};

use super::set::Set;

/// The maximum number of groups around a place.
const MAX_DEPTH: usize = 200;

/// The maximum number of ranges in all sets together.
const MAX_RANGES: usize = 200_000;

/// A part of an expression.
#[derive(Debug)]
pub(super) enum Node {
    /// One character of a set, by its position in [`Parsed::sets`].
    Set(u32),
    /// A place that takes no character.
    Assertion(Assertion),
    Sequence(Vec<Node>),
    /// The first alternative that leads to a match.
    Alternatives(Vec<Node>),
    /// A group with its number.
    Group(usize, Box<Node>),
    Repeat(Box<Node>, Repeat),
    /// `(?>...)`: keeps the first match.
    Atomic(Box<Node>),
    /// `(?=...)`, `(?!...)`, `(?<=...)`, `(?<!...)`.
    Look {
        behind: bool,
        negated: bool,
        inner: Box<Node>,
    },
    /// The text of a group again.
    Reference {
        group: usize,
        ignores_case: bool,
    },
}

/// A place in the text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    /// `\G`: the place at which the search began.
    SearchStart,
    WordBoundary,
    NoWordBoundary,
}

/// The number of repetitions, and the order in which they are tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub(super) min: u32,
    /// `None` without a bound.
    pub(super) max: Option<u32>,
    pub(super) is_lazy: bool,
}

/// A parsed expression.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    pub(super) sets: Vec<Set>,
    /// The number of groups, without the whole match.
    pub(super) groups: usize,
    pub(super) names: HashMap<String, usize>,
    /// True if there is a quantifier like `*+`.
    pub(super) is_possessive: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Flags {
    ignores_case: bool,
    multi_line: bool,
    dot_matches_all: bool,
    is_verbose: bool,
}

struct Parser<'a> {
    pattern: &'a str,
    at: usize,
    flags: Flags,
    depth: usize,
    sets: Vec<Set>,
    /// The sets by their text and the flags that they depend on.
    known: HashMap<(&'a str, Flags), u32>,
    ranges: usize,
    groups: usize,
    names: HashMap<String, usize>,
    /// References to names, which may come before their groups do.
    named: Vec<String>,
    last_reference: usize,
    is_possessive: bool,
}

/// Parses an expression; `None` if it is invalid or too large.
pub(super) fn parse(pattern: &str, ignores_case: bool) -> Option<Parsed> {
    let mut parser = Parser {
        pattern,
        at: 0,
        flags: Flags { ignores_case, ..Flags::default() },
        depth: 0,
        sets: Vec::new(),
        known: HashMap::new(),
        ranges: 0,
        groups: 0,
        names: HashMap::new(),
        named: Vec::new(),
        last_reference: 0,
        is_possessive: false,
    };
    let mut root = parser.alternatives()?;
    if parser.at < pattern.len() || parser.last_reference > parser.groups {
        return None;
    }
    parser.resolve(&mut root)?;
    let Parser { sets, groups, names, is_possessive, .. } = parser;
    Some(Parsed { root, sets, groups, names, is_possessive })
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        if is_there {
            self.at += text.len();
        }
        is_there
    }

    /// Reads up to `end`, which it skips.
    fn until(&mut self, end: char) -> Option<&'a str> {
        let (text, _) = self.rest().split_once(end)?;
        self.at += text.len() + end.len_utf8();
        Some(text)
    }

    /// Reads alternatives up to a closing parenthesis or the end.
    fn alternatives(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let flags = self.flags;
        let mut all = vec![self.sequence()?];
        while self.eat("|") {
            all.push(self.sequence()?);
        }
        self.flags = flags;
        self.depth -= 1;
        if all.len() == 1 { all.pop() } else { Some(Node::Alternatives(all)) }
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                None | Some('|' | ')') => break,
                Some(_) => {}
            }
            if let Some(node) = self.item()? {
                self.skip_space();
                nodes.push(self.quantified(node)?);
            }
        }
        if nodes.len() == 1 { nodes.pop() } else { Some(Node::Sequence(nodes)) }
    }

    /// Skips white space and comments if the flag `x` says so.
    fn skip_space(&mut self) {
        while self.flags.is_verbose
            && let Some(next) = self.peek()
        {
            if next == '#' {
                let line = self.rest().find('\n').unwrap_or(self.rest().len());
                self.at += line;
            } else if next.is_whitespace() {
                self.at += next.len_utf8();
            } else {
                break;
            }
        }
    }

    /// Reads one item; `None` inside for a comment or flags, which match nothing.
    fn item(&mut self) -> Option<Option<Node>> {
        let start = self.at;
        let node = match self.next()? {
            '(' => return self.group(),
            '[' => {
                self.skip_class()?;
                self.set_from(start)?
            }
            '\\' => self.escape(start)?,
            '^' if self.flags.multi_line => Node::Assertion(Assertion::LineStart),
            '^' => Node::Assertion(Assertion::TextStart),
            '$' if self.flags.multi_line => Node::Assertion(Assertion::LineEnd),
            '$' => Node::Assertion(Assertion::TextEnd),
            '*' | '+' | '?' | '{' => return None,
            _ => self.set_from(start)?,
        };
        Some(Some(node))
    }

    /// Reads a group after its parenthesis.
    fn group(&mut self) -> Option<Option<Node>> {
        for (opening, behind, negated) in
            [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)]
        {
            if self.eat(opening) {
                let inner = Box::new(self.inner()?);
                return Some(Some(Node::Look { behind, negated, inner }));
            }
        }
        if self.eat("?>") {
            return Some(Some(Node::Atomic(Box::new(self.inner()?))));
        }
        if self.eat("?#") {
            return self.until(')').map(|_| None);
        }
        if self.eat("?<") || self.eat("?P<") {
            let name = self.until('>')?.to_owned();
            let number = self.begin_group();
            if name.is_empty() || self.names.insert(name, number).is_some() {
                return None;
            }
            return Some(Some(Node::Group(number, Box::new(self.inner()?))));
        }
        if self.eat("?") {
            return self.flags();
        }
        let number = self.begin_group();
        Some(Some(Node::Group(number, Box::new(self.inner()?))))
    }

    fn begin_group(&mut self) -> usize {
        self.groups += 1;
        self.groups
    }

    /// Reads the content of a group, and the parenthesis after it.
    fn inner(&mut self) -> Option<Node> {
        let node = self.alternatives()?;
        self.eat(")").then_some(node)
    }

    /// Reads flags, and the group that they are for if there is one.
    fn flags(&mut self) -> Option<Option<Node>> {
        let (before, mut is_set) = (self.flags, true);
        loop {
            let flag = match self.next()? {
                '-' => {
                    is_set = false;
                    continue;
                }
                ')' => return Some(None),
                ':' => {
                    let node = self.inner();
                    self.flags = before;
                    return Some(Some(node?));
                }
                'i' => &mut self.flags.ignores_case,
                'm' => &mut self.flags.multi_line,
                's' => &mut self.flags.dot_matches_all,
                'x' => &mut self.flags.is_verbose,
                _ => return None,
            };
            *flag = is_set;
        }
    }

    fn escape(&mut self, start: usize) -> Option<Node> {
        Some(match self.peek()? {
            '1'..='9' => {
                let mut number = 0;
                while let Some(digit) = self.peek().and_then(|digit| digit.to_digit(10))
                    && number < 1_000
                {
                    number = number * 10 + digit as usize;
                    self.next();
                }
                self.last_reference = self.last_reference.max(number);
                Node::Reference { group: number, ignores_case: self.flags.ignores_case }
            }
            'k' => {
                self.next();
                let name = self.eat("<").then(|| self.until('>')).flatten()?;
                // The name's group may come later: [`Parser::resolve`] replaces the number.
                let group = usize::MAX - self.named.len();
                self.named.push(name.to_owned());
                Node::Reference { group, ignores_case: self.flags.ignores_case }
            }
            'b' => self.assertion(Assertion::WordBoundary)?,
            'B' => self.assertion(Assertion::NoWordBoundary)?,
            'A' => self.assertion(Assertion::TextStart)?,
            'z' => self.assertion(Assertion::TextEnd)?,
            'G' => self.assertion(Assertion::SearchStart)?,
            kind => {
                self.next();
                self.skip_digits(kind)?;
                self.set_from(start)?
            }
        })
    }

    /// Skips what belongs to an escape besides its letter.
    fn skip_digits(&mut self, kind: char) -> Option<()> {
        let count = match kind {
            'p' | 'P' => 1,
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return Some(()),
        };
        if self.eat("{") {
            return self.until('}').map(|_| ());
        }
        (0..count).try_for_each(|_| self.next().map(|_| ()))
    }

    fn assertion(&mut self, assertion: Assertion) -> Option<Node> {
        self.next();
        // `\b{start}` is another assertion of Rust's, which ICU does not know.
        (self.peek() != Some('{')).then_some(Node::Assertion(assertion))
    }

    /// Skips a class after its opening bracket. Classes nest.
    fn skip_class(&mut self) -> Option<()> {
        let mut depth = 1;
        self.skip_class_start();
        while depth > 0 {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '[' => {
                    depth += 1;
                    self.skip_class_start();
                }
                ']' => depth -= 1,
                _ => {}
            }
        }
        Some(())
    }

    /// Skips a negation, and a bracket that is a letter because it comes first.
    fn skip_class_start(&mut self) {
        self.eat("^");
        self.eat("]");
    }

    /// Returns the set that the pattern from `start` to here stands for.
    fn set_from(&mut self, start: usize) -> Option<Node> {
        let text = self.pattern.get(start..self.at)?;
        let flags = Flags { multi_line: false, ..self.flags };
        if let Some(known) = self.known.get(&(text, flags)) {
            return Some(Node::Set(*known));
        }
        let hir = ParserBuilder::new()
            .case_insensitive(flags.ignores_case)
            .dot_matches_new_line(flags.dot_matches_all)
            .ignore_whitespace(flags.is_verbose)
            .build()
            .parse(text)
            .ok()?;
        let ranges: Vec<RangeInclusive<char>> = match hir.kind() {
            HirKind::Literal(literal) => {
                let mut letters = std::str::from_utf8(&literal.0).ok()?.chars();
                let letter = letters.next()?;
                if letters.next().is_some() {
                    return None;
                }
                vec![letter..=letter]
            }
            HirKind::Class(Class::Unicode(class)) => {
                class.ranges().iter().map(|range| range.start()..=range.end()).collect()
            }
            HirKind::Class(Class::Bytes(class)) => {
                let ranges = class.ranges().iter();
                ranges.map(|range| char::from(range.start())..=char::from(range.end())).collect()
            }
            _ => return None,
        };
        self.ranges += ranges.len();
        if self.ranges > MAX_RANGES {
            return None;
        }
        let position = u32::try_from(self.sets.len()).ok()?;
        self.sets.push(Set::new(ranges));
        self.known.insert((text, flags), position);
        Some(Node::Set(position))
    }

    /// Reads a quantifier, if there is one.
    fn quantified(&mut self, node: Node) -> Option<Node> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(node),
            _ => return Some(node),
        };
        self.next();
        self.repeat(node, min, max)
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`.
    fn counted(&mut self, node: Node) -> Option<Node> {
        self.next();
        let text = self.until('}')?;
        let (min, max) = match text.split_once(',') {
            None => (text.parse().ok()?, Some(text.parse().ok()?)),
            Some((min, "")) => (min.parse().ok()?, None),
            Some((min, max)) => (min.parse().ok()?, Some(max.parse().ok()?)),
        };
        if max.is_some_and(|max| max < min) { None } else { self.repeat(node, min, max) }
    }

    /// Reads the mode of a quantifier. A second quantifier has nothing to repeat.
    fn repeat(&mut self, node: Node, min: u32, max: Option<u32>) -> Option<Node> {
        let is_possessive = self.eat("+");
        let is_lazy = !is_possessive && self.eat("?");
        self.is_possessive |= is_possessive;
        self.skip_space();
        if matches!(self.peek(), Some('*' | '+' | '?' | '{')) {
            return None;
        }
        let repeat = Node::Repeat(Box::new(node), Repeat { min, max, is_lazy });
        Some(if is_possessive { Node::Atomic(Box::new(repeat)) } else { repeat })
    }

    /// Replaces the references to names by those to numbers.
    fn resolve(&self, node: &mut Node) -> Option<()> {
        match node {
            Node::Reference { group, .. } => {
                if let Some(name) = self.named.get(usize::MAX - *group) {
                    *group = *self.names.get(name)?;
                }
            }
            Node::Sequence(nodes) | Node::Alternatives(nodes) => {
                nodes.iter_mut().try_for_each(|node| self.resolve(node))?;
            }
            Node::Group(_, inner)
            | Node::Repeat(inner, _)
            | Node::Atomic(inner)
            | Node::Look { inner, .. } => {
                self.resolve(inner)?;
            }
            Node::Set(_) | Node::Assertion(_) => {}
        }
        Some(())
    }
}
