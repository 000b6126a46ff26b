//! `persea mcp`: the tools for language models of a server, for programs that speak the Model
//! Context Protocol over standard input and output.
//!
//! [`message`] reads a line and says how to send it, [`bridge`] sends the lines concurrently and
//! writes the replies.
//!
//! Source: the specification at modelcontextprotocol.io, "stdio" and "Streamable HTTP", revisions
//! 2025-03-26 to 2026-07-28.

mod message;
mod options;
mod bridge;

use std::io;

use ::options::Options;

use crate::{Console, Failure, Tool, connect};

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "mcp",
    links: &[],
    summary: "offer a server's tools for language models over standard input and output",
    when_stopped: "queries in progress end at their time limit",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let server = connect(options, console, false)?;
    bridge::run(&server.client, io::stdin().lock(), io::stdout())
}
