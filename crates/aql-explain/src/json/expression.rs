//! Expressions in explain: trees of `{type, typeID, name, value, subNodes}` in ArangoDB's form.
//!
//! The recorded plans in its documentation show the numbers (`typeID`) 25, 29, 35, 40, 41, 45, 47,
//! 49, 62 and 63. They count the types of expressions in the order of the grammar, which gives the
//! numbers between them. Types outside of that range are written without a number.

use aql_plan::{
    ArithmeticOperator, ArrayCompare, ArrayQuestion, CompareOperator, Expansion, Expression, MemberName,
    ObjectMember, Quantifier, UnaryOperator, VariableId, Variables, called, is_user_function,
};
use aql_value::{Kind, Value};
use errors::Result;

use crate::writer::{MAX_EXPRESSION_DEPTH, MAX_NESTED_OPERANDS, Writer};

/// Returns the `typeID` of a type of expression.
pub(super) fn type_id(name: &str) -> Option<u64> {
    Some(match name {
        "unary plus" => 15,
        "unary minus" => 16,
        "unary not" => 17,
        "logical and" => 18,
        "logical or" => 19,
        "plus" => 20,
        "minus" => 21,
        "times" => 22,
        "division" => 23,
        "modulus" => 24,
        "compare ==" => 25,
        "compare !=" => 26,
        "compare <" => 27,
        "compare <=" => 28,
        "compare >" => 29,
        "compare >=" => 30,
        "compare in" => 31,
        "compare not in" => 32,
        "ternary" => 33,
        "attribute access" => 35,
        "indexed access" => 37,
        "expansion" => 38,
        "iterator" => 39,
        "value" => 40,
        "array" => 41,
        "object" => 42,
        "object element" => 43,
        "reference" => 45,
        "parameter" => 46,
        "function call" => 47,
        "user function call" => 48,
        "range" => 49,
        "n-ary and" => 62,
        "n-ary or" => 63,
        _ => return None,
    })
}

/// A writer of an expression tree within a value.
pub(super) struct ExpressionWriter<'a> {
    pub(super) variables: &'a Variables,
}

impl ExpressionWriter<'_> {
    pub(super) fn write(&self, out: &mut Writer, expression: &Expression) -> Result<()> {
        out.depth += 1;
        let is_too_deep = out.depth > MAX_EXPRESSION_DEPTH;
        let written = out.object(|out| {
            let name = type_name(expression);
            node_type(out, name)?;
            if is_too_deep { Ok(()) } else { self.content(out, expression) }
        });
        out.depth -= 1;
        written
    }

    fn content(&self, out: &mut Writer, expression: &Expression) -> Result<()> {
        match expression {
            Expression::Constant(value) => constant(out, value),
            Expression::Variable(id) => self.reference(out, *id),
            Expression::Parameter(parameter) => out.key("name")?.text(&parameter.name),
            Expression::Attribute { base, name } => {
                out.key("name")?.text(name)?;
                self.operands(out, [&**base])
            }
            Expression::Index { base, index } => self.operands(out, [&**base, index]),
            Expression::Unary { operand, .. } => self.operands(out, [&**operand]),
            Expression::Arithmetic { left, right, .. } => self.operands(out, [&**left, right]),
            Expression::Compare { operator, left, right } => {
                if *operator == CompareOperator::Equal {
                    out.key("excludesNull")?.flag(false)?;
                }
                self.operands(out, [&**left, right])
            }
            Expression::In { value, list, .. } => self.operands(out, [&**value, list]),
            Expression::ArrayCompare(compare) => self.array_compare(out, compare),
            Expression::And(operands) => self.nested_logical(out, "logical and", operands),
            Expression::Or(operands) => self.nested_logical(out, "logical or", operands),
            Expression::Ternary { condition, then, otherwise } => {
                let then = then.as_deref().unwrap_or(condition);
                self.operands(out, [&**condition, then, otherwise])
            }
            Expression::Range { first, last } => self.operands(out, [&**first, last]),
            Expression::Array(members) => self.operands(out, members),
            Expression::Object(members) => {
                out.key("subNodes")?;
                out.array(members, |out, member| self.member(out, member))
            }
            Expression::Call { function, arguments } => {
                let (name, arguments) = called(function, arguments);
                out.key("name")?.text(name)?;
                out.key("subNodes")?;
                out.array([arguments], |out, arguments| self.arguments(out, arguments))
            }
            Expression::Expansion(expansion) => self.expansion(out, expansion),
            Expression::ArrayQuestion(question) => self.question(out, question),
        }
    }

    pub(super) fn operands<'e>(
        &self,
        out: &mut Writer,
        operands: impl IntoIterator<Item = &'e Expression>,
    ) -> Result<()> {
        out.key("subNodes")?;
        out.array(operands, |out, operand| self.write(out, operand))
    }

    /// Writes AND or OR, which have two operands in ArangoDB. Chains of a few operands are nested,
    /// and long ones are flat, because nesting is limited.
    fn nested_logical(&self, out: &mut Writer, name: &str, operands: &[Expression]) -> Result<()> {
        match operands.split_last() {
            Some((last, [first])) => self.operands(out, [first, last]),
            Some((last, first)) if operands.len() <= MAX_NESTED_OPERANDS => {
                out.key("subNodes")?;
                out.array([true, false], |out, is_first| {
                    if !is_first {
                        return self.write(out, last);
                    }
                    out.object(|out| {
                        node_type(out, name)?;
                        self.nested_logical(out, name, first)
                    })
                })
            }
            _ => self.operands(out, operands),
        }
    }

    fn reference(&self, out: &mut Writer, id: VariableId) -> Result<()> {
        out.key("name")?.text(self.variables.name(id))?;
        out.key("id")?.number(id.index() as u64)?;
        out.key("subqueryReference")?.flag(false)
    }

    /// Writes the arguments of a call: an array, written as a value if all are constants.
    fn arguments(&self, out: &mut Writer, arguments: &[Expression]) -> Result<()> {
        let constants: Option<Vec<Value>> =
            arguments.iter().map(|argument| argument.as_constant().cloned()).collect();
        out.object(|out| {
            node_type(out, "array")?;
            match constants {
                Some(constants) if !constants.is_empty() => {
                    out.key("raw")?;
                    out.array(&constants, |out, value| out.raw(value))
                }
                _ => self.operands(out, arguments),
            }
        })
    }

    fn member(&self, out: &mut Writer, member: &ObjectMember) -> Result<()> {
        out.object(|out| match &member.name {
            MemberName::Fixed(name) => {
                out.key("type")?.text("object element")?;
                out.key("name")?.text(name)?;
                self.operands(out, [&member.value])
            }
            MemberName::Computed(name) => {
                out.key("type")?.text("calculated object element")?;
                self.operands(out, [name, &member.value])
            }
        })
    }

    fn array_compare(&self, out: &mut Writer, compare: &ArrayCompare) -> Result<()> {
        out.key("subNodes")?;
        out.array(0..3, |out, part| match part {
            0 => self.write(out, &compare.left),
            1 => self.write(out, &compare.right),
            _ => self.quantifier(out, &compare.quantifier),
        })
    }

    fn quantifier(&self, out: &mut Writer, quantifier: &Quantifier) -> Result<()> {
        let name = match quantifier {
            Quantifier::All => "all",
            Quantifier::Any => "any",
            Quantifier::None => "none",
            Quantifier::AtLeast(_) => "at least",
            Quantifier::Exactly(_) => "exactly",
        };
        out.object(|out| {
            out.key("type")?.text("quantifier")?;
            out.key("quantifier")?.text(name)?;
            self.operands(out, quantifier.operand())
        })
    }

    /// Writes the iterator, the element, then FILTER, LIMIT and RETURN, each `no-op` if missing.
    fn expansion(&self, out: &mut Writer, expansion: &Expansion) -> Result<()> {
        out.key("levels")?.number(u64::from(expansion.levels))?;
        out.key("booleanize")?.flag(false)?;
        out.key("subNodes")?;
        out.array(0..5, |out, part| match part {
            0 => self.iterator(out, expansion.element, &expansion.input),
            1 => self.write(out, &Expression::Variable(expansion.element)),
            2 => self.optional(out, expansion.filter.as_ref()),
            3 => self.expansion_limit(out, expansion),
            _ => self.optional(out, expansion.projection.as_ref()),
        })
    }

    fn expansion_limit(&self, out: &mut Writer, expansion: &Expansion) -> Result<()> {
        let Some(limit) = &expansion.limit else { return no_op(out) };
        let zero = Expression::Constant(Value::Int(0));
        out.object(|out| {
            out.key("type")?.text("array limit")?;
            self.operands(out, [expansion.offset.as_ref().unwrap_or(&zero), limit])
        })
    }

    fn question(&self, out: &mut Writer, question: &ArrayQuestion) -> Result<()> {
        out.key("levels")?.number(u64::from(question.levels))?;
        out.key("booleanize")?.flag(true)?;
        out.key("subNodes")?;
        out.array(0..3, |out, part| match part {
            0 => self.iterator(out, question.element, &question.input),
            1 => self.quantifier(out, &question.quantifier),
            _ => self.optional(out, question.filter.as_ref()),
        })
    }

    fn iterator(&self, out: &mut Writer, element: VariableId, input: &Expression) -> Result<()> {
        out.object(|out| {
            out.key("type")?.text("iterator")?;
            out.key("subNodes")?;
            out.array([true, false], |out, is_variable| {
                if !is_variable {
                    return self.write(out, input);
                }
                out.object(|out| {
                    out.key("type")?.text("variable")?;
                    out.key("name")?.text(self.variables.name(element))?;
                    out.key("id")?.number(element.index() as u64)
                })
            })
        })
    }

    fn optional(&self, out: &mut Writer, expression: Option<&Expression>) -> Result<()> {
        match expression {
            Some(expression) => self.write(out, expression),
            None => no_op(out),
        }
    }
}

pub(super) fn no_op(out: &mut Writer) -> Result<()> {
    out.object(|out| out.key("type")?.text("no-op"))
}

/// Writes the members `type` and `typeID`.
pub(super) fn node_type(out: &mut Writer, name: &str) -> Result<()> {
    out.key("type")?.text(name)?;
    match type_id(name) {
        Some(id) => out.key("typeID")?.number(id),
        None => Ok(()),
    }
}

fn constant(out: &mut Writer, value: &Value) -> Result<()> {
    if value.is_array() || value.is_object() {
        return out.key("raw")?.raw(value);
    }
    out.key("value")?.raw(value)?;
    let id = match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::UInt(_) => 2,
        Value::Double(_) => 3,
        Value::Short(_) | Value::Packed { .. } => 4,
    };
    out.key("vTypeID")?.number(id)
}

fn type_name(expression: &Expression) -> &'static str {
    match expression {
        Expression::Constant(value) => match value.kind() {
            Kind::Array => "array",
            Kind::Object => "object",
            _ => "value",
        },
        Expression::Variable(_) => "reference",
        Expression::Parameter(_) => "parameter",
        Expression::Attribute { .. } => "attribute access",
        Expression::Index { .. } => "indexed access",
        Expression::Unary { operator: UnaryOperator::Not, .. } => "unary not",
        Expression::Unary { operator: UnaryOperator::Plus, .. } => "unary plus",
        Expression::Unary { operator: UnaryOperator::Minus, .. } => "unary minus",
        Expression::Arithmetic { operator, .. } => arithmetic_name(*operator),
        Expression::Compare { operator, .. } => compare_name(*operator),
        Expression::In { negated: false, .. } => "compare in",
        Expression::In { negated: true, .. } => "compare not in",
        Expression::ArrayCompare(compare) => array_compare_name(compare),
        Expression::And(_) => "logical and",
        Expression::Or(_) => "logical or",
        Expression::Ternary { .. } => "ternary",
        Expression::Range { .. } => "range",
        Expression::Array(_) => "array",
        Expression::Object(_) => "object",
        Expression::Call { function, .. } if is_user_function(function) => "user function call",
        Expression::Call { .. } => "function call",
        Expression::Expansion(_) | Expression::ArrayQuestion(_) => "expansion",
    }
}

fn arithmetic_name(operator: ArithmeticOperator) -> &'static str {
    match operator {
        ArithmeticOperator::Add => "plus",
        ArithmeticOperator::Subtract => "minus",
        ArithmeticOperator::Multiply => "times",
        ArithmeticOperator::Divide => "division",
        ArithmeticOperator::Modulo => "modulus",
    }
}

pub(super) fn compare_name(operator: CompareOperator) -> &'static str {
    match operator.symbol() {
        "==" => "compare ==",
        "!=" => "compare !=",
        "<" => "compare <",
        "<=" => "compare <=",
        ">" => "compare >",
        _ => "compare >=",
    }
}

fn array_compare_name(compare: &ArrayCompare) -> &'static str {
    match compare.operator.symbol() {
        "==" => "array compare ==",
        "!=" => "array compare !=",
        "<" => "array compare <",
        "<=" => "array compare <=",
        ">" => "array compare >",
        ">=" => "array compare >=",
        "IN" => "array compare in",
        _ => "array compare not in",
    }
}
