//! What an index can be used for, as planners see it: they match these and no types.

/// What an index can do. The default is nothing: an index that no query uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// The conditions that it looks up.
    pub search: SearchShape,
    /// Its entries lie in AQL's order of the fields: scans can merge by them, skip groups and replace sorts.
    pub ordered: bool,
    /// Its entries hold the values of the fields (without `[*]`) and the stored values.
    pub covers: bool,
    /// Its entries are the documents, which lie in byte order of their keys; on request, scans order them as AQL does.
    pub clustered: bool,
    /// Values of all fields find their only entry without a scan, many in one step.
    pub unique_lookup: bool,
}

/// The conditions that an index looks up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SearchShape {
    /// None.
    #[default]
    None,
    /// An equality on any one of the fields.
    AnyField {
        /// Also lower and upper bounds of it.
        bounds: bool,
    },
    /// Equalities on leading fields, and bounds of the field behind them.
    LeadingFields,
    /// Equalities on the first fields, and bounds of all others: see [`super::Search::Box`].
    Box {
        /// The number of fields that need an equality.
        prefix_fields: usize,
    },
    /// Distances and shapes on the earth: see [`super::Search::Geo`].
    Geo {
        /// The only field holds GeoJSON, or longitude and latitude. Otherwise latitude comes first, in one array or in
        /// the first of two fields.
        geo_json: bool,
    },
    /// A query over the words of the only field: see [`super::Search::Words`].
    Words {
        /// Characters of the shortest word that is indexed.
        min_length: u64,
    },
}
