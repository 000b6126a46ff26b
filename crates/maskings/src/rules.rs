//! Rules, and their application to a document.

use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;
use velocypack::{Builder, Slice};

use crate::function::Function;
use crate::path::Path;
use crate::random::Secret;

/// The top-level attributes that never change.
pub const SYSTEM_ATTRIBUTES: [&str; 5] = ["_key", "_id", "_rev", "_from", "_to"];

/// The values to which a rule applies whose path is that of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// None: the values of the object have paths of their own. Dumps are masked so.
    Values,
    /// All values in the object.
    Objects,
}

/// The rules for the documents of a collection.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    reach: Reach,
}

/// A path, and the function that replaces the values there.
#[derive(Debug)]
pub struct Rule {
    path: Path,
    function: Function,
    /// True if it has changed a value.
    has_value: AtomicBool,
    /// True if an object has its path, whose values it does not change.
    has_object: AtomicBool,
}

impl Rule {
    /// Reads an object with `path`, `type` and the function's parameters. Errors: what is wrong.
    pub fn parse(rule: Slice<'_>) -> Result<Self, String> {
        let path = rule.get("path").and_then(Slice::as_str).ok_or("'path' must be a string")?;
        Ok(Rule {
            path: Path::parse(path)?,
            function: Function::parse(rule)?,
            has_value: AtomicBool::new(false),
            has_object: AtomicBool::new(false),
        })
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a reason to doubt that the function does what its author wants.
    pub fn doubt(&self) -> Option<&'static str> {
        self.function.doubt()
    }

    /// Returns why the rule has changed nothing; `None` if it has.
    pub fn failing(&self) -> Option<&'static str> {
        match (self.has_value.load(Ordering::Relaxed), self.has_object.load(Ordering::Relaxed)) {
            (true, _) => None,
            (false, true) => {
                Some("is that of an object, whose values have paths of their own; they stay as they are")
            }
            (false, false) => Some("is that of no value"),
        }
    }
}

impl Rules {
    /// Collects rules in their order.
    pub fn new(rules: Vec<Rule>, reach: Reach) -> Self {
        Rules { rules, reach }
    }

    /// Iterates over the rules in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// Adds a document with masked values. Anything but an object stays as it is.
    pub fn mask(
        &self,
        document: Slice<'_>,
        secret: &Secret,
        random: &mut Rng,
        out: &mut Builder,
    ) -> velocypack::Result<()> {
        if !document.is_object() {
            return out.add_slice(document);
        }
        let mut path = Vec::new();
        out.open_object()?;
        for (name, value) in document.entries() {
            out.key(name)?;
            if SYSTEM_ATTRIBUTES.contains(&name) {
                out.add_slice(value)?;
                continue;
            }
            path.push(name);
            self.value(value, None, &mut path, &mut Tools { secret, random, out })?;
            path.pop();
        }
        out.close()
    }

    /// Changes a value. Elements of an array are at the path of the array. `outer` applies to the
    /// object around it.
    ///
    /// The depth is that of a document, which the parser limits.
    fn value<'v>(
        &self,
        value: Slice<'v>,
        outer: Option<&Rule>,
        path: &mut Vec<&'v str>,
        tools: &mut Tools<'_>,
    ) -> velocypack::Result<()> {
        if value.is_object() {
            let mut matching = self.rules.iter().filter(|rule| rule.path.matches(path));
            let rule = match self.reach {
                Reach::Objects => outer.or_else(|| matching.next()),
                Reach::Values => {
                    matching.for_each(|rule| rule.has_object.store(true, Ordering::Relaxed));
                    None
                }
            };
            tools.out.open_object()?;
            for (name, inner) in value.entries() {
                tools.out.key(name)?;
                path.push(name);
                self.value(inner, rule, path, tools)?;
                path.pop();
            }
            return tools.out.close();
        }
        if value.is_array() {
            tools.out.open_array()?;
            value.elements().try_for_each(|inner| self.value(inner, outer, path, tools))?;
            return tools.out.close();
        }
        match outer.or_else(|| self.rules.iter().find(|rule| rule.path.matches(path))) {
            Some(rule) => {
                rule.has_value.store(true, Ordering::Relaxed);
                rule.function.apply(value, tools.secret, tools.random, tools.out)
            }
            None => tools.out.add_slice(value),
        }
    }
}

struct Tools<'a> {
    secret: &'a Secret,
    random: &'a mut Rng,
    out: &'a mut Builder,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Vec<u8> {
        let mut builder = Builder::new();
        velocypack::json::parse(json.as_bytes(), &velocypack::Limits::default(), &mut builder).unwrap();
        builder.into_vec()
    }

    #[test]
    fn a_rule_that_reaches_objects_leaves_no_value_in_them() {
        let rule = parse(r#"{"path": "a", "type": "xifyFront", "unmaskedLength": 1}"#);
        let document = parse(r#"{"_key":"a","a":{"b":"name","c":[{"d":"more"}]},"b":"name"}"#);
        let masked = |reach| {
            let rules = Rules::new(vec![Rule::parse(Slice::new(&rule)).unwrap()], reach);
            let mut out = Builder::new();
            rules.mask(Slice::new(&document), &[7; 16], &mut Rng::with_seed(1), &mut out).unwrap();
            velocypack::json::to_json_string(out.as_slice(), None)
        };
        let expected = r#"{"_key":"a","a":{"b":"xxxe","c":[{"d":"xxxe"}]},"b":"name"}"#;
        assert_eq!(masked(Reach::Objects), expected);
        assert_eq!(masked(Reach::Values), r#"{"_key":"a","a":{"b":"name","c":[{"d":"more"}]},"b":"name"}"#);
    }
}
