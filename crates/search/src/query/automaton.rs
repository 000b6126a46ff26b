//! Automata over characters, run over the terms of a dictionary.

use tantivy_fst::Automaton;

use crate::pulse::Pulse;

/// An automaton that reads characters.
pub(crate) trait CharacterAutomaton {
    /// A state.
    type State: Clone;

    /// Returns the state before the first character.
    fn start(&self) -> Self::State;

    /// Returns the state after one more character.
    fn step(&self, state: &Self::State, character: char) -> Self::State;

    /// Returns true if the characters so far match.
    fn is_match(&self, state: &Self::State) -> bool;

    /// Returns false if no further characters can match.
    fn can_match(&self, state: &Self::State) -> bool;

    /// Returns the steps that one more character costs, in microseconds of work or less.
    fn cost(&self, state: &Self::State) -> usize;
}

/// The automaton of the terms that begin with a prefix and whose rest matches.
pub(crate) struct AfterPrefix<'p, A> {
    /// The prefix.
    pub(crate) prefix: &'p [u8],
    /// The automaton for the rest.
    pub(crate) rest: A,
    /// Ends the run: then no further bytes can match.
    pub(crate) pulse: Pulse,
}

/// The state of [`AfterPrefix`].
#[derive(Clone)]
pub(crate) enum State<S> {
    /// So many bytes of the prefix have been read.
    Prefix(usize),
    /// The prefix has been read, and from the next character these bits with this many bytes to
    /// come.
    Rest(S, u32, u8),
    /// No term can match.
    Dead,
}

impl<A: CharacterAutomaton> AfterPrefix<'_, A> {
    fn after_prefix(&self, bytes: usize) -> State<A::State> {
        if bytes == self.prefix.len() { State::Rest(self.rest.start(), 0, 0) } else { State::Prefix(bytes) }
    }

    fn step(&self, state: &A::State, bits: u32, to_come: u8) -> State<A::State> {
        if to_come > 0 {
            return State::Rest(state.clone(), bits, to_come);
        }
        match char::from_u32(bits) {
            Some(character) => State::Rest(self.rest.step(state, character), 0, 0),
            None => State::Dead,
        }
    }
}

impl<A: CharacterAutomaton> Automaton for AfterPrefix<'_, A> {
    type State = State<A::State>;

    fn start(&self) -> Self::State {
        self.after_prefix(0)
    }

    fn is_match(&self, state: &Self::State) -> bool {
        matches!(state, State::Rest(state, _, 0) if self.rest.is_match(state))
    }

    fn can_match(&self, state: &Self::State) -> bool {
        match state {
            State::Prefix(_) => true,
            State::Rest(state, ..) => {
                self.rest.can_match(state) && !self.pulse.is_over(self.rest.cost(state))
            }
            State::Dead => false,
        }
    }

    fn accept(&self, state: &Self::State, byte: u8) -> Self::State {
        match state {
            State::Prefix(read) if self.prefix.get(*read) == Some(&byte) => self.after_prefix(read + 1),
            State::Prefix(_) | State::Dead => State::Dead,
            State::Rest(state, bits, to_come @ 1..) => {
                self.step(state, bits << 6 | u32::from(byte & 0x3F), to_come - 1)
            }
            State::Rest(state, ..) => match byte {
                0..0x80 => self.step(state, u32::from(byte), 0),
                0x80..0xE0 => self.step(state, u32::from(byte & 0x1F), 1),
                0xE0..0xF0 => self.step(state, u32::from(byte & 0x0F), 2),
                0xF0.. => self.step(state, u32::from(byte & 0x07), 3),
            },
        }
    }
}
