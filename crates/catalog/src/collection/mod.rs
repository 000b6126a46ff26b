//! Collections: the properties that a client sets, those that the server assigns, and how both are
//! printed.

mod cluster;

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::properties::{Printer, Properties};
use crate::{
    AccessRules, CollectionId, ComputedValue, IndexDefinition, KeyOptions, NamingRules, ObjectId, SchemaRule,
};

pub use cluster::check_cluster_properties;

/// The `version` of a collection in dumps of ArangoDB 3.8 to 3.12.
const DUMP_VERSION: u64 = 9;

/// The kind of documents in a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CollectionType {
    /// Documents (type 2).
    #[default]
    Document,
    /// Documents with `_from` and `_to` (type 3).
    Edge,
}

impl CollectionType {
    /// Returns the number in requests and replies.
    pub fn number(self) -> u64 {
        match self {
            CollectionType::Document => 2,
            CollectionType::Edge => 3,
        }
    }

    fn from_number(number: u64) -> Result<Self> {
        match number {
            2 => Ok(CollectionType::Document),
            3 => Ok(CollectionType::Edge),
            _ => Err(Error::new(
                ErrorCode::CollectionTypeInvalid,
                "collection type invalid: 'type' must be 2 (document) or 3 (edge)",
            )),
        }
    }
}

/// The properties of a collection that a client may set.
///
/// Properties that only a cluster or old engines know (`numberOfShards`, `journalSize`, ...) are
/// accepted and ignored, as in ArangoDB's single server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionProperties {
    /// The name, unique within its database.
    pub name: String,
    /// The type: documents or edges.
    pub collection_type: CollectionType,
    /// True if the collection belongs to the server; its name then starts with an underscore.
    pub is_system: bool,
    /// True if every write waits until it is on disk.
    pub wait_for_sync: bool,
    /// True if documents should be cached in memory. Stored and printed only: the engine caches
    /// reads.
    pub cache_enabled: bool,
    /// The options of the key generator.
    pub key_options: KeyOptions,
    /// The schema of the documents.
    pub schema: Option<SchemaRule>,
    /// The attributes that the server computes.
    pub computed_values: Vec<ComputedValue>,
    /// The rules for what some users see and change.
    pub access_rules: Arc<AccessRules>,
    /// The copies that must be in sync in a cluster; printed only.
    pub write_concern: u64,
}

impl CollectionProperties {
    /// Returns the properties of a document collection with every default.
    ///
    /// A leading underscore makes it a system collection.
    pub fn new(name: &str, collection_type: CollectionType) -> Self {
        CollectionProperties {
            name: name.to_owned(),
            collection_type,
            is_system: name.starts_with('_'),
            wait_for_sync: false,
            cache_enabled: false,
            key_options: KeyOptions::default(),
            schema: None,
            computed_values: Vec::new(),
            access_rules: Arc::default(),
            write_concern: 1,
        }
    }

    /// Reads the body of a request that creates a collection, or the `parameters` of a dump.
    ///
    /// The name is not checked, see [`CollectionProperties::check_name`]. `default_wait_for_sync`
    /// is the server's option.
    ///
    /// Errors: 10, 1208 without a name, 1218, 1232, 1621.
    pub fn parse(value: Slice<'_>, default_wait_for_sync: bool) -> Result<Self> {
        let properties = Properties::of(value, "the collection's properties")?;
        let name = properties.text("name").ok().flatten().ok_or_else(illegal_name)?;
        let key_options = properties.object("keyOptions")?.map(KeyOptions::parse).transpose()?;
        let collection_type = properties.unsigned("type")?.map(CollectionType::from_number).transpose()?;
        Ok(CollectionProperties {
            is_system: properties.boolean("isSystem")?.unwrap_or(false) && name.starts_with('_'),
            wait_for_sync: properties.boolean("waitForSync")?.unwrap_or(default_wait_for_sync),
            cache_enabled: properties.boolean("cacheEnabled")?.unwrap_or(false),
            key_options: key_options.unwrap_or_default(),
            schema: properties.value("schema").map(SchemaRule::parse).transpose()?.flatten(),
            computed_values: properties
                .value("computedValues")
                .map(ComputedValue::parse_all)
                .transpose()?
                .unwrap_or_default(),
            access_rules: Arc::new(
                properties.value("accessRules").map(AccessRules::parse).transpose()?.unwrap_or_default(),
            ),
            write_concern: write_concern(properties)?.unwrap_or(1),
            ..CollectionProperties::new(name, collection_type.unwrap_or_default())
        })
    }

    /// Checks the name against the naming rules.
    ///
    /// Errors: 1208.
    pub fn check_name(&self, rules: NamingRules) -> Result<()> {
        rules.check_collection_name(&self.name, self.is_system)
    }

    /// Returns these properties with the changes applied.
    pub fn with(mut self, changes: CollectionChanges) -> Self {
        if let Some(wait_for_sync) = changes.wait_for_sync {
            self.wait_for_sync = wait_for_sync;
        }
        if let Some(cache_enabled) = changes.cache_enabled {
            self.cache_enabled = cache_enabled;
        }
        if let Some(schema) = changes.schema {
            self.schema = schema;
        }
        if let Some(computed_values) = changes.computed_values {
            self.computed_values = computed_values;
        }
        if let Some(access_rules) = changes.access_rules {
            self.access_rules = Arc::new(access_rules);
        }
        if let Some(write_concern) = changes.write_concern {
            self.write_concern = write_concern;
        }
        self
    }

    fn print(&self, printer: &mut Printer<'_>, last_key_value: u64) {
        printer.unsigned("writeConcern", self.write_concern);
        printer.boolean("waitForSync", self.wait_for_sync);
        printer.boolean("cacheEnabled", self.cache_enabled);
        printer.object("keyOptions", |printer| self.key_options.print(printer, last_key_value));
        match &self.schema {
            Some(schema) => printer.object("schema", |printer| schema.print(printer)),
            None => printer.null("schema"),
        }
        if self.computed_values.is_empty() {
            printer.null("computedValues");
        } else {
            printer.objects("computedValues", &self.computed_values, ComputedValue::print);
        }
    }
}

/// The properties of an existing collection that a client may change; `None` keeps a property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionChanges {
    /// See [`CollectionProperties::wait_for_sync`].
    pub wait_for_sync: Option<bool>,
    /// See [`CollectionProperties::cache_enabled`].
    pub cache_enabled: Option<bool>,
    /// The new schema; `Some(None)` removes the schema.
    pub schema: Option<Option<SchemaRule>>,
    /// The computed values that replace all present ones.
    pub computed_values: Option<Vec<ComputedValue>>,
    /// The rules that replace all present ones.
    pub access_rules: Option<AccessRules>,
    /// See [`CollectionProperties::write_concern`].
    pub write_concern: Option<u64>,
}

impl CollectionChanges {
    /// Reads the body of a request that changes properties.
    ///
    /// Errors: 10, 1621.
    pub fn parse(value: Slice<'_>) -> Result<Self> {
        let properties = Properties::of(value, "the collection's properties")?;
        Ok(CollectionChanges {
            wait_for_sync: properties.boolean("waitForSync")?,
            cache_enabled: properties.boolean("cacheEnabled")?,
            schema: properties.given("schema").map(SchemaRule::parse).transpose()?,
            computed_values: properties.given("computedValues").map(ComputedValue::parse_all).transpose()?,
            access_rules: properties.given("accessRules").map(AccessRules::parse).transpose()?,
            write_concern: write_concern(properties)?,
        })
    }
}

/// Returns `writeConcern`, or the value under the older name that dumps use.
fn write_concern(properties: Properties<'_>) -> Result<Option<u64>> {
    match properties.unsigned("writeConcern")? {
        Some(value) => Ok(Some(value)),
        None => properties.unsigned("minReplicationFactor"),
    }
}

fn illegal_name() -> Error {
    Error::new(ErrorCode::IllegalName, "illegal name: a collection needs a 'name'")
}

/// A collection that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionDefinition {
    /// The number, which never changes.
    pub id: CollectionId,
    /// The prefix of the documents' keys in the engine.
    pub object_id: ObjectId,
    /// An id that no other server assigns.
    pub globally_unique_id: String,
    /// The properties that the client set.
    pub properties: CollectionProperties,
    /// All indexes in order of their ids.
    ///
    /// The primary index comes first, then the edge index of an edge collection.
    pub indexes: Vec<IndexDefinition>,
}

impl CollectionDefinition {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.properties.name
    }

    /// Returns true if the collection holds edges.
    pub fn is_edge(&self) -> bool {
        self.properties.collection_type == CollectionType::Edge
    }

    /// Returns true if it has rules that restrict users.
    pub fn has_access_rules(&self) -> bool {
        !self.properties.access_rules.is_empty()
    }

    /// Prints the attributes of the short form into an object that is open in `builder`.
    ///
    /// They are `id`, `name`, `status`, `type`, `isSystem` and `globallyUniqueId`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_short(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| self.print_short_attributes(printer))
    }

    /// Prints the attributes of the full form into an object that is open in `builder`.
    ///
    /// They are the short form, all properties, and the constants that ArangoDB's single server
    /// prints. `last_key_value` is the key generator's.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_full(&self, builder: &mut Builder, last_key_value: u64) -> Result<()> {
        Printer::print(builder, |printer| {
            self.print_short_attributes(printer);
            printer.text("statusString", "loaded");
            self.properties.print(printer, last_key_value);
            printer.boolean("syncByRevision", true);
            printer.boolean("usesRevisionsAsDocumentIds", true);
            printer.boolean("isSmartChild", false);
            printer.unsigned("internalValidatorType", 0);
            printer.text("objectId", &self.object_id.to_string());
        })
    }

    /// Prints the attributes of a collection in a dump (`parameters`) into an object that is open
    /// in `builder`.
    ///
    /// `last_key_value` is the key generator's.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_dump(&self, builder: &mut Builder, last_key_value: u64) -> Result<()> {
        Printer::print(builder, |printer| {
            let id = self.id.to_string();
            printer.boolean("allowUserKeys", self.properties.key_options.allow_user_keys);
            printer.text("cid", &id);
            printer.boolean("deleted", false);
            self.print_short_attributes(printer);
            printer.text("planId", &id);
            printer.unsigned("version", DUMP_VERSION);
            printer.boolean("isSmart", false);
            printer.boolean("isSmartChild", false);
            printer.boolean("isDisjoint", false);
            printer.unsigned("numberOfShards", 1);
            printer.unsigned("replicationFactor", 1);
            printer.unsigned("minReplicationFactor", self.properties.write_concern);
            printer.texts("shardKeys", ["_key"]);
            printer.object("shards", |_| ());
            self.properties.print(printer, last_key_value);
            printer.boolean("syncByRevision", true);
            printer.boolean("usesRevisionsAsDocumentIds", true);
            printer.unsigned("internalValidatorType", 0);
        })
    }

    /// Prints `accessRules` into an object that is open in `builder`, for an administrator.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_access_rules(&self, builder: &mut Builder) -> Result<()> {
        let rules = &self.properties.access_rules;
        Printer::print(builder, |printer| printer.object("accessRules", |printer| rules.print(printer)))
    }

    /// Prints `accessRules` with the secret of the masks, for a copy whose masks agree.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_access_rules_for_copy(&self, builder: &mut Builder) -> Result<()> {
        let rules = &self.properties.access_rules;
        Printer::print(builder, |printer| {
            printer.object("accessRules", |printer| rules.print_record(printer))
        })
    }

    fn print_short_attributes(&self, printer: &mut Printer<'_>) {
        printer.text("globallyUniqueId", &self.globally_unique_id);
        printer.boolean("isSystem", self.properties.is_system);
        printer.unsigned("status", 3);
        printer.unsigned("type", self.properties.collection_type.number());
        printer.text("name", self.name());
        printer.text("id", &self.id.to_string());
    }

    /// Prints the record that [`CollectionDefinition::read_record`] reads.
    pub(crate) fn print_record(&self, printer: &mut Printer<'_>) {
        printer.unsigned("id", self.id.0);
        printer.unsigned("objectId", self.object_id.0);
        printer.text("globallyUniqueId", &self.globally_unique_id);
        printer.object("properties", |printer| {
            printer.text("name", self.name());
            printer.unsigned("type", self.properties.collection_type.number());
            printer.boolean("isSystem", self.properties.is_system);
            self.properties.print(printer, self.properties.key_options.last_value);
            if !self.properties.access_rules.is_empty() {
                let rules = &self.properties.access_rules;
                printer.object("accessRules", |printer| rules.print_record(printer));
            }
        });
        printer.objects("indexes", &self.indexes, IndexDefinition::print_record);
    }

    pub(crate) fn read_record(record: Properties<'_>) -> Result<Self> {
        let missing = || Error::corrupt("a collection's record lacks an attribute");
        let properties = record.value("properties").ok_or_else(missing)?;
        let mut indexes = Vec::new();
        for index in record.array("indexes")?.ok_or_else(missing)?.elements() {
            indexes.push(IndexDefinition::read_record(Properties::of(index, "an index's record")?)?);
        }
        Ok(CollectionDefinition {
            id: CollectionId(record.unsigned("id")?.ok_or_else(missing)?),
            object_id: ObjectId(record.unsigned("objectId")?.ok_or_else(missing)?),
            globally_unique_id: record.text("globallyUniqueId")?.ok_or_else(missing)?.to_owned(),
            properties: CollectionProperties::parse(properties, false)?,
            indexes,
        })
    }
}

#[cfg(test)]
mod tests;
