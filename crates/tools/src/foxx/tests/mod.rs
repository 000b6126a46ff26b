//! Tests of the commands against a mock of a server, and of what they make of files.

mod commands;
mod files;
mod mock;
mod reports;

use ::options::{Options, Request, Version};

use crate::console::{Form, Level};
use crate::{Console, Failure};

const VERSION: Version = Version { compatible: "3.12.0", own: "1", license: "L", commit: "" };

fn options(arguments: &[&str]) -> Result<Options, Failure> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    match Options::read(&super::options::PROGRAM, VERSION, &arguments, &|_| None)? {
        Request::Run(options) => Ok(options),
        Request::Print(text) => panic!("{text}"),
    }
}

/// Runs a command line.
fn run(arguments: &[&str]) -> Result<(), Failure> {
    super::run(&options(arguments)?, &Console::new(Level::Error, Form::Text, Vec::new()))
}

/// Returns the message of a command line that fails.
fn mistake(arguments: &[&str]) -> String {
    run(arguments).unwrap_err().text().to_owned()
}
