//! Options: one definition each ([`definitions`]), from which the command line, the configuration file, the environment,
//! the help text and `/_admin/options` are made.
//!
//! A value comes from, the first that has one: the command line, the environment (`PERSEA_SERVER_ENDPOINT` for
//! `server.endpoint`), the configuration file, the default.

mod definitions;
mod file;
mod help;
mod value;

use std::collections::BTreeMap;

pub(crate) use definitions::DEFINITIONS;
pub(crate) use help::help;
pub(crate) use value::{Kind, parse_bytes};

/// One option.
pub(crate) struct Definition {
    /// `section.name`, or a name alone for the general section.
    pub(crate) name: &'static str,
    /// What its values are.
    pub(crate) kind: Kind,
    /// The default, as it would be written; empty where there is none.
    pub(crate) default: &'static str,
    /// What it does, for the help text.
    pub(crate) help: &'static str,
    /// May be given several times.
    pub(crate) is_list: bool,
    /// Never shown.
    pub(crate) is_secret: bool,
}

/// The values of all options that were set, checked against their kinds.
#[derive(Debug, Default)]
pub(crate) struct Options {
    values: BTreeMap<&'static str, Vec<String>>,
}

/// What the command line asks for.
pub(crate) enum Request {
    /// To run with these options.
    Run(Options),
    /// To print this and end.
    Print(String),
}

impl Options {
    /// Reads command line, environment and configuration file.
    pub(crate) fn read(
        arguments: &[String],
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Request, String> {
        let mut given = Options::default();
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            let Some(option) = argument.strip_prefix("--") else {
                return Err(format!("unexpected argument {argument:?}; options start with --"));
            };
            if option == "help" || option == "help-all" {
                return Ok(Request::Print(help()));
            }
            if option == "version" {
                return Ok(Request::Print(format!(
                    "{} (persea {})\n",
                    server::server::ARANGODB_VERSION,
                    server::server::PERSEA_VERSION
                )));
            }
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            let definition = find(name)?;
            let value = match value {
                Some(value) => value,
                // A switch may stand alone.
                None if definition.kind == Kind::Bool
                    && rest.peek().is_none_or(|next| next.starts_with("--")) =>
                {
                    "true".to_owned()
                }
                None => rest.next().cloned().ok_or_else(|| format!("--{name} needs a value"))?,
            };
            given.add(definition, value, "the command line")?;
        }
        given.complete(environment)?;
        Ok(Request::Run(given))
    }

    /// Adds what environment and configuration file say of options that the command line does not name.
    fn complete(&mut self, environment: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
        let mut lower = Options::default();
        for definition in DEFINITIONS {
            let variable = environment_name(definition.name);
            if let Some(value) = environment(&variable) {
                lower.add(definition, value, &format!("the environment variable {variable}"))?;
            }
        }
        self.adopt(lower);
        if let Some(path) = self.text("configuration").filter(|path| *path != "none" && !path.is_empty()) {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("the configuration file {path} cannot be read: {error}"))?;
            let mut lowest = Options::default();
            for (line, name, value) in file::entries(&text)? {
                let definition = find(&name).map_err(|error| format!("{path}:{line}: {error}"))?;
                lowest.add(definition, value, &format!("{path}:{line}"))?;
            }
            self.adopt(lowest);
        }
        Ok(())
    }

    fn adopt(&mut self, lower: Options) {
        for (name, values) in lower.values {
            self.values.entry(name).or_insert(values);
        }
    }

    fn add(&mut self, definition: &'static Definition, value: String, source: &str) -> Result<(), String> {
        definition.kind.check(&value).map_err(|expected| {
            format!("{source}: --{} must be {expected}, not {value:?}", definition.name)
        })?;
        let values = self.values.entry(definition.name).or_default();
        if !definition.is_list {
            values.clear();
        }
        values.push(value);
        Ok(())
    }

    /// All values of an option, or its default.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        match self.values.get(name) {
            Some(values) => values.iter().map(String::as_str).collect(),
            None => {
                let default =
                    DEFINITIONS.iter().find(|definition| definition.name == name).map(|found| found.default);
                default.into_iter().filter(|default| !default.is_empty()).collect()
            }
        }
    }

    /// The last value of an option, or its default.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.all(name).pop()
    }

    /// A switch.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(value::is_true)
    }

    /// A number; checked when it was read.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.text(name).and_then(parse_bytes).unwrap_or(0)
    }

    /// A number of seconds, perhaps with a fraction.
    pub(crate) fn seconds(&self, name: &str) -> f64 {
        self.text(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
    }
}

fn environment_name(option: &str) -> String {
    format!("PERSEA_{}", option.to_uppercase().replace(['.', '-'], "_"))
}

/// The definition of a name. An error names the options that are closest to it.
fn find(name: &str) -> Result<&'static Definition, String> {
    if let Some(found) = DEFINITIONS.iter().find(|definition| definition.name == name) {
        return Ok(found);
    }
    let mut near: Vec<(usize, &str)> =
        DEFINITIONS.iter().map(|definition| (distance(definition.name, name), definition.name)).collect();
    near.sort_unstable();
    let near: Vec<String> = near
        .iter()
        .filter(|(distance, _)| *distance <= 6)
        .take(3)
        .map(|(_, name)| format!("--{name}"))
        .collect();
    let hint = if near.is_empty() {
        "--help lists them".to_owned()
    } else {
        format!("did you mean {}?", near.join(" or "))
    };
    Err(format!("there is no option --{name}; {hint}"))
}

/// Levenshtein's distance, for suggestions.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut before = i;
        let mut previous = i + 1;
        for (cell, r) in row.iter_mut().skip(1).zip(right.chars()) {
            let replaced = before + usize::from(l != r);
            before = *cell;
            *cell = replaced.min(before + 1).min(previous + 1);
            previous = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests;
