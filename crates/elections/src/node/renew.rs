//! Keeps the lease of a leader.

use std::sync::Arc;

use tokio::time::{Instant, sleep};

use super::Node;
use crate::state::{Command, Outcome};

impl Node {
    /// Renews the lease while this run of this member leads.
    ///
    /// The lease is counted from before the renewal is sent. Every other member counts it from the
    /// moment at which it applies the renewal, which is later.
    pub(super) async fn renew(self: Arc<Self>) {
        let mut applied = self.applied.clone();
        loop {
            applied.borrow_and_update();
            let Some(epoch) = self.board.led_epoch() else {
                if applied.changed().await.is_err() {
                    return;
                }
                continue;
            };
            let sent = Instant::now();
            let renewal = Command::Renew { epoch, holder: self.peers.holder };
            let renewed = self.propose(&renewal, self.timing.renewal).await;
            let pause = match renewed {
                Ok(Outcome::Accepted) => {
                    self.board.grant(epoch, (sent + self.timing.lease).into_std());
                    self.timing.renewal.saturating_sub(sent.elapsed())
                }
                Ok(Outcome::Void) => self.timing.retry,
                Err(error) => {
                    tracing::debug!(%error, epoch, "the lease was not renewed");
                    self.timing.retry
                }
            };
            sleep(pause).await;
        }
    }
}
