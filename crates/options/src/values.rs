//! The values of options.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Definition, Maybe, Mistake, Opt, Program, Text, Value};

/// The values of all options that were set, checked against their kinds.
#[derive(Debug)]
pub struct Options {
    program: &'static Program,
    values: BTreeMap<&'static str, Vec<String>>,
    ignored: Vec<String>,
}

impl Options {
    /// Returns options without any value.
    pub(crate) fn new(program: &'static Program) -> Self {
        Options { program, values: BTreeMap::new(), ignored: Vec::new() }
    }

    /// Returns the program that has these options.
    pub fn program(&self) -> &'static Program {
        self.program
    }

    /// Returns the ArangoDB options that were given and that this program ignores.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// Returns the value of an option, or its default, in the type that its row states.
    pub fn get<V: Value>(&self, option: &Opt<V>) -> V::Read<'_> {
        option.value().read(&self.texts(option))
    }

    /// Returns the text of an option, or `None` if it is empty.
    pub fn non_empty(&self, option: &Opt<Maybe<Text>>) -> Option<&str> {
        self.get(option).filter(|text| !text.is_empty())
    }

    /// Returns a number as a size in memory; numbers beyond the address space become the largest
    /// size.
    pub fn size<V: for<'o> Value<Read<'o> = u64>>(&self, option: &Opt<V>) -> usize {
        usize::try_from(self.get(option)).unwrap_or(usize::MAX)
    }

    /// Returns a number of seconds as a duration; numbers beyond its range become the longest
    /// duration.
    pub fn duration<V: for<'o> Value<Read<'o> = f64>>(&self, option: &Opt<V>) -> Duration {
        Duration::try_from_secs_f64(self.get(option)).unwrap_or(Duration::MAX)
    }

    /// Returns true if a value was given, that is, does not come from the default.
    pub fn is_given(&self, option: &Definition) -> bool {
        self.values.contains_key(option.name)
    }

    /// Returns all given values of an option as texts, or its default.
    pub(crate) fn texts(&self, option: &Definition) -> Vec<&str> {
        debug_assert!(self.program.definition(option.name).is_some(), "--{} is in no table", option.name);
        match self.values.get(option.name) {
            Some(values) => values.iter().map(String::as_str).collect(),
            None if option.default.is_empty() => Vec::new(),
            None => vec![option.default],
        }
    }

    /// Adds a value. It replaces the previous one unless the option is a list.
    pub(crate) fn add(
        &mut self,
        option: &'static Definition,
        value: String,
        source: &str,
    ) -> Result<(), Mistake> {
        option.kind.check(&value).map_err(|expected| {
            Mistake::value(format!("{source}: --{} must be {expected}, not {value:?}", option.name))
        })?;
        let values = self.values.entry(option.name).or_default();
        if !option.is_list {
            values.clear();
        }
        values.push(value);
        Ok(())
    }

    /// Notes that an ignored option was given.
    pub(crate) fn ignore(&mut self, name: String) {
        self.ignored.push(name);
    }

    /// Adds the values of a weaker source for options that have none yet.
    pub(crate) fn adopt(&mut self, weaker: Options) {
        self.ignored.extend(weaker.ignored);
        for (name, values) in weaker.values {
            self.values.entry(name).or_insert(values);
        }
    }
}
