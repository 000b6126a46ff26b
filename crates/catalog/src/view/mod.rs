//! Views: their kinds, the properties that a client sets, and how they are printed.
//!
//! An `arangosearch` view has links. Each is a hidden index of the linked collection and is stored
//! there. A `search-alias` view names inverted indexes.
//!
//! Source: ArangoDB 3.12 documentation, "Views HTTP API" and the references of both kinds.

mod alias;
mod arangosearch;
mod links;
#[cfg(test)]
mod tests;

use errors::{Error, Result};
use velocypack::{Builder, Slice};

use crate::ViewId;
use crate::properties::{Printer, Properties};

pub use alias::{AliasChange, AliasChanges, AliasIndex};
pub use arangosearch::ArangoSearchProperties;
pub use links::{LinkChange, parse_links};

/// The kinds of views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewKind {
    /// A view with links to collections.
    ArangoSearch,
    /// A list of inverted indexes.
    SearchAlias,
}

impl ViewKind {
    /// Returns ArangoDB's name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            ViewKind::ArangoSearch => "arangosearch",
            ViewKind::SearchAlias => "search-alias",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [ViewKind::ArangoSearch, ViewKind::SearchAlias].into_iter().find(|kind| kind.name() == name)
    }
}

/// A view that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewDefinition {
    /// The number, which never changes. Collections of the database have other numbers.
    pub id: ViewId,
    /// An id that no other server assigns.
    pub globally_unique_id: String,
    /// The name. No collection of the database has it.
    pub name: String,
    /// The properties of its kind.
    pub properties: ViewProperties,
}

/// The properties of a view, without links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewProperties {
    /// Those of [`ViewKind::ArangoSearch`].
    ArangoSearch(Box<ArangoSearchProperties>),
    /// The indexes of [`ViewKind::SearchAlias`], in the order in which they were added.
    SearchAlias(Vec<AliasIndex>),
}

/// A request for a new view: the body of a creation, or a view of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewView {
    /// The name, which is not checked yet.
    pub name: String,
    /// The kind with its properties.
    pub content: NewViewContent,
}

/// The kind of a new view with its properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewViewContent {
    /// An `arangosearch` view. Its links are read with [`parse_links`].
    ArangoSearch(Box<ArangoSearchProperties>),
    /// A `search-alias` view of these indexes.
    SearchAlias(AliasChanges),
}

impl NewView {
    /// Reads a view's definition. Errors: 10.
    pub fn parse(value: Slice<'_>) -> Result<Self> {
        let properties = Properties::of(value, "the view's definition")?;
        let name = properties.text("name")?.filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| Error::bad_parameter("a view's definition must have a 'name'"))?;
        let kind = properties.text("type")?;
        let kind = kind.ok_or_else(|| Error::bad_parameter("a view's definition must have a 'type'"))?;
        let kind = ViewKind::from_name(kind).ok_or_else(|| {
            Error::bad_parameter(format!(
                "'type' of a view is '{kind}'; it must be 'arangosearch' or 'search-alias'"
            ))
        })?;
        let content = match kind {
            ViewKind::ArangoSearch => {
                NewViewContent::ArangoSearch(Box::new(ArangoSearchProperties::parse(properties)?))
            }
            ViewKind::SearchAlias => NewViewContent::SearchAlias(AliasChanges::parse(properties)?),
        };
        Ok(NewView { name: name.to_owned(), content })
    }
}

impl ViewProperties {
    /// Returns the kind.
    pub fn kind(&self) -> ViewKind {
        match self {
            ViewProperties::ArangoSearch(_) => ViewKind::ArangoSearch,
            ViewProperties::SearchAlias(_) => ViewKind::SearchAlias,
        }
    }
}

impl ViewDefinition {
    /// Returns the kind.
    pub fn kind(&self) -> ViewKind {
        self.properties.kind()
    }

    /// Returns the properties of an `arangosearch` view.
    pub fn arangosearch(&self) -> Option<&ArangoSearchProperties> {
        match &self.properties {
            ViewProperties::ArangoSearch(properties) => Some(properties),
            ViewProperties::SearchAlias(_) => None,
        }
    }

    /// Returns the indexes of a `search-alias` view; none of another one.
    pub fn alias_indexes(&self) -> &[AliasIndex] {
        match &self.properties {
            ViewProperties::ArangoSearch(_) => &[],
            ViewProperties::SearchAlias(indexes) => indexes,
        }
    }

    /// Prints `globallyUniqueId`, `id`, `name` and `type` into an object that is open in `builder`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_short(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| self.print_short_attributes(printer))
    }

    /// Prints the short form and all properties but `links` and `indexes`, which the caller knows.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_properties(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| {
            self.print_short_attributes(printer);
            if let ViewProperties::ArangoSearch(properties) = &self.properties {
                properties.print(printer);
            }
        })
    }

    fn print_short_attributes(&self, printer: &mut Printer<'_>) {
        printer.text("globallyUniqueId", &self.globally_unique_id);
        printer.text("id", &self.id.to_string());
        printer.text("name", &self.name);
        printer.text("type", self.kind().name());
    }

    pub(crate) fn print_record(&self, printer: &mut Printer<'_>) {
        printer.unsigned("id", self.id.0);
        printer.text("globallyUniqueId", &self.globally_unique_id);
        printer.text("name", &self.name);
        printer.text("type", self.kind().name());
        match &self.properties {
            ViewProperties::ArangoSearch(properties) => {
                printer.object("properties", |printer| properties.print(printer));
            }
            ViewProperties::SearchAlias(indexes) => {
                printer.objects("indexes", indexes, AliasIndex::print_record);
            }
        }
    }

    pub(crate) fn read_record(record: Properties<'_>) -> Result<Self> {
        let missing = || Error::corrupt("a view's record lacks an attribute");
        let kind = record.text("type")?.and_then(ViewKind::from_name).ok_or_else(missing)?;
        let properties = match kind {
            ViewKind::ArangoSearch => {
                let properties = record.object("properties")?.ok_or_else(missing)?;
                ViewProperties::ArangoSearch(Box::new(ArangoSearchProperties::parse(properties)?))
            }
            ViewKind::SearchAlias => {
                let indexes = record.array("indexes")?.ok_or_else(missing)?;
                let indexes: Result<_> = indexes.elements().map(AliasIndex::read_record).collect();
                ViewProperties::SearchAlias(indexes?)
            }
        };
        Ok(ViewDefinition {
            id: ViewId(record.unsigned("id")?.ok_or_else(missing)?),
            globally_unique_id: record.text("globallyUniqueId")?.ok_or_else(missing)?.to_owned(),
            name: record.text("name")?.ok_or_else(missing)?.to_owned(),
            properties,
        })
    }
}
