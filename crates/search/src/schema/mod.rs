//! The fields of an inverted index.

mod columns;
mod definition;
mod link;

use std::collections::BTreeMap;
use std::sync::Arc;

use velocypack::Slice;

use crate::analysis::Analysis;
use crate::path::Path;

pub(crate) use columns::Columns;
pub use definition::AnalyzerLookup;

/// The fields of an inverted index or a view's link, as a tree of attributes.
#[derive(Debug)]
pub struct Schema {
    pub(crate) root: Node,
    pub(crate) columns: Columns,
    /// The fields have Analyzers of a link: a text is looked for with the one that a query names.
    pub(crate) is_link: bool,
}

/// The settings of a field.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The analyses of its texts. An inverted index has one.
    pub(crate) analyses: Vec<Arc<Analysis>>,
    /// Queries can ask whether there is a value.
    pub(crate) stores_presence: bool,
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

    /// Returns the place in a row of the values of the attributes of `primarySort`; `None` without
    /// one.
    ///
    /// A segment that an earlier version has written lacks the column: it is empty.
    pub fn sort_values_column(&self) -> Option<usize> {
        self.columns.place_of_sort_values()
    }

    /// Returns the sort key of a document, as its column has it.
    pub fn sort_key(&self, document: Slice<'_>) -> Vec<u8> {
        self.columns.sort_key(document)
    }

    /// Returns true for the schema of a view's link: a query names the Analyzer of each condition.
    /// In an inverted index, the Analyzer follows from the field.
    pub fn is_link(&self) -> bool {
        self.is_link
    }

    /// Returns the field that indexes the values at these steps; `None` if none does. A field of
    /// several analyses has the first.
    pub fn field(&self, steps: &[Step<'_>]) -> Option<FieldRef> {
        let settings = self.settings_at(steps)?;
        Some(FieldRef { path: path_of(steps), analysis: Arc::clone(settings.analyses.first()?) })
    }

    /// Returns the field that indexes the values at these steps with an Analyzer; `None` if none
    /// does.
    pub fn field_with(&self, steps: &[Step<'_>], analyzer: &str) -> Option<FieldRef> {
        let analyses = &self.settings_at(steps)?.analyses;
        let analysis = analyses.iter().find(|analysis| analysis.name == analyzer)?;
        Some(FieldRef { path: path_of(steps), analysis: Arc::clone(analysis) })
    }

    /// Returns all fields that index the values at these steps, one for each analysis.
    pub fn fields(&self, steps: &[Step<'_>]) -> Vec<FieldRef> {
        let analyses = self.settings_at(steps).map_or(&[][..], |settings| &settings.analyses);
        let path = path_of(steps);
        analyses
            .iter()
            .map(|analysis| FieldRef { path: path.clone(), analysis: Arc::clone(analysis) })
            .collect()
    }

    /// Returns the path of values other than texts at these steps; `None` if they are not indexed.
    pub fn value_path(&self, steps: &[Step<'_>]) -> Option<Path> {
        self.settings_at(steps).map(|_| path_of(steps))
    }

    /// Returns true if queries can ask whether there is a value at these steps (`EXISTS()`).
    pub fn stores_presence(&self, steps: &[Step<'_>]) -> bool {
        self.settings_at(steps).is_some_and(|settings| settings.stores_presence)
    }

    fn settings_at(&self, steps: &[Step<'_>]) -> Option<&Settings> {
        let root = Place { node: Some(&self.root), settings: self.root.settings.as_ref() };
        let place = steps.iter().try_fold(root, |place, step| place.follow(*step))?;
        place.settings.map(|settings| &**settings)
    }
}

fn path_of(steps: &[Step<'_>]) -> Path {
    steps.iter().fold(Path::root(), |path, step| match step {
        Step::Attribute(name) => path.attribute(name),
        Step::Element(index) => path.element(*index),
        Step::Nested => path.nested(),
    })
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
