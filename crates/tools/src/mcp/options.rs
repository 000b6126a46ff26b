//! The options of `persea mcp`.

use options::Program;

use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea mcp",
    usage: "[--OPTION VALUE ...]",
    about: "Read messages of the Model Context Protocol from the standard input, one a line, send them to a \
            server with --mcp.enabled, and write its replies to the standard output.",
    sections: &[general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: None,
};
