//! Options: one definition each ([`definitions`]), from which the command line, the configuration file, the environment,
//! the help text and `/_admin/options` are made.
//!
//! A value comes from, the first that has one: the command line, the environment (`PERSEA_SERVER_ENDPOINT` for
//! `server.endpoint`), the configuration file, the default.

mod definitions;
mod describe;
mod file;
mod help;
mod value;
mod without_effect;

use std::collections::BTreeMap;

pub(crate) use definitions::DEFINITIONS;
pub(crate) use describe::{description, values};
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
    without_effect: Vec<String>,
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
            let option = match argument.as_str() {
                "-c" => "configuration",
                other => other
                    .strip_prefix("--")
                    .ok_or_else(|| format!("unexpected argument {argument:?}; options start with --"))?,
            };
            if let Some(text) = answer(option)? {
                return Ok(Request::Print(text));
            }
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            let name = if name == "config" { "configuration" } else { name };
            let next_is_option = rest.peek().is_none_or(|next| next.starts_with("--"));
            if without_effect::is_without_effect(name) {
                if value.is_none() && !next_is_option {
                    rest.next();
                }
                given.without_effect.push(name.to_owned());
                continue;
            }
            let definition = find(name)?;
            let value = match value {
                Some(value) => value,
                // A switch may stand alone.
                None if definition.kind == Kind::Bool && next_is_option => "true".to_owned(),
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
            let meaning = |name: &str| self.defined(name).or_else(|| environment(name));
            let mut lowest = Options::default();
            for (line, name, value) in file::entries(&text, &meaning)? {
                if without_effect::is_without_effect(&name) {
                    lowest.without_effect.push(name);
                    continue;
                }
                let definition = find(&name).map_err(|error| format!("{path}:{line}: {error}"))?;
                lowest.add(definition, value, &format!("{path}:{line}"))?;
            }
            self.adopt(lowest);
        }
        Ok(())
    }

    /// What `--define` says of a name.
    fn defined(&self, name: &str) -> Option<String> {
        let mut definitions =
            self.all("define").into_iter().filter_map(|definition| definition.split_once('='));
        definitions.rfind(|(defined, _)| *defined == name).map(|(_, value)| value.to_owned())
    }

    /// Options of ArangoDB that were given and change nothing.
    pub(crate) fn without_effect(&self) -> &[String] {
        &self.without_effect
    }

    fn adopt(&mut self, lower: Options) {
        self.without_effect.extend(lower.without_effect);
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

/// The text that an option asks for instead of a server.
fn answer(option: &str) -> Result<Option<String>, String> {
    Ok(Some(match option {
        "help" | "help-all" | "help-." => help(None),
        "version" => version(),
        "version-json" => format!(
            "{{\"server-version\":\"{}\",\"persea-version\":\"{}\",\"license\":\"{}\"}}\n",
            server::server::ARANGODB_VERSION,
            server::server::PERSEA_VERSION,
            server::server::LICENSE
        ),
        "dump-options" => description().map_err(|error| error.to_string())?.1 + "\n",
        other => match other.strip_prefix("help-") {
            Some(section) => help(Some(section)),
            None => return Ok(None),
        },
    }))
}

/// What the program is, on one line.
pub(crate) fn version() -> String {
    format!("{} (persea {})\n", server::server::ARANGODB_VERSION, server::server::PERSEA_VERSION)
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
