//! The program of an expression: instructions for the [machine](super::machine).

use std::collections::HashMap;

use super::set::Set;
use super::syntax::{Assertion, Node, Parsed, Repeat, parse};

/// The maximum number of instructions. Repetitions are copies, so `(a{1000}){1000}` has too many.
const MAX_INSTRUCTIONS: usize = 100_000;

/// An instruction. Positions in the program are numbers of instructions; a register is a slot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    /// Takes a character of a set.
    Set(u32),
    Assert(Assertion),
    /// Continues at the first place, and at the second if that leads to no match.
    Split(u32, u32),
    Jump(u32),
    /// Notes the position in a slot.
    Save(u32),
    /// Fails if the position is the one in the slot.
    IfMoved(u32, u32),
    /// Notes the alternatives that are open now and the position in two slots.
    Mark(u32),
    /// Forgets the alternatives since the mark.
    Keep(u32),
    /// Forgets them, and returns to the mark's position.
    KeepAndReturn(u32),
    /// Marks, and continues at a place once the inside leads to no match.
    MarkUnless(u32, u32),
    /// Undoes everything since the mark, and fails.
    Fail(u32),
    /// Goes back this many characters from the mark, and tries the next instruction after that.
    Back {
        characters: u32,
        mark: u32,
        inside: u32,
        is_last: bool,
    },
    /// Fails unless the position is the mark's.
    IfBack(u32),
    /// Takes the text of a group again.
    Reference {
        group: u32,
        ignores_case: bool,
    },
    Match,
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) instructions: std::sync::Arc<[Instruction]>,
    pub(super) sets: std::sync::Arc<[Set]>,
    /// The number of groups, the whole match included.
    pub(super) groups: usize,
    /// The number of slots: two a group, and those of marks and loops.
    pub(super) slots: usize,
    pub(super) names: HashMap<String, usize>,
}

struct Compiler {
    instructions: Vec<Instruction>,
    slots: u32,
}

impl Program {
    /// Compiles an expression; `None` if it is invalid or too large.
    pub(super) fn new(pattern: &str, ignores_case: bool) -> Option<Self> {
        let Parsed { root, sets, groups, names, .. } = parse(pattern, ignores_case)?;
        let groups = groups + 1;
        let slots = u32::try_from(groups * 2).ok()?;
        let mut compiler = Compiler { instructions: Vec::new(), slots };
        compiler.add(Instruction::Save(0))?;
        compiler.node(&root)?;
        compiler.add(Instruction::Save(1))?;
        compiler.add(Instruction::Match)?;
        let Compiler { instructions, slots } = compiler;
        Some(Program {
            instructions: instructions.into(),
            sets: sets.into(),
            groups,
            slots: slots as usize,
            names,
        })
    }
}

impl Compiler {
    fn here(&self) -> u32 {
        self.instructions.len() as u32
    }

    /// Adds an instruction and returns its position; `None` if there are too many.
    fn add(&mut self, instruction: Instruction) -> Option<usize> {
        let position = self.instructions.len();
        self.instructions.push(instruction);
        (position < MAX_INSTRUCTIONS).then_some(position)
    }

    fn set(&mut self, position: usize, instruction: Instruction) {
        if let Some(place) = self.instructions.get_mut(position) {
            *place = instruction;
        }
    }

    /// Returns the first of so many new slots.
    fn new_slots(&mut self, count: u32) -> u32 {
        let first = self.slots;
        self.slots += count;
        first
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Set(set) => self.add(Instruction::Set(*set)).map(|_| ()),
            Node::Assertion(assertion) => self.add(Instruction::Assert(*assertion)).map(|_| ()),
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| self.node(node)),
            Node::Alternatives(nodes) => self.alternatives(nodes),
            Node::Group(number, inner) => {
                let slot = u32::try_from(number * 2).ok()?;
                self.add(Instruction::Save(slot))?;
                self.node(inner)?;
                self.add(Instruction::Save(slot + 1)).map(|_| ())
            }
            Node::Repeat(inner, repeat) => self.repeat(inner, *repeat),
            Node::Atomic(inner) => {
                let mark = self.new_slots(2);
                self.add(Instruction::Mark(mark))?;
                self.node(inner)?;
                self.add(Instruction::Keep(mark)).map(|_| ())
            }
            Node::Look { behind, negated, inner } => self.look(inner, *behind, *negated),
            Node::Reference { group, ignores_case } => {
                let group = u32::try_from(*group).ok()?;
                self.add(Instruction::Reference { group, ignores_case: *ignores_case }).map(|_| ())
            }
        }
    }

    fn alternatives(&mut self, nodes: &[Node]) -> Option<()> {
        let mut jumps = Vec::new();
        for (number, node) in nodes.iter().enumerate() {
            if number + 1 == nodes.len() {
                self.node(node)?;
                break;
            }
            let split = self.add(Instruction::Split(0, 0))?;
            self.node(node)?;
            jumps.push(self.add(Instruction::Jump(0))?);
            self.set(split, Instruction::Split(split as u32 + 1, self.here()));
        }
        let end = self.here();
        jumps.into_iter().for_each(|jump| self.set(jump, Instruction::Jump(end)));
        Some(())
    }

    fn repeat(&mut self, inner: &Node, repeat: Repeat) -> Option<()> {
        for _ in 0..repeat.min {
            let before = self.here();
            self.node(inner)?;
            if self.here() == before {
                // Copies of nothing.
                return Some(());
            }
        }
        let split = |body: u32, end: u32| match repeat.is_lazy {
            false => Instruction::Split(body, end),
            true => Instruction::Split(end, body),
        };
        let Some(max) = repeat.max else {
            let start = self.add(Instruction::Split(0, 0))?;
            let slot = (width(inner).0 == 0).then(|| self.new_slots(1));
            if let Some(slot) = slot {
                self.add(Instruction::Save(slot))?;
            }
            self.node(inner)?;
            if let Some(slot) = slot {
                // A round that took nothing is the last one.
                let end = self.here() + 2;
                self.add(Instruction::IfMoved(slot, end))?;
            }
            self.add(Instruction::Jump(start as u32))?;
            self.set(start, split(start as u32 + 1, self.here()));
            return Some(());
        };
        let mut splits = Vec::new();
        for _ in repeat.min..max {
            splits.push(self.add(Instruction::Split(0, 0))?);
            self.node(inner)?;
        }
        let end = self.here();
        splits.into_iter().for_each(|at| self.set(at, split(at as u32 + 1, end)));
        Some(())
    }

    fn look(&mut self, inner: &Node, behind: bool, negated: bool) -> Option<()> {
        let mark = self.new_slots(2);
        let begin = match negated {
            true => self.add(Instruction::MarkUnless(mark, 0))?,
            false => self.add(Instruction::Mark(mark))?,
        };
        if behind {
            self.behind(inner, mark)?;
        } else {
            self.node(inner)?;
        }
        if negated {
            self.add(Instruction::Fail(mark))?;
            self.set(begin, Instruction::MarkUnless(mark, self.here()));
        } else {
            self.add(Instruction::KeepAndReturn(mark))?;
        }
        Some(())
    }

    /// Adds the inside of a look-behind, whose length has a bound, as ICU asks.
    fn behind(&mut self, inner: &Node, mark: u32) -> Option<()> {
        let alternatives = match inner {
            Node::Alternatives(nodes) => nodes.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut jumps = Vec::new();
        for (number, node) in alternatives.iter().enumerate() {
            let is_last = number + 1 == alternatives.len();
            let split = if is_last { None } else { Some(self.add(Instruction::Split(0, 0))?) };
            let (min, max) = width(node);
            let max = max?;
            let inside = self.here().checked_add(u32::try_from(max - min).ok()?)?.checked_add(1)?;
            for length in min..=max {
                let characters = u32::try_from(length).ok()?;
                self.add(Instruction::Back { characters, mark, inside, is_last: length == max })?;
            }
            self.node(node)?;
            self.add(Instruction::IfBack(mark))?;
            if let Some(split) = split {
                jumps.push(self.add(Instruction::Jump(0))?);
                self.set(split, Instruction::Split(split as u32 + 1, self.here()));
            }
        }
        let end = self.here();
        jumps.into_iter().for_each(|jump| self.set(jump, Instruction::Jump(end)));
        Some(())
    }
}

/// Returns the least and the largest number of characters that a node takes; `None` without bound.
fn width(node: &Node) -> (usize, Option<usize>) {
    let add = |left: Option<usize>, right: Option<usize>| left?.checked_add(right?);
    match node {
        Node::Set(_) => (1, Some(1)),
        Node::Assertion(_) | Node::Look { .. } => (0, Some(0)),
        Node::Reference { .. } => (0, None),
        Node::Group(_, inner) | Node::Atomic(inner) => width(inner),
        Node::Sequence(nodes) => nodes
            .iter()
            .map(width)
            .fold((0, Some(0)), |all, one| (all.0.saturating_add(one.0), add(all.1, one.1))),
        Node::Alternatives(nodes) => {
            let widths = nodes.iter().map(width);
            let one = widths.reduce(|all, one| (all.0.min(one.0), all.1.zip(one.1).map(|(a, b)| a.max(b))));
            one.unwrap_or((0, Some(0)))
        }
        Node::Repeat(inner, repeat) => {
            let (min, max) = width(inner);
            let times = |count: u32, one: usize| one.checked_mul(count as usize);
            let max = match (repeat.max, max) {
                (_, Some(0)) => Some(0),
                (Some(count), Some(one)) => times(count, one),
                _ => None,
            };
            (times(repeat.min, min).unwrap_or(usize::MAX), max)
        }
    }
}
