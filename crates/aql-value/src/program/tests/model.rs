//! A naive evaluator: one row at a time, over a value type of its own, by the rules of AQL's
//! reference.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::tree::{Count, Tree};
use crate::program::{ArithmeticOperator, ArrayOperator, CompareOperator, UnaryOperator};
use crate::value::{Kind, Value};

/// A value, as plain as possible. Numbers are doubles; tests use only those that doubles represent
/// exactly.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Model {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Model>),
    Object(BTreeMap<String, Model>),
}

impl Model {
    pub(super) fn of(value: &Value) -> Self {
        match value.kind() {
            Kind::Null => Self::Null,
            Kind::Bool => Self::Bool(value.as_bool().unwrap()),
            Kind::Number => Self::Number(value.as_f64().unwrap()),
            Kind::String => Self::Text(value.as_str().unwrap().to_owned()),
            Kind::Array => Self::Array(value.elements().map(|element| Self::of(&element)).collect()),
            Kind::Object => Self::Object(
                value.entries().map(|(name, value)| (name.to_owned(), Self::of(&value))).collect(),
            ),
        }
    }

    fn truth(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Array(_) | Self::Object(_) => true,
        }
    }

    fn number(&self) -> f64 {
        match self {
            Self::Null | Self::Object(_) => 0.0,
            Self::Bool(value) => f64::from(u8::from(*value)),
            Self::Number(number) => *number,
            Self::Text(text) => text.trim().parse().unwrap_or(0.0),
            Self::Array(elements) if elements.len() == 1 => elements[0].number(),
            Self::Array(_) => 0.0,
        }
    }

    /// Returns true if the value contains a zero.
    ///
    /// Doubles have a negative zero, which is written `-0`, and integers have none. The model does
    /// not distinguish them.
    fn has_zero(&self) -> bool {
        match self {
            Self::Number(number) => *number == 0.0,
            Self::Array(elements) => elements.iter().any(Self::has_zero),
            Self::Object(entries) => entries.values().any(Self::has_zero),
            Self::Null | Self::Bool(_) | Self::Text(_) => false,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Text(text) => text.clone(),
            other => other.json(),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Bool(value) => value.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("\"{text}\""),
            Self::Array(elements) => {
                format!("[{}]", elements.iter().map(Self::json).collect::<Vec<_>>().join(","))
            }
            // The order of attributes is not modelled: the tests compute no names from objects of
            // several attributes.
            Self::Object(entries) => {
                let entries = entries.iter().map(|(name, value)| format!("\"{name}\":{}", value.json()));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
            }
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Number(_) => 2,
            Self::Text(_) => 3,
            Self::Array(_) => 4,
            Self::Object(_) => 5,
        }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            (Self::Number(left), Self::Number(right)) => left.partial_cmp(right).unwrap(),
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            (Self::Array(left), Self::Array(right)) => (0..left.len().max(right.len()))
                .map(|n| left.get(n).unwrap_or(&Self::Null).compare(right.get(n).unwrap_or(&Self::Null)))
                .find(|ordering| ordering.is_ne())
                .unwrap_or(Ordering::Equal),
            (Self::Object(left), Self::Object(right)) => {
                let names: std::collections::BTreeSet<_> = left.keys().chain(right.keys()).collect();
                let attribute = |object: &BTreeMap<String, Self>, name: &String| {
                    object.get(name).cloned().unwrap_or(Self::Null)
                };
                names
                    .into_iter()
                    .map(|name| attribute(left, name).compare(&attribute(right, name)))
                    .find(|ordering| ordering.is_ne())
                    .unwrap_or(Ordering::Equal)
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn contains(&self, element: &Self) -> Option<bool> {
        match self {
            Self::Array(elements) => Some(elements.iter().any(|own| own.compare(element).is_eq())),
            _ => None,
        }
    }
}

/// One row: the registers, and a flag that a warning sets.
pub(super) struct Naive {
    pub(super) registers: BTreeMap<usize, Model>,
    pub(super) warned: bool,
    /// True if a zero was cast to text: the program's text is then unknown.
    pub(super) has_written_zero: bool,
}

impl Naive {
    pub(super) fn evaluate(&mut self, tree: &Tree) -> Model {
        match tree {
            Tree::Register(register) => self.registers.get(register).cloned().unwrap_or(Model::Null),
            Tree::Constant(value) => Model::of(value),
            Tree::Attribute(base, name) => match self.evaluate(base) {
                Model::Object(entries) => entries.get(name.as_str()).cloned().unwrap_or(Model::Null),
                _ => Model::Null,
            },
            Tree::Index(base, index) => self.index(base, index),
            Tree::Unary(operator, operand) => {
                let operand = self.evaluate(operand);
                match operator {
                    UnaryOperator::Not => Model::Bool(!operand.truth()),
                    UnaryOperator::Plus => Model::Number(operand.number()),
                    UnaryOperator::Minus => Model::Number(-operand.number()),
                }
            }
            Tree::Arithmetic(operator, left, right) => self.arithmetic(*operator, left, right),
            Tree::Compare(operator, left, right) => {
                let (left, right) = (self.evaluate(left), self.evaluate(right));
                Model::Bool(holds(*operator, &left, &right))
            }
            Tree::In(needle, haystack, negated) => {
                let (needle, haystack) = (self.evaluate(needle), self.evaluate(haystack));
                Model::Bool(haystack.contains(&needle).is_some_and(|found| found != *negated))
            }
            Tree::ArrayCompare(count, operator, left, right) => {
                self.array_compare(count, *operator, left, right)
            }
            Tree::Range(low, high) => {
                let (low, high) = (self.evaluate(low).number() as i64, self.evaluate(high).number() as i64);
                let numbers: Vec<i64> =
                    if low <= high { (low..=high).collect() } else { (high..=low).rev().collect() };
                Model::Array(numbers.into_iter().map(|number| Model::Number(number as f64)).collect())
            }
            Tree::Array(elements) => {
                Model::Array(elements.iter().map(|element| self.evaluate(element)).collect())
            }
            Tree::Object(members) => {
                let mut object = BTreeMap::new();
                for (name, value) in members {
                    let name = match name {
                        Ok(fixed) => fixed.clone(),
                        Err(computed) => {
                            let name = self.evaluate(computed);
                            self.text_of(&name)
                        }
                    };
                    let value = self.evaluate(value);
                    object.entry(name).or_insert(value);
                }
                Model::Object(object)
            }
            Tree::And(operands) => self.chain(operands, true),
            Tree::Or(operands) => self.chain(operands, false),
            Tree::Choose(condition, then, otherwise) => {
                let condition = self.evaluate(condition);
                match (condition.truth(), then) {
                    (true, None) => condition,
                    (true, Some(then)) => self.evaluate(then),
                    (false, _) => self.evaluate(otherwise),
                }
            }
            Tree::Expansion(_) => self.expansion(tree),
            Tree::Question(..) => self.question(tree),
        }
    }

    fn text_of(&mut self, value: &Model) -> String {
        self.has_written_zero |= value.has_zero();
        value.text()
    }

    fn index(&mut self, base: &Tree, index: &Tree) -> Model {
        let (base, index) = (self.evaluate(base), self.evaluate(index));
        match (&base, &index) {
            (Model::Object(entries), Model::Number(_) | Model::Text(_)) => {
                entries.get(&self.text_of(&index)).cloned().unwrap_or(Model::Null)
            }
            (Model::Array(elements), Model::Number(number)) => {
                let position = number.floor();
                let position = if position < 0.0 { position + elements.len() as f64 } else { position };
                if position < 0.0 {
                    Model::Null
                } else {
                    elements.get(position as usize).cloned().unwrap_or(Model::Null)
                }
            }
            (Model::Array(elements), Model::Text(text)) => match text.parse::<i64>() {
                Ok(position) => {
                    let position = if position < 0 { position + elements.len() as i64 } else { position };
                    usize::try_from(position)
                        .ok()
                        .and_then(|n| elements.get(n))
                        .cloned()
                        .unwrap_or(Model::Null)
                }
                Err(_) => Model::Null,
            },
            _ => Model::Null,
        }
    }

    fn arithmetic(&mut self, operator: ArithmeticOperator, left: &Tree, right: &Tree) -> Model {
        let (left, right) = (self.evaluate(left).number(), self.evaluate(right).number());
        let result = match operator {
            ArithmeticOperator::Add => left + right,
            ArithmeticOperator::Subtract => left - right,
            ArithmeticOperator::Multiply => left * right,
            ArithmeticOperator::Divide | ArithmeticOperator::Modulo if right == 0.0 => {
                self.warned = true;
                return Model::Null;
            }
            ArithmeticOperator::Divide => left / right,
            ArithmeticOperator::Modulo => left % right,
        };
        if result.is_finite() { Model::Number(result) } else { Model::Null }
    }

    fn chain(&mut self, operands: &[Tree], go_on_if: bool) -> Model {
        let mut result = Model::Null;
        for operand in operands {
            result = self.evaluate(operand);
            if result.truth() != go_on_if {
                break;
            }
        }
        result
    }

    fn satisfied(&mut self, count: &Count, matching: usize, len: usize) -> bool {
        let mut number = |tree: &Tree| self.evaluate(tree).number().max(0.0) as usize;
        match count {
            Count::All => matching == len,
            Count::Any => matching > 0,
            Count::None => matching == 0,
            Count::AtLeast(tree) => matching >= number(tree),
            Count::Between(low, high) => (number(low)..=number(high)).contains(&matching),
        }
    }

    fn array_compare(&mut self, count: &Count, operator: ArrayOperator, left: &Tree, right: &Tree) -> Model {
        let (left, right) = (self.evaluate(left), self.evaluate(right));
        // The number is always evaluated.
        self.satisfied(count, 0, 0);
        let Model::Array(elements) = left else { return Model::Bool(false) };
        let is_membership = matches!(operator, ArrayOperator::In | ArrayOperator::NotIn);
        if is_membership && !matches!(right, Model::Array(_)) {
            return Model::Bool(false);
        }
        let test = |element: &&Model| match operator {
            ArrayOperator::Compare(operator) => holds(operator, element, &right),
            ArrayOperator::In => right.contains(element) == Some(true),
            ArrayOperator::NotIn => right.contains(element) == Some(false),
        };
        let matching = elements.iter().filter(test).count();
        Model::Bool(self.satisfied(count, matching, elements.len()))
    }

    fn with_element(&mut self, register: usize, element: &Model, tree: &Tree) -> Model {
        let before = self.registers.insert(register, element.clone());
        let result = self.evaluate(tree);
        match before {
            Some(before) => self.registers.insert(register, before),
            None => self.registers.remove(&register),
        };
        result
    }

    fn expansion(&mut self, tree: &Tree) -> Model {
        let Tree::Expansion(expansion) = tree else { unreachable!() };
        let input = self.evaluate(&expansion.input);
        let mut number = |tree: &Option<Tree>, missing: f64| {
            tree.as_ref().map_or(missing, |tree| self.evaluate(tree).number().trunc())
        };
        let (offset, limit) = (number(&expansion.offset, 0.0), number(&expansion.limit, f64::MAX));
        let limit = if offset < 0.0 { 0 } else { limit.max(0.0) as usize };
        let mut passed = Vec::new();
        for element in flatten(&input, expansion.levels - 1) {
            let keep = match &expansion.filter {
                Some(filter) => self.with_element(expansion.element, &element, filter).truth(),
                None => true,
            };
            if keep {
                passed.push(element);
            }
        }
        let kept = passed.into_iter().skip(offset.max(0.0) as usize).take(limit);
        let project = |element: Model| match &expansion.projection {
            Some(projection) => self.with_element(expansion.element, &element, projection),
            None => element,
        };
        Model::Array(kept.map(project).collect())
    }

    fn question(&mut self, tree: &Tree) -> Model {
        let Tree::Question(input, count, element, filter) = tree else { unreachable!() };
        let input = self.evaluate(input);
        let elements = flatten(&input, 0);
        let mut matching = 0;
        for value in &elements {
            matching += usize::from(match filter {
                Some(filter) => self.with_element(*element, value, filter).truth(),
                None => true,
            });
        }
        let satisfied = self.satisfied(count, matching, elements.len());
        Model::Bool(matches!(input, Model::Array(_)) && satisfied)
    }
}

fn holds(operator: CompareOperator, left: &Model, right: &Model) -> bool {
    let ordering = left.compare(right);
    match operator {
        CompareOperator::Equal => ordering.is_eq(),
        CompareOperator::NotEqual => ordering.is_ne(),
        CompareOperator::Less => ordering.is_lt(),
        CompareOperator::LessEqual => ordering.is_le(),
        CompareOperator::Greater => ordering.is_gt(),
        CompareOperator::GreaterEqual => ordering.is_ge(),
    }
}

fn flatten(value: &Model, levels: u32) -> Vec<Model> {
    let Model::Array(elements) = value else { return Vec::new() };
    let mut flat = Vec::new();
    for element in elements {
        match element {
            Model::Array(_) if levels > 0 => flat.extend(flatten(element, levels - 1)),
            _ => flat.push(element.clone()),
        }
    }
    flat
}
