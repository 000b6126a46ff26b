//! The prompt: statements that a person types, with history, completion and colours.

mod assistant;
mod colors;
mod text;

use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustyline::config::BellStyle;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{ColorMode, CompletionType, Config, Editor};

use super::host::Connection;
use super::options::{Colors, Settings};
use super::script::run_statement;
use super::session::Session;
use crate::{Console, Failure};
use assistant::Assistant;
use text::Facts;

/// The maximum number of statements in the history.
const HISTORY_MAX: usize = 10_000;

/// The file of the history, in the home directory.
const HISTORY_FILE: &str = ".persea_history";

/// The script that runs before the first prompt, in the home directory.
const STARTUP_FILE: &str = ".arangosh.rc";

/// Asks for statements and runs them, until the person leaves.
pub(super) fn run(
    session: &Rc<Session>,
    settings: &Settings,
    connection: &Connection,
    console: &Console,
) -> Result<(), Failure> {
    run_startup_file(session)?;
    let mut editor = editor(Rc::clone(session), settings)?;
    let history = settings.has_history.then(|| in_home(HISTORY_FILE)).flatten();
    if let Some(path) = &history {
        // There is no file before the first statement.
        let _ = editor.load_history(path);
    }
    let start = Instant::now();
    let mut last = Duration::ZERO;
    for number in 1.. {
        let prompt = text::prompt(&settings.prompt, &facts(session, connection, start, last));
        let statement = match editor.readline(&prompt) {
            Ok(statement) => statement,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(Failure::new(format!("the terminal cannot be read: {error}"))),
        };
        if statement.trim().is_empty() {
            continue;
        }
        // Statements go to the history immediately, so that a crash loses none.
        let _ = editor.add_history_entry(statement.as_str());
        if let Some(path) = &history
            && let Err(error) = editor.append_history(path)
        {
            console.debug(&format!("{} cannot be written: {error}", path.display()));
        }
        session.output.note(&prompt, &statement);
        let begin = Instant::now();
        run_one(session, settings, number, &statement)?;
        last = begin.elapsed();
    }
    Ok(())
}

/// Runs a statement, with its output in the pager if that is wanted.
fn run_one(session: &Session, settings: &Settings, number: usize, statement: &str) -> Result<(), Failure> {
    if settings.uses_pager {
        session
            .output
            .begin_pager()
            .map_err(|error| Failure::new(format!("the pager cannot be started: {error}")))?;
    }
    let outcome = run_statement(session, number, statement);
    if settings.uses_pager {
        session.output.end_pager();
    }
    outcome.map(|_| ())
}

fn editor(session: Rc<Session>, settings: &Settings) -> Result<Editor<Assistant, FileHistory>, Failure> {
    let failed = |error: ReadlineError| Failure::new(format!("the terminal cannot be used: {error}"));
    let config = Config::builder()
        .max_history_size(HISTORY_MAX)
        .map_err(failed)?
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .bell_style(BellStyle::None)
        .color_mode(if settings.colors == Colors::Never { ColorMode::Disabled } else { ColorMode::Enabled })
        .build();
    let mut editor = Editor::with_config(config).map_err(failed)?;
    editor.set_helper(Some(Assistant { session, completes: settings.completes }));
    Ok(editor)
}

fn run_startup_file(session: &Session) -> Result<(), Failure> {
    match in_home(STARTUP_FILE).filter(|path| path.is_file()) {
        Some(path) => super::script::run(session, &[path.to_string_lossy().into_owned()], &[]),
        None => Ok(()),
    }
}

fn in_home(name: &str) -> Option<PathBuf> {
    std::env::home_dir().map(|home| home.join(name))
}

fn facts(session: &Session, connection: &Connection, start: Instant, last: Duration) -> Facts {
    Facts {
        database: session.database(),
        endpoint: connection.is_up().then(|| connection.endpoint()),
        user: connection.user(),
        last,
        total: start.elapsed(),
    }
}
