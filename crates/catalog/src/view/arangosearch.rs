//! The properties of an `arangosearch` view.

use errors::Result;
use velocypack::Slice;

use crate::properties::{Printer, Properties};
use crate::text_index::{
    Compression, Maintenance, PrimarySort, SortAttribute, StoredColumn, TopK, WriteBuffers,
    parse_stored_columns, parse_top_k, print_stored_columns,
};

/// The properties of an `arangosearch` view without its links.
///
/// All but [`ArangoSearchProperties::maintenance`] stay as they were when the view was created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArangoSearchProperties {
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
}

impl ArangoSearchProperties {
    /// Reads the properties of a new view. Errors: 10.
    pub(crate) fn parse(properties: Properties<'_>) -> Result<Self> {
        let sort = properties.array("primarySort")?.unwrap_or(Slice::EMPTY_ARRAY);
        Ok(ArangoSearchProperties {
            primary_sort: PrimarySort {
                fields: SortAttribute::parse_all(sort)?,
                compression: Compression::parse(properties, "primarySortCompression")?,
                cache: properties.boolean("primarySortCache")?.unwrap_or(false),
            },
            primary_key_cache: properties.boolean("primaryKeyCache")?.unwrap_or(false),
            stored_values: parse_stored_columns(properties)?,
            optimize_top_k: parse_top_k(properties)?,
            write_buffers: WriteBuffers::parse(properties)?,
            maintenance: Maintenance::default().with(properties)?,
        })
    }

    /// Returns the properties that a change leaves.
    ///
    /// A `partial` change keeps what it does not name; a full one resets it to its default. As in
    /// ArangoDB, immutable properties in `change` are ignored. Errors: 10.
    pub fn changed(&self, change: Slice<'_>, partial: bool) -> Result<Self> {
        let change = Properties::of(change, "the view's properties")?;
        let kept = if partial { self.maintenance } else { Maintenance::default() };
        Ok(ArangoSearchProperties { maintenance: kept.with(change)?, ..self.clone() })
    }

    pub(super) fn print(&self, printer: &mut Printer<'_>) {
        self.maintenance.print(printer);
        printer.texts("optimizeTopK", self.optimize_top_k.iter().map(|expression| &expression.text));
        printer.objects("primarySort", &self.primary_sort.fields, SortAttribute::print_flag);
        printer.text("primarySortCompression", self.primary_sort.compression.name());
        for (name, is_cached) in
            [("primarySortCache", self.primary_sort.cache), ("primaryKeyCache", self.primary_key_cache)]
        {
            // ArangoDB prints these only if they are set.
            if is_cached {
                printer.boolean(name, true);
            }
        }
        print_stored_columns(&self.stored_values, printer);
        self.write_buffers.print(printer);
    }
}
