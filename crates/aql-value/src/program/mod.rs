//! Compiled expressions: a flat list of instructions, each computing one column from earlier ones.
//!
//! An instruction's result is a *slot*; a slot is written once and read by later instructions only. All rows of a
//! batch go through one instruction before the next runs. What AQL evaluates lazily (the further operands of AND and
//! OR, the branches of `? :`) and what runs per array element (expansions, `[? ...]`) are nested programs, run on the
//! rows, or elements, that need them.

mod arithmetic;
mod array_compare;
mod builder;
mod construct;
mod elements;
mod expansion;
mod frame;
mod interpreter;
mod logic;
mod membership;
mod operator;
mod portions;
mod slots;
mod text;

pub use arithmetic::{add, divide, modulo, multiply, negate, subtract};
pub use builder::ProgramBuilder;
pub use construct::MAX_RANGE_ELEMENTS;
pub use membership::contains;
pub use operator::{ArithmeticOperator, ArrayOperator, CompareOperator, Quantifier, UnaryOperator};

use crate::Result;
use crate::batch::{Batch, Register};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::function::Function;
use crate::pattern::{LikePattern, Regex};
use crate::value::Value;
use frame::Frame;
use membership::ConstantSet;
use portions::LaneBytes;
use std::sync::Arc;

/// The result of one instruction within its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u32);

/// Name of a member of an object literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberName {
    /// Known when the expression is compiled.
    Fixed(Box<str>),
    /// `[expression]: ...`: the slot's value cast to string.
    Computed(Slot),
}

/// `input[* FILTER .. LIMIT .. RETURN ..]`.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The array; anything else gives an empty array.
    pub input: Slot,
    /// Number of asterisks: `levels - 1` levels of nested arrays are flattened first.
    pub levels: u32,
    /// Register under which `filter` and `projection` find the element. Not used by anything outside of the nested
    /// programs, and set in no batch that the outer program is evaluated over.
    pub element: Register,
    /// Keeps elements for which it is true.
    pub filter: Option<Program>,
    /// Elements to skip, after the filter; cast to an integer.
    pub offset: Option<Slot>,
    /// Most elements to keep, after the filter; cast to an integer.
    pub limit: Option<Slot>,
    /// What to put in the result for an element; the element itself if missing.
    pub projection: Option<Program>,
}

/// `input[? quantifier FILTER ..]`.
#[derive(Debug, Clone)]
pub struct ArrayQuestion {
    /// The array; anything else gives false.
    pub input: Slot,
    /// Number of question marks: `levels - 1` levels of nested arrays are flattened first.
    pub levels: u32,
    /// How many elements must satisfy the filter.
    pub quantifier: Quantifier,
    /// Register under which `filter` finds the element, as in [`Expansion`].
    pub element: Register,
    /// The condition; missing in `[?]`, which every element satisfies.
    pub filter: Option<Program>,
}

/// A compiled expression. Immutable and shared by all executions of a plan.
#[derive(Debug, Clone)]
pub struct Program {
    instructions: Arc<[Instruction]>,
    result: Slot,
    /// Ascending, without duplicates; those of nested programs included, element registers not.
    registers: Arc<[Register]>,
    deterministic: bool,
    lane_bytes: Arc<LaneBytes>,
}

#[derive(Debug, Clone)]
enum Instruction {
    Load(Register),
    Constant(Value),
    Attribute { base: Slot, path: Box<[Box<str>]> },
    Index { base: Slot, index: Slot },
    Unary { operator: UnaryOperator, operand: Slot },
    Arithmetic { operator: ArithmeticOperator, left: Slot, right: Slot },
    Compare { operator: CompareOperator, left: Slot, right: Slot },
    In { needle: Slot, haystack: Haystack, negated: bool },
    ArrayCompare { quantifier: Quantifier, operator: ArrayOperator, left: Slot, right: Slot },
    Like { text: Slot, pattern: Pattern<LikePattern>, case_insensitive: bool, negated: bool },
    Regex { text: Slot, pattern: Pattern<Regex>, negated: bool },
    Range { low: Slot, high: Slot },
    Array(Box<[Slot]>),
    Object(Box<[(MemberName, Slot)]>),
    Call { function: &'static Function, arguments: Box<[Slot]> },
    Choose { condition: Slot, then: Option<Program>, otherwise: Program },
    And { first: Slot, rest: Box<[Program]> },
    Or { first: Slot, rest: Box<[Program]> },
    Expansion(Box<Expansion>),
    ArrayQuestion(Box<ArrayQuestion>),
}

/// The right side of IN.
#[derive(Debug, Clone)]
enum Haystack {
    Slot(Slot),
    Constant(Arc<ConstantSet>),
    /// `low..high`, which is compared with its ends and never written out.
    Range {
        low: Slot,
        high: Slot,
    },
}

/// A pattern known when the expression is compiled, or one computed for each row.
#[derive(Debug, Clone)]
enum Pattern<T> {
    Prepared(Arc<T>),
    Slot(Slot),
}

impl Program {
    /// The program that reads one register.
    pub fn load(register: Register) -> Self {
        let mut builder = ProgramBuilder::new();
        let slot = builder.load(register);
        builder.finish(slot)
    }

    /// The program that gives one value.
    pub fn constant(value: Value) -> Self {
        let mut builder = ProgramBuilder::new();
        let slot = builder.constant(value);
        builder.finish(slot)
    }

    /// The expression's value for every selected row of the batch, as a column over its physical rows (what rows that
    /// are not selected have there means nothing). Evaluates nothing if no row is selected.
    pub fn evaluate(&self, batch: &Batch, context: &mut EvaluationContext<'_>) -> Result<Column> {
        if batch.is_empty() {
            return Ok(Column::Constant(Value::Null));
        }
        if let Some(register) = self.as_register() {
            return Ok(batch.column(register).cloned().unwrap_or(Column::Constant(Value::Null)));
        }
        let frame = Frame::of_batch(batch);
        let column = self.run(&frame, context)?;
        Ok(frame.spread(column))
    }

    /// The physical rows of the batch, among the selected ones, for which the expression's value is true as a bool.
    pub fn evaluate_predicate(
        &self,
        batch: &Batch,
        context: &mut EvaluationContext<'_>,
    ) -> Result<Arc<[u32]>> {
        let frame = Frame::of_batch(batch);
        if frame.lanes() == 0 {
            return Ok(Arc::from([]));
        }
        let column = self.run(&frame, context)?;
        Ok(frame.rows_where(&column))
    }

    /// The expression's value for one physical row.
    pub fn evaluate_row(
        &self,
        batch: &Batch,
        row: usize,
        context: &mut EvaluationContext<'_>,
    ) -> Result<Value> {
        if let Some(value) = self.as_constant() {
            return Ok(value.clone());
        }
        if let Some(register) = self.as_register() {
            return Ok(batch.value(register, row));
        }
        let column = self.run(&Frame::of_row(batch, row), context)?;
        Ok(column.get(0).clone())
    }

    /// The expression's value without any row; registers read as null.
    pub fn evaluate_constant(&self, context: &mut EvaluationContext<'_>) -> Result<Value> {
        self.evaluate_row(&Batch::single_row(), 0, context)
    }

    /// The registers that the expression needs, ascending.
    pub fn registers_read(&self) -> &[Register] {
        &self.registers
    }

    /// Whether equal inputs give equal results: no call of a function that is not deterministic.
    pub fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    /// The register, if the program only reads one.
    pub fn as_register(&self) -> Option<Register> {
        match self.instruction(self.result) {
            Some(Instruction::Load(register)) => Some(*register),
            _ => None,
        }
    }

    /// The value, if the program is a constant.
    pub fn as_constant(&self) -> Option<&Value> {
        match self.instruction(self.result) {
            Some(Instruction::Constant(value)) => Some(value),
            _ => None,
        }
    }

    fn instruction(&self, slot: Slot) -> Option<&Instruction> {
        self.instructions.get(slot.0 as usize)
    }
}

#[cfg(test)]
pub(crate) mod tests;
