//! Scripts without a prompt: files, texts, and the standard input.

use std::io::{BufRead, stdin};

use javascript::Failure as ScriptFailure;

use super::report::{Source, message, statement_name};
use super::session::{Session, text};
use super::statement::is_open;
use crate::{Console, Failure};

/// The name of a text of the command line, in errors.
const COMMAND_LINE: &str = "<command line>";

/// The name of a script from the standard input, in errors.
const STANDARD_INPUT: &str = "<stdin>";

/// Runs files, then texts. The first failure ends the work.
pub(super) fn run(session: &Session, files: &[String], texts: &[String]) -> Result<(), Failure> {
    for file in files {
        match file.as_str() {
            "-" => run_standard_input(session)?,
            file => ended(session.run_file(file), &Source { name: "", text: "" })?,
        }
    }
    for source in texts {
        ended(session.run(COMMAND_LINE, source), &Source { name: COMMAND_LINE, text: source })?;
    }
    Ok(())
}

fn run_standard_input(session: &Session) -> Result<(), Failure> {
    let text = std::io::read_to_string(stdin()).map_err(|error| unreadable(&error))?;
    ended(session.run(STANDARD_INPUT, &text), &Source { name: STANDARD_INPUT, text: &text })
}

/// Checks the syntax of files. All files are checked, whatever the outcome of the others.
pub(super) fn check(session: &Session, files: &[String], console: &Console) -> Result<(), Failure> {
    let mut wrong = 0;
    for file in files {
        match session.call("checkSyntax", &[text(file)]) {
            Ok(_) => console.info(&format!("{file} has no errors")),
            Err(failure) => {
                wrong += 1;
                console.error(&message(&failure, &Source { name: "", text: "" }));
            }
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::new(format!("{wrong} of {} files have errors", files.len()))),
    }
}

/// Runs the statements of the standard input one after another, and prints their values.
///
/// A statement that fails does not stop the others, but the exit code reports it.
pub(super) fn run_statements(session: &Session) -> Result<(), Failure> {
    let mut statement = String::new();
    let mut number = 0;
    let mut has_failed = false;
    for line in stdin().lock().lines() {
        statement.push_str(&line.map_err(|error| unreadable(&error))?);
        statement.push('\n');
        if !is_open(&statement) {
            number += 1;
            session.output.note("", statement.trim_end());
            has_failed |= !run_statement(session, number, &std::mem::take(&mut statement))?;
        }
    }
    if !statement.trim().is_empty() {
        has_failed |= !run_statement(session, number + 1, &statement)?;
    }
    if has_failed { Err(Failure::new("statements failed")) } else { Ok(()) }
}

/// Runs a statement; returns true if it succeeds.
pub(super) fn run_statement(session: &Session, number: usize, statement: &str) -> Result<bool, Failure> {
    let name = statement_name(number);
    let source = Source { name: &name, text: statement };
    match session.evaluate(source.name, statement) {
        Ok(()) => Ok(true),
        Err(ScriptFailure::Exit(code)) => Err(Failure::silent(code)),
        Err(failure) => {
            print_error(&message(&failure, &source));
            Ok(false)
        }
    }
}

fn unreadable(error: &std::io::Error) -> Failure {
    Failure::new(format!("standard input cannot be read: {error}"))
}

/// Prints a message about a statement, as it is, to the standard error output.
pub(super) fn print_error(text: &str) {
    use std::io::Write;
    // A closed output does not stop the shell.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Returns the outcome of a script as that of the program.
fn ended(outcome: Result<(), ScriptFailure>, source: &Source<'_>) -> Result<(), Failure> {
    outcome.map_err(|failure| match failure {
        ScriptFailure::Exit(code) => Failure::silent(code),
        failure => Failure::new(message(&failure, source)),
    })
}
