//! The places that use an analyzer.

use analyzers::Definition;
use storage::{Database, Index};

use crate::session::Session;

impl Session {
    /// Returns the name of a view or an inverted index that uses an analyzer, in any database.
    pub(super) fn user_of_analyzer(&self, definition: &Definition) -> Option<String> {
        let catalog = self.catalog();
        let uses_it = |index: &Index| {
            let used = index.definition().properties.analyzers();
            used.is_some_and(|used| used.uses(definition.name()))
        };
        catalog.databases().find_map(|database| {
            database.collections().find_map(|collection| {
                let index = collection.indexes().iter().find(|index| uses_it(index))?;
                Some(name_of(database, collection.name(), index))
            })
        })
    }
}

fn name_of(database: &Database, collection: &str, index: &Index) -> String {
    match index.view().and_then(|view| database.view_by_id(view)) {
        Some(view) => format!("view '{}'", view.name),
        None => format!("index '{}' of collection '{collection}'", index.name()),
    }
}
