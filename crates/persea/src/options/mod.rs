//! The server's options: its tables, read by the crate `options`.

mod definitions;
mod without_effect;

use options::{Mistake, Options, Program, Request, Version};

use definitions::DEFINITIONS;

/// What the binary says of itself.
pub(crate) const VERSION: Version = Version {
    compatible: server::server::ARANGODB_VERSION,
    own: server::server::PERSEA_VERSION,
    license: server::server::LICENSE,
};

/// The server as a program with options.
pub(crate) static SERVER: Program = Program {
    name: "persea server",
    usage: "[DIRECTORY] [--OPTION VALUE ...]",
    about: "",
    tables: &[DEFINITIONS],
    without_effect: &[without_effect::WITHOUT_EFFECT],
    refused: &[],
    environment_prefix: "PERSEA_",
    unnamed: Some("database.directory"),
};

/// Reads the server's options.
pub(crate) fn read(
    arguments: &[String],
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Request, Mistake> {
    Options::read(&SERVER, VERSION, arguments, environment)
}

#[cfg(test)]
mod tests;
