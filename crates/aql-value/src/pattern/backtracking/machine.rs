//! The machine that runs a program on a text, and goes back to the last open alternative wherever
//! it fails.

use std::ops::Range;

use errors::Result;
use owner::Interrupt;
use regex_syntax::try_is_word_character;

use super::program::{Instruction, Program};
use super::syntax::Assertion;

/// The steps between two checks of the interrupt: less than a millisecond.
const STEPS_PER_CHECK: u64 = 1 << 13;

/// The maximum number of steps of one match, besides some for each byte of the text.
const MAX_STEPS: u64 = 10_000_000;

/// The steps that a match may take for each byte of the text.
const STEPS_OF_BYTE: u64 = 16;

/// The maximum number of open alternatives and of slots to restore: 24 MB.
const MAX_FRAMES: usize = 1 << 20;

/// The content of a slot that was not set.
const UNSET: usize = usize::MAX;

/// The outcome of a search.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::pattern) enum Outcome {
    /// The byte ranges of the groups, the whole match first.
    Match(Vec<Option<Range<usize>>>),
    Nothing,
    /// It takes too many steps or too much memory.
    GaveUp,
}

/// A step of the way back.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// Continue at an instruction and a position.
    Alternative(u32, usize),
    /// Restore a slot.
    Slot(u32, usize),
}

/// The result of a run from one position.
enum Run {
    Matches,
    Fails,
    GivesUp,
}

struct Machine<'a> {
    program: &'a Program,
    text: &'a str,
    search_start: usize,
    slots: Vec<usize>,
    frames: Vec<Frame>,
    steps: u64,
    interrupt: &'a Interrupt,
}

/// Finds the first match from `start` on. Errors: 1500 if the query is ended during this.
pub(super) fn find(program: &Program, text: &str, start: usize, interrupt: &Interrupt) -> Result<Outcome> {
    let slots = vec![UNSET; program.slots];
    let mut machine =
        Machine { program, text, search_start: start, slots, frames: Vec::new(), steps: 0, interrupt };
    let mut position = start;
    loop {
        match machine.run(position)? {
            Run::Matches => return Ok(Outcome::Match(machine.groups())),
            Run::GivesUp => return Ok(Outcome::GaveUp),
            Run::Fails => {}
        }
        debug_assert!(machine.frames.is_empty(), "a run that failed has undone all that it did");
        match text.get(position..).and_then(|rest| rest.chars().next()) {
            Some(skipped) => position += skipped.len_utf8(),
            None => return Ok(Outcome::Nothing),
        }
    }
}

impl Machine<'_> {
    fn groups(&self) -> Vec<Option<Range<usize>>> {
        let group = |number: usize| {
            let slot = |slot: usize| self.slots.get(slot).copied().filter(|position| *position != UNSET);
            slot(number * 2).zip(slot(number * 2 + 1)).map(|(start, end)| start..end)
        };
        (0..self.program.groups).map(group).collect()
    }

    /// Runs the program from a position. Errors: 1500.
    fn run(&mut self, start: usize) -> Result<Run> {
        let limit = MAX_STEPS.saturating_add((self.text.len() as u64).saturating_mul(STEPS_OF_BYTE));
        let (mut at, mut position) = (0_u32, start);
        loop {
            self.steps += 1;
            if self.steps.is_multiple_of(STEPS_PER_CHECK) {
                self.interrupt.check()?;
            }
            if self.steps > limit || self.frames.len() > MAX_FRAMES {
                return Ok(Run::GivesUp);
            }
            let Some(instruction) = self.program.instructions.get(at as usize) else {
                return Ok(Run::GivesUp);
            };
            if matches!(instruction, Instruction::Match) {
                return Ok(Run::Matches);
            }
            (at, position) = match self.step(*instruction, at, position).or_else(|| self.go_back()) {
                Some(next) => next,
                None => return Ok(Run::Fails),
            };
        }
    }

    /// Runs one instruction. Returns the next one and the position there; `None` if it fails.
    fn step(&mut self, instruction: Instruction, at: u32, position: usize) -> Option<(u32, usize)> {
        let next = at + 1;
        match instruction {
            Instruction::Set(set) => {
                let character = self.character_at(position)?;
                let is_in = self.program.sets.get(set as usize)?.contains(character);
                is_in.then_some((next, position + character.len_utf8()))
            }
            Instruction::Assert(assertion) => self.holds(assertion, position).then_some((next, position)),
            Instruction::Split(first, second) => {
                self.frames.push(Frame::Alternative(second, position));
                Some((first, position))
            }
            Instruction::Jump(target) => Some((target, position)),
            Instruction::Save(slot) => {
                self.set(slot, position);
                Some((next, position))
            }
            Instruction::IfMoved(slot, end) => {
                let target = if self.slot(slot) == position { end } else { next };
                Some((target, position))
            }
            Instruction::Mark(mark) => {
                self.mark(mark, position);
                Some((next, position))
            }
            Instruction::MarkUnless(mark, target) => {
                self.mark(mark, position);
                self.frames.push(Frame::Alternative(target, position));
                Some((next, position))
            }
            Instruction::Keep(mark) => {
                self.forget_alternatives(self.slot(mark));
                Some((next, position))
            }
            Instruction::KeepAndReturn(mark) => {
                let place = self.slot(mark + 1);
                self.forget_alternatives(self.slot(mark));
                Some((next, place))
            }
            Instruction::Fail(mark) => {
                let height = self.slot(mark);
                self.undo(height);
                None
            }
            Instruction::Back { characters, mark, inside, is_last } => {
                if !is_last {
                    self.frames.push(Frame::Alternative(next, position));
                }
                self.back(self.slot(mark + 1), characters).map(|place| (inside, place))
            }
            Instruction::IfBack(mark) => (self.slot(mark + 1) == position).then_some((next, position)),
            Instruction::Reference { group, ignores_case } => {
                self.repeated(group, position, ignores_case).map(|end| (next, end))
            }
            Instruction::Match => None,
        }
    }

    /// Returns to the last open alternative; `None` if there is none.
    fn go_back(&mut self) -> Option<(u32, usize)> {
        while let Some(frame) = self.frames.pop() {
            match frame {
                Frame::Alternative(at, position) => return Some((at, position)),
                Frame::Slot(slot, before) => self.restore(slot, before),
            }
        }
        None
    }

    fn slot(&self, slot: u32) -> usize {
        self.slots.get(slot as usize).copied().unwrap_or(UNSET)
    }

    fn restore(&mut self, slot: u32, value: usize) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = value;
        }
    }

    /// Sets a slot, and notes its content until now.
    fn set(&mut self, slot: u32, value: usize) {
        self.frames.push(Frame::Slot(slot, self.slot(slot)));
        self.restore(slot, value);
    }

    fn mark(&mut self, mark: u32, position: usize) {
        self.set(mark + 1, position);
        self.set(mark, UNSET);
        self.restore(mark, self.frames.len());
    }

    /// Forgets the alternatives above a height. Slots are still restored on the way back.
    fn forget_alternatives(&mut self, height: usize) {
        self.steps += self.frames.len().saturating_sub(height) as u64;
        let mut kept = height;
        for place in height..self.frames.len() {
            let Some(frame) = self.frames.get(place).copied() else { break };
            if let (Frame::Slot(..), Some(free)) = (frame, self.frames.get_mut(kept)) {
                *free = frame;
                kept += 1;
            }
        }
        self.frames.truncate(kept);
    }

    /// Undoes all frames above a height.
    fn undo(&mut self, height: usize) {
        while self.frames.len() > height
            && let Some(frame) = self.frames.pop()
        {
            if let Frame::Slot(slot, before) = frame {
                self.restore(slot, before);
            }
        }
    }

    fn character_at(&self, position: usize) -> Option<char> {
        self.text.get(position..)?.chars().next()
    }

    fn character_before(&self, position: usize) -> Option<char> {
        self.text.get(..position)?.chars().next_back()
    }

    /// Returns the position so many characters before another.
    fn back(&mut self, position: usize, characters: u32) -> Option<usize> {
        self.steps += u64::from(characters) / 64;
        let before = self.text.get(..position)?;
        match characters {
            0 => Some(position),
            _ => before.char_indices().rev().nth(characters as usize - 1).map(|(place, _)| place),
        }
    }

    fn holds(&self, assertion: Assertion, position: usize) -> bool {
        let (before, after) = (self.character_before(position), self.character_at(position));
        let is_word = |character: Option<char>| {
            character.is_some_and(|character| try_is_word_character(character).unwrap_or(false))
        };
        match assertion {
            Assertion::TextStart => position == 0,
            Assertion::TextEnd => position == self.text.len(),
            Assertion::LineStart => before.is_none_or(|before| before == '\n'),
            Assertion::LineEnd => after.is_none_or(|after| after == '\n'),
            Assertion::SearchStart => position == self.search_start,
            Assertion::WordBoundary => is_word(before) != is_word(after),
            Assertion::NoWordBoundary => is_word(before) == is_word(after),
        }
    }

    /// Returns the end of a group's text if that comes again at a position.
    fn repeated(&mut self, group: u32, position: usize, ignores_case: bool) -> Option<usize> {
        let (start, end) = (self.slot(group * 2), self.slot(group * 2 + 1));
        let wanted = self.text.get(start..end)?;
        self.steps += wanted.len() as u64 / 8;
        let rest = self.text.get(position..)?;
        if !ignores_case {
            return rest.starts_with(wanted).then_some(position + wanted.len());
        }
        let mut found = rest.char_indices();
        for letter in wanted.chars() {
            let (_, other) = found.next()?;
            if letter != other && !letter.to_lowercase().eq(other.to_lowercase()) {
                return None;
            }
        }
        Some(position + found.offset())
    }
}
