//! Equality of expressions by construction: equal expressions compute the same from the same row.

use aql_value::Value;

use super::{
    ArithmeticOperator, CompareOperator, ElementOperator, Expression, MemberName, Quantifier, UnaryOperator,
};
use crate::variable::VariableId;

/// The identity of an expression as bytes, for maps and comparisons.
pub type Identity = Vec<u8>;

impl Expression {
    /// Returns bytes that two expressions have in common only if they are built alike.
    ///
    /// They have the same operators, functions, variables and constants to the bit (`1` is not
    /// `1.0`, although they are equal). Names of element variables do not count.
    pub fn identity(&self) -> Identity {
        let mut writer = Writer { out: Vec::new(), elements: Vec::new() };
        writer.expression(self);
        writer.out
    }

    /// Returns true if both expressions are built alike.
    pub fn is_same(&self, other: &Expression) -> bool {
        match (self, other) {
            (Self::Variable(left), Self::Variable(right)) => left == right,
            (Self::Attribute { base: left, name }, Self::Attribute { base: right, name: other }) => {
                name == other && left.is_same(right)
            }
            (Self::Constant(left), Self::Constant(right)) => is_same_value(left, right),
            _ => {
                std::mem::discriminant(self) == std::mem::discriminant(other)
                    && self.identity() == other.identity()
            }
        }
    }
}

/// Returns true if both values are the same to the bit.
fn is_same_value(left: &Value, right: &Value) -> bool {
    left.with_slice(|left, _| right.with_slice(|right, _| left.bytes() == right.bytes()))
}

struct Writer {
    out: Vec<u8>,
    /// Element variables of the enclosing expansions.
    elements: Vec<VariableId>,
}

impl Writer {
    /// Writes an expression. It starts with a tag, and lists with their length, so that different
    /// trees have different bytes.
    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Constant(value) => {
                self.tag(1);
                value.with_slice(|slice, _| self.bytes(slice.bytes()));
            }
            Expression::Variable(id) => self.variable(*id),
            Expression::Parameter(parameter) => self.list(19, parameter.slot),
            Expression::Attribute { name, .. } => {
                self.tag(3);
                self.bytes(name.as_bytes());
            }
            Expression::Index { .. } => self.tag(4),
            Expression::Unary { operator, .. } => self.tags(5, unary(*operator)),
            Expression::Arithmetic { operator, .. } => self.tags(6, arithmetic(*operator)),
            Expression::Compare { operator, .. } => self.tags(7, compare(*operator)),
            Expression::In { negated, .. } => self.tags(8, u8::from(*negated)),
            Expression::ArrayCompare(compare) => {
                self.tags(9, element_operator(compare.operator));
                self.quantifier(&compare.quantifier);
            }
            Expression::And(operands) => self.list(10, operands.len()),
            Expression::Or(operands) => self.list(11, operands.len()),
            Expression::Ternary { then, .. } => self.tags(12, u8::from(then.is_some())),
            Expression::Range { .. } => self.tag(13),
            Expression::Array(members) => self.list(14, members.len()),
            Expression::Object(members) => {
                self.list(15, members.len());
                members.iter().for_each(|member| match &member.name {
                    MemberName::Fixed(name) => self.bytes(name.as_bytes()),
                    MemberName::Computed(_) => self.number(usize::MAX),
                });
            }
            Expression::Call { function, arguments } => {
                self.list(16, arguments.len());
                self.bytes(function.name.as_bytes());
            }
            Expression::Expansion(expansion) => {
                self.tag(17);
                self.out.extend_from_slice(&expansion.levels.to_le_bytes());
                let parts = [&expansion.filter, &expansion.offset, &expansion.limit, &expansion.projection];
                self.out.extend(parts.map(|part| u8::from(part.is_some())));
            }
            Expression::ArrayQuestion(question) => {
                self.tags(18, u8::from(question.filter.is_some()));
                self.out.extend_from_slice(&question.levels.to_le_bytes());
                self.quantifier(&question.quantifier);
            }
        }
        let element = expression.element();
        self.elements.extend(element);
        expression.for_each_child(&mut |child| self.expression(child));
        if element.is_some() {
            self.elements.pop();
        }
    }

    fn variable(&mut self, id: VariableId) {
        match self.elements.iter().position(|element| *element == id) {
            Some(depth) => self.list(2, depth),
            None => self.list(0, id.index()),
        }
    }

    fn quantifier(&mut self, quantifier: &Quantifier) {
        self.tag(match quantifier {
            Quantifier::All => 0,
            Quantifier::Any => 1,
            Quantifier::None => 2,
            Quantifier::AtLeast(_) => 3,
            Quantifier::Exactly(_) => 4,
        });
    }

    fn tag(&mut self, tag: u8) {
        self.out.push(tag);
    }

    fn tags(&mut self, tag: u8, detail: u8) {
        self.out.extend_from_slice(&[tag, detail]);
    }

    fn list(&mut self, tag: u8, length: usize) {
        self.tag(tag);
        self.number(length);
    }

    fn number(&mut self, number: usize) {
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.out.extend_from_slice(bytes);
    }
}

fn unary(operator: UnaryOperator) -> u8 {
    match operator {
        UnaryOperator::Not => 0,
        UnaryOperator::Plus => 1,
        UnaryOperator::Minus => 2,
    }
}

fn arithmetic(operator: ArithmeticOperator) -> u8 {
    match operator {
        ArithmeticOperator::Add => 0,
        ArithmeticOperator::Subtract => 1,
        ArithmeticOperator::Multiply => 2,
        ArithmeticOperator::Divide => 3,
        ArithmeticOperator::Modulo => 4,
    }
}

fn compare(operator: CompareOperator) -> u8 {
    match operator {
        CompareOperator::Equal => 0,
        CompareOperator::NotEqual => 1,
        CompareOperator::Less => 2,
        CompareOperator::LessEqual => 3,
        CompareOperator::Greater => 4,
        CompareOperator::GreaterEqual => 5,
    }
}

fn element_operator(operator: ElementOperator) -> u8 {
    match operator {
        ElementOperator::Compare(operator) => compare(operator),
        ElementOperator::In => 6,
        ElementOperator::NotIn => 7,
    }
}
