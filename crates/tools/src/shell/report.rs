//! Messages about scripts that did not run to their end.

use std::fs;

use javascript::{Exception, Failure, Place};

/// Returns the name of a statement at the prompt or of the standard input, in errors.
pub(super) fn statement_name(number: usize) -> String {
    format!("<statement {number}>")
}

/// A script that is not a file.
pub(super) struct Source<'a> {
    /// Its name in errors.
    pub(super) name: &'a str,
    /// Its text.
    pub(super) text: &'a str,
}

/// Returns the message about a failure: place, reason, the line of code, and the calls.
pub(super) fn message(failure: &Failure, source: &Source<'_>) -> String {
    match failure {
        Failure::Exception(exception) => exception_message(exception, source),
        other => other.to_string(),
    }
}

fn exception_message(exception: &Exception, source: &Source<'_>) -> String {
    let Some(Place { file, line, column }) = &exception.place else { return exception.message.clone() };
    let mut text = format!("JavaScript exception in file '{file}' at {line},{column}: {}", exception.message);
    if let Some(code) = line_of(file, *line, source) {
        let pad =
            " ".repeat(usize::try_from(*column).unwrap_or(1).saturating_sub(1).min(code.chars().count()));
        text.push_str(&format!("\n!  {code}\n!  {pad}^"));
    }
    let calls: Vec<&str> = exception.stack.lines().filter(|call| !is_own(call)).collect();
    // One call says no more than the place does.
    if calls.len() > 1 {
        text.push_str(&format!("\nstacktrace:\n{}", calls.join("\n")));
    }
    text
}

/// Returns true if a call is within the API's own modules.
fn is_own(call: &str) -> bool {
    call.contains("(persea:") || call.trim_start().starts_with("at persea:")
}

/// Returns a line of a script.
fn line_of(file: &str, line: u32, source: &Source<'_>) -> Option<String> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    let text = if file == source.name { source.text.to_owned() } else { fs::read_to_string(file).ok()? };
    text.lines().nth(index).map(str::to_owned)
}
