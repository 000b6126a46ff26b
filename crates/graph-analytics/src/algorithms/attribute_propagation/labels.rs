//! The labels with which vertices begin.

use std::collections::BTreeMap;

use errors::{Error, Result};
use owner::Charge;

use super::BATCH;
use crate::column::{Column, NO_COUNT};
use crate::work::Work;

/// Labels, and the vertices that begin with each.
#[derive(Debug)]
pub(super) struct Labels {
    /// The text of each label.
    pub(super) names: Vec<String>,
    /// Labels and vertices, in order.
    pairs: Vec<(u32, u32)>,
    _charge: Charge,
}

impl Labels {
    /// Returns the labels in the values of an attribute.
    ///
    /// Errors: 10 for an attribute whose values are no labels.
    pub(super) fn of(column: &Column, attribute: &str, work: &Work) -> Result<Self> {
        let mut charge = work.reserve(column.bytes())?;
        let mut pairs = Vec::new();
        let names = match column {
            Column::Label(labels) => {
                charge.grow((labels.codes.len() * size_of::<(u32, u32)>()) as u64)?;
                pairs = labels.codes.iter().copied().zip(0..).collect();
                pairs.retain(|(label, _)| (*label as usize) < labels.texts.len());
                labels.texts.clone()
            }
            Column::LabelSets(lists, names) => {
                for i in 0..lists.len() {
                    charge.grow((lists.get(i).len() * size_of::<[(u32, u32); 2]>()) as u64)?;
                    pairs.extend(lists.get(i).iter().map(|label| (*label, i as u32)));
                }
                pairs.retain(|(label, _)| (*label as usize) < names.len());
                names.clone()
            }
            Column::Number(values) => {
                let text = |value: &f64| (!value.is_nan()).then(|| value.to_string());
                named(&mut charge, values.iter().map(text), &mut pairs)?
            }
            Column::Count(values) => {
                let text = |value: &u64| (*value != NO_COUNT).then(|| value.to_string());
                named(&mut charge, values.iter().map(text), &mut pairs)?
            }
            Column::Flag(values) => {
                named(&mut charge, values.iter().map(|value| Some(value.to_string())), &mut pairs)?
            }
            Column::Vertex(_) | Column::Vertices(_) => {
                return Err(Error::bad_parameter(format!(
                    "the values of the vertex attribute '{attribute}' are vertices; labels must be texts, \
                     numbers or truth values"
                )));
            }
        };
        pairs.sort_unstable();
        Ok(Labels { names, pairs, _charge: charge })
    }

    /// Returns the vertices of a batch of labels, with the bit of the label.
    pub(super) fn starts(&self, first: u32) -> impl Iterator<Item = (u32, u64)> {
        let from = self.pairs.partition_point(|(label, _)| *label < first);
        let pairs = self.pairs[from..].iter();
        let in_batch = pairs.take_while(move |(label, _)| label - first < BATCH);
        in_batch.map(move |(label, vertex)| (*vertex, 1 << (label - first)))
    }
}

/// Gives each different text a number. Returns the texts.
fn named(
    charge: &mut Charge,
    texts: impl Iterator<Item = Option<String>>,
    pairs: &mut Vec<(u32, u32)>,
) -> Result<Vec<String>> {
    // A text, twice, and its place in a tree.
    const BYTES: u64 = 160;
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut names = Vec::new();
    for (text, vertex) in texts.zip(0..) {
        let Some(text) = text else { continue };
        let label = match numbers.get(&text) {
            Some(label) => *label,
            None => {
                charge.grow(BYTES + 2 * text.len() as u64)?;
                names.push(text.clone());
                numbers.insert(text, names.len() as u32 - 1);
                names.len() as u32 - 1
            }
        };
        charge.grow(size_of::<[(u32, u32); 2]>() as u64)?;
        pairs.push((label, vertex));
    }
    Ok(names)
}
