//! Replies that wait for the next entry of the log.

use std::sync::Arc;
use std::time::{Duration, Instant};

use database::changes::TailRequest;
use database::{Session, Waiting};
use errors::{Error, Result};

use super::Services;
use crate::http::Request;
use crate::http::waits::{Readiness, news_or};
use crate::service::change_news::ChangeNews;
use crate::service::shutdown::Shutdown;

/// The longest wait, in milliseconds.
const WAIT_MAX_MS: u64 = 60_000;
/// The time between two looks of a thread whether its client has gone or the server stops.
const LOOK: Duration = Duration::from_millis(50);

/// A wait for entries behind a position of the log.
pub(super) struct Wait {
    news: Arc<ChangeNews>,
    shutdown: Arc<Shutdown>,
    position: u64,
    deadline: Instant,
}

impl Wait {
    /// Returns the wait that a request asks for.
    ///
    /// Errors: 10 for a time that is too long.
    pub(super) fn wanted(services: &Services, request: &Request, wanted: &TailRequest) -> Result<Self> {
        let ms: u64 = request.number("wait")?.unwrap_or(0);
        if ms > WAIT_MAX_MS {
            return Err(Error::bad_parameter(format!(
                "'wait' is {ms}; it must be at most {WAIT_MAX_MS} milliseconds"
            )));
        }
        let is_empty_range = wanted.to <= wanted.from;
        let time = Duration::from_millis(if is_empty_range { 0 } else { ms });
        Ok(Wait {
            news: Arc::clone(&services.news),
            shutdown: Arc::clone(&services.shutdown),
            position: wanted.from,
            deadline: Instant::now() + time,
        })
    }

    /// Returns the end of the wait; `None` if there is nothing to wait for.
    ///
    /// Errors: 4 if no thread can be started.
    pub(super) fn readiness(&self, session: &Session) -> Result<Option<Readiness>> {
        if self.is_over(session) {
            return Ok(None);
        }
        let mut news = self.news.subscribe()?;
        let (session, position, shutdown) = (session.clone(), self.position, Arc::clone(&self.shutdown));
        let deadline = tokio::time::Instant::from_std(self.deadline);
        Ok(Some(Box::pin(async move {
            let grown = async {
                loop {
                    news.borrow_and_update();
                    if !session.ends_log_at(position) || !news_or(&mut news, shutdown.requested()).await {
                        return;
                    }
                }
            };
            let _ = tokio::time::timeout_at(deadline, grown).await;
        })))
    }

    /// Waits for the rest of the time on the calling thread: nothing is left of it after
    /// [`Wait::readiness`].
    ///
    /// Errors: 1500 if the session's interrupt was set.
    pub(super) fn on_thread(&self, session: &Session) -> Result<()> {
        let mut waiting = None;
        while !self.is_over(session) {
            waiting.get_or_insert_with(Waiting::begin);
            let left = self.deadline.saturating_duration_since(Instant::now());
            session.wait_for_log(self.position, left.min(LOOK))?;
        }
        Ok(())
    }

    fn is_over(&self, session: &Session) -> bool {
        Instant::now() >= self.deadline || self.shutdown.is_requested() || !session.ends_log_at(self.position)
    }
}
