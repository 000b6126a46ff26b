//! The construction of programs, bottom up.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use owner::Interrupt;

use super::constant_set::ConstantSet;
use super::{
    ArithmeticOperator, ArrayOperator, ArrayQuestion, CompareOperator, Expansion, Haystack, Instruction,
    MemberName, Pattern, Program, Quantifier, Slot, UnaryOperator,
};
use crate::batch::Register;
use crate::function::Function;
use crate::pattern::{LikePattern, Regex};
use crate::value::Value;

/// The time in which a pattern of the query's text is prepared.
const PREPARATION_MAX: Duration = Duration::from_millis(50);

/// A builder of a [`Program`].
///
/// Each method adds an instruction and returns the slot of its result, which later calls on the
/// *same* builder take as operand. Nested programs (lazy operands, expansions) come from builders
/// of their own and read their inputs by register.
#[derive(Debug, Default)]
pub struct ProgramBuilder {
    instructions: Vec<Instruction>,
    registers: Vec<Register>,
    deterministic: bool,
}

impl ProgramBuilder {
    /// Returns a builder of an empty program.
    pub fn new() -> Self {
        Self { instructions: Vec::new(), registers: Vec::new(), deterministic: true }
    }

    /// Adds the value of a register. The same register is read once.
    pub fn load(&mut self, register: Register) -> Slot {
        let known = self
            .instructions
            .iter()
            .position(|instruction| matches!(instruction, Instruction::Load(own) if *own == register));
        if let Some(position) = known {
            return Slot(position as u32);
        }
        self.registers.push(register);
        self.add(Instruction::Load(register))
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: Value) -> Slot {
        self.add(Instruction::Constant(value))
    }

    /// Adds `base.a.b`, the attribute at a path; null on anything but an object.
    pub fn attribute(&mut self, base: Slot, path: &[Box<str>]) -> Slot {
        self.add(Instruction::Attribute { base, path: path.into() })
    }

    /// Adds `base[index]`: an element by number (negative from the end), or an attribute by string.
    pub fn index(&mut self, base: Slot, index: Slot) -> Slot {
        self.add(Instruction::Index { base, index })
    }

    /// Adds `NOT`, `+` or `-`.
    pub fn unary(&mut self, operator: UnaryOperator, operand: Slot) -> Slot {
        self.add(Instruction::Unary { operator, operand })
    }

    /// Adds one of `+ - * / %`.
    pub fn arithmetic(&mut self, operator: ArithmeticOperator, left: Slot, right: Slot) -> Slot {
        self.add(Instruction::Arithmetic { operator, left, right })
    }

    /// Adds one of `== != < <= > >=`.
    pub fn compare(&mut self, operator: CompareOperator, left: Slot, right: Slot) -> Slot {
        self.add(Instruction::Compare { operator, left, right })
    }

    /// Adds `needle IN haystack` or `needle NOT IN haystack`.
    ///
    /// A constant array is prepared for fast lookups.
    pub fn contained_in(&mut self, needle: Slot, haystack: Slot, negated: bool) -> Slot {
        let haystack = match self.constant_at(haystack) {
            Some(value) => Haystack::Constant(Arc::new(ConstantSet::new(value))),
            None => Haystack::Slot(haystack),
        };
        self.add(Instruction::In { needle, haystack, negated })
    }

    /// Adds `needle IN low..high` or `needle NOT IN low..high`.
    ///
    /// The range may have any number of members.
    pub fn contained_in_range(&mut self, needle: Slot, low: Slot, high: Slot, negated: bool) -> Slot {
        self.add(Instruction::In { needle, haystack: Haystack::Range { low, high }, negated })
    }

    /// Adds `left ALL|ANY|NONE|AT LEAST (n) operator right`. The quantifier is one of these four.
    pub fn array_compare(
        &mut self,
        quantifier: Quantifier,
        operator: ArrayOperator,
        left: Slot,
        right: Slot,
    ) -> Slot {
        self.add(Instruction::ArrayCompare { quantifier, operator, left, right })
    }

    /// Adds `text LIKE pattern`, `text NOT LIKE pattern` or `LIKE(text, pattern, true)`.
    pub fn like(&mut self, text: Slot, pattern: Slot, case_insensitive: bool, negated: bool) -> Slot {
        // A longer pattern is prepared when the program runs, with the interrupt of the query.
        let interrupt = Interrupt::with_max_runtime(PREPARATION_MAX);
        let prepare = |text: Cow<'_, str>| LikePattern::new(&text, case_insensitive, &interrupt).ok();
        let pattern = match self.constant_text(pattern).and_then(prepare) {
            Some(prepared) => Pattern::Prepared(Arc::new(prepared)),
            None => Pattern::Slot(pattern),
        };
        self.add(Instruction::Like { text, pattern, case_insensitive, negated })
    }

    /// Adds `text =~ pattern` or `text !~ pattern`.
    ///
    /// An invalid pattern gives warning 1543 and null for each row.
    pub fn regex_match(&mut self, text: Slot, pattern: Slot, negated: bool) -> Slot {
        let pattern = match self.constant_text(pattern).and_then(|text| Regex::new(&text, false)) {
            Some(regex) => Pattern::Prepared(Arc::new(regex)),
            None => Pattern::Slot(pattern),
        };
        self.add(Instruction::Regex { text, pattern, negated })
    }

    /// Adds `low..high`.
    pub fn range(&mut self, low: Slot, high: Slot) -> Slot {
        self.add(Instruction::Range { low, high })
    }

    /// Adds `[a, b, ...]`.
    pub fn array(&mut self, elements: Vec<Slot>) -> Slot {
        self.add(Instruction::Array(elements.into()))
    }

    /// Adds `{a: b, [c]: d, ...}`. The first of members with the same name counts.
    pub fn object(&mut self, members: Vec<(MemberName, Slot)>) -> Slot {
        self.add(Instruction::Object(members.into()))
    }

    /// Adds a function call. The function allows this number of arguments.
    pub fn call(&mut self, function: &'static Function, arguments: Vec<Slot>) -> Slot {
        self.deterministic &= function.deterministic;
        self.add(Instruction::Call { function, arguments: arguments.into() })
    }

    /// Adds `condition ? then : otherwise`; without `then`, a true condition's own value.
    pub fn choose(&mut self, condition: Slot, then: Option<Program>, otherwise: Program) -> Slot {
        then.iter().for_each(|program| self.absorb(program, None));
        self.absorb(&otherwise, None);
        self.add(Instruction::Choose { condition, then, otherwise })
    }

    /// Adds `first AND rest...`: the first operand that is false as a bool, or the last one.
    pub fn and(&mut self, first: Slot, rest: Vec<Program>) -> Slot {
        rest.iter().for_each(|program| self.absorb(program, None));
        self.add(Instruction::And { first, rest: rest.into() })
    }

    /// Adds `first OR rest...`: the first operand that is true as a bool, or the last one.
    pub fn or(&mut self, first: Slot, rest: Vec<Program>) -> Slot {
        rest.iter().for_each(|program| self.absorb(program, None));
        self.add(Instruction::Or { first, rest: rest.into() })
    }

    /// Adds `input[* ...]`.
    pub fn expansion(&mut self, expansion: Expansion) -> Slot {
        for program in expansion.filter.iter().chain(&expansion.projection) {
            self.absorb(program, Some(expansion.element));
        }
        self.add(Instruction::Expansion(Box::new(expansion)))
    }

    /// Adds `input[? ...]`.
    pub fn array_question(&mut self, question: ArrayQuestion) -> Slot {
        question.filter.iter().for_each(|program| self.absorb(program, Some(question.element)));
        self.add(Instruction::ArrayQuestion(Box::new(question)))
    }

    /// Returns the program whose value is that of `result`.
    pub fn finish(mut self, result: Slot) -> Program {
        self.registers.sort_unstable();
        self.registers.dedup();
        Program {
            instructions: self.instructions.into(),
            result,
            registers: self.registers.into(),
            deterministic: self.deterministic,
            lane_bytes: Arc::default(),
        }
    }

    fn add(&mut self, instruction: Instruction) -> Slot {
        // A query is at most 2^32 bytes long, so it has fewer instructions than that.
        let slot = Slot(self.instructions.len() as u32);
        self.instructions.push(instruction);
        slot
    }

    /// Takes over the registers that a nested program needs.
    fn absorb(&mut self, nested: &Program, element: Option<Register>) {
        self.registers.extend(nested.registers.iter().copied().filter(|register| Some(*register) != element));
        self.deterministic &= nested.deterministic;
    }

    fn constant_at(&self, slot: Slot) -> Option<&Value> {
        match self.instructions.get(slot.0 as usize) {
            Some(Instruction::Constant(value)) => Some(value),
            _ => None,
        }
    }

    fn constant_text(&self, slot: Slot) -> Option<Cow<'_, str>> {
        self.constant_at(slot).map(Value::cast_string)
    }
}
