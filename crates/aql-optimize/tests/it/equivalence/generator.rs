//! Random queries over the test database.

use std::fmt::Write;

/// Returns the query of a seed.
pub(crate) fn query(seed: u64) -> String {
    let mut generator = Generator::new(seed);
    let mut scope = Scope::default();
    generator.block(&mut scope, 2)
}

/// The variables and values that are in scope.
#[derive(Clone, Default)]
struct Scope {
    documents: Vec<String>,
    values: Vec<String>,
}

pub(crate) struct Generator {
    state: u64,
    names: u32,
}

const COLLECTIONS: &[&str] = &["users", "users", "users", "cities", "plain", "products", "knows"];
const ATTRIBUTES: &[&str] = &[
    "age",
    "age",
    "age",
    "city",
    "city",
    "email",
    "nick",
    "tags",
    "_key",
    "_id",
    "_from",
    "name",
    "x",
    "a.b",
    "address.zip",
    "id",
];
const CONSTANTS: &[&str] =
    &["1", "2", "3", "4", "'a'", "'b'", "'x'", "'e1'", "'n1'", "null", "true", "'users/1'", "'1'"];

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, names: 0 }
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % bound
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Writes a whole query or subquery. Loops are few, because each one multiplies the rows.
    fn block(&mut self, scope: &mut Scope, loops: usize) -> String {
        let mut text = String::new();
        let mut own = Vec::new();
        let mut loops_left = loops;
        for _ in 0..2 + self.below(5) {
            match self.below(9) {
                0..=2 if loops_left > 0 => {
                    loops_left -= 1;
                    let name = self.name();
                    match self.below(6) {
                        0 => {
                            write!(text, "FOR {name} IN [1, 2, 3] ").unwrap();
                            scope.values.push(name);
                        }
                        1 if loops > 1 => {
                            let inner = self.block(&mut scope.clone(), 1);
                            write!(text, "FOR {name} IN ({inner}) ").unwrap();
                            scope.values.push(name);
                        }
                        _ => {
                            write!(text, "FOR {name} IN {} ", self.pick(COLLECTIONS)).unwrap();
                            own.push(name.clone());
                            scope.documents.push(name);
                        }
                    }
                }
                3..=5 => write!(text, "FILTER {} ", self.condition(scope, 2)).unwrap(),
                6 => {
                    let name = self.name();
                    write!(text, "LET {name} = {} ", self.value(scope, 2)).unwrap();
                    scope.values.push(name);
                }
                7 if loops > 1 => {
                    let name = self.name();
                    let inner = self.block(&mut scope.clone(), 1);
                    write!(text, "LET {name} = ({inner}) ").unwrap();
                    scope.values.push(format!("LENGTH({name})"));
                    let first = self.pick(&["FIRST", "LENGTH"]);
                    scope.values.push(format!("{first}({name})"));
                }
                8 => text += &self.reshape(scope, &own),
                _ => {}
            }
        }
        write!(text, "RETURN {}", self.result(scope)).unwrap();
        text
    }

    /// Writes SORT, SORT with LIMIT by all keys, or COLLECT.
    fn reshape(&mut self, scope: &mut Scope, own: &[String]) -> String {
        match self.below(4) {
            0 => format!("SORT {}, {} DESC ", self.value(scope, 1), self.value(scope, 1)),
            1 => format!("SORT {} ", self.value(scope, 1)),
            2 if own.len() == 1 && scope.documents == own && scope.values.is_empty() => {
                format!(
                    "SORT {}, {}._key LIMIT {}, {} ",
                    self.value(scope, 1),
                    own[0],
                    self.below(2),
                    1 + self.below(4)
                )
            }
            _ => self.collect(scope),
        }
    }

    fn collect(&mut self, scope: &mut Scope) -> String {
        let (key, extra) = (self.name(), self.name());
        let value = self.value(scope, 1);
        let text = match self.below(4) {
            0 => format!("COLLECT {key} = {value} "),
            1 => format!("COLLECT {key} = {value} WITH COUNT INTO {extra} "),
            2 => format!("COLLECT {key} = {value} AGGREGATE {extra} = MAX({}) ", self.value(scope, 1)),
            _ => format!("COLLECT {key} = {value} INTO {extra} = {} ", self.value(scope, 1)),
        };
        scope.documents.clear();
        scope.values = vec![key];
        if !text.ends_with(&format!("{value} ")) || text.contains("INTO") {
            scope.values.push(extra);
        }
        text
    }

    fn result(&mut self, scope: &Scope) -> String {
        match self.below(4) {
            0 if !scope.documents.is_empty() => {
                let position = self.below(scope.documents.len());
                scope.documents[position].clone()
            }
            1 => format!("[{}, {}]", self.value(scope, 2), self.condition(scope, 1)),
            2 => format!("{{a: {}, b: {}}}", self.value(scope, 1), self.value(scope, 1)),
            _ => self.value(scope, 2),
        }
    }

    fn attribute(&mut self, scope: &Scope) -> Option<String> {
        let position = self.below(scope.documents.len().max(1));
        let document = scope.documents.get(position)?;
        Some(format!("{document}.{}", self.pick(ATTRIBUTES)))
    }

    fn value(&mut self, scope: &Scope, depth: usize) -> String {
        match self.below(if depth == 0 { 3 } else { 6 }) {
            0 => self.pick(CONSTANTS).to_owned(),
            1 if !scope.values.is_empty() => {
                let position = self.below(scope.values.len());
                scope.values[position].clone()
            }
            3 => format!("CONCAT({}, {})", self.value(scope, depth - 1), self.value(scope, depth - 1)),
            4 => format!(
                "({} ? {} : {})",
                self.condition(scope, depth - 1),
                self.value(scope, depth - 1),
                self.value(scope, depth - 1)
            ),
            5 => format!(
                "TO_ARRAY({})[* FILTER CURRENT != {}]",
                self.value(scope, depth - 1),
                self.pick(CONSTANTS)
            ),
            _ => self.attribute(scope).unwrap_or_else(|| self.pick(CONSTANTS).to_owned()),
        }
    }

    fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        let left = self.attribute(scope).unwrap_or_else(|| self.value(scope, 0));
        match self.below(if depth == 0 { 6 } else { 10 }) {
            0 | 1 => format!("{left} == {}", self.value(scope, 0)),
            2 => format!("{left} {} {}", self.pick(&["<", "<=", ">", ">=", "!="]), self.value(scope, 0)),
            3 => format!("{left} IN [{}, {}]", self.value(scope, 0), self.pick(CONSTANTS)),
            4 => format!("{} IN {left}", self.value(scope, 0)),
            5 => format!("{left} == {}", self.attribute(scope).unwrap_or_else(|| "1".to_owned())),
            6 => format!("({} && {})", self.condition(scope, depth - 1), self.condition(scope, depth - 1)),
            7 => format!("({} || {})", self.condition(scope, depth - 1), self.condition(scope, depth - 1)),
            8 => format!("!({})", self.condition(scope, depth - 1)),
            _ => format!("{left} ANY == {}", self.value(scope, 0)),
        }
    }
}
