//! Columns: one value for each vertex, or for each row of a result.

/// The vertex of a row that has none.
pub const NO_VERTEX: u32 = u32::MAX;

/// The count of a row that has none.
pub const NO_COUNT: u64 = u64::MAX;

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Floating-point numbers. NaN is no value; infinity is one, for instance of an unreachable
    /// vertex.
    Number(Vec<f64>),
    /// Integers: counts, levels, numbers of components. [`NO_COUNT`] is no value.
    Count(Vec<u64>),
    /// Truth values.
    Flag(Vec<bool>),
    /// Vertices. [`NO_VERTEX`] is no value.
    Vertex(Vec<u32>),
    /// Lists of vertices: paths, walks.
    Vertices(Lists),
    /// Texts of which many are equal.
    Label(Labels),
    /// Lists of numbers of labels, which are named by [`Labels::texts`].
    LabelSets(Lists, Vec<String>),
}

/// Lists of numbers, in one array.
#[derive(Clone, Debug, PartialEq)]
pub struct Lists {
    ends: Vec<usize>,
    values: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Self {
        Lists { ends: vec![0], values: Vec::new() }
    }
}

impl Lists {
    /// Makes lists of their values, one list after another. `ends` begins with 0 and has the
    /// position behind the last value of each list.
    pub fn from_parts(ends: Vec<usize>, values: Vec<u32>) -> Self {
        debug_assert!(ends.first() == Some(&0) && ends.last() == Some(&values.len()) && ends.is_sorted());
        Lists { ends, values }
    }

    /// Appends a list.
    pub fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.values.extend(list);
        self.ends.push(self.values.len());
    }

    /// Returns the number of lists.
    pub fn len(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// Returns true if there is no list.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns list `i`; an empty one if there is none.
    pub fn get(&self, i: usize) -> &[u32] {
        let bounds = self.ends.get(i).zip(self.ends.get(i + 1));
        bounds.and_then(|(start, end)| self.values.get(*start..*end)).unwrap_or_default()
    }

    fn bytes(&self) -> u64 {
        (self.ends.capacity() * size_of::<usize>() + self.values.capacity() * size_of::<u32>()) as u64
    }
}

/// Texts of which many are equal, as numbers into a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// The number of each row's text; `u32::MAX` is no value.
    pub codes: Vec<u32>,
    /// The text of each number.
    pub texts: Vec<String>,
}

impl Column {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Number(values) => values.len(),
            Column::Count(values) => values.len(),
            Column::Flag(values) => values.len(),
            Column::Vertex(values) => values.len(),
            Column::Vertices(lists) | Column::LabelSets(lists, _) => lists.len(),
            Column::Label(labels) => labels.codes.len(),
        }
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes that the column takes.
    pub fn bytes(&self) -> u64 {
        let texts =
            |texts: &[String]| texts.iter().map(|text| size_of::<String>() + text.len()).sum::<usize>();
        match self {
            Column::Number(values) => (values.capacity() * size_of::<f64>()) as u64,
            Column::Count(values) => (values.capacity() * size_of::<u64>()) as u64,
            Column::Flag(values) => values.capacity() as u64,
            Column::Vertex(values) => (values.capacity() * size_of::<u32>()) as u64,
            Column::Vertices(lists) => lists.bytes(),
            Column::Label(labels) => {
                (labels.codes.capacity() * size_of::<u32>() + texts(&labels.texts)) as u64
            }
            Column::LabelSets(lists, names) => lists.bytes() + texts(names) as u64,
        }
    }

    /// Returns the column with `value` where a count or a number is missing or infinite. Other
    /// columns stay as they are.
    pub fn filled(self, value: i64) -> Column {
        match (self, u64::try_from(value)) {
            (Column::Count(mut counts), Ok(value)) => {
                counts.iter_mut().filter(|count| **count == NO_COUNT).for_each(|count| *count = value);
                Column::Count(counts)
            }
            (Column::Count(counts), Err(_)) => {
                let number = |count: u64| if count == NO_COUNT { value as f64 } else { count as f64 };
                Column::Number(counts.into_iter().map(number).collect())
            }
            (Column::Number(mut numbers), _) => {
                let missing = numbers.iter_mut().filter(|number| !number.is_finite());
                missing.for_each(|number| *number = value as f64);
                Column::Number(numbers)
            }
            (other, _) => other,
        }
    }

    /// Returns the value of row `i` as a number; `None` if there is none or it is no number.
    pub fn number(&self, i: usize) -> Option<f64> {
        match self {
            Column::Number(values) => values.get(i).copied().filter(|value| !value.is_nan()),
            Column::Count(values) => {
                values.get(i).filter(|value| **value != NO_COUNT).map(|value| *value as f64)
            }
            Column::Flag(values) => values.get(i).map(|value| f64::from(u8::from(*value))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_are_filled() {
        let counts = || Column::Count(vec![3, NO_COUNT]);
        assert_eq!(counts().filled(7), Column::Count(vec![3, 7]));
        assert_eq!(counts().filled(-1), Column::Number(vec![3.0, -1.0]));
        assert_eq!(
            Column::Number(vec![0.5, f64::INFINITY, f64::NAN]).filled(-1),
            Column::Number(vec![0.5, -1.0, -1.0])
        );
        assert_eq!(Column::Flag(vec![true]).filled(-1), Column::Flag(vec![true]));
    }
}
