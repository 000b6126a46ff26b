//! Requests that wait for the thread that follows.

use std::time::Duration;

use aql_value::Waiting;
use errors::{Error, ErrorCode, Result};

use crate::session::Session;
use crate::state::following::FollowPhase;

/// The time between two looks at the phase.
const INTERVAL: Duration = Duration::from_millis(20);

impl Session {
    /// Waits until another server is copied whole.
    ///
    /// Errors: 11, the one by which the copy has failed, 1412 if it was ended, 30 while this server
    /// stops, 1500 if the session's interrupt was set. The copy goes on after the last two.
    pub fn wait_for_copy(&self) -> Result<()> {
        self.wait_while(|phase| phase == FollowPhase::Copying)?;
        let view = self.follow_view()?;
        match (view.phase, view.error) {
            (FollowPhase::Failed, Some(error)) => Err(error),
            (FollowPhase::Following | FollowPhase::CuttingOver, _) => Ok(()),
            _ => Err(Error::of(ErrorCode::ReplicationApplierStopped)),
        }
    }

    /// Waits until nothing of another server is copied or applied any more.
    ///
    /// Errors: 11, 30 while this server stops, 1500 if the session's interrupt was set.
    pub fn wait_while_following(&self) -> Result<()> {
        self.wait_while(|phase| {
            matches!(phase, FollowPhase::Copying | FollowPhase::Following | FollowPhase::CuttingOver)
        })
    }

    fn wait_while(&self, is_in: impl Fn(FollowPhase) -> bool) -> Result<()> {
        let mut waiting = None;
        while is_in(self.follow_view()?.phase) {
            self.check_running()?;
            if let Some(interrupt) = self.interrupt() {
                interrupt.check()?;
            }
            waiting.get_or_insert_with(Waiting::begin);
            std::thread::sleep(INTERVAL);
        }
        Ok(())
    }
}
