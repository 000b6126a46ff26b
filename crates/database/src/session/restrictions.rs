//! The rules of collections that restrict the session's user.

use std::collections::BTreeSet;
use std::sync::Arc;

use catalog::AccessLevel;
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Restrictions};

use crate::embedded_aql::{CompiledRules, RuleUser};
use crate::session::{Identity, Session};
use crate::state::access_rules::UserRestrictions;

impl Session {
    /// Returns the rules that restrict the user; `None` if there are none in the whole store, and
    /// for those whom rules do not restrict: the server itself, services, and administrators.
    pub(crate) fn restrictions(&self) -> Option<UserRestrictions> {
        let catalog = self.catalog();
        if !catalog.has_access_rules() || self.require_administrator().is_ok() {
            return None;
        }
        let (name, roles) = match self.identity() {
            Identity::Superuser | Identity::Services(_) => return None,
            Identity::External(user) => (&user.name, user.roles.clone()),
            Identity::User(name) => {
                // A user who was removed since then has no rights anyway.
                let roles = catalog.user(name).map_or_else(BTreeSet::new, |user| user.roles.clone());
                (name, roles)
            }
        };
        let user = Arc::new(RuleUser { name: Arc::clone(name), roles });
        Some(UserRestrictions { user, cache: Arc::clone(&self.instance().access_rules) })
    }

    /// Returns the limits of what the session reads and writes.
    pub(crate) fn document_restrictions(&self) -> Option<Arc<dyn Restrictions>> {
        self.restrictions().map(|restrictions| -> Arc<dyn Restrictions> { Arc::new(restrictions) })
    }

    /// Returns the rules of a collection that restrict the user. Errors: 11 for rules that cannot
    /// be understood.
    pub(crate) fn rules_of(&self, collection: &Collection) -> Result<Option<Arc<CompiledRules>>> {
        self.restrictions().map_or(Ok(None), |restrictions| restrictions.rules(collection.definition()))
    }

    /// Checks that no rules of the database's collections restrict the user.
    ///
    /// Errors: 11.
    pub(crate) fn require_unrestricted_database(&self, work: &str) -> Result<()> {
        if self.restrictions().is_none() {
            return Ok(());
        }
        let catalog = self.catalog();
        let mut collections = self.database_in(&catalog)?.collections();
        collections.try_for_each(|collection| self.require_unrestricted(collection, work))
    }

    /// Returns true if no rules of the database's collections restrict the user. Only such a user
    /// sees what others ask: bind variables may contain whole documents.
    pub fn sees_all_documents(&self) -> bool {
        self.require_unrestricted_database("a list of queries").is_ok()
    }

    /// Checks that the user may change the services of the database, which see all documents.
    ///
    /// Errors: 11.
    pub(crate) fn require_service_rights(&self) -> Result<()> {
        self.require_database(AccessLevel::ReadWrite)?;
        self.require_unrestricted_database("a service")
    }

    /// Checks that no rule of a collection restricts the user, for work that concerns documents
    /// which the user may not see.
    ///
    /// Errors: 11.
    pub fn require_unrestricted(&self, collection: &Collection, work: &str) -> Result<()> {
        match self.rules_of(collection)? {
            None => Ok(()),
            Some(_) => {
                let name = collection.name();
                let message = format!(
                    "forbidden: {work} needs all documents, and the rules of collection '{name}' restrict the user"
                );
                Err(Error::new(ErrorCode::Forbidden, message))
            }
        }
    }
}
