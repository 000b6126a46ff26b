//! Readers of arguments, environment and configuration file.

use std::iter::Peekable;
use std::slice::Iter;

use crate::help::{Scope, help};
use crate::kind::is_true;
use crate::placeholder::fill;
use crate::{Definition, Kind, Mistake, Options, Program, Version, file};

/// The outcome of a command line.
#[derive(Debug)]
pub enum Request {
    /// A run with these options.
    Run(Options),
    /// A text to print before the program ends.
    Print(String),
}

/// A function that looks up an environment variable.
type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The options read so far, and their sources.
struct Reader<'a> {
    program: &'static Program,
    version: Version,
    environment: Environment<'a>,
    options: Options,
    /// The first argument without a name.
    first_unnamed: Option<&'a str>,
}

impl Options {
    /// Reads command line, environment and configuration file.
    ///
    /// Errors: an option lacks a value that it needs, or has a wrong one. The error says what would
    /// be right.
    pub fn read(
        program: &'static Program,
        version: Version,
        arguments: &[String],
        environment: Environment<'_>,
    ) -> Result<Request, Mistake> {
        let options = Options::new(program);
        let mut reader = Reader { program, version, environment, options, first_unnamed: None };
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            if let Some(option) = program.unnamed.filter(|option| option.is_list && argument == "--") {
                // All that follows belongs to a script, whatever it looks like.
                for word in rest.by_ref() {
                    reader.options.add(option, word.clone(), "the command line")?;
                }
                break;
            }
            if let Some(text) = reader.argument(argument, &mut rest)? {
                return Ok(Request::Print(text));
            }
        }
        reader.read_environment()?;
        reader.read_file()?;
        Ok(Request::Run(reader.options))
    }
}

impl<'a> Reader<'a> {
    /// Reads an argument, and the next one if that is its value.
    ///
    /// Returns a text if the program must print it instead of a run.
    fn argument(
        &mut self,
        argument: &'a str,
        rest: &mut Peekable<Iter<'a, String>>,
    ) -> Result<Option<String>, Mistake> {
        if let Some(letters) = self.letters(argument) {
            return self.lettered(&letters, rest).map(|()| None);
        }
        let option = match argument {
            "-c" => self.program.configuration.name,
            "-D" => self.program.define.name,
            "-h" => "help",
            other => match other.strip_prefix("--") {
                Some(option) => option,
                None => return self.unnamed(other).map(|()| None),
            },
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        if value.is_none_or(is_true)
            && let Some(text) = answer(self.program, self.version, name)?
        {
            return Ok(Some(text));
        }
        self.named(name, value, rest).map(|()| None)
    }

    /// Returns the options of letters behind one dash, if the program has all of them.
    fn letters(&self, argument: &str) -> Option<Vec<&'static Definition>> {
        let letters = argument.strip_prefix('-').filter(|letters| !letters.is_empty())?;
        letters.chars().map(|letter| self.program.definition_of_letter(letter)).collect()
    }

    /// Reads options from their letters. Only the last one takes its value from the next argument.
    fn lettered(
        &mut self,
        letters: &[&'static Definition],
        rest: &mut Peekable<Iter<'a, String>>,
    ) -> Result<(), Mistake> {
        let Some((last, switches)) = letters.split_last() else { return Ok(()) };
        for option in switches {
            if !matches!(option.kind, Kind::Bool) {
                let name = option.name;
                return Err(Mistake::value(format!(
                    "the letter of --{name} must be the last one, before the value"
                )));
            }
            self.add_argument(option, "true")?;
        }
        self.named(last.name, None, rest)
    }

    /// Reads an argument without a name. A lone dash stands for the standard input or output.
    fn unnamed(&mut self, argument: &'a str) -> Result<(), Mistake> {
        let Some(option) = self.program.unnamed.filter(|_| argument == "-" || !argument.starts_with('-'))
        else {
            return Err(Mistake::name(format!(
                "unexpected argument {argument:?}; options start with --, -c is --configuration, -D --define, -h --help"
            )));
        };
        if let Some(first) = self.first_unnamed.replace(argument).filter(|_| !option.is_list) {
            let name = option.name;
            return Err(Mistake::value(format!(
                "at most one value of --{name} is expected, got {first:?} and {argument:?}"
            )));
        }
        self.add_argument(option, argument)
    }

    /// Reads an option, with its value from the same argument or from the next one.
    fn named(
        &mut self,
        name: &str,
        value: Option<&str>,
        rest: &mut Peekable<Iter<'a, String>>,
    ) -> Result<(), Mistake> {
        let name = if name == "config" { self.program.configuration.name } else { name };
        if self.program.why_ignored(name).is_some() {
            if value.is_none() {
                rest.next_if(|next| !next.starts_with("--"));
            }
            self.options.ignore(name.to_owned());
            return Ok(());
        }
        let option = self.program.find(name)?;
        let is_switch = matches!(option.kind, Kind::Bool);
        // In programs that take an argument without a name, the argument after a switch may be that
        // one.
        let stands_alone = rest.peek().is_none_or(|next| {
            next.starts_with('-') || self.program.unnamed.is_some() && Kind::Bool.check(next).is_err()
        });
        let value = match value {
            Some(value) => value,
            None if is_switch && stands_alone => "true",
            None => rest.next().ok_or_else(|| Mistake::value(format!("--{name} needs a value")))?,
        };
        self.add_argument(option, value)
    }

    /// Adds a value of the command line.
    fn add_argument(&mut self, option: &'static Definition, value: &str) -> Result<(), Mistake> {
        let filled = fill(value, &|name| self.meaning(name));
        let value = filled.map_err(|missing| {
            Mistake::value(format!(
                "--{}: @{missing}@ is not set in the environment; write @@ for an at sign",
                option.name
            ))
        })?;
        self.options.add(option, value, "the command line")
    }

    /// Adds the variables of the environment for options that the command line does not name.
    fn read_environment(&mut self) -> Result<(), Mistake> {
        let mut weaker = Options::new(self.program);
        for option in self.program.definitions() {
            let variable = self.program.environment_name(option.name);
            if let Some(value) = (self.environment)(&variable) {
                weaker.add(option, value, &format!("the environment variable {variable}"))?;
            }
        }
        self.options.adopt(weaker);
        Ok(())
    }

    /// Adds the configuration file's values for options that have none yet.
    fn read_file(&mut self) -> Result<(), Mistake> {
        let path = self.options.get(self.program.configuration);
        let Some(path) = path.filter(|path| !path.is_empty() && !path.eq_ignore_ascii_case("none")) else {
            return Ok(());
        };
        let text = std::fs::read_to_string(path).map_err(|error| {
            Mistake::file(format!("the configuration file {path} cannot be read: {error}"))
        })?;
        let entries = file::entries(path, &text, &|name| self.meaning(name)).map_err(Mistake::file)?;
        let mut weaker = Options::new(self.program);
        for (line, name, value) in entries {
            let place = format!("{path}:{line}");
            if self.program.why_ignored(&name).is_some() {
                weaker.ignore(name);
                continue;
            }
            let found = self.program.find(&name);
            let option =
                found.map_err(|mistake| Mistake { text: format!("{place}: {mistake}"), ..mistake })?;
            weaker.add(option, value, &place)?;
        }
        self.options.adopt(weaker);
        Ok(())
    }

    /// Returns the value of a name between at signs: `--define` wins over the environment.
    fn meaning(&self, name: &str) -> Option<String> {
        let defined = self.options.get(self.program.define).into_iter();
        let mut pairs = defined.filter_map(|definition| definition.split_once('='));
        let value = pairs.rfind(|(defined, _)| *defined == name).map(|(_, value)| value.to_owned());
        value.or_else(|| (self.environment)(name))
    }
}

/// Returns the text that an option asks for instead of a run.
fn answer(program: &Program, version: Version, option: &str) -> Result<Option<String>, Mistake> {
    Ok(Some(match option {
        "help" => help(program, Scope::Common),
        "help-all" | "help-." => help(program, Scope::All),
        "version" => version.text(),
        "version-json" => version.json(),
        "dump-options" => {
            program.description_json().map_err(|error| Mistake::value(error.to_string()))? + "\n"
        }
        "dump-dependencies" => program.dependencies(),
        other => match other.strip_prefix("help-") {
            Some(section) => help(program, Scope::Section(section)),
            None => return Ok(None),
        },
    }))
}
