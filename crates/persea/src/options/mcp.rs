//! `--mcp`: the tools for language models.

use options::{Flag, Opt, Options, flag};
use server::McpOptions;

options::section! {
    static ENABLED: Opt<Flag> =
        flag("mcp.enabled", false, "Answer the Model Context Protocol at /_mcp of each database, for programs that talk to a language model.");
    static WRITE: Opt<Flag> =
        flag("mcp.write", false, "Allow such programs to write, within the rights of their users.");
}

/// Makes the options of the tools.
pub(super) fn settings(options: &Options) -> McpOptions {
    McpOptions { is_enabled: options.get(&ENABLED), can_write: options.get(&WRITE) }
}
