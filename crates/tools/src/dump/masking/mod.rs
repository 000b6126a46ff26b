//! Maskings: the treatment of each collection, and changes of values before they are written.
//!
//! Source: ArangoDB 3.10 documentation, "arangodump Data Maskings". The file is a JSON object of
//! collections' names (`*` stands for all others). Each has a `type`, and with `masked` an array of
//! rules: `path`, `type` (the function) and its parameters. The first rule whose path matches a
//! value decides.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;
use maskings::{Reach, Rule, Rules, Secret};
use velocypack::{Builder, Limits, Slice, json};

use crate::Failure;

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
    secret: Secret,
}

#[derive(Debug)]
struct Entry {
    treatment: Treatment,
    rules: Rules,
    /// True if it has changed a document.
    has_documents: AtomicBool,
}

/// The changes of one collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask<'a> {
    entry: &'a Entry,
    secret: &'a Secret,
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
        self.told(|_, rule| rule.doubt().map(str::to_owned))
    }

    /// Returns the rules that have changed no value of the documents that were dumped, and why.
    pub(super) fn failing(&self) -> Vec<String> {
        let is_dumped = |entry: &Entry| entry.has_documents.load(Ordering::Relaxed);
        self.told(|entry, rule| {
            let why = rule.failing().filter(|_| is_dumped(entry))?;
            Some(format!("nothing was masked: the path {:?} {why}", rule.path().to_string()))
        })
    }

    /// Returns the rules about which there is something to tell.
    fn told(&self, tell: impl Fn(&Entry, &Rule) -> Option<String>) -> Vec<String> {
        let mut all = Vec::new();
        for (name, entry) in &self.collections {
            for (number, rule) in (1..).zip(entry.rules.iter()) {
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
        let secret = maskings::secret()?;
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
        let rules = Rules::new(rules?, Reach::Values);
        Ok(Entry { treatment, rules, has_documents: AtomicBool::new(false) })
    }
}

fn generator() -> Result<Rng, Failure> {
    maskings::generator().map_err(Failure::new)
}

impl Mask<'_> {
    /// Changes documents in JSON Lines.
    pub(super) fn lines(&self, batch: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        let unreadable =
            |error: json::JsonError| Failure::new(format!("the server sent invalid JSON: {error}"));
        let mut random = generator()?;
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
        let mut random = generator()?;
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
        Ok(self.entry.rules.mask(document, self.secret, random, out)?)
    }
}
