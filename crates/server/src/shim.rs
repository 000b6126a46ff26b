//! Stands for the crate `database` until it compiles; the same names and signatures.
#![allow(missing_docs, dead_code)]

use std::sync::Arc;

use crate::error::{ApiError, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    Superuser,
    User(Arc<str>),
}

pub struct Instance;

#[derive(Clone)]
pub struct Session {
    instance: Arc<Instance>,
    database: Arc<str>,
    identity: Identity,
}

impl Session {
    pub fn open(instance: Arc<Instance>, database: &str, identity: Identity) -> Result<Self> {
        if database != "_system" {
            return Err(ApiError::of(1228));
        }
        Ok(Session { instance, database: database.into(), identity })
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
    pub fn require_database(&self, _level: catalog::AccessLevel) -> Result<()> {
        Ok(())
    }
    pub fn require_administrator(&self) -> Result<()> {
        Ok(())
    }
}
