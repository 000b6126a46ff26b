//! A program as its options describe it.

use crate::suggest::nearest;
use crate::types::{List, Maybe, Text};
use crate::{Definition, Mistake, Opt, Section};

/// A program with options.
#[derive(Debug)]
pub struct Program {
    /// The command, such as `persea server`.
    pub name: &'static str,
    /// The usage line after the name.
    pub usage: &'static str,
    /// The purpose of the program in one sentence or more; may be empty.
    pub about: &'static str,
    /// Its options in the order of the help text. A section may be in several tables.
    pub sections: &'static [Section],
    /// The option that names the configuration file.
    pub configuration: &'static Opt<Maybe<Text>>,
    /// The option that defines names which stand for values.
    pub define: &'static Opt<List<Text>>,
    /// Options of ArangoDB's program that are accepted with a warning and change nothing.
    pub ignored: &'static [&'static [Unsupported]],
    /// Options of ArangoDB's program that are refused with a reason, because users may rely on
    /// their effect.
    pub refused: &'static [&'static [Unsupported]],
    /// The prefix of environment variables, such as `PERSEA_`.
    pub environment_prefix: &'static str,
    /// The option whose value is an argument without a name; several arguments if it is a list.
    pub unnamed: Option<&'static Definition>,
}

/// Options of ArangoDB that this program does not have, for one reason.
#[derive(Clone, Copy, Debug)]
pub struct Unsupported {
    /// The reason for a person, to follow a colon.
    pub reason: &'static str,
    /// The names of the options.
    pub names: &'static [&'static str],
}

/// The version of a program, as `--version` and `--version-json` print it.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    /// The version of ArangoDB that the program replaces.
    pub compatible: &'static str,
    /// The version of the program.
    pub own: &'static str,
    /// The name of its licence.
    pub license: &'static str,
    /// The commit that it was built from; empty if that is not known.
    pub commit: &'static str,
}

impl Version {
    pub(crate) fn text(&self) -> String {
        let commit = if self.commit.is_empty() { String::new() } else { format!(", commit {}", self.commit) };
        format!("{} (persea {}{commit})\n", self.compatible, self.own)
    }

    pub(crate) fn json(&self) -> String {
        format!(
            "{{\"server-version\":\"{}\",\"persea-version\":\"{}\",\"license\":\"{}\"}}\n",
            self.compatible, self.own, self.license
        )
    }
}

impl Program {
    /// Returns all definitions in the order of the sections.
    pub fn definitions(&self) -> impl Iterator<Item = &'static Definition> {
        self.sections.iter().copied().flatten().copied()
    }

    /// Returns the definition of a name.
    pub fn definition(&self, name: &str) -> Option<&'static Definition> {
        self.definitions().find(|definition| definition.name == name)
    }

    /// Returns the definition of a letter.
    pub(crate) fn definition_of_letter(&self, letter: char) -> Option<&'static Definition> {
        self.definitions().find(|definition| definition.letter == Some(letter))
    }

    /// Returns the reason why an option is ignored, if it is.
    pub fn why_ignored(&self, name: &str) -> Option<&'static str> {
        reason(self.ignored, name)
    }

    /// Returns the definition of a name.
    ///
    /// Errors say why the option is refused, or name the closest options.
    pub(crate) fn find(&self, name: &str) -> Result<&'static Definition, Mistake> {
        if let Some(found) = self.definition(name) {
            return Ok(found);
        }
        if let Some(reason) = reason(self.refused, name) {
            return Err(Mistake::name(format!("the option --{name} is refused: {reason}")));
        }
        let near = nearest(name, self.definitions().map(|definition| definition.name));
        let near: Vec<String> = near.iter().map(|name| format!("--{name}")).collect();
        let hint = match near.is_empty() {
            true => "--help lists them".to_owned(),
            false => format!("did you mean {}?", near.join(" or ")),
        };
        Err(Mistake::name(format!("there is no option --{name}; {hint}")))
    }

    pub(crate) fn environment_name(&self, option: &str) -> String {
        format!("{}{}", self.environment_prefix, option.to_uppercase().replace(['.', '-'], "_"))
    }
}

fn reason(tables: &'static [&'static [Unsupported]], name: &str) -> Option<&'static str> {
    let mut rows = tables.iter().copied().flatten();
    rows.find(|row| row.names.contains(&name)).map(|row| row.reason)
}
