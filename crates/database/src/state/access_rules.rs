//! The compiled rules of collections, for the users who have used them recently.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use catalog::{AccessRules, CollectionDefinition, CollectionId};
use errors::Result;
use storage::{Restriction, Restrictions};

use crate::embedded_aql::{CompiledRules, RuleUser};

/// Maximum number of pairs of a user and a collection; all are forgotten beyond it.
const ENTRIES_MAX: usize = 4_096;

/// The compiled rules by collection and user.
#[derive(Debug, Default)]
pub(crate) struct CompiledRulesCache {
    entries: Mutex<HashMap<(CollectionId, Arc<str>), Entry>>,
}

#[derive(Debug)]
struct Entry {
    /// The rules and the user that were compiled.
    rules: Arc<AccessRules>,
    user: Arc<RuleUser>,
    compiled: Option<Arc<CompiledRules>>,
}

impl CompiledRulesCache {
    /// Returns the rules of a collection for a user; `None` if they do not restrict the user.
    ///
    /// Errors: 11 for rules that cannot be understood.
    pub(crate) fn of(
        &self,
        collection: &CollectionDefinition,
        user: &Arc<RuleUser>,
    ) -> Result<Option<Arc<CompiledRules>>> {
        let rules = &collection.properties.access_rules;
        if rules.is_empty() {
            return Ok(None);
        }
        let key = (collection.id, Arc::clone(&user.name));
        let is_same = |entry: &&Entry| Arc::ptr_eq(&entry.rules, rules) && entry.user == *user;
        if let Some(entry) = self.lock().get(&key).filter(is_same) {
            return Ok(entry.compiled.clone());
        }
        let compiled = CompiledRules::compile(rules, user)?.map(Arc::new);
        let mut entries = self.lock();
        if entries.len() >= ENTRIES_MAX {
            entries.clear();
        }
        let (rules, user) = (Arc::clone(rules), Arc::clone(user));
        entries.insert(key, Entry { rules, user, compiled: compiled.clone() });
        Ok(compiled)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(CollectionId, Arc<str>), Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The limits of one user in all collections.
#[derive(Clone, Debug)]
pub(crate) struct UserRestrictions {
    pub(crate) user: Arc<RuleUser>,
    pub(crate) cache: Arc<CompiledRulesCache>,
}

impl UserRestrictions {
    /// Returns the rules of a collection for the user. Errors: 11.
    pub(crate) fn rules(&self, collection: &CollectionDefinition) -> Result<Option<Arc<CompiledRules>>> {
        self.cache.of(collection, &self.user)
    }
}

impl Restrictions for UserRestrictions {
    fn of(&self, collection: &CollectionDefinition) -> Result<Option<Arc<dyn Restriction>>> {
        Ok(self.rules(collection)?.map(|rules| -> Arc<dyn Restriction> { rules }))
    }
}
