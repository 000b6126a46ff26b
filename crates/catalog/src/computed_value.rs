//! The `computedValues` of a collection. The catalog does not parse their AQL expressions.

use errors::{Error, Result};
use velocypack::Slice;

use crate::properties::{Printer, Properties};

/// The maximum number of computed values of a collection; each is evaluated at every write.
pub const COMPUTED_VALUES_MAX: usize = 256;
/// The attributes that the server sets itself.
const RESERVED: [&str; 5] = ["_key", "_id", "_rev", "_from", "_to"];

/// The writes at which a value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ComputeOn {
    /// True if inserts compute the value.
    pub insert: bool,
    /// True if updates compute the value.
    pub update: bool,
    /// True if replacements compute the value.
    pub replace: bool,
}

impl Default for ComputeOn {
    fn default() -> Self {
        ComputeOn { insert: true, update: true, replace: true }
    }
}

impl ComputeOn {
    const NEVER: ComputeOn = ComputeOn { insert: false, update: false, replace: false };

    fn parse(names: Slice<'_>) -> Result<Self> {
        let mut on = ComputeOn::NEVER;
        for name in names.elements() {
            match name.as_str() {
                Some("insert") => on.insert = true,
                Some("update") => on.update = true,
                Some("replace") => on.replace = true,
                _ => return Err(invalid("'computeOn' may hold \"insert\", \"update\" and \"replace\"")),
            }
        }
        if on == ComputeOn::NEVER {
            return Err(invalid("'computeOn' must not be empty"));
        }
        Ok(on)
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [(self.insert, "insert"), (self.update, "update"), (self.replace, "replace")];
        all.into_iter().filter(|(on, _)| *on).map(|(_, name)| name)
    }
}

/// An attribute that the server computes when a document is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedValue {
    /// The top-level attribute to set.
    pub name: String,
    /// The AQL text, `RETURN ...` over `@doc`.
    pub expression: String,
    /// True if the computed value replaces one that the client gave.
    pub overwrite: bool,
    /// The writes that compute the value.
    pub compute_on: ComputeOn,
    /// True if a null is stored; otherwise the attribute is omitted, or removed.
    pub keep_null: bool,
    /// True if a warning of the expression fails the write.
    pub fail_on_warning: bool,
}

impl ComputedValue {
    /// Reads a `computedValues` attribute: `null` and `[]` mean none.
    ///
    /// Errors: 10.
    pub(crate) fn parse_all(value: Slice<'_>) -> Result<Vec<Self>> {
        if value.is_null() {
            return Ok(Vec::new());
        }
        if !value.is_array() {
            return Err(invalid("an array of objects is expected"));
        }
        let mut values: Vec<Self> = Vec::new();
        for element in value.elements() {
            let parsed = Self::parse(Properties::of(element, "an element of 'computedValues'")?)?;
            if values.iter().any(|other| other.name == parsed.name) {
                return Err(invalid(&format!("duplicate computed value for attribute '{}'", parsed.name)));
            }
            values.push(parsed);
            if values.len() > COMPUTED_VALUES_MAX {
                return Err(invalid("too many elements"));
            }
        }
        Ok(values)
    }

    fn parse(properties: Properties<'_>) -> Result<Self> {
        let name = properties.text("name")?.ok_or_else(|| invalid("'name' is missing"))?;
        if name.is_empty() || RESERVED.contains(&name) {
            return Err(invalid(&format!("'name' must not be '{name}'")));
        }
        let expression = properties.text("expression")?.filter(|text| !text.is_empty());
        let compute_on = match properties.array("computeOn")? {
            Some(names) => ComputeOn::parse(names)?,
            None => ComputeOn::default(),
        };
        Ok(ComputedValue {
            name: name.to_owned(),
            expression: expression.ok_or_else(|| invalid("'expression' is missing"))?.to_owned(),
            overwrite: properties.boolean("overwrite")?.ok_or_else(|| invalid("'overwrite' is missing"))?,
            compute_on,
            keep_null: properties.boolean("keepNull")?.unwrap_or(true),
            fail_on_warning: properties.boolean("failOnWarning")?.unwrap_or(false),
        })
    }

    /// Prints the value's attributes.
    pub(crate) fn print(&self, printer: &mut Printer<'_>) {
        printer.text("name", &self.name);
        printer.text("expression", &self.expression);
        printer.texts("computeOn", self.compute_on.names());
        printer.boolean("overwrite", self.overwrite);
        printer.boolean("failOnWarning", self.fail_on_warning);
        printer.boolean("keepNull", self.keep_null);
    }
}

fn invalid(what: &str) -> Error {
    Error::bad_parameter(format!("invalid 'computedValues': {what}"))
}
