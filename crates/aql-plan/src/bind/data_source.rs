//! The collections that a query names, and its access to them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use errors::{Error, Result};

use crate::catalog::{CollectionInfo, GraphInfo, PlanCatalog, UserRules, ViewInfo};
use crate::error;
use crate::plan::{Access, CollectionUse};

/// The collections of one query.
pub(crate) struct DataSources<'a> {
    catalog: &'a dyn PlanCatalog,
    /// The collections by name.
    used: BTreeMap<Box<str>, Used>,
    /// Identifiers of collections that an earlier statement modifies.
    modified: HashSet<u64>,
    max_collections: usize,
}

struct Used {
    info: CollectionInfo,
    access: Access,
}

impl<'a> DataSources<'a> {
    pub(crate) fn new(catalog: &'a dyn PlanCatalog, max_collections: usize) -> Self {
        Self { catalog, used: BTreeMap::new(), modified: HashSet::new(), max_collections }
    }

    /// Records that the query reads the collection.
    ///
    /// Errors: 1203 if there is none, 1579 if an earlier statement modifies it.
    pub(crate) fn read(&mut self, name: &str) -> Result<CollectionInfo> {
        let info = self.use_collection(name, Access::Read)?;
        if self.modified.contains(&info.reference.id) {
            return Err(error::access_after_modification(format_args!("collection '{name}'")));
        }
        Ok(info)
    }

    /// Returns the rules of a collection that restrict the user; `None` if there are none, or no
    /// such collection.
    pub(crate) fn rules(&self, name: &str) -> Option<Arc<UserRules>> {
        self.catalog.collection(name)?.rules
    }

    /// Records that the query names the collection without reading it there (WITH, or as a
    /// constant).
    ///
    /// Errors: 1203 if there is none.
    pub(crate) fn name(&mut self, name: &str) -> Result<CollectionInfo> {
        self.use_collection(name, Access::Read)
    }

    /// Records that a statement modifies the collection.
    ///
    /// Errors: 1203 if there is none, 1579 if an earlier statement modifies it.
    pub(crate) fn modify(&mut self, name: &str, exclusive: bool) -> Result<CollectionInfo> {
        let info = self.use_collection(name, if exclusive { Access::Exclusive } else { Access::Write })?;
        if !self.modified.insert(info.reference.id) {
            return Err(error::access_after_modification(format_args!("collection '{name}'")));
        }
        Ok(info)
    }

    /// Returns true if an earlier statement modifies anything.
    pub(crate) fn has_modified(&self) -> bool {
        !self.modified.is_empty()
    }

    /// Returns true if there is a collection or View of that name.
    pub(crate) fn exists(&self, name: &str) -> bool {
        self.catalog.collection(name).is_some() || self.catalog.view(name).is_some()
    }

    /// Returns the view of that name, and records that the query reads its collections; `None` if
    /// there is none.
    ///
    /// Errors: 1579 if an earlier statement modifies one of the collections.
    pub(crate) fn view(&mut self, name: &str) -> Result<Option<Arc<ViewInfo>>> {
        if self.catalog.collection(name).is_some() {
            return Ok(None);
        }
        let Some(view) = self.catalog.view(name) else { return Ok(None) };
        for index in &view.indexes {
            self.read(&index.collection.name)?;
        }
        Ok(Some(Arc::new(view)))
    }

    /// Returns the named graph, whose collections are recorded where they are used.
    pub(crate) fn graph(&self, name: &str) -> Option<GraphInfo> {
        self.catalog.graph(name)
    }

    /// Checks that a collection holds edges.
    ///
    /// Errors: 1203 if there is no such collection or View, 1218 if it does not hold edges.
    pub(crate) fn check_holds_edges(&self, name: &str) -> Result<()> {
        match self.catalog.collection(name) {
            Some(info) if info.is_edge => Ok(()),
            None if self.catalog.view(name).is_none() => Err(Error::collection_not_found(name)),
            _ => Err(error::not_an_edge_collection(name)),
        }
    }

    /// Returns all collections used, sorted by name.
    pub(crate) fn into_uses(self) -> Vec<CollectionUse> {
        let uses = self.used.into_values();
        uses.map(|used| CollectionUse { collection: used.info.reference, access: used.access }).collect()
    }

    fn use_collection(&mut self, name: &str, access: Access) -> Result<CollectionInfo> {
        if let Some(used) = self.used.get_mut(name) {
            used.access = used.access.max(access);
            return Ok(used.info.clone());
        }
        let Some(info) = self.catalog.collection(name) else {
            return Err(match self.catalog.view(name) {
                Some(_) => error::view_is_no_collection(name),
                None => Error::collection_not_found(name),
            });
        };
        if *info.reference.name != *name {
            // It was named by its number.
            return self.use_collection(&info.reference.name, access);
        }
        if self.used.len() >= self.max_collections {
            return Err(error::too_many_collections());
        }
        self.used.insert(name.into(), Used { info: info.clone(), access });
        Ok(info)
    }
}
