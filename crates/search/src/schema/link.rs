//! A schema from the definition of a view's link.

use std::sync::Arc;

use errors::Result;
use velocypack::Slice;

use super::{AnalyzerLookup, Columns, Node, Schema, Settings};
use crate::analysis::Analysis;

/// The settings that an attribute has unless it says otherwise.
#[derive(Clone)]
struct Inherited {
    analyses: Vec<Arc<Analysis>>,
    include_all: bool,
    track_positions: bool,
    stores_presence: bool,
}

impl Schema {
    /// Returns the schema of a link as it is printed: an object with `analyzers`, `fields`,
    /// `includeAllFields`, `trackListPositions`, `storeValues` and `nested`, and the view's
    /// `primarySort` and `storedValues`.
    ///
    /// The caller has checked the definition. Errors: those of `analyzers`.
    pub fn parse_link(definition: Slice<'_>, analyzers: AnalyzerLookup<'_>) -> Result<Schema> {
        let inherited = Inherited {
            analyses: vec![Arc::new(analyzers("identity")?)],
            include_all: false,
            track_positions: false,
            stores_presence: false,
        };
        let mut root = inherited.node(definition, analyzers)?;
        // The document itself is not a value of a field.
        root.settings = root.settings.filter(|settings| settings.include_all);
        Ok(Schema { root, columns: Columns::parse(definition), is_link: true })
    }
}

impl Inherited {
    fn node(&self, definition: Slice<'_>, analyzers: AnalyzerLookup<'_>) -> Result<Node> {
        let own = self.overridden(definition, analyzers)?;
        let mut node = Node { settings: Some(Arc::new(own.settings())), ..Node::default() };
        for (name, field) in definition.get("fields").into_iter().flat_map(Slice::entries) {
            node.children.insert(name.to_owned(), own.node(field, analyzers)?);
        }
        let nested = definition.get("nested").filter(|nested| nested.is_object() && !nested.is_empty());
        if let Some(nested) = nested {
            let mut below = Node::default();
            for (name, field) in nested.entries() {
                below.children.insert(name.to_owned(), own.node(field, analyzers)?);
            }
            node.nested = Some(Box::new(below));
        }
        Ok(node)
    }

    fn overridden(&self, definition: Slice<'_>, analyzers: AnalyzerLookup<'_>) -> Result<Inherited> {
        let flag = |name, outer| definition.get(name).and_then(Slice::as_bool).unwrap_or(outer);
        let names = definition.get("analyzers").filter(|names| names.is_array());
        let own: Option<Result<Vec<_>>> = names.map(|names| {
            let mut own: Vec<Arc<Analysis>> = Vec::new();
            for name in names.elements().filter_map(Slice::as_str) {
                let analysis = analyzers(name)?;
                // `a`, `::a`, `_system::a` and `database::a` may name one Analyzer.
                if !own.iter().any(|known| known.name == analysis.name) {
                    own.push(Arc::new(analysis));
                }
            }
            Ok(own)
        });
        let store = definition.get("storeValues").and_then(Slice::as_str);
        Ok(Inherited {
            analyses: own.transpose()?.unwrap_or_else(|| self.analyses.clone()),
            include_all: flag("includeAllFields", self.include_all),
            track_positions: flag("trackListPositions", self.track_positions),
            stores_presence: store.map_or(self.stores_presence, |store| store == "id"),
        })
    }

    /// Returns the settings of a field. Arrays are indexed element by element.
    fn settings(&self) -> Settings {
        Settings {
            analyses: self.analyses.clone(),
            stores_presence: self.stores_presence,
            include_all: self.include_all,
            search_field: true,
            track_positions: self.track_positions,
        }
    }
}
