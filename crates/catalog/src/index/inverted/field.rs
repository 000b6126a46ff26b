//! The fields of an inverted index.

use analyzers::{Features, IDENTITY};
use errors::{Error, Result};
use velocypack::Slice;

use super::INVERTED_FIELDS_MAX;
use crate::FieldPath;
use crate::field_path::FIELD_PATH_MAX_NAMES;
use crate::properties::{Printer, Properties};
use crate::text_index::UsedAnalyzers;

/// The settings of fields that do not have their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDefaults {
    /// The name of the Analyzer of texts.
    pub analyzer: String,
    /// The facts to keep of tokens; `None` for those of the Analyzer.
    pub features: Option<Features>,
    /// True if the attributes below a field are indexed too.
    pub include_all_fields: bool,
    /// True if the elements of an array are indexed as if each was the value.
    pub search_field: bool,
    /// True if elements of arrays are distinguished by their positions.
    pub track_list_positions: bool,
    /// True if norms should stay in memory. Kept and printed only.
    pub cache: bool,
}

impl Default for FieldDefaults {
    fn default() -> Self {
        FieldDefaults {
            analyzer: IDENTITY.to_owned(),
            features: None,
            include_all_fields: false,
            search_field: false,
            track_list_positions: false,
            cache: false,
        }
    }
}

impl FieldDefaults {
    /// Reads the settings of the index as a whole. Errors: 10.
    pub(super) fn parse(properties: Properties<'_>) -> Result<Self> {
        let flag = |name: &str| Ok::<_, Error>(properties.boolean(name)?.unwrap_or(false));
        Ok(FieldDefaults {
            analyzer: properties.text("analyzer")?.unwrap_or(IDENTITY).to_owned(),
            features: parse_features(properties)?,
            include_all_fields: flag("includeAllFields")?,
            search_field: flag("searchField")?,
            track_list_positions: flag("trackListPositions")?,
            cache: flag("cache")?,
        })
    }

    pub(super) fn print(&self, printer: &mut Printer<'_>) {
        printer.text("analyzer", &self.analyzer);
        printer.texts("features", self.features.unwrap_or_default().names());
        printer.boolean("includeAllFields", self.include_all_fields);
        printer.boolean("searchField", self.search_field);
        printer.boolean("trackListPositions", self.track_list_positions);
        if self.cache {
            printer.boolean("cache", true);
        }
    }
}

/// A field of an inverted index. Settings that are `None` are those around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvertedField {
    /// The path.
    pub path: FieldPath,
    /// The name of the Analyzer.
    pub analyzer: Option<String>,
    /// The facts to keep of tokens.
    pub features: Option<Features>,
    /// True if the attributes below it are indexed too.
    pub include_all_fields: Option<bool>,
    /// True if the elements of an array are indexed as if each was the value.
    pub search_field: Option<bool>,
    /// True if elements of an array are distinguished by their positions.
    pub track_list_positions: Option<bool>,
    /// True if norms should stay in memory. Kept and printed only.
    pub cache: Option<bool>,
    /// The fields of the objects in its array that are searched one by one.
    pub nested: Vec<InvertedField>,
}

impl InvertedField {
    /// Reads `fields`; none if they are missing.
    ///
    /// Errors: 10, also for a field that occurs twice, with or without `[*]`; 1220 for its path.
    pub(super) fn parse_all(properties: Properties<'_>, defaults: &FieldDefaults) -> Result<Vec<Self>> {
        let mut count = 0;
        parse_list(properties, "fields", defaults, 0, &mut count)
    }

    fn parse(
        value: Slice<'_>,
        list: &str,
        around: &FieldDefaults,
        depth: usize,
        count: &mut usize,
    ) -> Result<Self> {
        *count += 1;
        if *count > INVERTED_FIELDS_MAX {
            let message = format!("an inverted index must have at most {INVERTED_FIELDS_MAX} fields");
            return Err(Error::bad_parameter(message));
        }
        if let Some(text) = value.as_str() {
            let field = InvertedField::plain(FieldPath::parse(text)?);
            field.check(around.search_field, depth)?;
            return Ok(field);
        }
        let properties = Properties::of(value, &format!("a field in '{list}'"))?;
        let name = properties.text("name")?;
        let name = name.ok_or_else(|| Error::bad_parameter(format!("a field in '{list}' has no 'name'")))?;
        let analyzer = properties.text("analyzer")?.map(str::to_owned);
        let own_features = parse_features(properties)?;
        let inherited = if analyzer.is_some() { None } else { around.features };
        let flag =
            |name: &str, around: bool| Ok::<_, Error>(properties.boolean(name)?.filter(|own| *own != around));
        let mut field = InvertedField {
            features: own_features.filter(|own| Some(*own) != inherited),
            include_all_fields: flag("includeAllFields", around.include_all_fields)?,
            search_field: flag("searchField", around.search_field)?,
            track_list_positions: flag("trackListPositions", around.track_list_positions)?,
            cache: flag("cache", around.cache)?,
            analyzer,
            ..InvertedField::plain(FieldPath::parse(name)?)
        };
        let inner = field.defaults(around);
        field.check(inner.search_field, depth)?;
        field.nested = parse_list(properties, "nested", &inner, depth + 1, count)?;
        Ok(field)
    }

    fn plain(path: FieldPath) -> Self {
        InvertedField {
            path,
            analyzer: None,
            features: None,
            include_all_fields: None,
            search_field: None,
            track_list_positions: None,
            cache: None,
            nested: Vec::new(),
        }
    }

    /// Returns the settings for the fields in it.
    pub(super) fn defaults(&self, around: &FieldDefaults) -> FieldDefaults {
        let inherited = if self.analyzer.is_some() { None } else { around.features };
        FieldDefaults {
            analyzer: self.analyzer.clone().unwrap_or_else(|| around.analyzer.clone()),
            features: self.features.or(inherited),
            include_all_fields: self.include_all_fields.unwrap_or(around.include_all_fields),
            search_field: self.search_field.unwrap_or(around.search_field),
            track_list_positions: self.track_list_positions.unwrap_or(around.track_list_positions),
            cache: self.cache.unwrap_or(around.cache),
        }
    }

    /// Sets the features that follow from Analyzers, so that equal fields compare as equal.
    pub(super) fn normalize(&mut self, around: &FieldDefaults, analyzers: &UsedAnalyzers) {
        self.features = match &self.analyzer {
            Some(analyzer) => Some(self.features.unwrap_or_else(|| analyzers.features(analyzer))),
            None => self.features.filter(|own| Some(*own) != around.features),
        };
        let inner = self.defaults(around);
        self.nested.iter_mut().for_each(|field| field.normalize(&inner, analyzers));
    }

    fn check(&self, search_field: bool, depth: usize) -> Result<()> {
        let path = &self.path;
        // The identifier of the document itself follows from its key. Elsewhere the name is not
        // allowed, as in other types of indexes.
        let is_own = depth == 0 && path.names.len() == 1 && !path.is_expanded();
        if !is_own && path.names.iter().any(|name| name == "_id") {
            return Err(Error::bad_parameter("_id attribute cannot be indexed"));
        }
        if path.is_expanded() && (search_field || depth > 0) {
            let message = format!("cannot use [*] expansion with 'searchField' or in 'nested': '{path}'");
            return Err(Error::bad_parameter(message));
        }
        if depth + path.names.len() > FIELD_PATH_MAX_NAMES {
            return Err(Error::bad_parameter(format!("the field '{path}' is nested too deeply")));
        }
        Ok(())
    }

    pub(super) fn push_analyzer_names<'f>(&'f self, names: &mut Vec<&'f str>) {
        names.extend(self.analyzer.as_deref());
        self.nested.iter().for_each(|field| field.push_analyzer_names(names));
    }

    pub(super) fn print(&self, printer: &mut Printer<'_>) {
        printer.text("name", &self.path.to_string());
        if let Some(analyzer) = &self.analyzer {
            printer.text("analyzer", analyzer);
        }
        if let Some(features) = self.features {
            printer.texts("features", features.names());
        }
        for (name, value) in [
            ("includeAllFields", self.include_all_fields),
            ("searchField", self.search_field),
            ("trackListPositions", self.track_list_positions),
            ("cache", self.cache),
        ] {
            if let Some(value) = value {
                printer.boolean(name, value);
            }
        }
        if !self.nested.is_empty() {
            printer.objects("nested", &self.nested, InvertedField::print);
        }
    }
}

fn parse_features(properties: Properties<'_>) -> Result<Option<Features>> {
    properties.value("features").map(Features::parse).transpose()
}

fn parse_list(
    properties: Properties<'_>,
    list: &str,
    around: &FieldDefaults,
    depth: usize,
    count: &mut usize,
) -> Result<Vec<InvertedField>> {
    let Some(array) = properties.array(list)? else { return Ok(Vec::new()) };
    let mut fields = Vec::new();
    let mut known = std::collections::HashSet::new();
    for element in array.elements() {
        let field = InvertedField::parse(element, list, around, depth, count)?;
        if !known.insert(field.path.names.clone()) {
            let message = format!("duplicate attribute '{}' in '{list}'", field.path);
            return Err(Error::bad_parameter(message));
        }
        fields.push(field);
    }
    Ok(fields)
}
