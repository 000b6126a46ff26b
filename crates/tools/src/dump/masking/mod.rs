//! Maskings: the treatment of each collection, and changes of values before they are written.
//!
//! Source: ArangoDB 3.10 documentation, "arangodump Data Maskings". The file is a JSON object of
//! collections' names (`*` stands for all others). Each has a `type`, and with `masked` an array of
//! rules: `path`, `type` (the function) and its parameters. The first rule whose path matches a
//! value decides.

mod function;
mod path;
mod random;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;
use velocypack::{Builder, Limits, Slice, json};

use crate::Failure;
use function::Function;
use path::Path;

/// The top-level attributes that never change.
const SYSTEM_ATTRIBUTES: [&str; 5] = ["_key", "_id", "_rev", "_from", "_to"];
/// The name that stands for all collections without an entry.
const OTHERS: &str = "*";

/// The treatment of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// No file.
    Exclude,
    /// No documents.
    Structure,
    /// Changed documents.
    Masked,
    /// Unchanged documents.
    Full,
}

/// The contents of a file of maskings.
#[derive(Debug)]
pub(super) struct Maskings {
    collections: HashMap<String, Entry>,
    /// The secret that makes hashes agree within one run and differ between two.
    secret: [u8; 16],
}

#[derive(Debug)]
struct Entry {
    treatment: Treatment,
    rules: Vec<Rule>,
    /// True if it has changed a document.
    has_documents: AtomicBool,
}

#[derive(Debug)]
struct Rule {
    path: Path,
    function: Function,
    /// True if it has changed a value.
    has_value: AtomicBool,
    /// True if an object has its path, whose values it does not change.
    has_object: AtomicBool,
}

/// The changes of one collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask<'a> {
    entry: &'a Entry,
    secret: &'a [u8; 16],
}

impl Maskings {
    /// Reads a file. Errors: exit code 4, with the place in the file.
    pub(super) fn open(file: &FilePath) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::option(format!("--maskings: {}: {what}", file.display()));
        let text = std::fs::read(file).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Maskings::parse(&text).map_err(wrong)
    }

    /// Returns what cannot be meant: functions that leave nothing of a value.
    pub(super) fn doubts(&self) -> Vec<String> {
        self.told(|_, rule| rule.function.doubt().map(str::to_owned))
    }

    /// Returns the rules that have changed no value of the documents that were dumped, and why.
    pub(super) fn failing(&self) -> Vec<String> {
        let is_dumped = |entry: &Entry| entry.has_documents.load(Ordering::Relaxed);
        self.told(|entry, rule| {
            let why = rule.failing().filter(|_| is_dumped(entry))?;
            Some(format!("nothing was masked: the path {:?} {why}", rule.path.to_string()))
        })
    }

    /// Returns the rules about which there is something to tell.
    fn told(&self, tell: impl Fn(&Entry, &Rule) -> Option<String>) -> Vec<String> {
        let mut all = Vec::new();
        for (name, entry) in &self.collections {
            for (number, rule) in (1..).zip(&entry.rules) {
                let told = tell(entry, rule);
                all.extend(
                    told.map(|what| format!("--maskings: collection {name:?}: rule {number}: {what}")),
                );
            }
        }
        all.sort();
        all
    }

    fn parse(text: &[u8]) -> Result<Self, String> {
        let mut builder = Builder::new();
        json::parse(text, &Limits::default(), &mut builder).map_err(|error| error.to_string())?;
        let value = builder.as_slice();
        if !value.is_object() {
            return Err("expecting an object of collections' names".to_owned());
        }
        let mut collections = HashMap::new();
        for (name, entry) in value.entries() {
            let entry = Entry::parse(entry).map_err(|what| format!("collection {name:?}: {what}"))?;
            collections.insert(name.to_owned(), entry);
        }
        let secret = random::secret()?;
        Ok(Maskings { collections, secret })
    }

    fn entry(&self, collection: &str) -> Option<&Entry> {
        self.collections.get(collection).or_else(|| self.collections.get(OTHERS))
    }

    /// Returns the treatment of a collection. Those without an entry are omitted.
    pub(super) fn treatment(&self, collection: &str) -> Treatment {
        self.entry(collection).map_or(Treatment::Exclude, |entry| entry.treatment)
    }

    /// Returns the changes of a collection's documents; `None` if they stay.
    pub(super) fn mask(&self, collection: &str) -> Option<Mask<'_>> {
        let entry = self.entry(collection).filter(|entry| entry.treatment == Treatment::Masked)?;
        Some(Mask { entry, secret: &self.secret })
    }
}

impl Entry {
    fn parse(entry: Slice<'_>) -> Result<Self, String> {
        let treatment = match entry.get("type").and_then(Slice::as_str) {
            Some("exclude") => Treatment::Exclude,
            Some("structure") => Treatment::Structure,
            Some("masked") => Treatment::Masked,
            Some("full") => Treatment::Full,
            _ => return Err("'type' must be exclude, structure, masked or full".to_owned()),
        };
        let rules = entry.get("maskings").filter(|_| treatment == Treatment::Masked);
        let rules = rules.unwrap_or(Slice::EMPTY_ARRAY);
        if !rules.is_array() {
            return Err("'maskings' must be an array of rules".to_owned());
        }
        let parse = |(number, rule)| Rule::parse(rule).map_err(|what| format!("rule {number}: {what}"));
        let rules: Result<Vec<_>, String> = (1..).zip(rules.elements()).map(parse).collect();
        Ok(Entry { treatment, rules: rules?, has_documents: AtomicBool::new(false) })
    }
}

impl Rule {
    fn parse(rule: Slice<'_>) -> Result<Self, String> {
        let path = rule.get("path").and_then(Slice::as_str).ok_or("'path' must be a string")?;
        Ok(Rule {
            path: Path::parse(path)?,
            function: Function::parse(rule)?,
            has_value: AtomicBool::new(false),
            has_object: AtomicBool::new(false),
        })
    }

    /// Returns why the rule has changed nothing; `None` if it has.
    fn failing(&self) -> Option<&'static str> {
        match (self.has_value.load(Ordering::Relaxed), self.has_object.load(Ordering::Relaxed)) {
            (true, _) => None,
            (false, true) => {
                Some("is that of an object, whose values have paths of their own; they stay as they are")
            }
            (false, false) => Some("is that of no value"),
        }
    }
}

impl Mask<'_> {
    /// Changes documents in JSON Lines.
    pub(super) fn lines(&self, batch: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        let unreadable =
            |error: json::JsonError| Failure::new(format!("the server sent invalid JSON: {error}"));
        let mut random = random::generator()?;
        let mut parser = json::Parser::new(batch, &Limits::default());
        let (mut read, mut changed) = (Builder::new(), Builder::new());
        loop {
            read.clear();
            changed.clear();
            if parser.next_value(&mut read).map_err(unreadable)?.is_none() {
                return Ok(());
            }
            self.document(read.as_slice(), &mut changed, &mut random)?;
            json::write(changed.as_slice(), None, out);
            out.push(b'\n');
        }
    }

    /// Changes documents that are members of a VelocyPack array.
    pub(super) fn velocypack(&self, batch: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        let list = velocypack::validate(batch, &Limits::default())?;
        let mut random = random::generator()?;
        let mut changed = Builder::new();
        changed.open_array()?;
        for document in list.elements() {
            self.document(document, &mut changed, &mut random)?;
        }
        changed.close()?;
        out.extend_from_slice(changed.as_bytes());
        Ok(())
    }

    fn document(&self, document: Slice<'_>, out: &mut Builder, random: &mut Rng) -> Result<(), Failure> {
        if !document.is_object() {
            return Ok(out.add_slice(document)?);
        }
        self.entry.has_documents.store(true, Ordering::Relaxed);
        let mut path = Vec::new();
        out.open_object()?;
        for (name, value) in document.entries() {
            out.key(name)?;
            if SYSTEM_ATTRIBUTES.contains(&name) {
                out.add_slice(value)?;
                continue;
            }
            path.push(name);
            self.value(value, &mut path, out, random)?;
            path.pop();
        }
        Ok(out.close()?)
    }

    /// Changes a value. Elements of an array are at the path of the array.
    ///
    /// The parser's limit bounds the depth.
    fn value<'v>(
        &self,
        value: Slice<'v>,
        path: &mut Vec<&'v str>,
        out: &mut Builder,
        random: &mut Rng,
    ) -> Result<(), Failure> {
        if value.is_object() {
            for rule in self.entry.rules.iter().filter(|rule| rule.path.matches(path)) {
                rule.has_object.store(true, Ordering::Relaxed);
            }
            out.open_object()?;
            for (name, inner) in value.entries() {
                out.key(name)?;
                path.push(name);
                self.value(inner, path, out, random)?;
                path.pop();
            }
            return Ok(out.close()?);
        }
        if value.is_array() {
            out.open_array()?;
            value.elements().try_for_each(|inner| self.value(inner, path, out, random))?;
            return Ok(out.close()?);
        }
        match self.entry.rules.iter().find(|rule| rule.path.matches(path)) {
            Some(rule) => {
                rule.has_value.store(true, Ordering::Relaxed);
                rule.function.apply(value, self.secret, random, out)
            }
            None => Ok(out.add_slice(value)?),
        }
    }
}
