//! News of commits, for replies that wait for them.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use database::Instance;
use errors::{Error, Result};
use tokio::sync::watch;

/// The time after which the thread looks whether anybody still waits.
const LOOK: Duration = Duration::from_millis(500);

/// Tells those who wait that commits have ended. A thread runs while somebody waits.
pub(crate) struct ChangeNews {
    instance: Arc<Instance>,
    sender: Arc<watch::Sender<u64>>,
    is_running: Arc<Mutex<bool>>,
}

impl ChangeNews {
    pub(crate) fn new(instance: Arc<Instance>) -> Self {
        let (sender, _) = watch::channel(0);
        ChangeNews { instance, sender: Arc::new(sender), is_running: Arc::default() }
    }

    /// Returns a receiver that changes with each commit that has ended.
    ///
    /// Errors: 4 if no thread can be started.
    pub(crate) fn subscribe(&self) -> Result<watch::Receiver<u64>> {
        let receiver = self.sender.subscribe();
        let mut is_running = self.is_running.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_running {
            let (instance, sender) = (Arc::downgrade(&self.instance), Arc::clone(&self.sender));
            let running = Arc::clone(&self.is_running);
            let thread = std::thread::Builder::new().name("change news".into());
            thread
                .spawn(move || run(&instance, &sender, &running))
                .map_err(|error| Error::internal(format!("cannot start a thread: {error}")))?;
            *is_running = true;
        }
        Ok(receiver)
    }

    /// Wakes all who wait, because a feed was ended.
    pub(crate) fn wake(&self) {
        self.sender.send_modify(|_| ());
    }
}

fn run(instance: &Weak<Instance>, sender: &watch::Sender<u64>, is_running: &Mutex<bool>) {
    let mut known = 0;
    loop {
        let Some(instance) = instance.upgrade() else { return };
        let resolved = instance.store().wait_for_changes(known, LOOK);
        if resolved > known || instance.is_stopping() || instance.has_ended_feeds() {
            known = resolved;
            sender.send_replace(known);
        }
        let mut is_running = is_running.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.receiver_count() == 0 {
            *is_running = false;
            return;
        }
    }
}
