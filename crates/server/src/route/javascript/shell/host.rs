//! The host of a session's inputs. Their requests go to the server's own routes, and their messages
//! to the reply.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use database::javascript::LogAllowance;
use errors::Error;
use javascript::{Host, HostResult, LogLevel, Reply, Request};

use crate::route::javascript::activity::Activity;
use crate::route::javascript::host::RouterHost;
use crate::route::javascript::origin::Origin;

/// Maximum number of bytes that an input prints.
const PRINTED_MAX_BYTES: usize = 256 << 10;

/// The end of a text that was longer.
const LEFT_OUT: &str = "… further output is omitted\n";

/// The part of a session that changes with each input.
#[derive(Default)]
pub(super) struct World {
    /// The origin of the input that runs.
    origin: Mutex<Option<Origin>>,
    printed: Mutex<Printed>,
    pub(super) activity: Arc<Activity>,
}

/// The text that an input has printed.
#[derive(Default)]
struct Printed {
    text: String,
    is_full: bool,
}

impl World {
    /// Begins an input.
    pub(super) fn begin(&self, origin: &Origin) {
        *locked(&self.printed) = Printed::default();
        *locked(&self.origin) = Some(origin.clone());
        self.activity.begin();
    }

    /// Ends an input, and returns the text that it printed.
    pub(super) fn end(&self) -> String {
        *locked(&self.origin) = None;
        std::mem::take(&mut *locked(&self.printed)).text
    }

    fn print(&self, text: &str) {
        let mut printed = locked(&self.printed);
        if printed.is_full {
            return;
        }
        printed.is_full = printed.text.len().saturating_add(text.len()) > PRINTED_MAX_BYTES;
        let text = if printed.is_full { LEFT_OUT } else { text };
        printed.text.push_str(text);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host of a session.
pub(super) struct ShellHost {
    pub(super) world: Arc<World>,
    /// The database of the session.
    pub(super) database: String,
}

impl Host for ShellHost {
    fn request(&self, request: Request<'_>) -> HostResult<Reply> {
        // The input has been given up if it has no origin any more.
        let origin = locked(&self.world.origin).clone().ok_or_else(Error::killed)?;
        let activity = Arc::clone(&self.world.activity);
        RouterHost { origin, activity, log: LogAllowance::default() }.request(request)
    }

    fn database(&self) -> String {
        self.database.clone()
    }

    fn print(&self, text: &str) -> HostResult<()> {
        self.world.print(text);
        Ok(())
    }

    fn log(&self, _level: LogLevel, text: &str) {
        self.world.print(&format!("{text}\n"));
    }
}
