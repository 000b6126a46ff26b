//! Stands for the crate `database` until it compiles; the same names and signatures.
#![allow(missing_docs, dead_code)]

use std::sync::Arc;

use crate::error::{ApiError, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    Superuser,
    User(Arc<str>),
}

pub struct Instance {
    store: Arc<storage::Store>,
}

impl Instance {
    pub fn new(store: Arc<storage::Store>) -> Arc<Self> {
        Arc::new(Instance { store })
    }
    pub fn store(&self) -> &Arc<storage::Store> {
        &self.store
    }
}

#[derive(Clone)]
pub struct Session {
    instance: Arc<Instance>,
    database: Arc<str>,
    identity: Identity,
}

impl Session {
    pub fn open(instance: Arc<Instance>, database: &str, identity: Identity) -> Result<Self> {
        if instance.store.catalog().database(database).is_none() {
            return Err(ApiError::of(1228));
        }
        let session = Session { instance, database: database.into(), identity };
        session.require_database(catalog::AccessLevel::ReadOnly)?;
        Ok(session)
    }
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }
    pub fn database_name(&self) -> &Arc<str> {
        &self.database
    }
    pub fn is_system_database(&self) -> bool {
        *self.database == *"_system"
    }
    pub fn user(&self) -> Option<&Arc<str>> {
        match &self.identity {
            Identity::Superuser => None,
            Identity::User(name) => Some(name),
        }
    }
    pub fn require_database(&self, level: catalog::AccessLevel) -> Result<()> {
        self.require(&self.database, level)
    }
    pub fn require_administrator(&self) -> Result<()> {
        self.require("_system", catalog::AccessLevel::ReadWrite)
    }
    fn require(&self, database: &str, level: catalog::AccessLevel) -> Result<()> {
        match &self.identity {
            Identity::Superuser => Ok(()),
            Identity::User(name) => {
                let catalog = self.instance.store.catalog();
                let has = catalog.user(name).map(|user| user.rights.database_level(database));
                if has >= Some(level) { Ok(()) } else { Err(ApiError::of(11)) }
            }
        }
    }
}
