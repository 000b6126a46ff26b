//! A schema from the definition of an inverted index.

use std::sync::Arc;

use analyzers::Features;
use errors::{Error, Result};
use velocypack::Slice;

use super::{Columns, Node, Schema, Settings};
use crate::analysis::Analysis;

/// A function that finds an analyzer with its own features by its name.
pub type AnalyzerLookup<'a> = &'a dyn Fn(&str) -> Result<Analysis>;

/// The settings that a field has unless it says otherwise.
#[derive(Clone)]
struct Defaults {
    analysis: Arc<Analysis>,
    features: Option<Features>,
    include_all: bool,
    search_field: bool,
    track_positions: bool,
}

impl Schema {
    /// Returns the schema of a definition as it is printed: the index with `fields`, `analyzer`,
    /// `features`, `includeAllFields`, `searchField`, `trackListPositions`, `primarySort` and
    /// `storedValues`.
    ///
    /// The caller has checked the definition. Errors: those of `analyzers`, and 10 for a field
    /// without a name or unknown features.
    pub fn parse(definition: Slice<'_>, analyzers: AnalyzerLookup<'_>) -> Result<Schema> {
        let identity = Defaults {
            analysis: Arc::new(analyzers("identity")?),
            features: None,
            include_all: false,
            search_field: false,
            track_positions: false,
        };
        let defaults = identity.overridden(definition, analyzers)?;
        let mut root = Node::default();
        if defaults.include_all {
            root.settings = Some(Arc::new(defaults.settings()));
        }
        insert_fields(&mut root, definition.get("fields"), &defaults, analyzers)?;
        Ok(Schema { root, columns: Columns::parse(definition), is_link: false })
    }
}

impl Defaults {
    /// Returns these with what `options` sets.
    fn overridden(&self, options: Slice<'_>, analyzers: AnalyzerLookup<'_>) -> Result<Defaults> {
        let flag = |name, default| options.get(name).and_then(Slice::as_bool).unwrap_or(default);
        let analyzer = options.get("analyzer").and_then(Slice::as_str).map(analyzers).transpose()?;
        let own_features = options.get("features").filter(|features| features.is_array());
        let own_features = own_features.map(Features::parse).transpose()?;
        // An analyzer brings its own features, unless the definition names features.
        let inherited = if analyzer.is_some() { None } else { self.features };
        Ok(Defaults {
            analysis: analyzer.map_or_else(|| Arc::clone(&self.analysis), Arc::new),
            features: own_features.or(inherited),
            include_all: flag("includeAllFields", self.include_all),
            search_field: flag("searchField", self.search_field),
            track_positions: flag("trackListPositions", self.track_positions),
        })
    }

    fn settings(&self) -> Settings {
        let mut analysis = (*self.analysis).clone();
        analysis.features = self.features.unwrap_or(analysis.features);
        Settings {
            analyses: vec![Arc::new(analysis)],
            stores_presence: true,
            include_all: self.include_all,
            search_field: self.search_field,
            track_positions: self.search_field && self.track_positions,
        }
    }
}

fn insert_fields(
    root: &mut Node,
    fields: Option<Slice<'_>>,
    defaults: &Defaults,
    analyzers: AnalyzerLookup<'_>,
) -> Result<()> {
    for field in fields.into_iter().flat_map(Slice::elements) {
        let name = field.as_str().or_else(|| field.get("name").and_then(Slice::as_str));
        let name = name.ok_or_else(|| Error::bad_parameter("a field of the index has no 'name'"))?;
        let own = if field.is_object() { defaults.overridden(field, analyzers)? } else { defaults.clone() };
        let node = node_at(root, name);
        match field.get("nested").filter(|nested| nested.is_array() && !nested.is_empty()) {
            Some(nested) => {
                let mut below = Node::default();
                insert_fields(&mut below, Some(nested), &Defaults { include_all: false, ..own }, analyzers)?;
                node.nested = Some(Box::new(below));
            }
            None => node.settings = Some(Arc::new(own.settings())),
        }
    }
    Ok(())
}

/// Returns the node of a path such as `a.b[*].c`, with the nodes on the way to it.
fn node_at<'n>(root: &'n mut Node, path: &str) -> &'n mut Node {
    path.split('.').fold(root, |node, step| {
        let (name, expand) = step.strip_suffix("[*]").map_or((step, false), |name| (name, true));
        let child = node.children.entry(name.to_owned()).or_default();
        child.expand |= expand;
        child
    })
}
