//! Random queries whose result does not depend on the plan.
//!
//! Rows have no order unless the query sorts them by a key that distinguishes all of them. Only
//! then does the query take the first rows. A value that depends on the order of rows is a *bag*.
//! The query uses only properties of a bag that are the same in any order.

use std::fmt::Write;

use super::choices::Choices;
use super::data::COLLECTIONS;

/// The known type of an expression or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// Any value.
    Any,
    /// A document of `c` or `d`.
    Document,
    /// An edge, or null.
    Edge,
    /// A document that a graph search has reached, or null.
    Vertex,
    /// A path through the graph.
    Path,
    /// An array.
    List,
    /// An array without a defined order.
    Bag,
    /// An array without a defined order, whose members are such arrays.
    Opaque,
}

#[derive(Clone)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) kind: Type,
}

/// The variables in scope.
#[derive(Clone, Default)]
pub(super) struct Scope {
    /// Variables of the enclosing queries.
    pub(super) outer: Vec<Variable>,
    pub(super) own: Vec<Variable>,
    /// Expressions that together distinguish the rows, if there are any.
    identity: Option<Vec<String>>,
    is_ordered: bool,
    has_loop: bool,
}

impl Scope {
    fn inner(&self) -> Self {
        let outer = self.outer.iter().chain(&self.own).cloned().collect();
        Scope { outer, own: Vec::new(), identity: Some(Vec::new()), is_ordered: true, has_loop: false }
    }

    pub(super) fn of_kind(&self, kinds: &[Type]) -> Vec<&Variable> {
        self.own.iter().chain(&self.outer).filter(|variable| kinds.contains(&variable.kind)).collect()
    }

    /// Turns each row into several, which the expression distinguishes.
    fn multiply(&mut self, identity: Option<String>) {
        (self.is_ordered, self.has_loop) = (false, true);
        self.identity = match (self.identity.take(), identity) {
            (Some(mut all), Some(own)) => {
                all.push(own);
                Some(all)
            }
            _ => None,
        };
    }

    pub(super) fn add(&mut self, name: &str, kind: Type) {
        self.own.push(Variable { name: name.to_owned(), kind });
    }
}

/// A query or subquery.
pub(super) struct Block {
    pub(super) text: String,
    /// The type of the array of its results.
    pub(super) kind: Type,
}

/// A query, and whether its results have a defined order.
pub(crate) struct Query {
    pub(crate) text: String,
    pub(crate) is_ordered: bool,
}

pub(crate) fn query(choices: &mut Choices<'_>) -> Query {
    let mut generator = Generator::new(choices, 3, 3);
    let block = generator.block(&Scope::default(), true);
    Query { is_ordered: block.kind == Type::List, text: block.text }
}

pub(super) struct Generator<'a, 'b> {
    pub(super) choices: &'a mut Choices<'b>,
    names: u32,
    /// Loops that may still be opened; each of them multiplies the rows.
    loops: u32,
    pub(super) subqueries: u32,
}

impl<'a, 'b> Generator<'a, 'b> {
    /// Returns a generator with these limits of loops and subqueries.
    pub(super) fn new(choices: &'a mut Choices<'b>, loops: u32, subqueries: u32) -> Self {
        Generator { choices, names: 0, loops, subqueries }
    }
}

impl Generator<'_, '_> {
    pub(super) fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Returns a query inside an enclosing scope.
    pub(super) fn block(&mut self, around: &Scope, is_top: bool) -> Block {
        let mut scope = around.inner();
        let mut text = String::new();
        if self.choices.percent(95) {
            text += &self.loop_(&mut scope);
        }
        for _ in 0..self.choices.below(if is_top { 6 } else { 3 }) {
            text += &match self.choices.below(10) {
                0..=3 => format!("FILTER {} ", self.condition(&scope, 2)),
                4 => self.let_(&mut scope),
                5 if self.loops > 0 => self.loop_(&mut scope),
                5 | 6 => self.sort(&mut scope),
                7 => self.collect(&mut scope, is_top),
                8 if scope.is_ordered && scope.has_loop && self.choices.percent(30) => {
                    self.window(&mut scope)
                }
                8 if scope.is_ordered => {
                    format!("LIMIT {}, {} ", self.choices.below(3), self.choices.below(6))
                }
                _ => self.let_(&mut scope),
            };
        }
        self.finish(text, &mut scope)
    }

    fn finish(&mut self, mut text: String, scope: &mut Scope) -> Block {
        if !scope.is_ordered && self.choices.percent(50) {
            text += &self.sort(scope);
            if scope.is_ordered && self.choices.percent(40) {
                write!(text, "LIMIT {} ", 1 + self.choices.below(4)).unwrap();
            }
        }
        let bags = scope.of_kind(&[Type::Bag, Type::Opaque]);
        if !bags.is_empty() && self.choices.percent(40) {
            let names: Vec<&str> = bags.iter().map(|bag| bag.name.as_str()).collect();
            write!(text, "RETURN [{}]", names.join(", ")).unwrap();
            return Block { text, kind: Type::Opaque };
        }
        let distinct = scope.has_loop && self.choices.percent(10);
        let value = match self.choices.below(4) {
            0 => self.value(scope, 2),
            1 => format!("{{p: {}, q: {}}}", self.value(scope, 2), self.condition(scope, 1)),
            2 => format!("[{}, {}]", self.value(scope, 1), self.number(scope, 2)),
            _ => self.value(scope, 1),
        };
        write!(text, "RETURN {}{value}", if distinct { "DISTINCT " } else { "" }).unwrap();
        Block { text, kind: if scope.is_ordered && !distinct { Type::List } else { Type::Bag } }
    }

    fn loop_(&mut self, scope: &mut Scope) -> String {
        self.loops = self.loops.saturating_sub(1);
        if self.choices.percent(15) {
            let (text, identity) = self.paths(scope);
            scope.multiply(Some(identity));
            return text;
        }
        let name = self.name();
        let (source, kind, is_distinct) = match self.choices.below(12) {
            0 => ("[1, 2, 3]".to_owned(), Type::Any, true),
            1 => (format!("{}..{}", self.choices.below(3), self.choices.below(5)), Type::Any, true),
            2 => (self.list(scope, 1), Type::Any, false),
            3 if self.subqueries > 0 => {
                self.subqueries -= 1;
                let block = self.block(scope, false);
                if block.kind == Type::Opaque {
                    scope.add(&name, Type::Opaque);
                    return self.looped(scope, &name, &format!("({})", block.text), None);
                }
                (format!("({})", block.text), Type::Any, false)
            }
            4 | 5 => ("e".to_owned(), Type::Edge, true),
            _ => (self.choices.pick(COLLECTIONS).to_owned(), Type::Document, true),
        };
        scope.add(&name, kind);
        let identity = is_distinct.then(|| match kind {
            Type::Any => name.clone(),
            _ => format!("{name}._key"),
        });
        self.looped(scope, &name, &source, identity)
    }

    fn looped(&self, scope: &mut Scope, name: &str, source: &str, identity: Option<String>) -> String {
        scope.multiply(identity);
        format!("FOR {name} IN {source} ")
    }

    fn let_(&mut self, scope: &mut Scope) -> String {
        let name = self.name();
        if self.subqueries > 0 && self.choices.percent(40) {
            self.subqueries -= 1;
            let block = self.block(scope, false);
            scope.add(&name, block.kind);
            return format!("LET {name} = ({}) ", block.text);
        }
        let (value, kind) = match self.choices.below(5) {
            4 if self.choices.percent(30) => (self.distance(), Type::Any),
            0 => (self.list(scope, 2), Type::List),
            1 => (self.number(scope, 2), Type::Any),
            _ => (self.value(scope, 2), Type::Any),
        };
        scope.add(&name, kind);
        format!("LET {name} = {value} ")
    }

    /// Returns a SORT by some values and, in most cases, by the identity of the rows.
    fn sort(&mut self, scope: &mut Scope) -> String {
        let mut keys: Vec<String> = (0..self.choices.below(3)).map(|_| self.value(scope, 1)).collect();
        let identity = scope.identity.clone().filter(|_| self.choices.percent(80));
        scope.is_ordered = identity.is_some();
        keys.extend(identity.into_iter().flatten());
        if keys.is_empty() {
            // There is only one row.
            return String::new();
        }
        let direction = |choices: &mut Choices<'_>| choices.pick(&["", " DESC", " ASC"]).to_owned();
        let keys: Vec<String> = keys.iter().map(|key| format!("{key}{}", direction(self.choices))).collect();
        format!("SORT {} ", keys.join(", "))
    }

    fn collect(&mut self, scope: &mut Scope, is_top: bool) -> String {
        let mut text = "COLLECT ".to_owned();
        let keys: Vec<(String, String)> =
            (0..self.choices.below(3)).map(|_| (self.name(), self.value(scope, 1))).collect();
        let groups: Vec<String> = keys.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        write!(text, "{} ", groups.join(", ")).unwrap();
        let mut added: Vec<Variable> =
            keys.iter().map(|(name, _)| Variable { name: name.clone(), kind: Type::Any }).collect();
        match self.choices.below(5) {
            0 if !keys.is_empty() => {}
            1 | 2 => text += &self.aggregates(scope, &mut added),
            3 => text += &self.into(scope, is_top, &mut added),
            _ => {
                let name = self.name();
                write!(text, "WITH COUNT INTO {name} ").unwrap();
                added.push(Variable { name, kind: Type::Any });
            }
        }
        if !keys.is_empty() {
            text += self.choices.pick(&["", "", "OPTIONS {method: 'hash'} ", "OPTIONS {method: 'sorted'} "]);
        }
        scope.own = added;
        scope.identity = Some(keys.into_iter().map(|(name, _)| name).collect());
        scope.is_ordered = scope.identity.as_ref().is_some_and(Vec::is_empty);
        text
    }

    /// Returns a WINDOW with aggregates over neighbouring rows.
    fn window(&mut self, scope: &mut Scope) -> String {
        let mut added = Vec::new();
        let aggregates = self.aggregates(scope, &mut added);
        scope.own.extend(added);
        let end = |choices: &mut Choices<'_>| choices.pick(&["0", "1", "2", "'unbounded'"]).to_owned();
        let (preceding, following) = (end(self.choices), end(self.choices));
        format!("WINDOW {{preceding: {preceding}, following: {following}}} {aggregates}")
    }

    fn aggregates(&mut self, scope: &Scope, added: &mut Vec<Variable>) -> String {
        let mut parts = Vec::new();
        for _ in 0..1 + self.choices.below(3) {
            let name = self.name();
            let function = self.choices.pick(&[
                "SUM",
                "AVG",
                "MIN",
                "MAX",
                "COUNT",
                "LENGTH",
                "COUNT_DISTINCT",
                "SORTED_UNIQUE",
                "UNIQUE",
                "PUSH",
                "BIT_AND",
                "BIT_OR",
                "BIT_XOR",
            ]);
            let (argument, kind) = match function {
                // Sums of exact numbers are the same in any order.
                "SUM" | "AVG" => (self.exact_number(scope), Type::Any),
                "SORTED_UNIQUE" => (self.value(scope, 1), Type::List),
                "UNIQUE" | "PUSH" => (self.value(scope, 1), Type::Bag),
                "BIT_AND" | "BIT_OR" | "BIT_XOR" => (format!("{} % 7", self.exact_number(scope)), Type::Any),
                _ => (self.value(scope, 1), Type::Any),
            };
            parts.push(format!("{name} = {function}({argument})"));
            added.push(Variable { name, kind });
        }
        format!("AGGREGATE {} ", parts.join(", "))
    }

    fn into(&mut self, scope: &Scope, is_top: bool, added: &mut Vec<Variable>) -> String {
        let name = self.name();
        let is_plain = |variable: &Variable| !matches!(variable.kind, Type::Bag | Type::Opaque);
        let kind_of = |mut members: std::slice::Iter<'_, Variable>| {
            if members.all(is_plain) { Type::Bag } else { Type::Opaque }
        };
        let (text, kind) = match self.choices.below(3) {
            // Inside another query, the set of gathered variables is unspecified.
            0 if is_top => (format!("INTO {name} "), kind_of(scope.own.iter())),
            1 if !scope.own.is_empty() => {
                let kept = scope.own[self.choices.below(scope.own.len())].clone();
                (format!("INTO {name} KEEP {} ", kept.name), kind_of([kept].iter()))
            }
            _ => (format!("INTO {name} = {} ", self.value(scope, 1)), Type::Bag),
        };
        added.push(Variable { name, kind });
        text
    }
}
