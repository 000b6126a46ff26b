//! What options need to know of the program that has them.

use crate::suggest::nearest;
use crate::{Definition, Mistake};

/// A program with options.
#[derive(Debug)]
pub struct Program {
    /// How it is called, such as `persea server`.
    pub name: &'static str,
    /// What stands behind the name in the usage line.
    pub usage: &'static str,
    /// One sentence or more about what it does; may be empty.
    pub about: &'static str,
    /// Its options, table by table. The order is that of the help text; a section may be in several tables.
    pub tables: &'static [&'static [Definition]],
    /// Options of ArangoDB's program that are accepted and change nothing, table by table.
    pub without_effect: &'static [&'static [Exception]],
    /// Options of ArangoDB's program that are refused with a reason, because somebody may rely on what they do, table
    /// by table.
    pub refused: &'static [&'static [Exception]],
    /// What names of variables of the environment begin with, as `PERSEA_`.
    pub environment_prefix: &'static str,
    /// The option that an argument without a name is the value of.
    pub unnamed: Option<&'static str>,
}

/// Options that are treated alike, and why.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// Why, for a person; goes on after "because" or a colon.
    pub reason: &'static str,
    /// Their names.
    pub names: &'static [&'static str],
}

/// What `--version` and `--version-json` print.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    /// The version of ArangoDB that the program stands in for.
    pub compatible: &'static str,
    /// The version of the program.
    pub own: &'static str,
    /// The name of its licence.
    pub license: &'static str,
}

impl Version {
    pub(crate) fn text(&self) -> String {
        format!("{} (persea {})\n", self.compatible, self.own)
    }

    pub(crate) fn json(&self) -> String {
        format!(
            "{{\"server-version\":\"{}\",\"persea-version\":\"{}\",\"license\":\"{}\"}}\n",
            self.compatible, self.own, self.license
        )
    }
}

impl Program {
    /// All definitions in the order of the tables.
    pub fn definitions(&self) -> impl Iterator<Item = &'static Definition> {
        self.tables.iter().flat_map(|table| table.iter())
    }

    /// The definition of a name.
    pub fn definition(&self, name: &str) -> Option<&'static Definition> {
        self.definitions().find(|definition| definition.name == name)
    }

    /// Why an option is accepted without effect, if it is.
    pub fn without_effect(&self, name: &str) -> Option<&'static str> {
        reason(self.without_effect, name)
    }

    /// The definition of a name, or an error that says why it is refused or names the options that are closest to it.
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

fn reason(tables: &'static [&'static [Exception]], name: &str) -> Option<&'static str> {
    let mut exceptions = tables.iter().copied().flatten();
    exceptions.find(|exception| exception.names.contains(&name)).map(|exception| exception.reason)
}
