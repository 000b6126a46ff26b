//! The capabilities of an index. Planners match these, not types.

use super::metric::Metric;

/// The capabilities of an index. The default has none: no query uses such an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// The conditions that the index looks up.
    pub search: SearchShape,
    /// True if entries lie in AQL's order of the fields.
    ///
    /// Scans can then merge by the fields, skip groups and replace sorts.
    pub ordered: bool,
    /// True if entries hold the stored values and, unless the shape of the search says otherwise,
    /// the values of the fields (without `[*]`).
    pub covers: bool,
    /// True if entries are the documents, in byte order of their keys.
    ///
    /// On request, scans return them in AQL's order.
    pub clustered: bool,
    /// True if the values of all fields find their only entry without a scan, many in one step.
    pub unique_lookup: bool,
}

impl Capabilities {
    /// Returns true if entries hold the values of the fields.
    pub fn covers_fields(&self) -> bool {
        self.covers && !matches!(self.search, SearchShape::Near { .. })
    }
}

/// The conditions that an index looks up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SearchShape {
    /// No conditions.
    #[default]
    None,
    /// An equality on any one of the fields.
    AnyField {
        /// True if lower and upper bounds of the field are looked up too.
        bounds: bool,
    },
    /// Equalities on leading fields, and bounds of the next field.
    LeadingFields,
    /// Equalities on the first fields, and bounds of all others: see [`super::Search::Box`].
    Box {
        /// The number of leading fields that need an equality.
        prefix_fields: usize,
    },
    /// Distances and shapes on the earth: see [`super::Search::Geo`].
    Geo {
        /// True if the only field holds GeoJSON, or longitude and latitude.
        ///
        /// Otherwise latitude comes first, in one array or in the first of two fields.
        geo_json: bool,
    },
    /// A query over the words of the only field: see [`super::Search::Words`].
    Words {
        /// The length of the shortest indexed word, in characters.
        min_length: u64,
    },
    /// The vectors nearest to another one. The entries cover the stored values, not the vector.
    Near {
        /// The measure of nearness.
        metric: Metric,
    },
}
