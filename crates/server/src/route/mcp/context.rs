//! The surroundings of a call, and the table row of a tool.

use database::Session;
use mcp::{Arguments, Tool};

use super::failure::ToolResult;

/// The surroundings of a call of a tool.
#[derive(Clone, Copy)]
pub(super) struct Context<'c> {
    pub(super) session: &'c Session,
    /// True if the operator allows writes.
    pub(super) can_write: bool,
}

/// A tool and the function that runs it.
pub(super) struct Entry {
    pub(super) tool: Tool,
    pub(super) call: fn(Context<'_>, &Arguments<'_>) -> ToolResult,
    pub(super) presence: Presence,
}

/// The servers on which a tool is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// All.
    Always,
    /// Those on which nothing may be written.
    WhereOnlyRead,
    /// Those whose operator allows writes.
    WhereWritten,
}
