//! Options of the inverted index.
//!
//! Source: ArangoDB 3.12 documentation, "Inverted index HTTP API" and "Inverted indexes".

mod compatibility;
mod field;
#[cfg(test)]
mod tests;

use errors::{Error, Result};
use velocypack::{Builder, Slice};

use super::{Capabilities, IndexProperties, TypeOptions, TypeRules};
use crate::FieldPath;
use crate::properties::{Printer, Properties};
use crate::text_index::{
    Compression, Maintenance, PrimarySort, SortAttribute, StoredColumn, TopK, UsedAnalyzers, WriteBuffers,
    parse_stored_columns, parse_top_k, print_stored_columns,
};

pub use field::{FieldDefaults, InvertedField};

/// The maximum number of fields of an inverted index, nested ones included.
pub const INVERTED_FIELDS_MAX: usize = 4096;

/// The version of the format that clients see.
const VERSION: u64 = 1;

/// The options of an inverted index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvertedOptions {
    /// The settings of fields that do not have their own.
    pub defaults: FieldDefaults,
    /// The fields; none if `defaults` includes all.
    pub fields: Vec<InvertedField>,
    /// The order in which the documents are stored.
    pub primary_sort: PrimarySort,
    /// True if keys should stay in memory. Kept and printed only.
    pub primary_key_cache: bool,
    /// The attributes that are stored in addition to the terms.
    pub stored_values: Vec<StoredColumn>,
    /// The sort expressions to find the best results of.
    pub optimize_top_k: Vec<TopK>,
    /// The bounds of writers.
    pub write_buffers: WriteBuffers,
    /// The intervals of its upkeep.
    pub maintenance: Maintenance,
    /// The Analyzers that it names.
    pub analyzers: UsedAnalyzers,
}

impl IndexProperties {
    /// Returns the options of an inverted index; `None` for another index.
    pub fn as_inverted(&self) -> Option<&InvertedOptions> {
        match &self.options {
            TypeOptions::Inverted(options) => Some(options),
            _ => None,
        }
    }
}

impl InvertedOptions {
    fn parse(properties: Properties<'_>) -> Result<Self> {
        let defaults = FieldDefaults::parse(properties)?;
        let sort = properties.object("primarySort")?;
        Ok(InvertedOptions {
            fields: InvertedField::parse_all(properties, &defaults)?,
            defaults,
            primary_sort: sort.map(parse_sort).transpose()?.unwrap_or_default(),
            primary_key_cache: properties.boolean("primaryKeyCache")?.unwrap_or(false),
            stored_values: parse_stored_columns(properties)?,
            optimize_top_k: parse_top_k(properties)?,
            write_buffers: WriteBuffers::parse(properties)?,
            maintenance: Maintenance::default().with(properties)?,
            analyzers: UsedAnalyzers::default(),
        })
    }

    /// Returns the definition as it is printed, as an object.
    ///
    /// Errors: 4 if it cannot be built.
    pub fn to_definition(&self) -> Result<Builder> {
        let mut builder = Builder::new();
        builder.open_object()?;
        Printer::print(&mut builder, |printer| {
            self.print_fields(printer);
            self.print(printer);
        })?;
        builder.close()?;
        Ok(builder)
    }

    /// Returns the names of all Analyzers in the definition.
    pub fn analyzer_names(&self) -> Vec<&str> {
        let mut names = vec![self.defaults.analyzer.as_str()];
        self.fields.iter().for_each(|field| field.push_analyzer_names(&mut names));
        names
    }

    /// Sets the Analyzers, and the features that follow from them.
    fn set_analyzers(&mut self, analyzers: UsedAnalyzers) {
        let defaults = &mut self.defaults;
        defaults.features = Some(defaults.features.unwrap_or_else(|| analyzers.features(&defaults.analyzer)));
        self.fields.iter_mut().for_each(|field| field.normalize(&self.defaults, &analyzers));
        self.analyzers = analyzers;
    }

    fn print_fields(&self, printer: &mut Printer<'_>) {
        printer.objects("fields", &self.fields, InvertedField::print);
    }

    fn print(&self, printer: &mut Printer<'_>) {
        self.defaults.print(printer);
        self.maintenance.print(printer);
        printer.texts("optimizeTopK", self.optimize_top_k.iter().map(|expression| &expression.text));
        if self.primary_key_cache {
            printer.boolean("primaryKeyCache", true);
        }
        printer.object("primarySort", |printer| {
            printer.objects("fields", &self.primary_sort.fields, SortAttribute::print_flag);
            printer.text("compression", self.primary_sort.compression.name());
            if self.primary_sort.cache {
                printer.boolean("cache", true);
            }
        });
        print_stored_columns(&self.stored_values, printer);
        printer.unsigned("version", VERSION);
        self.write_buffers.print(printer);
    }

    fn is_same(&self, wanted: &InvertedOptions) -> bool {
        self.defaults == wanted.defaults
            && self.fields == wanted.fields
            && self.primary_sort == wanted.primary_sort
            && self.stored_values == wanted.stored_values
            && self.optimize_top_k == wanted.optimize_top_k
    }
}

fn parse_sort(sort: Properties<'_>) -> Result<PrimarySort> {
    let fields = sort.array("fields")?.unwrap_or(Slice::EMPTY_ARRAY);
    Ok(PrimarySort {
        fields: SortAttribute::parse_all(fields)?,
        compression: Compression::parse(sort, "compression")?,
        cache: sort.boolean("cache")?.unwrap_or(false),
    })
}

pub(super) struct Inverted;

impl TypeRules for Inverted {
    fn parse_fields(&self, properties: Properties<'_>) -> Result<Vec<FieldPath>> {
        let defaults = FieldDefaults::parse(properties)?;
        let fields = InvertedField::parse_all(properties, &defaults)?;
        if fields.is_empty() && !defaults.include_all_fields {
            let message =
                "'fields' must be an array with at least one attribute unless 'includeAllFields' is true";
            return Err(Error::bad_parameter(message));
        }
        Ok(fields.into_iter().map(|field| field.path).collect())
    }

    fn parse(&self, index: &mut IndexProperties, properties: Properties<'_>) -> Result<()> {
        if properties.boolean("unique")?.unwrap_or(false) {
            return Err(Error::bad_parameter("an inverted index cannot be unique"));
        }
        properties.boolean("inBackground")?;
        index.parallelism = super::parse_parallelism(properties)?;
        index.sparse = true;
        index.estimates = false;
        index.options = TypeOptions::Inverted(Box::new(InvertedOptions::parse(properties)?));
        Ok(())
    }

    fn analyzer_names<'i>(&self, index: &'i IndexProperties) -> Vec<&'i str> {
        index.as_inverted().map_or_else(Vec::new, InvertedOptions::analyzer_names)
    }

    fn set_analyzers(&self, index: &mut IndexProperties, analyzers: UsedAnalyzers) {
        if let TypeOptions::Inverted(options) = &mut index.options {
            options.set_analyzers(analyzers);
        }
    }

    fn print_fields(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        if let TypeOptions::Inverted(options) = &index.options {
            options.print_fields(printer);
        }
    }

    fn print(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        if let TypeOptions::Inverted(options) = &index.options {
            options.print(printer);
        }
    }

    /// Returns true if the documents have the same terms and columns, however they are kept.
    fn is_same(&self, own: &IndexProperties, wanted: &IndexProperties) -> bool {
        match (&own.options, &wanted.options) {
            (TypeOptions::Inverted(own), TypeOptions::Inverted(wanted)) => own.is_same(wanted),
            _ => false,
        }
    }

    fn capabilities(&self, _index: &IndexProperties) -> Capabilities {
        Capabilities::default()
    }
}
