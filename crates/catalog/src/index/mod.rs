//! Indexes: their types, the properties that a client sets, and how they are printed.
//!
//! Everything about one type is in that type's file behind [`TypeRules`]: its options and its
//! capabilities. To add a type: one file, one line in [`rules`].

mod capabilities;
mod edge;
mod factory;
mod fulltext;
mod geo;
mod inverted;
mod link;
mod mdi;
mod metric;
mod persistent;
mod primary;
mod search;
#[cfg(test)]
mod tests;
mod ttl;
mod vector;

use std::num::NonZero;

use analyzers::Definition;
use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::properties::{Printer, Properties};
use crate::text_index::UsedAnalyzers;
use crate::{FieldPath, IndexId, ObjectId};

pub use capabilities::{Capabilities, SearchShape};
pub use factory::{Factory, VectorEncoding};
pub use inverted::{FieldDefaults, INVERTED_FIELDS_MAX, InvertedField, InvertedOptions};
pub use link::{LINK_DEPTH_MAX, LinkField, LinkOptions, StoreValues};
pub use metric::Metric;
pub use search::{Bound, FieldBounds, GeoSearch, Search};
pub use vector::{ListCount, Tier, VectorOptions};

/// The maximum number of fields of an index; keeps index keys within the bounds of every engine.
pub const INDEX_FIELDS_MAX: usize = 32;
/// The maximum number of paths in `storedValues` (ArangoDB's limit).
pub const STORED_VALUES_MAX: usize = 32;
/// The maximum number of indexes of a collection, the server's included. Each slows every write.
pub const INDEXES_MAX: usize = 128;

/// The types of indexes. [`IndexProperties::parse`] decides which of them a client can create.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexType {
    /// The documents themselves, by `_key`.
    Primary,
    /// Edges by `_from` and by `_to`.
    Edge,
    /// Documents sorted by one or more attributes. ArangoDB's names `hash` and `skiplist` are
    /// aliases.
    Persistent,
    /// Documents that the server removes some time after a date.
    Ttl,
    /// Points and shapes on the earth.
    Geo,
    /// Words of one attribute (deprecated in ArangoDB).
    Fulltext,
    /// Ranges over several numbers together. ArangoDB's older name is `zkd`.
    Mdi,
    /// Such ranges after attributes that are compared for equality.
    MdiPrefixed,
    /// Search over analyzed attributes.
    Inverted,
    /// The link of a view to the collection: a hidden inverted index.
    Link,
    /// Nearest neighbours of vectors.
    Vector,
}

impl IndexType {
    /// Returns ArangoDB's name of the type.
    pub fn name(self) -> &'static str {
        match self {
            IndexType::Primary => "primary",
            IndexType::Edge => "edge",
            IndexType::Persistent => "persistent",
            IndexType::Ttl => "ttl",
            IndexType::Geo => "geo",
            IndexType::Fulltext => "fulltext",
            IndexType::Mdi => "mdi",
            IndexType::MdiPrefixed => "mdi-prefixed",
            IndexType::Inverted => "inverted",
            IndexType::Link => "arangosearch",
            IndexType::Vector => "vector",
        }
    }

    /// Returns the type of a name, and the name itself if it is an alias.
    fn from_name(name: &str) -> Option<(Self, Option<&'static str>)> {
        let all = [
            IndexType::Primary,
            IndexType::Edge,
            IndexType::Persistent,
            IndexType::Ttl,
            IndexType::Geo,
            IndexType::Fulltext,
            IndexType::Mdi,
            IndexType::MdiPrefixed,
            IndexType::Inverted,
            IndexType::Link,
            IndexType::Vector,
        ];
        if let Some(found) = all.into_iter().find(|candidate| candidate.name() == name) {
            return Some((found, None));
        }
        let (alias, target) = TYPE_ALIASES.into_iter().find(|(alias, _)| *alias == name)?;
        Some((target, Some(alias)))
    }
}

/// Older names of types, which ArangoDB 3.12 still accepts and shows.
pub const TYPE_ALIASES: [(&str, IndexType); 5] = [
    ("hash", IndexType::Persistent),
    ("skiplist", IndexType::Persistent),
    ("zkd", IndexType::Mdi),
    ("geo1", IndexType::Geo),
    ("geo2", IndexType::Geo),
];

/// The properties of an index that a client may set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexProperties {
    /// The type.
    pub index_type: IndexType,
    /// The alias under which the type was requested; it is printed again.
    pub type_alias: Option<&'static str>,
    /// The number within the collection, if the client gave one, as restores do.
    pub id: Option<IndexId>,
    /// The name, if the client gave one.
    pub name: Option<String>,
    /// The indexed attributes; at least one, except in an index over all attributes.
    pub fields: Vec<FieldPath>,
    /// True if no two documents may have equal values.
    pub unique: bool,
    /// True if documents that lack a field are omitted.
    pub sparse: bool,
    /// True if equal elements of an expanded array count once.
    pub deduplicate: bool,
    /// True if the selectivity is estimated.
    pub estimates: bool,
    /// True if lookups should be cached in memory. Stored and printed only: the engine caches
    /// lookups.
    pub cache_enabled: bool,
    /// Further attributes stored in the index.
    pub stored_values: Vec<FieldPath>,
    /// Maximum number of threads that index existing documents, if the client has set one. It is
    /// neither printed nor stored.
    pub parallelism: Option<NonZero<usize>>,
    /// The options of this type.
    pub options: TypeOptions,
}

/// The options that only one type has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TypeOptions {
    /// No options.
    #[default]
    None,
    /// The options of [`IndexType::Ttl`].
    Ttl {
        /// The time from the date in the field to the document's expiry.
        expire_after_ms: u64,
    },
    /// The options of [`IndexType::Geo`].
    Geo {
        /// True if the field holds GeoJSON, or an array of longitude and latitude.
        ///
        /// Otherwise latitude comes first.
        geo_json: bool,
        /// True if polygons are interpreted as before ArangoDB 3.10.
        legacy_polygons: bool,
    },
    /// The options of [`IndexType::Fulltext`].
    Fulltext {
        /// The length of the shortest indexed word, in characters.
        min_length: u64,
    },
    /// The options of [`IndexType::Mdi`] and [`IndexType::MdiPrefixed`].
    Mdi {
        /// The attributes that must be compared for equality; empty without a prefix.
        prefix_fields: Vec<FieldPath>,
    },
    /// The options of [`IndexType::Vector`].
    Vector(Box<VectorOptions>),
    /// The options of [`IndexType::Inverted`].
    Inverted(Box<InvertedOptions>),
    /// The options of [`IndexType::Link`].
    Link(Box<LinkOptions>),
}

impl IndexProperties {
    /// Returns an index over the given fields with every default of its type.
    pub fn new(index_type: IndexType, fields: Vec<FieldPath>) -> Self {
        IndexProperties {
            index_type,
            type_alias: None,
            id: None,
            name: None,
            fields,
            unique: false,
            sparse: false,
            deduplicate: true,
            estimates: true,
            cache_enabled: false,
            stored_values: Vec::new(),
            parallelism: None,
            options: TypeOptions::None,
        }
    }

    /// Returns the attributes before the fields of an [`IndexType::MdiPrefixed`].
    pub fn prefix_fields(&self) -> &[FieldPath] {
        match &self.options {
            TypeOptions::Mdi { prefix_fields } => prefix_fields,
            _ => &[],
        }
    }

    /// Reads the body of a request that creates an index, or an entry of a dump's `indexes`.
    ///
    /// The name is not checked. Unknown attributes are ignored. `inBackground` is accepted, but
    /// writers wait either way.
    ///
    /// Errors: 10 for a missing or unknown type and for wrong options; 1220 for a path that cannot
    /// be parsed; 11 for the types that only the server creates; 9 for types that this version does
    /// not have.
    pub fn parse(value: Slice<'_>) -> Result<Self> {
        IndexProperties::read(value, true)
    }

    /// Returns true if this version has indexes of a type.
    pub fn has_type(name: &str) -> bool {
        IndexType::from_name(name).is_some_and(|(index_type, _)| rules(index_type).is_some())
    }

    /// Reads properties; a client can create only some types.
    fn read(value: Slice<'_>, for_client: bool) -> Result<Self> {
        let properties = Properties::of(value, "the index's properties")?;
        let Some(name) = properties.text("type")? else {
            return Err(Error::bad_parameter("invalid index type: 'type' is missing"));
        };
        let (index_type, type_alias) = IndexType::from_name(name)
            .ok_or_else(|| Error::bad_parameter(format!("invalid index type '{name}'")))?;
        let rules = rules(index_type).ok_or_else(|| {
            let message = format!("not implemented: indexes of type '{name}'");
            Error::new(ErrorCode::NotImplemented, message)
        })?;
        if for_client {
            rules.check_creatable(name)?;
        }
        let mut index = IndexProperties::new(index_type, rules.parse_fields(properties)?);
        index.type_alias = type_alias;
        index.id = parse_id(properties)?;
        index.name = properties.text("name")?.map(str::to_owned);
        rules.parse(&mut index, properties)?;
        if for_client {
            rules.check_new(&index)?;
        }
        Ok(index)
    }

    /// Looks up the Analyzers that the index names, and keeps their definitions. Every index must
    /// go through this before it is created.
    ///
    /// Errors: those of `find`.
    pub fn find_analyzers(&mut self, find: &dyn Fn(&str) -> Result<Definition>) -> Result<()> {
        let Some(rules) = rules(self.index_type) else { return Ok(()) };
        let analyzers = UsedAnalyzers::find(rules.analyzer_names(self), find)?;
        rules.set_analyzers(self, analyzers);
        Ok(())
    }

    /// Returns the Analyzers of an inverted index or a link.
    pub fn analyzers(&self) -> Option<&UsedAnalyzers> {
        match &self.options {
            TypeOptions::Inverted(options) => Some(&options.analyzers),
            TypeOptions::Link(options) => Some(&options.analyzers),
            _ => None,
        }
    }

    /// Returns true for a view's link, which clients see as a part of the view.
    pub fn is_hidden(&self) -> bool {
        self.index_type == IndexType::Link
    }

    /// Returns the capabilities of the index.
    pub fn capabilities(&self) -> Capabilities {
        rules(self.index_type).map_or_else(Capabilities::default, |rules| rules.capabilities(self))
    }

    /// Returns the fields that conditions are matched with, in the order in which [`SearchShape`]
    /// counts them.
    pub fn searched_fields(&self) -> Vec<FieldPath> {
        rules(self.index_type).map_or_else(|| self.fields.clone(), |rules| rules.searched_fields(self))
    }

    /// Returns how many of `processors` threads should index the existing documents.
    pub fn build_threads(&self, processors: usize) -> usize {
        self.parallelism.map_or(processors, |most| processors.min(most.get()))
    }

    /// Returns the type's name as it is printed.
    pub fn type_name(&self) -> &'static str {
        self.type_alias.unwrap_or(self.index_type.name())
    }
}

/// An index that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    /// The number within the collection.
    pub id: IndexId,
    /// The prefix of its entries' keys in the engine. The primary index shares its collection's.
    pub object_id: ObjectId,
    /// The name, unique within the collection.
    pub name: String,
    /// The properties that the client set.
    pub properties: IndexProperties,
}

impl IndexDefinition {
    /// Returns the index over `_key` that every collection has.
    pub fn primary(object_id: ObjectId) -> Self {
        let mut properties = IndexProperties::new(IndexType::Primary, vec![FieldPath::attribute("_key")]);
        properties.unique = true;
        IndexDefinition { id: IndexId::PRIMARY, object_id, name: "primary".to_owned(), properties }
    }

    /// Returns the index over `_from` and `_to` that every edge collection has.
    pub fn edge(object_id: ObjectId) -> Self {
        let fields = vec![FieldPath::attribute("_from"), FieldPath::attribute("_to")];
        let properties = IndexProperties::new(IndexType::Edge, fields);
        IndexDefinition { id: IndexId::EDGE, object_id, name: "edge".to_owned(), properties }
    }

    /// Returns an index that a client requested. Without a name it is called `idx_` and its number.
    pub fn new(id: IndexId, object_id: ObjectId, mut properties: IndexProperties) -> Self {
        properties.id = None;
        let name = properties.name.clone().unwrap_or_else(|| format!("idx_{id}"));
        IndexDefinition { id, object_id, name, properties }
    }

    /// Returns true if a client that asks for `wanted` means this index.
    ///
    /// Type, fields, uniqueness, sparsity and the options that identify the type must agree. Names
    /// do not count.
    pub fn is_same_as(&self, wanted: &IndexProperties) -> bool {
        let own = &self.properties;
        own.type_name() == wanted.type_name()
            && own.fields == wanted.fields
            && own.unique == wanted.unique
            && own.sparse == wanted.sparse
            && rules(own.index_type).is_some_and(|rules| rules.is_same(own, wanted))
    }

    /// Prints the index's attributes into an object that is open in `builder`.
    ///
    /// `collection` is the collection's name, `selectivity_estimate` the index's present estimate,
    /// if it has one.
    ///
    /// Errors: 4 if no object is open.
    pub fn print(
        &self,
        builder: &mut Builder,
        collection: &str,
        selectivity_estimate: Option<f64>,
    ) -> Result<()> {
        self.print_as(builder, &format!("{collection}/{}", self.id), selectivity_estimate)
    }

    /// Prints the attributes of the index in a dump: no statistics, and the id as text.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_dump(&self, builder: &mut Builder) -> Result<()> {
        self.print_as(builder, &self.id.to_string(), None)
    }

    fn print_as(&self, builder: &mut Builder, id: &str, selectivity_estimate: Option<f64>) -> Result<()> {
        Printer::print(builder, |printer| {
            let own = &self.properties;
            if let Some(rules) = rules(own.index_type) {
                rules.print_fields(own, printer);
            }
            printer.text("id", id);
            printer.text("name", &self.name);
            if let Some(estimate) = selectivity_estimate {
                printer.double("selectivityEstimate", estimate);
            }
            printer.boolean("sparse", own.sparse);
            printer.text("type", own.type_name());
            printer.boolean("unique", own.unique);
            if let Some(rules) = rules(own.index_type) {
                rules.print(own, printer);
            }
        })
    }

    pub(crate) fn print_record(&self, printer: &mut Printer<'_>) {
        let own = &self.properties;
        printer.unsigned("id", self.id.0);
        printer.unsigned("objectId", self.object_id.0);
        printer.text("name", &self.name);
        printer.text("type", own.type_name());
        printer.boolean("unique", own.unique);
        printer.boolean("sparse", own.sparse);
        if let Some(rules) = rules(own.index_type) {
            rules.print_fields(own, printer);
            rules.print(own, printer);
        }
        if let Some(analyzers) = own.analyzers() {
            analyzers.print_record(printer);
        }
    }

    pub(crate) fn read_record(record: Properties<'_>) -> Result<Self> {
        let missing = || Error::corrupt("an index's record lacks an attribute");
        let object_id = ObjectId(record.unsigned("objectId")?.ok_or_else(missing)?);
        let id = IndexId(record.unsigned("id")?.ok_or_else(missing)?);
        match id {
            IndexId::PRIMARY => return Ok(IndexDefinition::primary(object_id)),
            IndexId::EDGE => return Ok(IndexDefinition::edge(object_id)),
            _ => {}
        }
        let mut properties = IndexProperties::read(record.as_slice(), false)?;
        if let Some(rules) = rules(properties.index_type) {
            rules.set_analyzers(&mut properties, UsedAnalyzers::read_record(record)?);
        }
        Ok(IndexDefinition::new(id, object_id, properties))
    }
}

/// The rules of one type of index.
pub(crate) trait TypeRules: Sync {
    /// Checks that a client may create the type.
    ///
    /// Errors: 11 for a type that only the server creates.
    fn check_creatable(&self, _type_name: &str) -> Result<()> {
        Ok(())
    }

    /// Reads and checks the fields.
    ///
    /// Errors: 10, also without any field; 1220 for a path that cannot be parsed.
    fn parse_fields(&self, properties: Properties<'_>) -> Result<Vec<FieldPath>> {
        let fields = parse_paths(properties, "fields", INDEX_FIELDS_MAX)?;
        check_fields(&fields)?;
        Ok(fields)
    }

    /// Prints the fields.
    fn print_fields(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        printer.texts("fields", index.fields.iter().map(FieldPath::to_string));
    }

    /// Reads and checks the options. By default, a type has none.
    ///
    /// Type, name and fields are already set and checked.
    fn parse(&self, _index: &mut IndexProperties, _properties: Properties<'_>) -> Result<()> {
        Ok(())
    }

    /// Checks what a new index of a client must fulfil beyond [`TypeRules::parse`], which also
    /// reads definitions of earlier versions.
    fn check_new(&self, _index: &IndexProperties) -> Result<()> {
        Ok(())
    }

    /// Prints the options that [`TypeRules::parse`] reads, except `unique` and `sparse`.
    fn print(&self, _index: &IndexProperties, _printer: &mut Printer<'_>) {}

    /// Returns the names of the Analyzers in the definition.
    fn analyzer_names<'i>(&self, _index: &'i IndexProperties) -> Vec<&'i str> {
        Vec::new()
    }

    /// Keeps the definitions of these Analyzers.
    fn set_analyzers(&self, _index: &mut IndexProperties, _analyzers: UsedAnalyzers) {}

    /// Returns true if two definitions that agree in type, fields, uniqueness and sparsity mean one
    /// index.
    fn is_same(&self, own: &IndexProperties, wanted: &IndexProperties) -> bool;

    /// Returns the capabilities of an index.
    fn capabilities(&self, index: &IndexProperties) -> Capabilities;

    /// Returns the fields that [`IndexProperties::searched_fields`] describes.
    fn searched_fields(&self, index: &IndexProperties) -> Vec<FieldPath> {
        index.fields.clone()
    }
}

/// Returns the rules of each type; `None` for types that this version does not have.
fn rules(index_type: IndexType) -> Option<&'static dyn TypeRules> {
    match index_type {
        IndexType::Primary => Some(&primary::Primary),
        IndexType::Edge => Some(&edge::Edge),
        IndexType::Persistent => Some(&persistent::Persistent),
        IndexType::Ttl => Some(&ttl::Ttl),
        IndexType::Geo => Some(&geo::Geo),
        IndexType::Fulltext => Some(&fulltext::Fulltext),
        IndexType::Mdi | IndexType::MdiPrefixed => Some(&mdi::Mdi),
        IndexType::Vector => Some(&vector::Vector),
        IndexType::Inverted => Some(&inverted::Inverted),
        IndexType::Link => Some(&link::Link),
    }
}

/// Refuses a type that only the server creates.
///
/// Errors: 11, always.
fn not_for_clients(type_name: &str) -> Result<()> {
    let message = format!("cannot create index of type '{type_name}'");
    Err(Error::new(ErrorCode::Forbidden, message))
}

/// Reads an array of attribute paths.
pub(crate) fn parse_paths(properties: Properties<'_>, name: &str, limit: usize) -> Result<Vec<FieldPath>> {
    let Some(array) = properties.array(name)? else { return Ok(Vec::new()) };
    let mut paths: Vec<FieldPath> = Vec::new();
    for element in array.elements() {
        let text = element.as_str();
        let text =
            text.ok_or_else(|| Error::bad_parameter(format!("'{name}' must be an array of strings")))?;
        let path = FieldPath::parse(text)?;
        if paths.contains(&path) {
            return Err(Error::bad_parameter(format!("duplicate attribute '{path}' in '{name}'")));
        }
        paths.push(path);
        if paths.len() > limit {
            return Err(Error::bad_parameter(format!("'{name}' must have at most {limit} attributes")));
        }
    }
    Ok(paths)
}

/// Returns the further attributes that an index stores. Errors: 10, also for an empty list.
pub(crate) fn parse_stored_values(properties: Properties<'_>) -> Result<Vec<FieldPath>> {
    if properties.array("storedValues")?.is_some_and(|array| array.is_empty()) {
        return Err(Error::bad_parameter("'storedValues' must name at least one attribute"));
    }
    parse_paths(properties, "storedValues", STORED_VALUES_MAX)
}

/// Returns the number of an index: a number, `"123"` or `"collection/123"`. An empty text is none:
/// the Rust driver arangors sends it with each new index. Errors: 10.
fn parse_id(properties: Properties<'_>) -> Result<Option<IndexId>> {
    let is_given = |value: &Slice<'_>| !value.is_null() && value.as_str() != Some("");
    let Some(value) = properties.value("id").filter(is_given) else { return Ok(None) };
    let number = match value.as_str() {
        Some(text) => text.rsplit_once('/').map_or(text, |(_, number)| number).parse().ok(),
        None => value.as_u64(),
    };
    let number = number.ok_or_else(|| Error::bad_parameter("'id' must be the number of an index"))?;
    Ok(Some(IndexId(number)))
}

/// Returns the most threads of a build. Errors: 10 for a number that is not positive.
fn parse_parallelism(properties: Properties<'_>) -> Result<Option<NonZero<usize>>> {
    let Some(number) = properties.unsigned("parallelism")? else { return Ok(None) };
    let number = NonZero::new(usize::try_from(number).unwrap_or(usize::MAX));
    number.map(Some).ok_or_else(|| Error::bad_parameter("'parallelism' must be 1 or greater"))
}

/// Checks the fields of an index that does not expand arrays.
///
/// Errors: 10 for more than `most` fields, or one that expands an array.
fn check_plain_fields(index: &IndexProperties, most: usize) -> Result<()> {
    let name = index.type_name();
    if index.fields.len() > most {
        return Err(Error::bad_parameter(format!("an index of type '{name}' has at most {most} fields")));
    }
    match index.fields.iter().find(|path| path.is_expanded()) {
        Some(path) => Err(Error::bad_parameter(format!("cannot use [*] expansion in 'fields': '{path}'"))),
        None => Ok(()),
    }
}

fn check_fields(fields: &[FieldPath]) -> Result<()> {
    if fields.is_empty() {
        return Err(Error::bad_parameter("'fields' must be an array with at least one attribute"));
    }
    if fields.iter().any(|path| path.names.iter().any(|name| name == "_id")) {
        return Err(Error::bad_parameter("_id attribute cannot be indexed"));
    }
    Ok(())
}
