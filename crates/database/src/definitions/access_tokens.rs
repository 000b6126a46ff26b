//! Access tokens of users. Users manage their own tokens; administrators manage those of others.

use catalog::access_token::{AccessToken, AccessTokens};
use errors::Result;

use crate::session::Session;

impl Session {
    /// Returns the tokens of a user. Errors: 1703, 11.
    pub fn access_tokens(&self, user: &str) -> Result<AccessTokens> {
        Ok(self.find_user(user)?.tokens.clone())
    }

    /// Gives a user a token and returns its number. The `id` of `token` is ignored.
    ///
    /// Errors: 1703, 1207, 10, 32, 11.
    pub fn add_access_token(&self, user: &str, token: &AccessToken) -> Result<u64> {
        self.find_user(user)?;
        let mut id = 0;
        self.instance().store().change_user(user, |user| {
            id = user.tokens.add(token.clone())?;
            Ok(())
        })?;
        Ok(id)
    }

    /// Removes the token with this number from a user, if there is one. Errors: 1703, 11.
    pub fn remove_access_token(&self, user: &str, id: u64) -> Result<()> {
        self.find_user(user)?;
        self.instance().store().change_user(user, |user| {
            user.tokens.remove(id);
            Ok(())
        })
    }
}
