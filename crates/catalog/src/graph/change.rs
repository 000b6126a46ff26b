//! Changes of a graph.
//!
//! Each change keeps the graph's rules: an edge collection has one definition, and the orphans are
//! exactly the vertex collections without a definition.

use errors::{Error, ErrorCode, Result};

use super::{EdgeDefinition, GraphDefinition};

impl GraphDefinition {
    /// Adds an edge definition; its vertex collections stop being orphans.
    ///
    /// Errors: 1920 if the graph has a definition of the edge collection, 32.
    pub fn add_edge_definition(&mut self, definition: EdgeDefinition) -> Result<()> {
        let place =
            self.edge_definitions.binary_search_by(|known| known.collection.cmp(&definition.collection));
        match place {
            Ok(_) => Err(Error::new(
                ErrorCode::GraphCollectionMultiUse,
                format!("{} multi use of edge collection in edge def", definition.collection),
            )),
            Err(place) => {
                self.edge_definitions.insert(place, definition);
                self.forget_connected_orphans();
                self.check_size()
            }
        }
    }

    /// Replaces the definition of an edge collection.
    ///
    /// Vertex collections that lose their last definition become orphans. Those that gain one stop
    /// being orphans.
    ///
    /// Errors: 1930 if the graph has no definition of the edge collection, 32.
    pub fn replace_edge_definition(&mut self, definition: &EdgeDefinition) -> Result<()> {
        let known = self.edge_definitions.iter_mut().find(|known| known.collection == definition.collection);
        let known = known.ok_or_else(edge_collection_not_used)?;
        let old = std::mem::replace(known, definition.clone());
        self.forget_connected_orphans();
        self.adopt_orphans(&old);
        self.check_size()
    }

    /// Removes the definition of an edge collection.
    ///
    /// Vertex collections that lose their last definition become orphans.
    ///
    /// Errors: 1930 if there is none.
    pub fn remove_edge_definition(&mut self, collection: &str) -> Result<()> {
        let place = self.edge_definitions.iter().position(|known| known.collection == collection);
        let old = self.edge_definitions.remove(place.ok_or_else(edge_collection_not_used)?);
        self.adopt_orphans(&old);
        Ok(())
    }

    /// Adds a vertex collection without edges.
    ///
    /// Errors: 1929 if an edge definition has it, 1938 if it is an orphan already, 32.
    pub fn add_orphan(&mut self, collection: &str) -> Result<()> {
        if self.is_connected(collection) {
            let message = format!("{collection} collection already used in edge def");
            return Err(Error::new(ErrorCode::GraphCollectionUsedInEdgeDef, message));
        }
        match self.orphan_collections.binary_search_by(|orphan| orphan.as_str().cmp(collection)) {
            Ok(_) => {
                let message = format!("{collection} collection used in orphans");
                Err(Error::new(ErrorCode::GraphCollectionUsedInOrphans, message))
            }
            Err(place) => {
                self.orphan_collections.insert(place, collection.to_owned());
                self.check_size()
            }
        }
    }

    /// Removes a vertex collection that no edge definition has.
    ///
    /// Errors: 1928 if it is not an orphan.
    pub fn remove_orphan(&mut self, collection: &str) -> Result<()> {
        let place = self.orphan_collections.iter().position(|orphan| orphan == collection);
        let not_there = || {
            let message = "collection is not in list of orphan collections";
            Error::new(ErrorCode::GraphNotInOrphanCollection, message)
        };
        self.orphan_collections.remove(place.ok_or_else(not_there)?);
        Ok(())
    }

    /// Renames a collection wherever the graph names it, and returns true if the graph does.
    pub fn rename_collection(&mut self, name: &str, new_name: &str) -> bool {
        if !self.uses(name) {
            return false;
        }
        let definitions = self.edge_definitions.iter_mut();
        definitions.for_each(|definition| definition.rename_collection(name, new_name));
        self.edge_definitions.sort_by(|left, right| left.collection.cmp(&right.collection));
        self.edge_definitions.dedup_by(|left, right| left.collection == right.collection);
        rename(&mut self.orphan_collections, name, new_name);
        true
    }

    /// Checks that two graphs define their common edge collections in the same way.
    ///
    /// Errors: 1921.
    pub fn check_consistent_with(&self, other: &GraphDefinition) -> Result<()> {
        let differs = |own: &&EdgeDefinition| {
            other.edge_definition(&own.collection).is_some_and(|theirs| theirs != *own)
        };
        match self.edge_definitions.iter().find(differs) {
            None => Ok(()),
            Some(own) => Err(Error::new(
                ErrorCode::GraphCollectionUseInMultiGraphs,
                format!("{} edge collection already used in edge def", own.collection),
            )),
        }
    }

    fn forget_connected_orphans(&mut self) {
        let mut orphans = std::mem::take(&mut self.orphan_collections);
        orphans.retain(|orphan| !self.is_connected(orphan));
        self.orphan_collections = orphans;
    }

    /// Makes orphans of the vertex collections of a definition that was removed.
    fn adopt_orphans(&mut self, old: &EdgeDefinition) {
        for collection in old.vertex_collections() {
            if !self.has_vertex_collection(collection) {
                self.orphan_collections.push(collection.to_owned());
            }
        }
        self.orphan_collections.sort();
    }
}

impl EdgeDefinition {
    fn rename_collection(&mut self, name: &str, new_name: &str) {
        if self.collection == name {
            new_name.clone_into(&mut self.collection);
        }
        rename(&mut self.from, name, new_name);
        rename(&mut self.to, name, new_name);
    }
}

fn rename(names: &mut Vec<String>, name: &str, new_name: &str) {
    names.iter_mut().filter(|found| *found == name).for_each(|found| new_name.clone_into(found));
    names.sort();
    names.dedup();
}

fn edge_collection_not_used() -> Error {
    Error::of(ErrorCode::GraphEdgeCollectionNotUsed)
}
