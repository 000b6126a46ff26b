//! Users.

use catalog::{UserDefinition, name::check_user_name};
use errors::{Error, ErrorCode, Result};

use crate::Store;

impl Store {
    /// Creates a user.
    ///
    /// Errors: 1700, 1702, 1004.
    pub fn create_user(&self, user: UserDefinition) -> Result<()> {
        check_user_name(&user.name)?;
        self.core.alter(move |draft| {
            if draft.catalog().user(&user.name).is_some() {
                return Err(Error::of(ErrorCode::UserDuplicate));
            }
            draft.put_user(user.clone())
        })
    }

    /// Creates a user, or replaces the user of this name.
    ///
    /// Errors: 1700, 1004.
    pub fn put_user(&self, user: UserDefinition) -> Result<()> {
        check_user_name(&user.name)?;
        self.core.alter(move |draft| draft.put_user(user.clone()))
    }

    /// Changes a user: `change` gets the current definition and may change everything but the name.
    /// It is called again if another server was faster.
    ///
    /// Errors: 1703, those of `change`, 1004.
    pub fn change_user(
        &self,
        name: &str,
        mut change: impl FnMut(&mut UserDefinition) -> Result<()>,
    ) -> Result<()> {
        self.core.alter(|draft| {
            let mut user = UserDefinition::clone(draft.catalog().user(name).ok_or_else(user_not_found)?);
            change(&mut user)?;
            user.name = name.to_owned();
            draft.put_user(user)
        })
    }

    /// Removes a user.
    ///
    /// Errors: 1703, 1004.
    pub fn remove_user(&self, name: &str) -> Result<()> {
        self.core.alter(|draft| {
            draft.catalog().user(name).ok_or_else(user_not_found)?;
            draft.remove_user(name)
        })
    }
}

fn user_not_found() -> Error {
    Error::of(ErrorCode::UserNotFound)
}
