//! Edge indexes that restored collections still lack.
//!
//! A client that restores documents may promise to request the indexes afterwards. It gets edge
//! collections without their edge index ([`storage::Store::create_collection_to_load`]), which
//! `restore-indexes` builds. A query that uses the collection and the removal of a vertex build the
//! index earlier. If the restore breaks off, the index is built after a while.

use std::sync::Arc;

use aql_plan::Plan;
use catalog::CollectionId;
use errors::Result;
use storage::{Catalog, Collection};

use crate::session::Session;

impl Session {
    /// Returns the collections of a plan that lack their edge index.
    pub(crate) fn lacking_edge_index(&self, plan: &Plan, catalog: &Catalog) -> Result<Vec<Arc<Collection>>> {
        let database = self.database_in(catalog)?;
        let used = plan.collections.iter();
        let used = used.filter_map(|used| database.collection_by_id(CollectionId(used.collection.id)));
        Ok(used.filter(|collection| collection.lacks_edge_index()).cloned().collect())
    }

    /// Builds the edge index of a collection that lacks it.
    ///
    /// It calls `check` from time to time, and stops at an error.
    pub(crate) fn build_edge_index(
        &self,
        collection: &Collection,
        check: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<()> {
        self.instance().store().build_edge_index(collection, check)
    }
}
