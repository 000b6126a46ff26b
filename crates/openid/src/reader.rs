//! JSON objects of a configuration, whose mistakes are named with their path.

use velocypack::{Builder, Limits, Slice, json};

/// A result whose error is a sentence about a mistake.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Deepest nesting of documents from outside.
const MAX_DEPTH: usize = 32;

/// Returns a JSON text as VelocyPack. Two attributes of the same name are an error.
pub(crate) fn parse(text: &[u8], max_bytes: usize) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    json::parse_strict(text, &Limits { max_depth: MAX_DEPTH, max_bytes }, &mut builder)
        .map_err(|error| format!("it is not valid JSON: {error}"))?;
    Ok(builder.into_vec())
}

/// A value of the configuration and its path.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) value: Slice<'a>,
    pub(crate) path: String,
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: Slice<'a>) -> Self {
        Node { value, path: String::new() }
    }

    /// Returns an error about this value.
    pub(crate) fn wrong<T>(&self, must: &str) -> Result<T> {
        let path = if self.path.is_empty() { "the file" } else { &self.path };
        Err(format!("{path}: {must}"))
    }

    /// Returns an error about a member of this value.
    pub(crate) fn wrong_member<T>(&self, name: &str, must: &str) -> Result<T> {
        self.child(name, self.value).wrong(must)
    }

    fn child(&self, name: &str, value: Slice<'a>) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Node { value, path: format!("{}{dot}{name}", self.path) }
    }

    /// Returns a member of an object, unless it is absent or null.
    pub(crate) fn get(&self, name: &str) -> Option<Node<'a>> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(self.child(name, value))
    }

    /// Checks that the value is an object with members of these names only.
    pub(crate) fn require_members(&self, known: &[&str]) -> Result<()> {
        for node in self.members()? {
            let name = node.path.rsplit('.').next().unwrap_or_default();
            if !known.contains(&name) {
                return node.wrong(&format!("unknown member; known are {}", known.join(", ")));
            }
        }
        Ok(())
    }

    /// Returns the members of an object.
    pub(crate) fn members(&self) -> Result<Vec<Node<'a>>> {
        Ok(self.named_members()?.into_iter().map(|(_, node)| node).collect())
    }

    /// Returns the members of an object with their names.
    pub(crate) fn named_members(&self) -> Result<Vec<(String, Node<'a>)>> {
        if !self.value.is_object() {
            return self.wrong("must be an object");
        }
        let member = |(name, value): (_, Slice<'a>)| {
            let name = std::string::ToString::to_string(&name);
            let node = self.child(&name, value);
            (name, node)
        };
        Ok(self.value.entries().map(member).collect())
    }

    /// Returns the elements of an array.
    pub(crate) fn elements(&self) -> Result<Vec<Node<'a>>> {
        if !self.value.is_array() {
            return self.wrong("must be an array");
        }
        let element = |(index, value)| Node { value, path: format!("{}[{index}]", self.path) };
        Ok(self.value.elements().enumerate().map(element).collect())
    }

    /// Returns the elements of an array, or the value itself.
    pub(crate) fn one_or_more(&self) -> Result<Vec<Node<'a>>> {
        if self.value.is_array() { self.elements() } else { Ok(vec![self.clone()]) }
    }

    /// Returns a string that is not empty.
    pub(crate) fn text(&self) -> Result<&'a str> {
        match self.value.as_str().filter(|text| !text.is_empty()) {
            Some(text) => Ok(text),
            None => self.wrong("must be a string that is not empty"),
        }
    }

    /// Returns a string or several.
    pub(crate) fn texts(&self) -> Result<Vec<String>> {
        self.one_or_more()?.iter().map(|node| node.text().map(str::to_owned)).collect()
    }

    pub(crate) fn flag(&self) -> Result<bool> {
        match self.value.as_bool() {
            Some(flag) => Ok(flag),
            None => self.wrong("must be true or false"),
        }
    }

    /// Returns a whole number up to `most`.
    pub(crate) fn number(&self, most: u64) -> Result<u64> {
        match self.value.as_u64().filter(|number| *number <= most) {
            Some(number) => Ok(number),
            None => self.wrong(&format!("must be a whole number from 0 to {most}")),
        }
    }
}
