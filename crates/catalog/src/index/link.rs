//! The link of an `arangosearch` view to a collection, which is a hidden index of the collection.
//!
//! Source: ArangoDB 3.12 documentation, "`arangosearch` Views Reference".

use std::collections::BTreeMap;

use analyzers::IDENTITY;
use errors::{Error, Result};
use velocypack::{Builder, Slice};

use super::{Capabilities, IndexProperties, IndexType, TypeOptions, TypeRules, not_for_clients};
use crate::properties::{Printer, Properties};
use crate::text_index::{
    PrimarySort, SortAttribute, StoredColumn, UsedAnalyzers, parse_stored_columns, print_stored_columns,
};
use crate::{FieldPath, ViewId};

/// The maximum depth of the fields of a link.
pub const LINK_DEPTH_MAX: usize = 100;
/// The maximum number of fields of a link.
const LINK_FIELDS_MAX: usize = 4096;
/// The maximum number of Analyzers of one field.
const LINK_ANALYZERS_MAX: usize = 64;

/// The options of a view's link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOptions {
    /// The view.
    pub view: ViewId,
    /// The settings of the document as a whole.
    pub root: LinkField,
    /// The order in which the documents are stored: the view's.
    pub primary_sort: PrimarySort,
    /// The attributes that are stored in addition to the terms: the view's.
    pub stored_values: Vec<StoredColumn>,
    /// The Analyzers that it names.
    pub analyzers: UsedAnalyzers,
}

/// An attribute in a link. Settings that are `None` are those around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkField {
    /// The names of the Analyzers of texts.
    pub analyzers: Option<Vec<String>>,
    /// True if all attributes below it are indexed.
    pub include_all_fields: Option<bool>,
    /// True if elements of arrays are distinguished by their positions.
    pub track_list_positions: Option<bool>,
    /// The facts to keep of values.
    pub store_values: Option<StoreValues>,
    /// True if norms should stay in memory. Kept and printed only.
    pub cache: Option<bool>,
    /// The attributes below it.
    pub fields: BTreeMap<String, LinkField>,
    /// The attributes of the objects in its array that are searched one by one.
    pub nested: BTreeMap<String, LinkField>,
}

/// The facts that a link keeps of values, for `EXISTS()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreValues {
    /// None.
    #[default]
    None,
    /// The presence of values.
    Id,
}

impl StoreValues {
    /// Returns ArangoDB's name.
    pub fn name(self) -> &'static str {
        match self {
            StoreValues::None => "none",
            StoreValues::Id => "id",
        }
    }
}

impl IndexProperties {
    /// Returns the link of a view to a collection. `definition` comes from the view's `links`; sort
    /// order and stored values are the view's.
    ///
    /// Errors: 10 for a wrong definition.
    pub fn link(
        view: ViewId,
        definition: Slice<'_>,
        primary_sort: PrimarySort,
        stored_values: Vec<StoredColumn>,
    ) -> Result<IndexProperties> {
        let root = LinkField::parse_root(Properties::of(definition, "a link")?)?;
        let analyzers = UsedAnalyzers::default();
        let options = LinkOptions { view, root, primary_sort, stored_values, analyzers };
        let mut index = IndexProperties::new(IndexType::Link, Vec::new());
        index.sparse = true;
        index.estimates = false;
        index.options = TypeOptions::Link(Box::new(options));
        Ok(index)
    }

    /// Returns the options of a view's link; `None` for another index.
    pub fn as_link(&self) -> Option<&LinkOptions> {
        match &self.options {
            TypeOptions::Link(options) => Some(options),
            _ => None,
        }
    }
}

impl LinkOptions {
    /// Prints the link as in the view's `links`, into an object that is open in
    /// `builder`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| self.root.print(true, printer))
    }

    /// Returns the definition of the text index, as an object.
    ///
    /// Errors: 4 if it cannot be built.
    pub fn to_definition(&self) -> Result<Builder> {
        let mut builder = Builder::new();
        builder.open_object()?;
        Printer::print(&mut builder, |printer| {
            self.root.print(true, printer);
            self.print_columns(printer);
        })?;
        builder.close()?;
        Ok(builder)
    }

    /// Returns the names of all Analyzers in the definition.
    pub fn analyzer_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.push_analyzer_names(&mut names);
        names
    }

    fn print_columns(&self, printer: &mut Printer<'_>) {
        printer.object("primarySort", |printer| {
            printer.objects("fields", &self.primary_sort.fields, SortAttribute::print_flag);
        });
        print_stored_columns(&self.stored_values, printer);
    }
}

impl LinkField {
    /// Reads the settings of the document as a whole.
    fn parse_root(properties: Properties<'_>) -> Result<Self> {
        let default = LinkField {
            analyzers: Some(vec![IDENTITY.to_owned()]),
            include_all_fields: Some(false),
            track_list_positions: Some(false),
            store_values: Some(StoreValues::None),
            ..LinkField::default()
        };
        // `inBackground` matters to nobody: writers do not wait for the build of an index.
        properties.boolean("inBackground")?;
        if properties.object("nested")?.is_some() {
            return Err(Error::bad_parameter("'nested' is only possible below 'fields' of a link"));
        }
        let own = LinkField::parse(properties, &default, 0, &mut 0)?;
        Ok(LinkField { fields: own.fields.clone(), ..own.within(&default) })
    }

    fn parse(
        properties: Properties<'_>,
        around: &LinkField,
        depth: usize,
        count: &mut usize,
    ) -> Result<Self> {
        *count += 1;
        if *count > LINK_FIELDS_MAX || depth > LINK_DEPTH_MAX {
            return Err(Error::bad_parameter(format!(
                "a link must have at most {LINK_FIELDS_MAX} fields, and {LINK_DEPTH_MAX} one below the other"
            )));
        }
        let own = LinkField {
            analyzers: parse_analyzers(properties)?,
            include_all_fields: properties.boolean("includeAllFields")?,
            track_list_positions: properties.boolean("trackListPositions")?,
            store_values: parse_store_values(properties)?,
            cache: properties.boolean("cache")?,
            ..LinkField::default()
        };
        let inner = own.within(around);
        let mut own = own.without_equal(around);
        own.fields = parse_map(properties, "fields", &inner, depth, count)?;
        own.nested = parse_map(properties, "nested", &inner, depth, count)?;
        Ok(own)
    }

    /// Returns the settings that hold in a field, without fields.
    fn within(&self, outer: &LinkField) -> LinkField {
        LinkField {
            analyzers: self.analyzers.clone().or_else(|| outer.analyzers.clone()),
            include_all_fields: self.include_all_fields.or(outer.include_all_fields),
            track_list_positions: self.track_list_positions.or(outer.track_list_positions),
            store_values: self.store_values.or(outer.store_values),
            cache: self.cache.or(outer.cache),
            ..LinkField::default()
        }
    }

    /// Returns the settings that differ from those around, without fields.
    fn without_equal(self, outer: &LinkField) -> LinkField {
        LinkField {
            analyzers: self.analyzers.filter(|own| Some(own) != outer.analyzers.as_ref()),
            include_all_fields: self.include_all_fields.filter(|own| Some(*own) != outer.include_all_fields),
            track_list_positions: self
                .track_list_positions
                .filter(|own| Some(*own) != outer.track_list_positions),
            store_values: self.store_values.filter(|own| Some(*own) != outer.store_values),
            cache: self.cache.filter(|own| *own != outer.cache.unwrap_or(false)),
            ..LinkField::default()
        }
    }

    fn push_analyzer_names<'f>(&'f self, names: &mut Vec<&'f str>) {
        names.extend(self.analyzers.iter().flatten().map(String::as_str));
        self.fields.values().chain(self.nested.values()).for_each(|field| field.push_analyzer_names(names));
    }

    /// Prints the settings; `fields` also if it is empty, as the root has it.
    fn print(&self, is_root: bool, printer: &mut Printer<'_>) {
        if let Some(analyzers) = &self.analyzers {
            printer.texts("analyzers", analyzers);
        }
        if is_root || !self.fields.is_empty() {
            print_map("fields", &self.fields, printer);
        }
        if let Some(include) = self.include_all_fields {
            printer.boolean("includeAllFields", include);
        }
        if let Some(store) = self.store_values {
            printer.text("storeValues", store.name());
        }
        if let Some(track) = self.track_list_positions {
            printer.boolean("trackListPositions", track);
        }
        if let Some(cache) = self.cache {
            printer.boolean("cache", cache);
        }
        if !self.nested.is_empty() {
            print_map("nested", &self.nested, printer);
        }
    }
}

fn print_map(name: &str, fields: &BTreeMap<String, LinkField>, printer: &mut Printer<'_>) {
    printer.object(name, |printer| {
        for (attribute, field) in fields {
            printer.object(attribute, |printer| field.print(false, printer));
        }
    });
}

fn parse_map(
    properties: Properties<'_>,
    name: &str,
    around: &LinkField,
    depth: usize,
    count: &mut usize,
) -> Result<BTreeMap<String, LinkField>> {
    let mut fields = BTreeMap::new();
    let Some(map) = properties.object(name)? else { return Ok(fields) };
    for (attribute, field) in map.as_slice().entries() {
        let field = Properties::of(field, &format!("the field '{attribute}' of a link"))?;
        fields.insert(attribute.to_owned(), LinkField::parse(field, around, depth + 1, count)?);
    }
    Ok(fields)
}

fn parse_analyzers(properties: Properties<'_>) -> Result<Option<Vec<String>>> {
    let Some(array) = properties.array("analyzers")? else { return Ok(None) };
    if array.len() > LINK_ANALYZERS_MAX {
        return Err(Error::bad_parameter(format!(
            "'analyzers' must have at most {LINK_ANALYZERS_MAX} names"
        )));
    }
    let mut names: Vec<String> = Vec::new();
    // Scripts send null for a name that is undefined.
    for element in array.elements().filter(|element| !element.is_null()) {
        let name = element.as_str();
        let name = name.ok_or_else(|| Error::bad_parameter("'analyzers' must be an array of names"))?;
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Ok(Some(names).filter(|names| !names.is_empty() || array.is_empty()))
}

fn parse_store_values(properties: Properties<'_>) -> Result<Option<StoreValues>> {
    match properties.text("storeValues")? {
        None => Ok(None),
        Some("none") => Ok(Some(StoreValues::None)),
        Some("id") => Ok(Some(StoreValues::Id)),
        Some(other) => {
            Err(Error::bad_parameter(format!("'storeValues' is '{other}'; it must be 'none' or 'id'")))
        }
    }
}

pub(super) struct Link;

impl TypeRules for Link {
    fn check_creatable(&self, type_name: &str) -> Result<()> {
        not_for_clients(type_name)
    }

    fn parse_fields(&self, _properties: Properties<'_>) -> Result<Vec<FieldPath>> {
        Ok(Vec::new())
    }

    fn parse(&self, index: &mut IndexProperties, properties: Properties<'_>) -> Result<()> {
        let missing = || Error::corrupt("the record of a link lacks an attribute");
        let view = ViewId(properties.unsigned("view")?.ok_or_else(missing)?);
        let sort = properties.object("primarySort")?.ok_or_else(missing)?;
        let fields = sort.array("fields")?.ok_or_else(missing)?;
        let sort = PrimarySort { fields: SortAttribute::parse_all(fields)?, ..PrimarySort::default() };
        let stored = parse_stored_columns(properties)?;
        let (id, name) = (index.id, index.name.take());
        *index = IndexProperties::link(view, properties.as_slice(), sort, stored)?;
        (index.id, index.name) = (id, name);
        Ok(())
    }

    fn analyzer_names<'i>(&self, index: &'i IndexProperties) -> Vec<&'i str> {
        match &index.options {
            TypeOptions::Link(options) => options.analyzer_names(),
            _ => Vec::new(),
        }
    }

    fn set_analyzers(&self, index: &mut IndexProperties, analyzers: UsedAnalyzers) {
        if let TypeOptions::Link(options) = &mut index.options {
            options.analyzers = analyzers;
        }
    }

    fn print_fields(&self, _index: &IndexProperties, _printer: &mut Printer<'_>) {}

    fn print(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        if let TypeOptions::Link(options) = &index.options {
            printer.unsigned("view", options.view.0);
            options.root.print(true, printer);
            options.print_columns(printer);
        }
    }

    fn is_same(&self, own: &IndexProperties, wanted: &IndexProperties) -> bool {
        own.options == wanted.options
    }

    fn capabilities(&self, _index: &IndexProperties) -> Capabilities {
        Capabilities::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::index::{IndexDefinition, IndexId, ObjectId};
    use crate::testing::{printed, value};

    fn link(definition: &str) -> Result<IndexProperties> {
        let mut link = IndexProperties::link(
            ViewId(7),
            Slice::new(&value(definition)),
            PrimarySort::default(),
            Vec::new(),
        )?;
        link.find_analyzers(&|name| Err(Error::bad_parameter(format!("no analyzer '{name}'"))))?;
        Ok(link)
    }

    fn shown(link: &IndexProperties) -> serde_json::Value {
        printed(|builder| link.as_link().unwrap().print(builder))
    }

    #[test]
    fn a_link_shows_its_settings_and_what_differs_below() {
        let all = link(
            r#"{"analyzers": ["identity", "text_en"], "trackListPositions": true, "storeValues": "id",
                "includeAllFields": true, "cache": true, "inBackground": true, "fields": {
                "a": {}, "b": {"analyzers": ["text_de"], "includeAllFields": true, "fields": {"c": {
                    "trackListPositions": false}}},
                "d": {"storeValues": "id", "nested": {"e": {"nested": {"f": {"cache": false}}}}}}}"#,
        );
        let expected = json!({
            "analyzers": ["identity", "text_en"], "trackListPositions": true, "storeValues": "id",
            "includeAllFields": true, "cache": true, "fields": {
                "a": {}, "b": {"analyzers": ["text_de"], "fields": {"c": {"trackListPositions": false}}},
                "d": {"nested": {"e": {"nested": {"f": {"cache": false}}}}},
            },
        });
        assert_eq!(shown(&all.unwrap()), expected);
        let default = json!({
            "analyzers": ["identity"], "fields": {}, "includeAllFields": false, "storeValues": "none",
            "trackListPositions": false,
        });
        assert_eq!(shown(&link("{}").unwrap()), default);
    }

    #[test]
    fn a_record_is_read_back() {
        let properties = link(r#"{"includeAllFields": true, "fields": {"a": {"analyzers": ["text_en"]}}}"#);
        let definition = IndexDefinition::new(IndexId(9), ObjectId(9), properties.unwrap());
        let record = printed(|builder| Printer::print(builder, |printer| definition.print_record(printer)));
        let bytes = value(&record.to_string());
        let read = IndexDefinition::read_record(Properties::of(Slice::new(&bytes), "").unwrap()).unwrap();
        assert_eq!(read.properties.options, definition.properties.options);
        assert_eq!((read.id, read.name), (definition.id, definition.name));
    }

    #[test]
    fn wrong_links_are_refused() {
        for wrong in [
            "[]",
            r#"{"analyzers": "identity"}"#,
            r#"{"analyzers": [1]}"#,
            r#"{"analyzers": ["missing"]}"#,
            r#"{"fields": []}"#,
            r#"{"fields": {"a": 1}}"#,
            r#"{"fields": {"a": {"analyzers": ["missing"]}}}"#,
            r#"{"storeValues": "full"}"#,
            r#"{"includeAllFields": 1}"#,
            r#"{"nested": {"a": {}}}"#,
        ] {
            assert_eq!(link(wrong).unwrap_err().code(), errors::ErrorCode::BadParameter, "{wrong}");
        }
    }
}
