//! `persea documents FOLDER`: the manual pages and the completions of shells, for packages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use options::{Command, Manual, Shell, completion, overview};

use crate::options::{SERVER, VERSION};

/// The places of completions below the folder, as packages install them below `/usr/share`.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/persea"),
    (Shell::Zsh, "zsh/site-functions/_persea"),
    (Shell::Fish, "fish/vendor_completions.d/persea.fish"),
];

/// Writes all documents into the folder that is the only argument.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let [folder] = arguments else {
        eprintln!("usage: persea documents FOLDER");
        return ExitCode::from(crate::EXIT_USAGE);
    };
    match write(Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("persea: the documents cannot be written into {folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the server and all tools.
fn commands() -> Vec<Command> {
    let server =
        Command { name: "server", summary: "start the server", links: &["arangod"], program: &SERVER };
    let tools = tools::TOOLS.iter().map(|tool| Command {
        name: tool.command,
        summary: tool.summary,
        links: tool.links,
        program: tool.program,
    });
    std::iter::once(server).chain(tools).collect()
}

fn write(folder: &Path) -> io::Result<()> {
    let commands = commands();
    let names: Vec<(&str, &str)> = commands.iter().map(|command| (command.name, command.summary)).collect();
    put(folder.join("man/man1/persea.1"), &overview(&names, VERSION))?;
    for Command { program, summary, links, .. } in &commands {
        let manual = Manual { program, summary, links, see_also: "persea" };
        let name = manual.name();
        put(folder.join(format!("man/man1/{name}.1")), &manual.page(VERSION))?;
        for link in *links {
            put(folder.join(format!("man/man1/{link}.1")), &format!(".so man1/{name}.1\n"))?;
        }
    }
    for (shell, place) in COMPLETIONS {
        put(folder.join(place), &completion(shell, "persea", &commands))?;
    }
    // bash finds completions by the name of the program.
    let bash = folder.join("bash-completion/completions");
    for link in commands.iter().flat_map(|command| command.links) {
        put(bash.join(link), "source \"${BASH_SOURCE[0]%/*}/persea\"\n")?;
    }
    Ok(())
}

fn put(path: PathBuf, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}
