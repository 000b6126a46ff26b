//! Compiled expressions: a flat list of instructions, each computing one column from earlier ones.
//!
//! An instruction's result is a *slot*; a slot is written once and read only by later instructions.
//! All rows of a batch go through one instruction before the next runs. AQL evaluates some operands
//! lazily (the further operands of AND and OR, the branches of `? :`) and others per array element
//! (expansions, `[? ...]`). These are nested programs, run on the rows or elements that need them.

mod arithmetic;
mod array_compare;
mod builder;
mod constant_set;
mod construct;
mod elements;
mod expansion;
mod frame;
mod interpreter;
mod logic;
mod membership;
mod operator;
mod portions;
mod searched_lists;
mod slots;
mod text;

use std::sync::Arc;

use errors::Result;

use crate::batch::{Batch, Register};
use crate::column::Column;
use crate::context::EvaluationContext;
use crate::function::Function;
use crate::pattern::{LikePattern, Regex};
use crate::value::Value;
use constant_set::ConstantSet;
use frame::Frame;
use portions::LaneBytes;

pub use arithmetic::{add, divide, modulo, multiply, negate, subtract};
pub use builder::ProgramBuilder;
pub use constant_set::contains;
pub use construct::MAX_RANGE_ELEMENTS;
pub use operator::{ArithmeticOperator, ArrayOperator, CompareOperator, Quantifier, UnaryOperator};

/// The result of one instruction within its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u32);

/// The name of a member of an object literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberName {
    /// A name known when the expression is compiled.
    Fixed(Box<str>),
    /// `[expression]: ...`: the slot's value cast to string.
    Computed(Slot),
}

/// `input[* FILTER .. LIMIT .. RETURN ..]`.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The array; anything else gives an empty array.
    pub input: Slot,
    /// The number of asterisks: `levels - 1` levels of nested arrays are flattened first.
    pub levels: u32,
    /// The register under which `filter` and `projection` find the element.
    ///
    /// Nothing outside of the nested programs uses it, and no batch of the outer program sets it.
    pub element: Register,
    /// The condition of the elements that are kept.
    pub filter: Option<Program>,
    /// The number of elements to skip, after the filter; cast to an integer.
    pub offset: Option<Slot>,
    /// The maximum number of elements to keep, after the filter; cast to an integer.
    pub limit: Option<Slot>,
    /// The result for an element; the element itself if missing.
    pub projection: Option<Program>,
}

/// `input[? quantifier FILTER ..]`.
#[derive(Debug, Clone)]
pub struct ArrayQuestion {
    /// The array; anything else gives false.
    pub input: Slot,
    /// The number of question marks: `levels - 1` levels of nested arrays are flattened first.
    pub levels: u32,
    /// The numbers of elements that must satisfy the filter.
    pub quantifier: Quantifier,
    /// The register under which `filter` finds the element, as in [`Expansion`].
    pub element: Register,
    /// The condition; missing in `[?]`, which every element satisfies.
    pub filter: Option<Program>,
}

/// A compiled expression. It is immutable, and all executions of a plan share it.
#[derive(Debug, Clone)]
pub struct Program {
    instructions: Arc<[Instruction]>,
    result: Slot,
    /// The registers that it reads, ascending and unique.
    ///
    /// Those of nested programs are included, element registers are not.
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
    /// A range `low..high`, whose ends are compared and whose members are never written out.
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
    /// Returns the program that reads one register.
    pub fn load(register: Register) -> Self {
        let mut builder = ProgramBuilder::new();
        let slot = builder.load(register);
        builder.finish(slot)
    }

    /// Returns the program of a constant.
    pub fn constant(value: Value) -> Self {
        let mut builder = ProgramBuilder::new();
        let slot = builder.constant(value);
        builder.finish(slot)
    }

    /// Returns the expression's value for every selected row, as a column over the physical rows.
    ///
    /// The values of rows that are not selected are undefined. Evaluates nothing if no row is
    /// selected.
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

    /// Returns the selected physical rows for which the expression is true as a bool.
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

    /// Returns the expression's value for one physical row.
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

    /// Returns the expression's value without any row; registers read as null.
    pub fn evaluate_constant(&self, context: &mut EvaluationContext<'_>) -> Result<Value> {
        self.evaluate_row(&Batch::single_row(), 0, context)
    }

    /// Returns the registers that the expression needs, ascending.
    pub fn registers_read(&self) -> &[Register] {
        &self.registers
    }

    /// Returns true if equal inputs give equal results: every function it calls is deterministic.
    pub fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    /// Returns the register, if the program only reads one.
    pub fn as_register(&self) -> Option<Register> {
        match self.instruction(self.result) {
            Some(Instruction::Load(register)) => Some(*register),
            _ => None,
        }
    }

    /// Returns the value, if the program is a constant.
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
