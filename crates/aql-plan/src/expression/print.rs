//! Expressions as text close to AQL, for golden plans, logs and error messages.

use aql_value::Value;

use super::{
    ArithmeticOperator, CompareOperator, ElementOperator, Expression, MemberName, Quantifier, UnaryOperator,
    called,
};
use crate::variable::{VariableId, Variables};

/// Maximum size in bytes of a constant in a text. Longer ones are cut, because lists of constants
/// may have millions of members.
const MAX_CONSTANT_BYTES: usize = 120;

impl Expression {
    /// Returns the expression as text: variables of the query by name, others as `#number`.
    pub fn to_text(&self, variables: &Variables) -> String {
        let mut printer = Printer { out: String::new(), variables };
        printer.expression(self);
        printer.out
    }
}

/// Returns the name of a variable for people: its own, or `#number`.
pub(crate) fn variable_text(variables: &Variables, id: VariableId) -> String {
    match variables.get(id) {
        Some(variable) if variable.is_user_defined() => variable.name.to_string(),
        _ => format!("#{id}"),
    }
}

struct Printer<'a> {
    out: String,
    variables: &'a Variables,
}

impl Printer<'_> {
    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Constant(value) => self.constant(value),
            Expression::Variable(id) => self.out.push_str(&variable_text(self.variables, *id)),
            Expression::Parameter(parameter) => {
                self.out.push('@');
                self.out.push_str(&parameter.name);
            }
            Expression::Attribute { base, name } => {
                self.expression(base);
                self.out.push('.');
                self.out.push_str(name);
            }
            Expression::Index { base, index } => {
                self.expression(base);
                self.bracketed(index);
            }
            Expression::Unary { operator, operand } => {
                self.out.push_str(unary_symbol(*operator));
                self.expression(operand);
            }
            Expression::Arithmetic { operator, left, right } => {
                self.infix(left, arithmetic_symbol(*operator), right);
            }
            Expression::Compare { operator, left, right } => self.infix(left, operator.symbol(), right),
            Expression::In { negated, value, list } => {
                self.infix(value, if *negated { "NOT IN" } else { "IN" }, list);
            }
            Expression::ArrayCompare(compare) => {
                self.out.push('(');
                self.expression(&compare.left);
                self.quantifier(&compare.quantifier);
                self.out.push_str(compare.operator.symbol());
                self.out.push(' ');
                self.expression(&compare.right);
                self.out.push(')');
            }
            Expression::And(operands) => self.separated("(", operands, " && ", ")"),
            Expression::Or(operands) => self.separated("(", operands, " || ", ")"),
            Expression::Ternary { condition, then, otherwise } => {
                self.out.push('(');
                self.expression(condition);
                self.out.push_str(" ? ");
                if let Some(then) = then {
                    self.expression(then);
                    self.out.push(' ');
                }
                self.out.push_str(": ");
                self.expression(otherwise);
                self.out.push(')');
            }
            Expression::Range { first, last } => self.infix(first, "..", last),
            Expression::Array(members) => self.separated("[", members, ", ", "]"),
            Expression::Object(_) | Expression::Expansion(_) | Expression::ArrayQuestion(_) => {
                self.composite(expression);
            }
            Expression::Call { function, arguments } => {
                let (name, arguments) = called(function, arguments);
                self.out.push_str(name);
                self.separated("(", arguments, ", ", ")");
            }
        }
    }

    fn composite(&mut self, expression: &Expression) {
        match expression {
            Expression::Object(members) => {
                self.out.push('{');
                for (position, member) in members.iter().enumerate() {
                    self.out.push_str(if position == 0 { "" } else { ", " });
                    match &member.name {
                        MemberName::Fixed(name) => self.constant(&Value::from_str(name)),
                        MemberName::Computed(name) => self.bracketed(name),
                    }
                    self.out.push_str(": ");
                    self.expression(&member.value);
                }
                self.out.push('}');
            }
            Expression::Expansion(expansion) => {
                self.expression(&expansion.input);
                self.out.push('[');
                self.repeated('*', expansion.levels);
                self.part(" FILTER ", expansion.filter.as_ref());
                self.part(" OFFSET ", expansion.offset.as_ref());
                self.part(" LIMIT ", expansion.limit.as_ref());
                self.part(" RETURN ", expansion.projection.as_ref());
                self.out.push(']');
            }
            Expression::ArrayQuestion(question) => {
                self.expression(&question.input);
                self.out.push('[');
                self.repeated('?', question.levels);
                self.quantifier(&question.quantifier);
                self.part("FILTER ", question.filter.as_ref());
                self.out.push(']');
            }
            _ => {}
        }
    }

    fn infix(&mut self, left: &Expression, symbol: &str, right: &Expression) {
        self.out.push('(');
        self.expression(left);
        self.out.push(' ');
        self.out.push_str(symbol);
        self.out.push(' ');
        self.expression(right);
        self.out.push(')');
    }

    fn separated(&mut self, open: &str, operands: &[Expression], separator: &str, close: &str) {
        self.out.push_str(open);
        for (position, operand) in operands.iter().enumerate() {
            self.out.push_str(if position == 0 { "" } else { separator });
            self.expression(operand);
        }
        self.out.push_str(close);
    }

    fn bracketed(&mut self, expression: &Expression) {
        self.out.push('[');
        self.expression(expression);
        self.out.push(']');
    }

    fn part(&mut self, keyword: &str, expression: Option<&Expression>) {
        if let Some(expression) = expression {
            self.out.push_str(keyword);
            self.expression(expression);
        }
    }

    fn repeated(&mut self, symbol: char, count: u32) {
        self.out.extend(std::iter::repeat_n(symbol, count as usize));
    }

    fn quantifier(&mut self, quantifier: &Quantifier) {
        self.out.push_str(match quantifier {
            Quantifier::All => " ALL",
            Quantifier::Any => " ANY",
            Quantifier::None => " NONE",
            Quantifier::AtLeast(_) => " AT LEAST ",
            Quantifier::Exactly(_) => " ",
        });
        if let Some(operand) = quantifier.operand() {
            self.expression(operand);
        }
        self.out.push(' ');
    }

    fn constant(&mut self, value: &Value) {
        let mut json = Vec::new();
        value.write_json(&mut json);
        let text = String::from_utf8_lossy(&json);
        if text.len() <= MAX_CONSTANT_BYTES {
            self.out.push_str(&text);
        } else {
            let end = text.floor_char_boundary(MAX_CONSTANT_BYTES);
            self.out.push_str(text.get(..end).unwrap_or_default());
            self.out.push_str("...");
        }
    }
}

fn unary_symbol(operator: UnaryOperator) -> &'static str {
    match operator {
        UnaryOperator::Not => "!",
        UnaryOperator::Plus => "+",
        UnaryOperator::Minus => "-",
    }
}

fn arithmetic_symbol(operator: ArithmeticOperator) -> &'static str {
    match operator {
        ArithmeticOperator::Add => "+",
        ArithmeticOperator::Subtract => "-",
        ArithmeticOperator::Multiply => "*",
        ArithmeticOperator::Divide => "/",
        ArithmeticOperator::Modulo => "%",
    }
}

impl CompareOperator {
    /// Returns the operator as queries write it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}

impl ElementOperator {
    /// Returns the operator as queries write it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Compare(operator) => operator.symbol(),
            Self::In => "IN",
            Self::NotIn => "NOT IN",
        }
    }
}
