//! The fields of an inverted index.

mod columns;
mod definition;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::Analysis;
use crate::path::Path;

pub(crate) use columns::Columns;
pub use definition::AnalyzerLookup;

/// The fields of an inverted index or a view's link, as a tree of attributes.
#[derive(Debug)]
pub struct Schema {
    pub(crate) root: Node,
    pub(crate) columns: Columns,
}

/// The settings of a field.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The analysis of its texts.
    pub(crate) analysis: Arc<Analysis>,
    /// Index all attributes below it.
    pub(crate) include_all: bool,
    /// Index the elements of arrays as if each was the value.
    pub(crate) search_field: bool,
    /// The path of an element has its position.
    pub(crate) track_positions: bool,
}

/// An attribute on the way to fields.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The attributes below it.
    pub(crate) children: BTreeMap<String, Node>,
    /// Its elements are expanded (`[*]`).
    pub(crate) expand: bool,
    /// Its values are indexed.
    pub(crate) settings: Option<Arc<Settings>>,
    /// The fields of the nested documents in its array.
    pub(crate) nested: Option<Box<Node>>,
}

/// A field as a query names it: a path and the analysis of its texts.
#[derive(Clone, Debug)]
pub struct FieldRef {
    /// The path.
    pub path: Path,
    /// The analysis of texts there.
    pub analysis: Arc<Analysis>,
}

/// A step of a path in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// An attribute.
    Attribute(&'a str),
    /// An element of an array, for fields that track positions.
    Element(usize),
    /// A nested document of an array.
    Nested,
}

impl Schema {
    /// Returns the place in a row of a column of `storedValues`, for [`crate::Segment::column`].
    pub fn stored_column(&self, column: usize) -> usize {
        self.columns.place_of_stored(column)
    }

    /// Returns the place in a row of the sort key of `primarySort`; `None` without one.
    pub fn sort_column(&self) -> Option<usize> {
        (!self.columns.sort.is_empty()).then_some(0)
    }

    /// Returns the field that indexes the values at these steps; `None` if none does.
    pub fn field(&self, steps: &[Step<'_>]) -> Option<FieldRef> {
        let mut place = Place { node: Some(&self.root), settings: self.root.settings.as_ref() };
        let mut path = Path::root();
        for step in steps {
            place = place.follow(*step)?;
            path = match step {
                Step::Attribute(name) => path.attribute(name),
                Step::Element(index) => path.element(*index),
                Step::Nested => path.nested(),
            };
        }
        Some(FieldRef { path, analysis: Arc::clone(&place.settings?.analysis) })
    }
}

/// A node of the tree with the settings that hold there.
struct Place<'s> {
    node: Option<&'s Node>,
    settings: Option<&'s Arc<Settings>>,
}

impl<'s> Place<'s> {
    fn follow(self, step: Step<'_>) -> Option<Self> {
        match step {
            Step::Attribute(name) => {
                let node = self.node.and_then(|node| node.children.get(name));
                let inherited = self.settings.filter(|settings| settings.include_all);
                let settings = node.and_then(|node| node.settings.as_ref()).or(inherited);
                (node.is_some() || settings.is_some()).then_some(Place { node, settings })
            }
            Step::Element(_) => self.settings.is_some_and(|s| s.track_positions).then_some(self),
            Step::Nested => {
                let node = self.node?.nested.as_deref()?;
                Some(Place { node: Some(node), settings: node.settings.as_ref() })
            }
        }
    }
}
