//! The inventory of a dump: collections with their indexes and properties, and views.

use std::sync::Arc;

use errors::Result;
use storage::{Collection, Database};
use velocypack::Builder;

use crate::session::Session;
use crate::state::dump::batches::Held;

/// System collections whose contents are of use only to the server that wrote them.
const QUEUE_COLLECTIONS: [&str; 2] = ["_jobs", "_queues"];
/// The system collection of the server's past statistics, which is never dumped.
const STATISTICS: &str = "_statistics";

/// A client's request for an inventory.
#[derive(Clone, Debug)]
pub struct InventoryRequest {
    /// The batch whose snapshot is shown.
    pub batch: u64,
    /// Include system collections.
    pub include_system: bool,
    /// Include queues and jobs of services.
    pub include_queues: bool,
    /// Show only this collection.
    pub collection: Option<String>,
    /// Show all databases. Only administrators may do so.
    pub global: bool,
    /// The current time in ISO 8601, UTC.
    pub time: String,
}

impl Session {
    /// Returns the inventory as a VelocyPack object. Errors: 1600, 1203, 11.
    pub fn inventory(&self, request: &InventoryRequest) -> Result<Vec<u8>> {
        let batch = self.batch(request.batch)?;
        let catalog = Arc::clone(batch.snapshot.catalog());
        let mut out = Builder::new();
        out.open_object()?;
        if request.global {
            self.require_administrator()?;
            out.key("databases")?;
            out.open_object()?;
            for database in catalog.databases() {
                out.key(database.name())?;
                out.open_object()?;
                out.key("name")?;
                out.add_str(database.name())?;
                out.key("id")?;
                out.add_str(&database.definition().id.to_string())?;
                self.add_database(&mut out, database, request)?;
                out.close()?;
            }
            out.close()?;
        } else {
            self.add_database(&mut out, self.database_in(&catalog)?, request)?;
        }
        add_state(&mut out, &batch, &request.time)?;
        out.close()?;
        Ok(out.into_vec())
    }

    fn add_database(&self, out: &mut Builder, database: &Database, request: &InventoryRequest) -> Result<()> {
        out.key("properties")?;
        out.open_object()?;
        out.key("id")?;
        out.add_str(&database.definition().id.to_string())?;
        out.key("name")?;
        out.add_str(database.name())?;
        out.key("isSystem")?;
        out.add_bool(database.definition().is_system())?;
        out.close()?;
        out.key("collections")?;
        out.open_array()?;
        for collection in self.dumped_collections(database, request)? {
            out.open_object()?;
            out.key("indexes")?;
            out.open_array()?;
            // The primary and the edge index exist without a definition.
            let indexes = collection.indexes().iter().filter(|index| index.is_user_defined());
            for index in indexes.filter(|index| !index.definition().properties.is_hidden()) {
                out.open_object()?;
                index.definition().print_dump(out)?;
                out.close()?;
            }
            out.close()?;
            out.key("parameters")?;
            out.open_object()?;
            collection.definition().print_dump(out, collection.last_key_value())?;
            if collection.has_access_rules() && self.require_administrator().is_ok() {
                collection.definition().print_access_rules_for_copy(out)?;
            }
            out.close()?;
            out.close()?;
        }
        out.close()?;
        out.key("views")?;
        out.open_array()?;
        for view in database.views().filter(|view| self.require_view(database, view).is_ok()) {
            out.open_object()?;
            database.print_view(view, out)?;
            out.close()?;
        }
        out.close()?;
        Ok(())
    }

    /// Returns the dumped collections: document collections before edge collections, then by name.
    fn dumped_collections<'a>(
        &self,
        database: &'a Database,
        request: &InventoryRequest,
    ) -> Result<Vec<&'a Arc<Collection>>> {
        if let Some(name) = &request.collection {
            let collection = database.require_collection(name)?;
            self.require_dumpable(collection.name())?;
            return Ok(vec![collection]);
        }
        let is_wanted = |collection: &&Arc<Collection>| {
            let name = collection.name();
            let is_queue = QUEUE_COLLECTIONS.contains(&name);
            !collection.definition().properties.is_system
                || (request.include_system
                    && !name.starts_with(STATISTICS)
                    && (request.include_queues || !is_queue))
        };
        let mut collections: Vec<_> = database.collections().filter(is_wanted).collect();
        collections.retain(|collection| self.require_dumpable(collection.name()).is_ok());
        collections.sort_by_key(|collection| collection.is_edge());
        Ok(collections)
    }

    /// Returns the last position of the change log; without a log, a number that all later ones
    /// exceed.
    pub(super) fn log_position(&self) -> Result<u64> {
        let store = self.instance().store();
        match store.change_log() {
            Some(_) => Ok(store.resolved_position().saturating_sub(1)),
            None => store.next_id(),
        }
    }

    /// Returns the current `state` of the inventory as a VelocyPack object. The change log begins,
    /// if it can: clients follow it from the position of this state.
    ///
    /// `time` is as in [`InventoryRequest`].
    pub fn logger_state(&self, time: &str) -> Result<Vec<u8>> {
        let tick = match self.tick_range() {
            Ok(range) => range.last,
            Err(_) => self.log_position()?,
        };
        let mut out = Builder::new();
        out.open_object()?;
        add_state_attributes(&mut out, tick, time)?;
        out.close()?;
        Ok(out.into_vec())
    }
}

fn add_state(out: &mut Builder, batch: &Held, time: &str) -> Result<()> {
    out.key("state")?;
    out.open_object()?;
    add_state_attributes(out, batch.tick, time)?;
    out.close()?;
    out.key("tick")?;
    Ok(out.add_str(&batch.tick.to_string())?)
}

fn add_state_attributes(out: &mut Builder, tick: u64, time: &str) -> Result<()> {
    out.key("running")?;
    out.add_bool(true)?;
    let tick = tick.to_string();
    for name in ["lastLogTick", "lastUncommittedLogTick"] {
        out.key(name)?;
        out.add_str(&tick)?;
    }
    out.key("totalEvents")?;
    out.add_u64(0)?;
    out.key("time")?;
    Ok(out.add_str(time)?)
}
