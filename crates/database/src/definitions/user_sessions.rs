//! The withdrawal of tokens that the server has signed for users.
//!
//! Users withdraw their own tokens; administrators withdraw those of others.

use errors::Result;

use crate::session::Session;

impl Session {
    /// Withdraws all tokens of a user, or one of them.
    ///
    /// One token is given by its identifier and its end in seconds since 1970. `now` is the present
    /// time. Errors: 1703, 10, 32, 11.
    pub fn withdraw_sessions(&self, user: &str, one: Option<(&str, u64)>, now: u64) -> Result<()> {
        self.find_user(user)?;
        self.instance().store().change_user(user, |user| match one {
            Some((id, ends)) => user.sessions.withdraw(id, ends, now),
            None => {
                user.sessions.withdraw_all();
                Ok(())
            }
        })
    }
}
