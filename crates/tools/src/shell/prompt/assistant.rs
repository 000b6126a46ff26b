//! The help that the editor gives while a person types.

use std::borrow::Cow;
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper, Result};
use velocypack::Slice;

use super::colors::colored;
use crate::shell::session::{Session, text};
use crate::shell::statement::is_open;

/// Completes names, colours code, and lets statements have several lines.
pub(super) struct Assistant {
    pub(super) session: Rc<Session>,
    pub(super) completes: bool,
}

impl Helper for Assistant {}

impl Hinter for Assistant {
    type Hint = String;
}

impl Completer for Assistant {
    type Candidate = Pair;

    /// Returns the names that continue the text, asked from the isolate.
    fn complete(&self, line: &str, position: usize, _: &Context<'_>) -> Result<(usize, Vec<Pair>)> {
        let typed = line.get(..position).unwrap_or_default();
        if !self.completes {
            return Ok((position, Vec::new()));
        }
        // Without names there is nothing to say, whatever the reason.
        let found = self.session.call("complete", &[text(typed)]).unwrap_or_default();
        let found = Slice::new(&found);
        let length = found.get("length").and_then(Slice::as_u64).unwrap_or_default();
        let names = found.get("names").into_iter().flat_map(Slice::elements).filter_map(Slice::as_str);
        let pair = |name: &str| Pair { display: name.to_owned(), replacement: name.to_owned() };
        let start = position.saturating_sub(usize::try_from(length).unwrap_or_default());
        Ok((start, names.map(pair).collect()))
    }
}

impl Validator for Assistant {
    /// Asks for another line as long as something is open.
    fn validate(&self, context: &mut ValidationContext<'_>) -> Result<ValidationResult> {
        Ok(match is_open(context.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        colored(line).into()
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        kind != CmdKind::MoveCursor
    }
}
