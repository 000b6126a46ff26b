//! Questions to the person at the terminal whose answer is not shown.

use std::io::{self, BufRead, IsTerminal, Write};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Returns true if there is a terminal to ask at.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal()
}

/// Asks for a secret.
pub(crate) fn secret(question: &str) -> io::Result<String> {
    let stdin = io::stdin();
    let before = tcgetattr(&stdin)?;
    let mut silent = before.clone();
    silent.local_modes &= !LocalModes::ECHO;
    let mut stderr = io::stderr().lock();
    write!(stderr, "{question}: ")?;
    stderr.flush()?;
    tcsetattr(&stdin, OptionalActions::Flush, &silent)?;
    let mut answer = String::new();
    let read = stdin.lock().read_line(&mut answer);
    tcsetattr(&stdin, OptionalActions::Flush, &before)?;
    writeln!(stderr)?;
    read?;
    Ok(answer.trim_end_matches(['\n', '\r']).to_owned())
}
