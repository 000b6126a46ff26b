//! The roles of a process before it is the server: changing the user ([`user`]), starting a server
//! in the background ([`daemon`]), and starting it again after a crash ([`supervisor`]).
//!
//! Each role starts this program again, with the same arguments. An environment variable says which
//! roles are done. Without these options there is one process.

mod daemon;
mod supervisor;
mod user;

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use options::Options;

use crate::failure::Failure;
use crate::options::{general, log, process};

/// The variable that says which roles are over.
const ROLE: &str = "PERSEA_PROCESS_ROLE";

/// The values of the variable: a process that a daemon's starter has made, and one that a
/// supervisor has made.
const BACKGROUND: &str = "background";
const WORKER: &str = "worker";

/// Takes the roles that the options ask for. `None` if this process is the server.
pub(crate) fn take(options: &Options) -> Result<Option<ExitCode>, Failure> {
    let role = std::env::var(ROLE).unwrap_or_default();
    check(options)?;
    user::change(options)?;
    if role.is_empty() && options.get(&process::DAEMON) {
        return daemon::start().map(Some);
    }
    if role == BACKGROUND {
        daemon::detach();
    }
    if role == WORKER {
        supervisor::follow()?;
        return Ok(None);
    }
    if options.get(&process::SUPERVISOR) {
        return supervisor::run(options).map(Some);
    }
    Ok(None)
}

/// Returns true if this process is the server of a supervisor, which has written the process file.
pub(crate) fn is_supervised() -> bool {
    std::env::var(ROLE).is_ok_and(|role| role == WORKER)
}

fn check(options: &Options) -> Result<(), Failure> {
    let wanted = [&process::DAEMON, &process::SUPERVISOR].into_iter().find(|option| options.get(option));
    let Some(wanted) = wanted else { return Ok(()) };
    if options.get(&general::PID_FILE).is_none() {
        return Err(format!("--{} needs --{}", wanted.name, general::PID_FILE.name).into());
    }
    if options.get(&process::DAEMON) && log::is_on_terminal(options) {
        return Err(format!(
            "--{} needs a file for the log, since nobody reads its output: --log.file PATH",
            process::DAEMON.name
        )
        .into());
    }
    Ok(())
}

/// Returns a command that starts this program again with the same arguments.
fn same_program() -> Command {
    same_program_at(std::env::current_exe().unwrap_or_else(|_| PathBuf::from("/proc/self/exe")))
}

/// Returns the same for the path of this program.
fn same_program_at(program: PathBuf) -> Command {
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let mut command = Command::new(program);
    command.arg0(name).args(arguments);
    command
}
