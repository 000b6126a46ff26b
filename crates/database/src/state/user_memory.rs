//! The memory of each user's work: a fair share of the memory of all queries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use aql_value::MemoryAccount;

/// The accounts of users. An account lasts as long as something is charged to it.
#[derive(Debug)]
pub(crate) struct UserMemory {
    all: Arc<MemoryAccount>,
    users: Mutex<HashMap<Arc<str>, Weak<MemoryAccount>>>,
}

/// The number of accounts from which on those without charges are forgotten.
const FORGET_FROM: usize = 64;

impl UserMemory {
    /// Returns an empty table of accounts, which share the limit of `all`.
    pub(crate) fn new(all: Arc<MemoryAccount>) -> Self {
        UserMemory { all, users: Mutex::default() }
    }

    /// Returns the account of a user; without one, that of all work.
    pub(crate) fn of(&self, user: Option<&Arc<str>>) -> Arc<MemoryAccount> {
        let Some(user) = user else { return Arc::clone(&self.all) };
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = users.get(user).and_then(Weak::upgrade) {
            return account;
        }
        if users.len() >= FORGET_FROM {
            users.retain(|_, account| account.strong_count() > 0);
        }
        let account = Arc::new(MemoryAccount::share_of(Arc::clone(&self.all)));
        users.insert(Arc::clone(user), Arc::downgrade(&account));
        account
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_a_user_is_charged_to_one_account() {
        let all = Arc::new(MemoryAccount::new(Some(800), None));
        let users = UserMemory::new(Arc::clone(&all));
        let (anna, bert) = (Arc::<str>::from("anna"), Arc::<str>::from("bert"));
        let first = users.of(Some(&anna));
        first.charge(700).unwrap();
        assert_eq!(users.of(Some(&anna)).used_bytes(), 700);
        assert!(users.of(Some(&anna)).charge(1).is_err());
        users.of(Some(&bert)).check_room(80).unwrap();
        drop(first);
        assert_eq!((users.of(Some(&anna)).used_bytes(), all.used_bytes()), (0, 0));
        assert!(Arc::ptr_eq(&users.of(None), &all));
    }
}
