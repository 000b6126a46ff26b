//! The commands: names, arguments, and the options that each takes.

use options::{Definition, Options};

use super::options::{
    ALL, ARGUMENT, EXAMPLE, EXTRACT, FORCE, INSTALLATION, MINIMAL, OUTFILE, RAW, REMOVAL, REPORTER, ROWS,
    SLOPPY, STDOUT,
};
use crate::Failure;

/// A command of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    List,
    Info,
    Install,
    Upgrade,
    Replace,
    Uninstall,
    Configuration,
    Dependencies,
    Scripts,
    Run,
    Test,
    SetDevelopment,
    SetProduction,
    Download,
    Bundle,
    Init,
    Ignore,
    Server,
}

/// The form of a command.
struct Syntax {
    command: Command,
    /// Its name, then other names of it.
    names: &'static [&'static str],
    /// The arguments after the name, as messages show them.
    arguments: &'static str,
    min: usize,
    max: usize,
    /// The options that it takes beside those of the connection and of messages.
    options: &'static [&'static [&'static Definition]],
}

/// The maximum number of arguments where a command takes any number.
const MANY: usize = 1_000;

const fn syntax(
    command: Command,
    names: &'static [&'static str],
    arguments: &'static str,
    (min, max): (usize, usize),
    options: &'static [&'static [&'static Definition]],
) -> Syntax {
    Syntax { command, names, arguments, min, max, options }
}

static SYNTAXES: &[Syntax] = &[
    syntax(Command::List, &["list", "ls"], "", (0, 0), &[&[ALL.row(), RAW.row()]]),
    syntax(Command::Info, &["info", "show"], "MOUNT", (1, 1), &[&[RAW.row()]]),
    syntax(Command::Install, &["install", "i"], "MOUNT [SOURCE]", (1, 2), &[INSTALLATION]),
    syntax(
        Command::Upgrade,
        &["upgrade"],
        "MOUNT [SOURCE]",
        (1, 2),
        &[INSTALLATION, REMOVAL, &[FORCE.row()]],
    ),
    syntax(
        Command::Replace,
        &["replace"],
        "MOUNT [SOURCE]",
        (1, 2),
        &[INSTALLATION, REMOVAL, &[FORCE.row()]],
    ),
    syntax(Command::Uninstall, &["uninstall", "remove", "purge"], "MOUNT", (1, 1), &[REMOVAL]),
    syntax(
        Command::Configuration,
        &["config", "configuration", "cfg", "set-config"],
        "MOUNT [NAME=VALUE ...]",
        (1, MANY),
        &[&[FORCE.row(), MINIMAL.row(), RAW.row()]],
    ),
    syntax(
        Command::Dependencies,
        &["deps", "dependencies", "dep", "set-deps"],
        "MOUNT [NAME=/MOUNT ...]",
        (1, MANY),
        &[&[FORCE.row(), MINIMAL.row(), RAW.row()]],
    ),
    syntax(Command::Scripts, &["scripts"], "MOUNT", (1, 1), &[&[RAW.row()]]),
    syntax(Command::Run, &["run", "script"], "MOUNT SCRIPT [ARGUMENT]", (2, 3), &[]),
    syntax(Command::Test, &["test", "tests", "run-tests"], "MOUNT [FILTER]", (1, 2), &[&[REPORTER.row()]]),
    syntax(Command::SetDevelopment, &["set-dev", "set-development"], "MOUNT", (1, 1), &[]),
    syntax(Command::SetProduction, &["set-prod", "set-production"], "MOUNT", (1, 1), &[]),
    syntax(
        Command::Download,
        &["download", "dl"],
        "MOUNT",
        (1, 1),
        &[&[EXTRACT.row(), FORCE.row(), OUTFILE.row(), STDOUT.row()]],
    ),
    syntax(
        Command::Bundle,
        &["bundle", "zip"],
        "[FOLDER]",
        (0, 1),
        &[&[FORCE.row(), OUTFILE.row(), SLOPPY.row(), STDOUT.row()]],
    ),
    syntax(Command::Init, &["init"], "[FOLDER]", (0, 1), &[&[EXAMPLE.row()]]),
    syntax(Command::Ignore, &["ignore", "exclude"], "[PATTERN ...]", (0, MANY), &[&[FORCE.row()]]),
    syntax(Command::Server, &["server", "remote"], "list", (0, 1), &[]),
];

/// A command with its arguments.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) command: Command,
    arguments: Vec<String>,
}

impl Call {
    /// Reads the command line.
    ///
    /// Errors: an unknown command, a wrong number of arguments, an option that the command does not
    /// take, a mount point without a slash.
    pub(super) fn read(options: &Options) -> Result<Call, Failure> {
        let mut words = options.get(&ARGUMENT).into_iter();
        let name = words.next().unwrap_or_default();
        let syntax = SYNTAXES.iter().find(|syntax| syntax.names.contains(&name)).ok_or_else(|| {
            let names: Vec<&str> =
                SYNTAXES.iter().filter_map(|syntax| syntax.names.first().copied()).collect();
            let mistake = if name.is_empty() {
                "there is no command".to_owned()
            } else {
                format!("there is no command {name:?}")
            };
            Failure::option(format!("{mistake}; the commands are {}", names.join(", ")))
        })?;
        let arguments: Vec<String> = words.map(str::to_owned).collect();
        syntax.check_count(name, arguments.len())?;
        syntax.check_options(name, options)?;
        let call = Call { command: syntax.command, arguments };
        if syntax.arguments.starts_with("MOUNT") && !call.mount().starts_with('/') {
            let mount = call.mount();
            return Err(Failure::option(format!(
                "the mount point is {mount:?}; it must begin with a slash, such as /{mount}"
            )));
        }
        Ok(call)
    }

    /// Returns the first argument, the mount point of most commands.
    pub(super) fn mount(&self) -> &str {
        self.arguments.first().map(String::as_str).unwrap_or_default()
    }

    /// Returns an argument, the mount point having the number 0.
    pub(super) fn argument(&self, index: usize) -> Option<&str> {
        self.arguments.get(index).map(String::as_str)
    }

    /// Returns all arguments from a number on.
    pub(super) fn from(&self, index: usize) -> Vec<&str> {
        self.arguments.iter().skip(index).map(String::as_str).collect()
    }
}

impl Syntax {
    fn check_count(&self, name: &str, count: usize) -> Result<(), Failure> {
        match count {
            count if (self.min..=self.max).contains(&count) => Ok(()),
            count => Err(Failure::option(format!(
                "`{name}` has {count} arguments; it must be `persea foxx {name} {}`",
                self.arguments
            ))),
        }
    }

    fn check_options(&self, name: &str, options: &Options) -> Result<(), Failure> {
        let taken: Vec<&str> =
            self.options.iter().copied().flatten().map(|definition| definition.name).collect();
        let given = ROWS.iter().filter(|row| row.name != ARGUMENT.name && options.is_given(row));
        let Some(wrong) = given.map(|row| row.name).find(|name| !taken.contains(name)) else { return Ok(()) };
        let right = match taken.is_empty() {
            true => "it takes none of its own".to_owned(),
            false => format!("it takes --{}", taken.join(", --")),
        };
        Err(Failure::option(format!("`{name}` does not take --{wrong}; {right}")))
    }
}
