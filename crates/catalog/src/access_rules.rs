//! The `accessRules` of a collection: which documents some users see and change, and which
//! attributes they see masked. The catalog does not parse their AQL conditions.
//!
//! ArangoDB has no such property.

use errors::{Error, Result};
use velocypack::Slice;

use crate::properties::{Printer, Properties};

/// The maximum number of rules, and of masks, of a collection.
pub const ACCESS_RULES_MAX: usize = 256;
/// The name that stands for all users or all roles.
const EVERYONE: &str = "*";
const ATTRIBUTES: [&str; 2] = ["rows", "masks"];
const ROW_ATTRIBUTES: [&str; 5] = ["name", "users", "roles", "read", "write"];

/// The rules of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessRules {
    /// The rules for documents.
    pub rows: Vec<RowRule>,
    /// The masks of attributes.
    pub masks: Vec<AttributeMask>,
    /// The hexadecimal secret of the masks, which no client sees.
    pub secret: Option<String>,
}

/// The users to whom a rule applies: those who are named, or have one of the roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subjects {
    /// The names of users, or `*`.
    pub users: Vec<String>,
    /// The names of roles.
    pub roles: Vec<String>,
}

/// A rule for documents. Those are visible for which one of the rules of the user is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowRule {
    /// The name, for people.
    pub name: Option<String>,
    /// The users.
    pub subjects: Subjects,
    /// The AQL condition over `@doc` and `@user` for reading; `None` is true.
    pub read: Option<String>,
    /// The condition for writing: of the document before and after the write. `None` is `read`.
    pub write: Option<String>,
}

/// A mask of an attribute. It applies unless its condition is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeMask {
    /// The users.
    pub subjects: Subjects,
    /// The AQL condition over `@doc` and `@user` under which the attribute is not masked.
    pub unless: Option<String>,
    /// The VelocyPack object with the path, the function and its parameters.
    pub rule: Vec<u8>,
}

impl AccessRules {
    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.masks.is_empty()
    }

    /// Reads an `accessRules` attribute: `null` and `{}` mean none.
    ///
    /// Errors: 10.
    pub(crate) fn parse(value: Slice<'_>) -> Result<Self> {
        if value.is_null() {
            return Ok(AccessRules::default());
        }
        let properties = Properties::of(value, "'accessRules'")?;
        let unknown = value.entries().find(|(name, _)| !ATTRIBUTES.contains(name) && *name != "secret");
        if let Some((name, _)) = unknown {
            return Err(invalid(&format!("unknown attribute '{name}'; it has 'rows' and 'masks'")));
        }
        Ok(AccessRules {
            rows: parse_all(properties, "rows", RowRule::parse)?,
            masks: parse_all(properties, "masks", AttributeMask::parse)?,
            secret: properties.text("secret")?.map(str::to_owned),
        })
    }

    /// Prints the attributes of the rules, except for the secret.
    pub(crate) fn print(&self, printer: &mut Printer<'_>) {
        printer.objects("rows", &self.rows, RowRule::print);
        printer.objects("masks", &self.masks, AttributeMask::print);
    }

    /// Prints all attributes.
    pub(crate) fn print_record(&self, printer: &mut Printer<'_>) {
        self.print(printer);
        if let Some(secret) = &self.secret {
            printer.text("secret", secret);
        }
    }
}

/// Reads the elements of an array. An error names the element.
fn parse_all<T>(
    properties: Properties<'_>,
    name: &str,
    parse: impl Fn(Properties<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let Some(elements) = properties.array(name)? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for (number, element) in elements.elements().enumerate() {
        if number >= ACCESS_RULES_MAX {
            return Err(invalid(&format!("'{name}' has more than {ACCESS_RULES_MAX} elements")));
        }
        let parsed = Properties::of(element, "a rule").and_then(&parse);
        all.push(parsed.map_err(|error| invalid(&format!("{name}[{number}]: {}", error.message())))?);
    }
    Ok(all)
}

impl Subjects {
    fn parse(properties: Properties<'_>) -> Result<Self> {
        let texts = |name: &str| -> Result<Vec<String>> {
            let Some(array) = properties.array(name)? else { return Ok(Vec::new()) };
            let texts = array.elements().map(|text| text.as_str().map(str::to_owned));
            let texts: Option<Vec<String>> = texts.collect();
            texts.ok_or_else(|| Error::bad_parameter(format!("'{name}' must be an array of strings")))
        };
        let subjects = Subjects { users: texts("users")?, roles: texts("roles")? };
        if subjects.users.is_empty() && subjects.roles.is_empty() {
            return Err(Error::bad_parameter(
                "'users' or 'roles' must name somebody; {\"users\": [\"*\"]} is everyone",
            ));
        }
        Ok(subjects)
    }

    fn print(&self, printer: &mut Printer<'_>) {
        printer.texts("users", &self.users);
        printer.texts("roles", &self.roles);
    }

    /// Returns true if a user is one of them.
    pub fn include<'r>(&self, user: &str, mut roles: impl Iterator<Item = &'r str>) -> bool {
        self.users.iter().any(|name| name == EVERYONE || name == user)
            || roles.any(|role| self.roles.iter().any(|name| name == role))
    }
}

impl RowRule {
    fn parse(properties: Properties<'_>) -> Result<Self> {
        let unknown = properties.as_slice().entries().find(|(name, _)| !ROW_ATTRIBUTES.contains(name));
        if let Some((name, _)) = unknown {
            let known = ROW_ATTRIBUTES.join(", ");
            return Err(Error::bad_parameter(format!("unknown attribute '{name}'; a rule has {known}")));
        }
        let rule = RowRule {
            name: properties.text("name")?.map(str::to_owned),
            subjects: Subjects::parse(properties)?,
            read: properties.text("read")?.map(str::to_owned),
            write: properties.text("write")?.map(str::to_owned),
        };
        if rule.read.is_none() && rule.write.is_none() {
            return Err(Error::bad_parameter("a condition is missing: 'read' or 'write'"));
        }
        Ok(rule)
    }

    fn print(&self, printer: &mut Printer<'_>) {
        if let Some(name) = &self.name {
            printer.text("name", name);
        }
        self.subjects.print(printer);
        for (attribute, condition) in [("read", &self.read), ("write", &self.write)] {
            if let Some(condition) = condition {
                printer.text(attribute, condition);
            }
        }
    }

    /// Returns the condition for writing.
    pub fn write_condition(&self) -> Option<&str> {
        self.write.as_deref().or(self.read.as_deref())
    }
}

impl AttributeMask {
    const OWN: [&str; 3] = ["users", "roles", "unless"];

    fn parse(properties: Properties<'_>) -> Result<Self> {
        let subjects = Subjects::parse(properties)?;
        let unless = properties.text("unless")?.map(str::to_owned);
        let mut builder = velocypack::Builder::new();
        let built = (|| {
            builder.open_object()?;
            for (name, value) in properties.as_slice().entries() {
                if !Self::OWN.contains(&name) {
                    builder.key(name)?;
                    builder.add_slice(value)?;
                }
            }
            builder.close()
        })();
        built.map_err(|error: velocypack::Error| Error::bad_parameter(error.to_string()))?;
        Ok(AttributeMask { subjects, unless, rule: builder.into_vec() })
    }

    fn print(&self, printer: &mut Printer<'_>) {
        self.subjects.print(printer);
        if let Some(unless) = &self.unless {
            printer.text("unless", unless);
        }
        for (name, value) in Slice::new(&self.rule).entries() {
            printer.slice(name, value);
        }
    }
}

fn invalid(what: &str) -> Error {
    Error::bad_parameter(format!("invalid 'accessRules': {what}"))
}
