//! Random expressions.

use super::choices::Choices;
use super::generator::{Generator, Scope, Type};

const CONSTANTS: &[&str] = &[
    "1", "2", "null", "0", "3", "2.5", "-3", "'a'", "'b'", "''", "'ab'", "true", "false", "'k1'", "[1]", "[]",
];
const ATTRIBUTES: &[&str] =
    &["a", "n", "b", "s", "f", "a", "b", "_key", "o.x", "o.y.z", "l", "missing", "o", "l[0]", "_id", "l[-1]"];
const EDGE_ATTRIBUTES: &[&str] = &["w", "n", "_from", "_to", "_key", "missing"];
const VERTEX_ATTRIBUTES: &[&str] = &["n", "a", "b", "s", "_key", "_id", "missing"];
const COMPARISONS: &[&str] = &["==", "!=", "<", "<=", ">", ">="];

fn pick(choices: &mut Choices<'_>, list: &[&str]) -> String {
    choices.pick(list).to_owned()
}

impl Generator<'_, '_> {
    /// Returns a reference to a value, possibly to an attribute inside a document.
    fn reference(&mut self, scope: &Scope) -> String {
        let kinds = [Type::Any, Type::Document, Type::Edge, Type::Vertex, Type::Path, Type::List];
        let found = scope.of_kind(&kinds);
        if found.is_empty() || self.choices.percent(5) {
            return pick(self.choices, CONSTANTS);
        }
        let variable = found[self.choices.below(found.len())].clone();
        match variable.kind {
            Type::Document => match self.choices.below(14) {
                13 => variable.name.clone(),
                12 => format!("{}['{}']", variable.name, self.choices.pick(&["a", "s", "n"])),
                _ => format!("{}.{}", variable.name, self.choices.pick(ATTRIBUTES)),
            },
            Type::Edge => format!("{}.{}", variable.name, self.choices.pick(EDGE_ATTRIBUTES)),
            Type::Vertex => format!("{}.{}", variable.name, self.choices.pick(VERTEX_ATTRIBUTES)),
            Type::Path => self.path_attribute(&variable.name),
            _ => variable.name.clone(),
        }
    }

    /// Returns an expression of any type.
    pub(super) fn value(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return self.reference(scope);
        }
        match self.choices.below(14) {
            0..=5 => self.reference(scope),
            6 => pick(self.choices, CONSTANTS),
            7 => self.number(scope, depth - 1),
            8 => self.text(scope, depth - 1),
            9 => self.list(scope, depth - 1),
            10 => format!(
                "({} ? {} : {})",
                self.condition(scope, depth - 1),
                self.value(scope, depth - 1),
                self.value(scope, depth - 1)
            ),
            11 => {
                let operator = self.choices.pick(&["||", "&&"]);
                format!("({} {operator} {})", self.value(scope, depth - 1), self.value(scope, depth - 1))
            }
            12 => {
                let function = self.choices.pick(&["FIRST", "LAST", "MIN", "MAX"]);
                format!("{function}({})", self.list(scope, depth - 1))
            }
            _ => format!("NOT_NULL({}, {})", self.value(scope, depth - 1), self.value(scope, depth - 1)),
        }
    }

    /// Returns a number whose sums are the same in any order of addition.
    pub(super) fn exact_number(&mut self, scope: &Scope) -> String {
        let documents = scope.of_kind(&[Type::Document]);
        if documents.is_empty() {
            return pick(self.choices, &["1", "2.5", "-3", "null"]);
        }
        let name = documents[self.choices.below(documents.len())].name.clone();
        let attribute = self.choices.pick(&["n", "f", "f", "o.x", "a"]);
        match self.choices.below(4) {
            0 => format!("{name}.{attribute}"),
            1 => format!("({name}.n + {name}.f)"),
            2 => format!("({name}.n * 2 - {name}.f)"),
            _ => format!("({name}.n > 3 ? {name}.f : null)"),
        }
    }

    pub(super) fn number(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return self.reference(scope);
        }
        let bags = scope.of_kind(&[Type::Bag, Type::Opaque]);
        match self.choices.below(6) {
            0 if !bags.is_empty() => format!("LENGTH({})", bags[self.choices.below(bags.len())].name),
            1 => format!("LENGTH({})", self.list(scope, depth - 1)),
            2 => format!("(-{})", self.reference(scope)),
            3 => format!("COUNT_DISTINCT({})", self.any_array(scope, depth - 1)),
            _ => {
                let operator = self.choices.pick(&["+", "-", "*", "%", "/"]);
                format!("({} {operator} {})", self.value(scope, depth - 1), self.value(scope, depth - 1))
            }
        }
    }

    fn text(&mut self, scope: &Scope, depth: usize) -> String {
        match self.choices.below(4) {
            0 => pick(self.choices, &["'a'", "'b'", "''"]),
            1 => format!("CONCAT(TO_STRING({}), 'b')", self.value(scope, depth)),
            2 => format!("UPPER({})", self.reference(scope)),
            _ => format!("TYPENAME({})", self.reference(scope)),
        }
    }

    /// Returns an array whose order does not depend on the order of rows.
    pub(super) fn list(&mut self, scope: &Scope, depth: usize) -> String {
        let documents = scope.of_kind(&[Type::Document]);
        if depth > 0 && self.choices.percent(40) {
            return match self.choices.below(4) {
                0 => self.expansion(scope, depth - 1),
                1 => format!("SORTED({})", self.any_array(scope, depth - 1)),
                2 => format!("SORTED_UNIQUE({})", self.any_array(scope, depth - 1)),
                _ => format!("REVERSE({})", self.list(scope, depth - 1)),
            };
        }
        match self.choices.below(5) {
            0 => pick(self.choices, &["[]", "[1, 2]", "['a', null, 1]", "0..2", "[[1], 2]"]),
            1 if !documents.is_empty() => {
                format!("{}.l", documents[self.choices.below(documents.len())].name)
            }
            2 => format!("TO_ARRAY({})", self.reference(scope)),
            _ => {
                let lists = scope.of_kind(&[Type::List]);
                match lists.is_empty() {
                    true => format!("[{}, {}]", self.reference(scope), self.reference(scope)),
                    false => lists[self.choices.below(lists.len())].name.clone(),
                }
            }
        }
    }

    /// Returns an array that may have any order.
    fn any_array(&mut self, scope: &Scope, depth: usize) -> String {
        let bags = scope.of_kind(&[Type::Bag]);
        match bags.is_empty() {
            true => self.list(scope, depth),
            false => bags[self.choices.below(bags.len())].name.clone(),
        }
    }

    fn expansion(&mut self, scope: &Scope, depth: usize) -> String {
        let list = self.list(scope, depth);
        let mut parts = String::new();
        if self.choices.percent(60) {
            let operator = self.choices.pick(COMPARISONS);
            parts += &format!(" FILTER CURRENT {operator} {}", self.reference(scope));
        }
        if self.choices.percent(20) {
            parts += &format!(" LIMIT {}, {}", self.choices.below(2), self.choices.below(3));
        }
        if self.choices.percent(40) {
            parts += &format!(" RETURN [CURRENT, {}]", self.reference(scope));
        }
        format!("({list})[*{parts}]")
    }

    pub(super) fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.choices.percent(60) {
            return self.simple_condition(scope);
        }
        match self.choices.below(6) {
            0 | 1 => {
                format!("({} AND {})", self.condition(scope, depth - 1), self.condition(scope, depth - 1))
            }
            2 | 3 => {
                format!("({} OR {})", self.condition(scope, depth - 1), self.condition(scope, depth - 1))
            }
            4 => format!("NOT ({})", self.condition(scope, depth - 1)),
            _ => self.value(scope, depth - 1),
        }
    }

    fn simple_condition(&mut self, scope: &Scope) -> String {
        let paths = scope.of_kind(&[Type::Path]);
        if !paths.is_empty() && self.choices.percent(30) {
            let path = paths[self.choices.below(paths.len())].name.clone();
            return self.path_condition(&path);
        }
        let left = self.reference(scope);
        match self.choices.below(12) {
            0..=3 => format!("{left} == {}", self.reference(scope)),
            4 | 5 => format!("{left} {} {}", self.choices.pick(COMPARISONS), pick(self.choices, CONSTANTS)),
            6 => format!("{left} {} {}", self.choices.pick(COMPARISONS), self.reference(scope)),
            7 => {
                let members: Vec<String> =
                    (0..self.choices.below(4)).map(|_| self.reference(scope)).collect();
                format!("{left} {} [{}]", self.choices.pick(&["IN", "IN", "NOT IN"]), members.join(", "))
            }
            8 => format!("{} IN {}", pick(self.choices, CONSTANTS), self.any_array(scope, 1)),
            9 => {
                let (quantifier, operator) =
                    (self.choices.pick(&["ANY", "ALL", "NONE"]), self.choices.pick(COMPARISONS));
                format!("{} {quantifier} {operator} {left}", self.list(scope, 0))
            }
            10 => format!("({left} >= {} AND {left} < {})", self.choices.below(3), 1 + self.choices.below(5)),
            _ => format!(
                "{}({left})",
                self.choices.pick(&["IS_NULL", "IS_NUMBER", "IS_STRING", "IS_ARRAY", "TO_BOOL"])
            ),
        }
    }
}
