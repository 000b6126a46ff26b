//! Compiling a bound expression to a program over batches.

use std::sync::Arc;

use aql_value::program::{self, Slot};
use aql_value::{Function, Program, ProgramBuilder, Register, Value};
use errors::{Error, Result};

use crate::expression::{
    ArithmeticOperator, ArrayCompare, ArrayQuestion, CompareOperator, ElementOperator, Expansion, Expression,
    MemberName, ObjectMember, Parameter, Quantifier, UnaryOperator,
};
use crate::variable::{VariableId, Variables};

/// The registers of a batch by variable, and the values of open parameters.
#[derive(Debug, Clone, Default)]
pub struct RegisterMap {
    registers: Vec<Option<Register>>,
    parameters: Arc<[Value]>,
}

impl RegisterMap {
    /// Creates a map in which no variable has a register.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a map that gives every variable of a plan the register of its own number.
    ///
    /// `parameters` are the values of open parameters by slot.
    pub fn identity(variables: &Variables, parameters: Arc<[Value]>) -> Self {
        Self { registers: (0..variables.len()).map(Some).collect(), parameters }
    }

    /// Gives a variable its register.
    pub fn set(&mut self, variable: VariableId, register: Register) {
        if self.registers.len() <= variable.index() {
            self.registers.resize(variable.index() + 1, None);
        }
        if let Some(slot) = self.registers.get_mut(variable.index()) {
            *slot = Some(register);
        }
    }

    /// Returns the register of a variable, if it has one.
    pub fn get(&self, variable: VariableId) -> Option<Register> {
        self.registers.get(variable.index()).copied().flatten()
    }
}

/// Compiles an expression.
///
/// Every variable that it reads, and the element variable of every expansion in it, needs a
/// register of its own. Batches need not set the registers of element variables.
///
/// Errors: an internal error if a variable has no register.
pub fn compile(expression: &Expression, registers: &RegisterMap) -> Result<Program> {
    let mut compiler = Compiler { builder: ProgramBuilder::new(), registers };
    let result = compiler.expression(expression)?;
    Ok(compiler.builder.finish(result))
}

struct Compiler<'a> {
    builder: ProgramBuilder,
    registers: &'a RegisterMap,
}

impl Compiler<'_> {
    fn expression(&mut self, expression: &Expression) -> Result<Slot> {
        match expression {
            Expression::Constant(value) => Ok(self.builder.constant(value.clone())),
            Expression::Variable(id) => self.variable(*id),
            Expression::Parameter(parameter) => self.parameter(parameter),
            Expression::Attribute { .. } => self.attribute(expression),
            Expression::Call { function, arguments } => self.call(function, arguments),
            Expression::And(operands) => self.logical(operands, ProgramBuilder::and),
            Expression::Or(operands) => self.logical(operands, ProgramBuilder::or),
            Expression::Ternary { condition, then, otherwise } => {
                self.ternary(condition, then.as_deref(), otherwise)
            }
            Expression::Array(members) => {
                let members = self.all(members)?;
                Ok(self.builder.array(members))
            }
            Expression::Object(members) => self.object(members),
            Expression::ArrayCompare(compare) => self.array_compare(compare),
            Expression::Expansion(expansion) => self.expansion(expansion),
            Expression::ArrayQuestion(question) => self.array_question(question),
            _ => self.operator(expression),
        }
    }

    /// Compiles an operator that evaluates all its operands.
    fn operator(&mut self, expression: &Expression) -> Result<Slot> {
        match expression {
            Expression::Index { base, index } => {
                let (base, index) = self.pair(base, index)?;
                Ok(self.builder.index(base, index))
            }
            Expression::Unary { operator, operand } => {
                let operand = self.expression(operand)?;
                Ok(self.builder.unary(unary(*operator), operand))
            }
            Expression::Arithmetic { operator, left, right } => {
                let (left, right) = self.pair(left, right)?;
                Ok(self.builder.arithmetic(arithmetic(*operator), left, right))
            }
            Expression::Compare { operator, left, right } => {
                let (left, right) = self.pair(left, right)?;
                Ok(self.builder.compare(compare(*operator), left, right))
            }
            Expression::In { negated, value, list } => self.membership(*negated, value, list),
            Expression::Range { first, last } => {
                let (first, last) = self.pair(first, last)?;
                Ok(self.builder.range(first, last))
            }
            _ => Err(Error::internal("expression without a way to compile it")),
        }
    }

    fn membership(&mut self, negated: bool, value: &Expression, list: &Expression) -> Result<Slot> {
        let value = self.expression(value)?;
        if let Expression::Range { first, last } = list {
            let (first, last) = self.pair(first, last)?;
            return Ok(self.builder.contained_in_range(value, first, last, negated));
        }
        let list = self.expression(list)?;
        Ok(self.builder.contained_in(value, list, negated))
    }

    fn pair(&mut self, left: &Expression, right: &Expression) -> Result<(Slot, Slot)> {
        Ok((self.expression(left)?, self.expression(right)?))
    }

    fn all(&mut self, expressions: &[Expression]) -> Result<Vec<Slot>> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    /// Compiles a part that runs by itself: lazily, or for each element.
    fn nested(&self, expression: &Expression) -> Result<Program> {
        compile(expression, self.registers)
    }

    fn register(&self, id: VariableId) -> Result<Register> {
        self.registers.get(id).ok_or_else(|| Error::internal(format!("variable {id} has no register")))
    }

    fn variable(&mut self, id: VariableId) -> Result<Slot> {
        let register = self.register(id)?;
        Ok(self.builder.load(register))
    }

    fn parameter(&mut self, parameter: &Parameter) -> Result<Slot> {
        let value = self.registers.parameters.get(parameter.slot);
        let value = value.ok_or_else(|| {
            Error::internal(format!("no value was given for the open parameter '{}'", parameter.name))
        })?;
        Ok(self.builder.constant(value.clone()))
    }

    /// Compiles a chain of attributes to one instruction with a prepared path.
    fn attribute(&mut self, expression: &Expression) -> Result<Slot> {
        let mut path = Vec::new();
        let mut base = expression;
        while let Expression::Attribute { base: inner, name } = base {
            path.push(name.clone());
            base = inner;
        }
        path.reverse();
        let base = self.expression(base)?;
        Ok(self.builder.attribute(base, &path))
    }

    /// Compiles a call. `LIKE` and `REGEX_TEST` have instructions of their own, which prepare
    /// constant patterns.
    fn call(&mut self, function: &'static Function, arguments: &[Expression]) -> Result<Slot> {
        let slots = self.all(arguments)?;
        match (function.name, arguments, slots.as_slice()) {
            ("LIKE", [_, _], [text, pattern]) => Ok(self.builder.like(*text, *pattern, false, false)),
            ("LIKE", [_, _, Expression::Constant(insensitive)], [text, pattern, _]) => {
                Ok(self.builder.like(*text, *pattern, insensitive.to_bool(), false))
            }
            ("REGEX_TEST", [_, _], [text, pattern]) => Ok(self.builder.regex_match(*text, *pattern, false)),
            _ => Ok(self.builder.call(function, slots)),
        }
    }

    fn logical(
        &mut self,
        operands: &[Expression],
        combine: fn(&mut ProgramBuilder, Slot, Vec<Program>) -> Slot,
    ) -> Result<Slot> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(Error::internal("logical operator without operands"));
        };
        let first = self.expression(first)?;
        let rest = rest.iter().map(|operand| self.nested(operand)).collect::<Result<Vec<_>>>()?;
        Ok(combine(&mut self.builder, first, rest))
    }

    fn ternary(
        &mut self,
        condition: &Expression,
        then: Option<&Expression>,
        otherwise: &Expression,
    ) -> Result<Slot> {
        let condition = self.expression(condition)?;
        let then = then.map(|then| self.nested(then)).transpose()?;
        let otherwise = self.nested(otherwise)?;
        Ok(self.builder.choose(condition, then, otherwise))
    }

    fn object(&mut self, members: &[ObjectMember]) -> Result<Slot> {
        let mut slots = Vec::with_capacity(members.len());
        for member in members {
            let name = match &member.name {
                MemberName::Fixed(name) => program::MemberName::Fixed(name.clone()),
                MemberName::Computed(name) => program::MemberName::Computed(self.expression(name)?),
            };
            slots.push((name, self.expression(&member.value)?));
        }
        Ok(self.builder.object(slots))
    }

    fn array_compare(&mut self, compare: &ArrayCompare) -> Result<Slot> {
        let (left, right) = self.pair(&compare.left, &compare.right)?;
        let quantifier = self.quantifier(&compare.quantifier)?;
        Ok(self.builder.array_compare(quantifier, element_operator(compare.operator), left, right))
    }

    fn quantifier(&mut self, quantifier: &Quantifier) -> Result<program::Quantifier> {
        Ok(match quantifier {
            Quantifier::All => program::Quantifier::All,
            Quantifier::Any => program::Quantifier::Any,
            Quantifier::None => program::Quantifier::None,
            Quantifier::AtLeast(number) => program::Quantifier::AtLeast(self.expression(number)?),
            Quantifier::Exactly(number) => match &**number {
                Expression::Range { first, last } => {
                    let (first, last) = self.pair(first, last)?;
                    program::Quantifier::Between(first, last)
                }
                number => program::Quantifier::Exactly(self.expression(number)?),
            },
        })
    }

    fn expansion(&mut self, expansion: &Expansion) -> Result<Slot> {
        let compiled = program::Expansion {
            input: self.expression(&expansion.input)?,
            levels: expansion.levels,
            element: self.register(expansion.element)?,
            filter: expansion.filter.as_ref().map(|filter| self.nested(filter)).transpose()?,
            offset: expansion.offset.as_ref().map(|offset| self.expression(offset)).transpose()?,
            limit: expansion.limit.as_ref().map(|limit| self.expression(limit)).transpose()?,
            projection: expansion
                .projection
                .as_ref()
                .map(|projection| self.nested(projection))
                .transpose()?,
        };
        Ok(self.builder.expansion(compiled))
    }

    fn array_question(&mut self, question: &ArrayQuestion) -> Result<Slot> {
        let compiled = program::ArrayQuestion {
            input: self.expression(&question.input)?,
            levels: question.levels,
            quantifier: self.quantifier(&question.quantifier)?,
            element: self.register(question.element)?,
            filter: question.filter.as_ref().map(|filter| self.nested(filter)).transpose()?,
        };
        Ok(self.builder.array_question(compiled))
    }
}

fn unary(operator: UnaryOperator) -> program::UnaryOperator {
    match operator {
        UnaryOperator::Not => program::UnaryOperator::Not,
        UnaryOperator::Plus => program::UnaryOperator::Plus,
        UnaryOperator::Minus => program::UnaryOperator::Minus,
    }
}

fn arithmetic(operator: ArithmeticOperator) -> program::ArithmeticOperator {
    match operator {
        ArithmeticOperator::Add => program::ArithmeticOperator::Add,
        ArithmeticOperator::Subtract => program::ArithmeticOperator::Subtract,
        ArithmeticOperator::Multiply => program::ArithmeticOperator::Multiply,
        ArithmeticOperator::Divide => program::ArithmeticOperator::Divide,
        ArithmeticOperator::Modulo => program::ArithmeticOperator::Modulo,
    }
}

fn compare(operator: CompareOperator) -> program::CompareOperator {
    match operator {
        CompareOperator::Equal => program::CompareOperator::Equal,
        CompareOperator::NotEqual => program::CompareOperator::NotEqual,
        CompareOperator::Less => program::CompareOperator::Less,
        CompareOperator::LessEqual => program::CompareOperator::LessEqual,
        CompareOperator::Greater => program::CompareOperator::Greater,
        CompareOperator::GreaterEqual => program::CompareOperator::GreaterEqual,
    }
}

fn element_operator(operator: ElementOperator) -> program::ArrayOperator {
    match operator {
        ElementOperator::Compare(operator) => program::ArrayOperator::Compare(compare(operator)),
        ElementOperator::In => program::ArrayOperator::In,
        ElementOperator::NotIn => program::ArrayOperator::NotIn,
    }
}
