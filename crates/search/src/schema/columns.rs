//! The columns that a segment stores in addition to its terms.

use errors::Result;
use velocypack::order::sort_key;
use velocypack::{Builder, Slice};

/// The stored columns of an index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// The order of `primarySort`; the first column if it is not empty.
    pub(crate) sort: Vec<SortField>,
    /// The attributes of each column of `storedValues`.
    pub(crate) stored: Vec<Vec<AttributePath>>,
}

/// The names on the way to an attribute.
pub(crate) type AttributePath = Vec<String>;

/// An attribute of `primarySort`.
#[derive(Clone, Debug)]
pub(crate) struct SortField {
    pub(crate) path: AttributePath,
    pub(crate) descending: bool,
}

impl Columns {
    /// Returns the columns of a definition as it is printed.
    pub(crate) fn parse(definition: Slice<'_>) -> Columns {
        let sort = definition.get("primarySort").and_then(|sort| sort.get("fields"));
        let stored = definition.get("storedValues");
        Columns {
            sort: sort.into_iter().flat_map(Slice::elements).filter_map(SortField::parse).collect(),
            stored: stored.into_iter().flat_map(Slice::elements).map(stored_paths).collect(),
        }
    }

    /// Returns the number of columns.
    pub(crate) fn len(&self) -> usize {
        self.place_of_sort_values().map_or(self.stored.len(), |last| last + 1)
    }

    /// Returns the number of the column with the values that the sort key is made of; `None`
    /// without one.
    pub(crate) fn place_of_sort_values(&self) -> Option<usize> {
        (!self.sort.is_empty()).then_some(1 + self.stored.len())
    }

    /// Returns the sort key of a document.
    pub(crate) fn sort_key(&self, document: Slice<'_>) -> Vec<u8> {
        let mut key = Vec::new();
        self.sort.iter().for_each(|field| field.push_key(document, &mut key));
        key
    }

    /// Returns the number of a column of `storedValues` in a row.
    pub(crate) fn place_of_stored(&self, column: usize) -> usize {
        usize::from(!self.sort.is_empty()) + column
    }

    /// Returns the columns of a document: its sort key, and an array of values for each of the
    /// others, with null for missing ones. The last has the values of the sort key.
    pub(crate) fn of(&self, document: Slice<'_>) -> Result<Vec<Vec<u8>>> {
        let mut columns = Vec::with_capacity(self.len());
        if !self.sort.is_empty() {
            columns.push(self.sort_key(document));
        }
        for paths in &self.stored {
            columns.push(values(document, paths)?);
        }
        if !self.sort.is_empty() {
            columns.push(values(document, self.sort.iter().map(|field| &field.path))?);
        }
        Ok(columns)
    }
}

/// Returns the array of the values at some paths.
fn values<'p>(document: Slice<'_>, paths: impl IntoIterator<Item = &'p AttributePath>) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    builder.open_array()?;
    for path in paths {
        match at(document, path).filter(|value| !value.is_none() && !value.is_id_marker()) {
            Some(value) => builder.add_slice(value)?,
            None => builder.add_null()?,
        }
    }
    builder.close()?;
    Ok(builder.into_vec())
}

impl SortField {
    fn parse(field: Slice<'_>) -> Option<SortField> {
        let path = path(field.get("field")?.as_str()?);
        let direction = field.get("direction").and_then(Slice::as_str);
        let ascending = field.get("asc").and_then(Slice::as_bool);
        let descending = direction.is_some_and(|direction| direction.eq_ignore_ascii_case("desc"));
        Some(SortField { path, descending: descending || ascending == Some(false) })
    }

    fn push_key(&self, document: Slice<'_>, key: &mut Vec<u8>) {
        let start = key.len();
        match at(document, &self.path) {
            Some(value) => sort_key(value, key),
            None => velocypack::order::sort_key_null(key),
        }
        if self.descending {
            key.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
        }
    }
}

/// Returns the paths of a column: `{fields: [..]}`, an array of paths, or one path.
fn stored_paths(column: Slice<'_>) -> Vec<AttributePath> {
    if let Some(text) = column.as_str() {
        return vec![path(text)];
    }
    let fields = column.get("fields").unwrap_or(column);
    fields.elements().filter_map(|field| field.as_str().map(path)).collect()
}

fn path(text: &str) -> AttributePath {
    text.split('.').map(str::to_owned).collect()
}

fn at<'d>(document: Slice<'d>, path: &[String]) -> Option<Slice<'d>> {
    path.iter().try_fold(document, |value, name| value.get(name))
}
