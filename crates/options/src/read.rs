//! From arguments, environment and configuration file to values.

use std::collections::BTreeMap;

use crate::help::{Scope, help};
use crate::placeholder::fill;
use crate::value::{is_true, parse_bytes};
use crate::{Definition, Kind, Mistake, Program, Version, describe, file};

/// The values of all options that were set, checked against their kinds.
#[derive(Debug)]
pub struct Options {
    program: &'static Program,
    values: BTreeMap<&'static str, Vec<String>>,
    without_effect: Vec<String>,
}

/// What the command line asks for.
#[derive(Debug)]
pub enum Request {
    /// To run with these options.
    Run(Options),
    /// To print this and end.
    Print(String),
}

/// What a variable of the environment says.
type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Options {
    /// Reads command line, environment and configuration file. An option without a value that needs one, or with a
    /// wrong one, is a mistake that says what would be right.
    pub fn read(
        program: &'static Program,
        version: Version,
        arguments: &[String],
        environment: Environment<'_>,
    ) -> Result<Request, Mistake> {
        let mut given = Options::new(program);
        let mut rest = arguments.iter().peekable();
        let mut first_unnamed = None;
        while let Some(argument) = rest.next() {
            let option = match argument.as_str() {
                "-c" => "configuration",
                "-D" => "define",
                "-h" => "help",
                // A lone dash stands for the standard input or output.
                other => match (other.strip_prefix("--"), program.unnamed) {
                    (Some(option), _) => option,
                    (None, Some(name)) if other == "-" || !other.starts_with('-') => {
                        if let Some(first) = first_unnamed.replace(argument) {
                            let text = format!(
                                "at most one value of --{name} is expected, got {first:?} and {argument:?}"
                            );
                            return Err(Mistake::value(text));
                        }
                        given.add_argument(name, argument, environment)?;
                        continue;
                    }
                    (None, _) => {
                        let text = format!(
                            "unexpected argument {argument:?}; options start with --, -c is --configuration, -D --define, -h --help"
                        );
                        return Err(Mistake::name(text));
                    }
                },
            };
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (option, None),
            };
            if value.is_none_or(is_true)
                && let Some(text) = answer(program, version, name)?
            {
                return Ok(Request::Print(text));
            }
            let name = if name == "config" { "configuration" } else { name };
            if program.without_effect(name).is_some() {
                if value.is_none() {
                    rest.next_if(|next| !next.starts_with("--"));
                }
                given.without_effect.push(name.to_owned());
                continue;
            }
            let definition = program.find(name)?;
            // Where arguments without a name have a meaning, what follows a switch may be one.
            let stands_alone = rest.peek().is_none_or(|next| {
                next.starts_with('-') || program.unnamed.is_some() && Kind::Bool.check(next).is_err()
            });
            let value = match value {
                Some(value) => value,
                None if definition.kind == Kind::Bool && stands_alone => "true",
                None => rest.next().ok_or_else(|| Mistake::value(format!("--{name} needs a value")))?,
            };
            given.add_argument(definition.name, value, environment)?;
        }
        given.complete(environment)?;
        Ok(Request::Run(given))
    }

    fn new(program: &'static Program) -> Self {
        Options { program, values: BTreeMap::new(), without_effect: Vec::new() }
    }

    /// Adds a value of the command line.
    fn add_argument(&mut self, name: &str, value: &str, environment: Environment<'_>) -> Result<(), Mistake> {
        let definition = self.program.find(name)?;
        let filled = fill(value, &|name| self.defined(name).or_else(|| environment(name)));
        let value = filled.map_err(|missing| {
            Mistake::value(format!(
                "--{name}: the environment says nothing of @{missing}@; @@ stands for an at sign"
            ))
        })?;
        self.add(definition, value, "the command line")
    }

    /// Adds what environment and configuration file say of options that the command line does not name.
    fn complete(&mut self, environment: Environment<'_>) -> Result<(), Mistake> {
        let program = self.program;
        let mut lower = Options::new(program);
        for definition in program.definitions() {
            let variable = program.environment_name(definition.name);
            if let Some(value) = environment(&variable) {
                lower.add(definition, value, &format!("the environment variable {variable}"))?;
            }
        }
        self.adopt(lower);
        let path =
            self.text("configuration").filter(|path| !path.eq_ignore_ascii_case("none") && !path.is_empty());
        if let Some(path) = path {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Mistake::file(format!("the configuration file {path} cannot be read: {error}"))
            })?;
            let meaning = |name: &str| self.defined(name).or_else(|| environment(name));
            let mut lowest = Options::new(program);
            for (line, name, value) in file::entries(path, &text, &meaning).map_err(Mistake::file)? {
                if program.without_effect(&name).is_some() {
                    lowest.without_effect.push(name);
                    continue;
                }
                let definition = program
                    .find(&name)
                    .map_err(|mistake| Mistake { text: format!("{path}:{line}: {mistake}"), ..mistake })?;
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

    /// The program that has these options.
    pub fn program(&self) -> &'static Program {
        self.program
    }

    /// Options of ArangoDB that were given and change nothing.
    pub fn without_effect(&self) -> &[String] {
        &self.without_effect
    }

    /// The values of all options as a VelocyPack object, secrets left out.
    pub fn values(&self) -> velocypack::Result<Vec<u8>> {
        describe::values(self)
    }

    fn adopt(&mut self, lower: Options) {
        self.without_effect.extend(lower.without_effect);
        for (name, values) in lower.values {
            self.values.entry(name).or_insert(values);
        }
    }

    fn add(&mut self, definition: &'static Definition, value: String, source: &str) -> Result<(), Mistake> {
        definition.kind.check(&value).map_err(|expected| {
            Mistake::value(format!("{source}: --{} must be {expected}, not {value:?}", definition.name))
        })?;
        let values = self.values.entry(definition.name).or_default();
        if !definition.is_list {
            values.clear();
        }
        values.push(value);
        Ok(())
    }

    /// Whether a value was given, that is, does not come from the default.
    pub fn is_given(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// All values of an option, or its default.
    pub fn all(&self, name: &str) -> Vec<&str> {
        match self.values.get(name) {
            Some(values) => values.iter().map(String::as_str).collect(),
            None => {
                let default = self.program.definition(name).map(|found| found.default);
                default.into_iter().filter(|default| !default.is_empty()).collect()
            }
        }
    }

    /// The last value of an option, or its default.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.all(name).pop()
    }

    /// A switch.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(is_true)
    }

    /// A number; checked when it was read.
    pub fn number(&self, name: &str) -> u64 {
        self.text(name).and_then(parse_bytes).unwrap_or(0)
    }

    /// A number of seconds, perhaps with a fraction.
    pub fn seconds(&self, name: &str) -> f64 {
        self.text(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
    }
}

/// The text that an option asks for instead of a run.
fn answer(program: &Program, version: Version, option: &str) -> Result<Option<String>, Mistake> {
    Ok(Some(match option {
        "help" => help(program, Scope::Common),
        "help-all" | "help-." => help(program, Scope::All),
        "version" => version.text(),
        "version-json" => version.json(),
        "dump-options" => {
            program.description_json().map_err(|error| Mistake::value(error.to_string()))? + "\n"
        }
        other => match other.strip_prefix("help-") {
            Some(section) => help(program, Scope::Section(section)),
            None => return Ok(None),
        },
    }))
}

impl Program {
    /// What each option does, as a VelocyPack object.
    pub fn description(&self) -> velocypack::Result<Vec<u8>> {
        describe::description(self)
    }

    /// What each option does, as JSON.
    pub fn description_json(&self) -> velocypack::Result<String> {
        let description = self.description()?;
        Ok(velocypack::Slice::new(&description).to_json_string())
    }
}
