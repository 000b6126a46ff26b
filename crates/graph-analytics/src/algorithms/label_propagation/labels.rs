//! Labels as small numbers whose order is that of their values.

use errors::{Error, Result};

use crate::column::{Column, Labels, NO_COUNT, NO_VERTEX};
use crate::graph::Graph;
use crate::work::Work;

/// The number of a vertex without a label.
pub(super) const NO_LABEL: u32 = u32::MAX;

/// The values that numbers of labels mean.
pub(super) enum Values {
    /// The numbers themselves.
    Numbers,
    Vertices,
    Flags,
    Counts(Vec<u64>),
    Floats(Vec<f64>),
    Texts(Vec<String>),
}

/// Returns the label of each vertex at the start: its number, or its value of an attribute.
///
/// Errors: 10 if the graph was loaded without the attribute, or its values are lists.
pub(super) fn start(graph: &Graph, attribute: Option<&str>, work: &Work) -> Result<(Vec<u32>, Values)> {
    let vertices = graph.vertex_count();
    let Some(attribute) = attribute else {
        return Ok(((0..vertices as u32).collect(), Values::Numbers));
    };
    let _values = work.reserve_for::<u64>(vertices)?;
    match graph.attribute(attribute)? {
        Column::Count(counts) => {
            let mut distinct: Vec<u64> = counts.iter().copied().filter(|count| *count != NO_COUNT).collect();
            distinct.sort_unstable();
            distinct.dedup();
            let codes = counts.iter().map(|count| code(distinct.binary_search(count))).collect();
            Ok((codes, Values::Counts(distinct)))
        }
        Column::Number(numbers) => {
            // Adding 0 makes -0 equal to it.
            let mut distinct: Vec<f64> =
                numbers.iter().map(|number| number + 0.0).filter(|number| !number.is_nan()).collect();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup();
            let find = |number: f64| distinct.binary_search_by(|its| its.total_cmp(&(number + 0.0)));
            let codes = numbers.iter().map(|number| code(find(*number))).collect();
            Ok((codes, Values::Floats(distinct)))
        }
        Column::Label(labels) => {
            let mut distinct = labels.texts.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let codes_of: Vec<u32> =
                labels.texts.iter().map(|text| code(distinct.binary_search(text))).collect();
            let codes =
                labels.codes.iter().map(|its| codes_of.get(*its as usize).copied().unwrap_or(NO_LABEL));
            Ok((codes.collect(), Values::Texts(distinct)))
        }
        Column::Flag(flags) => Ok((flags.iter().map(|flag| u32::from(*flag)).collect(), Values::Flags)),
        Column::Vertex(numbers) => Ok((numbers.clone(), Values::Vertices)),
        Column::Vertices(_) | Column::LabelSets(..) => Err(Error::bad_parameter(format!(
            "'{attribute}' has lists as values; a label must be a number, a text or a truth value"
        ))),
    }
}

fn code(place: std::result::Result<usize, usize>) -> u32 {
    place.map_or(NO_LABEL, |place| place as u32)
}

impl Values {
    /// Returns the column of labels.
    pub(super) fn column(self, codes: Vec<u32>) -> Column {
        match self {
            Values::Numbers => Column::Count(codes.into_iter().map(u64::from).collect()),
            Values::Vertices => Column::Vertex(codes),
            Values::Flags => Column::Flag(codes.into_iter().map(|code| code == 1).collect()),
            Values::Counts(counts) => {
                let count = |code: u32| counts.get(code as usize).copied().unwrap_or(NO_COUNT);
                Column::Count(codes.into_iter().map(count).collect())
            }
            Values::Floats(floats) => {
                let number = |code: u32| floats.get(code as usize).copied().unwrap_or(f64::NAN);
                Column::Number(codes.into_iter().map(number).collect())
            }
            Values::Texts(texts) => Column::Label(Labels { codes, texts }),
        }
    }
}

const _: () = assert!(NO_LABEL == NO_VERTEX);
