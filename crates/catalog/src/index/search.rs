//! Searches of indexes that are not sorted by their fields.
//!
//! The type is generic in its values: they are expressions in a plan, and values when the search
//! reaches an index.

/// A search of one index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search<V> {
    /// Documents whose fields lie between bounds.
    ///
    /// There is one pair of bounds for each field after those that need an equality.
    Box(Vec<FieldBounds<V>>),
    /// Documents near a place, or with a shape that meets another.
    Geo(Box<GeoSearch<V>>),
    /// Documents that a query over words finds.
    Words(V),
}

/// A search on the earth; all conditions must hold. At least one of `origin` and `meets` is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeoSearch<V> {
    /// The place that distances are measured from: GeoJSON or `[longitude, latitude]`.
    ///
    /// An ordered scan returns documents by their distance from it.
    pub origin: Option<V>,
    /// The minimum distance in meters.
    pub nearest: Option<Bound<V>>,
    /// The greatest distance in meters.
    pub farthest: Option<Bound<V>>,
    /// The shape that documents' shapes must intersect. The scan finds all of these, and others.
    pub meets: Option<V>,
}

/// Bounds of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldBounds<V> {
    /// The lower end.
    pub lower: Option<Bound<V>>,
    /// The upper end.
    pub upper: Option<Bound<V>>,
}

/// One end of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound<V> {
    /// The value at the end.
    pub value: V,
    /// True if the value itself lies within the range.
    pub inclusive: bool,
}

impl<V> Search<V> {
    /// Returns the same search with other values, which `map` makes in the order of the fields.
    ///
    /// Errors: the first of `map`.
    pub fn try_map<'a, W, E>(&'a self, map: &mut impl FnMut(&'a V) -> Result<W, E>) -> Result<Search<W>, E> {
        Ok(match self {
            Search::Box(fields) => {
                Search::Box(fields.iter().map(|field| field.try_map(map)).collect::<Result<_, E>>()?)
            }
            Search::Geo(geo) => Search::Geo(Box::new(geo.try_map(map)?)),
            Search::Words(query) => Search::Words(map(query)?),
        })
    }

    /// Calls `visit` with all values, in the order of the fields.
    pub fn for_each<'a>(&'a self, visit: &mut dyn FnMut(&'a V)) {
        match self {
            Search::Box(fields) => {
                let ends = fields.iter().flat_map(|field| [&field.lower, &field.upper]);
                ends.flatten().for_each(|bound| visit(&bound.value));
            }
            Search::Geo(geo) => geo.values().into_iter().flatten().for_each(visit),
            Search::Words(query) => visit(query),
        }
    }

    /// Calls `visit` with all values, in the order of the fields.
    pub fn for_each_mut(&mut self, visit: &mut dyn FnMut(&mut V)) {
        match self {
            Search::Box(fields) => {
                let ends = fields.iter_mut().flat_map(|field| [&mut field.lower, &mut field.upper]);
                ends.flatten().for_each(|bound| visit(&mut bound.value));
            }
            Search::Geo(geo) => geo.values_mut().into_iter().flatten().for_each(visit),
            Search::Words(query) => visit(query),
        }
    }
}

impl<V> GeoSearch<V> {
    fn try_map<'a, W, E>(&'a self, map: &mut impl FnMut(&'a V) -> Result<W, E>) -> Result<GeoSearch<W>, E> {
        Ok(GeoSearch {
            origin: self.origin.as_ref().map(&mut *map).transpose()?,
            nearest: Bound::try_map(&self.nearest, map)?,
            farthest: Bound::try_map(&self.farthest, map)?,
            meets: self.meets.as_ref().map(map).transpose()?,
        })
    }

    fn values(&self) -> [Option<&V>; 4] {
        [
            self.origin.as_ref(),
            self.nearest.as_ref().map(|bound| &bound.value),
            self.farthest.as_ref().map(|bound| &bound.value),
            self.meets.as_ref(),
        ]
    }

    fn values_mut(&mut self) -> [Option<&mut V>; 4] {
        [
            self.origin.as_mut(),
            self.nearest.as_mut().map(|bound| &mut bound.value),
            self.farthest.as_mut().map(|bound| &mut bound.value),
            self.meets.as_mut(),
        ]
    }
}

impl<V> FieldBounds<V> {
    fn try_map<'a, W, E>(&'a self, map: &mut impl FnMut(&'a V) -> Result<W, E>) -> Result<FieldBounds<W>, E> {
        Ok(FieldBounds { lower: Bound::try_map(&self.lower, map)?, upper: Bound::try_map(&self.upper, map)? })
    }
}

impl<V> Bound<V> {
    /// Returns the same bound with another value, if there is one.
    ///
    /// Errors: that of `map`.
    pub fn try_map<'a, W, E>(
        bound: &'a Option<Bound<V>>,
        map: &mut impl FnMut(&'a V) -> Result<W, E>,
    ) -> Result<Option<Bound<W>>, E> {
        let Some(bound) = bound else { return Ok(None) };
        Ok(Some(Bound { value: map(&bound.value)?, inclusive: bound.inclusive }))
    }
}

// A derived implementation would require `V: Default`.
impl<V> Default for GeoSearch<V> {
    fn default() -> Self {
        GeoSearch { origin: None, nearest: None, farthest: None, meets: None }
    }
}

impl<V> Default for FieldBounds<V> {
    fn default() -> Self {
        FieldBounds { lower: None, upper: None }
    }
}
