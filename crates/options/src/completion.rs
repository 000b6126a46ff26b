//! Scripts that complete the options of programs in a shell, made of the definitions.

use std::fmt::Write;

use crate::{Definition, Kind, Program};

/// A command of the binary, as a shell completes it.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The name after the binary's.
    pub name: &'static str,
    /// Its purpose in a few words.
    pub summary: &'static str,
    /// The names of links that run it.
    pub links: &'static [&'static str],
    /// Its options.
    pub program: &'static Program,
}

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// GNU's shell.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

/// Returns the script for a binary.
pub fn completion(shell: Shell, binary: &str, commands: &[Command]) -> String {
    match shell {
        Shell::Bash => bash(binary, commands),
        Shell::Zsh => zsh(binary, commands),
        Shell::Fish => fish(binary, commands),
    }
}

/// Returns the values that an option chooses among; empty if there are too many.
fn values(definition: &Definition) -> Vec<&'static str> {
    match definition.kind {
        Kind::Choice(choices) => choices.names(),
        Kind::Bool => vec!["true", "false"],
        _ => Vec::new(),
    }
}

fn binaries(binary: &str, commands: &[Command]) -> String {
    let links = commands.iter().flat_map(|command| command.links.iter().copied());
    std::iter::once(binary).chain(links).collect::<Vec<_>>().join(" ")
}

fn names(commands: &[Command]) -> String {
    commands.iter().map(|command| command.name).collect::<Vec<_>>().join(" ")
}

/// Returns a pattern of `case` for a command and the links that run it.
fn pattern(command: &Command) -> String {
    std::iter::once(command.name).chain(command.links.iter().copied()).collect::<Vec<_>>().join("|")
}

fn bash(binary: &str, commands: &[Command]) -> String {
    let mut script = format!(
        "# Completion of {binary} for bash.\n\
         _{binary}() {{\n\
         \x20   local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[0]##*/}} options= values=\n\
         \x20   if [[ $command == {binary} ]]; then\n\
         \x20       if ((COMP_CWORD == 1)); then\n\
         \x20           COMPREPLY=($(compgen -W '{} version help' -- \"$current\"))\n\
         \x20           return\n\
         \x20       fi\n\
         \x20       command=${{COMP_WORDS[1]}}\n\
         \x20   fi\n\
         \x20   case $command in\n",
        names(commands)
    );
    for command in commands {
        let options: Vec<String> =
            command.program.definitions().map(|option| format!("--{}", option.name)).collect();
        let _ = writeln!(script, "    {})\n        options='{} --help'", pattern(command), options.join(" "));
        script.push_str("        case $previous in\n");
        for option in command.program.definitions() {
            let values = values(option);
            if !values.is_empty() {
                let _ = writeln!(script, "        --{}) values='{}' ;;", option.name, values.join(" "));
            }
        }
        script.push_str("        esac\n        ;;\n");
    }
    let _ = writeln!(
        script,
        "    esac\n\
         \x20   if [[ -n $values ]]; then\n\
         \x20       COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n\
         \x20   elif [[ $current == -* ]]; then\n\
         \x20       COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n\
         \x20   else\n\
         \x20       COMPREPLY=($(compgen -f -- \"$current\"))\n\
         \x20   fi\n\
         }}\n\
         complete -o filenames -F _{binary} {}",
        binaries(binary, commands)
    );
    script
}

fn zsh(binary: &str, commands: &[Command]) -> String {
    let mut script = format!(
        "#compdef {}\n# Completion of {binary} for zsh.\nlocal command=${{words[1]:t}}\n\
         if [[ $command == {binary} ]]; then\n\
         \x20   if (( CURRENT == 2 )); then\n\
         \x20       local -a commands=(\n",
        binaries(binary, commands)
    );
    for command in commands {
        let _ = writeln!(script, "            {}", quoted(&format!("{}:{}", command.name, command.summary)));
    }
    script.push_str(
        "        )\n        _describe command commands\n        return\n    fi\n    command=${words[2]}\n    \
         shift words\n    (( CURRENT-- ))\nfi\ncase $command in\n",
    );
    for command in commands {
        let _ = writeln!(script, "{})\n    _arguments \\", pattern(command));
        for option in command.program.definitions() {
            let help = option.help.replace('\\', "").replace(['[', ']', ':'], " ");
            let (star, values) = (if option.is_list { "*" } else { "" }, values(option));
            let action = match values.is_empty() {
                true => "_files".to_owned(),
                false => format!("({})", values.join(" ")),
            };
            let _ = writeln!(
                script,
                "        {} \\",
                quoted(&format!("{star}--{}[{help}]:value:{action}", option.name))
            );
        }
        script.push_str("        '*:file:_files'\n    ;;\n");
    }
    script.push_str("esac\n");
    script
}

fn fish(binary: &str, commands: &[Command]) -> String {
    let mut script = format!("# Completion of {binary} for fish.\n");
    let all = names(commands);
    for command in commands {
        let _ = writeln!(
            script,
            "complete -c {binary} -f -n 'not __fish_seen_subcommand_from {all}' -a {} -d {}",
            command.name,
            quoted(command.summary)
        );
        for option in command.program.definitions() {
            let values = values(option);
            let values = match values.is_empty() {
                true => String::new(),
                false => format!(" -f -a {}", quoted(&values.join(" "))),
            };
            let rest = format!("-l {} -r{values} -d {}", option.name, quoted(option.help));
            let _ = writeln!(
                script,
                "complete -c {binary} -n '__fish_seen_subcommand_from {}' {rest}",
                command.name
            );
            for link in command.links {
                let _ = writeln!(script, "complete -c {link} {rest}");
            }
        }
    }
    script
}

/// Quotes text for a shell.
fn quoted(text: &str) -> String {
    // All three shells end a quoted text, add a quote, and begin again in this form.
    format!("'{}'", text.replace('\\', "").replace('\'', "'\\''"))
}
