//! Merges layers into the mapped file, and removes the log that is not needed any more.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use kv::background::Task;
use kv::{KeyRange, Result};

use crate::environment::{Environment, TableWriter};
use crate::layers::{FrozenLayer, Layers};
use crate::store::Store;
use crate::version::{Version, VersionHandle};

/// The time after a failed flush until the next attempt.
const RETRY: Duration = Duration::from_millis(500);

/// The thread that flushes layers.
pub(crate) struct Flusher(pub(crate) Arc<Store>);

impl Task for Flusher {
    fn run(&self) {
        let Flusher(store) = self;
        let mut wait = store.options.flush_interval();
        while store.flush_signal.wait_for_work(wait) {
            let result = store.flush();
            wait = if result.is_err() { RETRY } else { store.options.flush_interval() };
        }
    }

    fn stop(&self) {
        self.0.flush_signal.stop();
    }
}

impl Store {
    /// Locks the tables for writing.
    pub(crate) fn lock_tables(&self) -> MutexGuard<'_, Environment> {
        self.environment.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Merges everything that is committed now into the tables.
    pub(crate) fn flush(&self) -> Result<()> {
        let mut environment = self.lock_tables();
        self.flush_locked(&mut environment, None, |_| Ok(()))
    }

    /// Does the same, then drops a range and makes other changes, all in one step.
    ///
    /// The caller has locked the tables.
    pub(crate) fn flush_locked(
        &self,
        environment: &mut Environment,
        dropped: Option<&KeyRange>,
        change: impl FnOnce(&mut TableWriter<'_, '_>) -> Result<()>,
    ) -> Result<()> {
        let result = self.flush_leftover(environment).and_then(|()| {
            self.freeze(dropped)?;
            self.merge(environment, change)
        });
        self.flush_signal.note_flushed(&result);
        result
    }

    /// Merges the layer of an earlier flush that failed.
    fn flush_leftover(&self, environment: &mut Environment) -> Result<()> {
        if self.layers().frozen.is_none() { Ok(()) } else { self.merge(environment, |_| Ok(())) }
    }

    /// Makes the active layer the frozen one, and notes a dropped range after it.
    fn freeze(&self, dropped: Option<&KeyRange>) -> Result<()> {
        if self.layers().active.writes.is_empty() && dropped.is_none() && !self.log.is_broken() {
            return Ok(());
        }
        self.log.prepare()?;
        let mut writer = self.log.writer();
        if let Some(range) = dropped {
            writer.append_drop(range)?;
        }
        let last_sequence = writer.seal()?;
        let mut layers = self.layers_mut();
        let layer = std::mem::take(&mut layers.active);
        layers.frozen = Some(Arc::new(FrozenLayer { layer, dropped: dropped.cloned(), last_sequence }));
        Ok(())
    }

    /// Writes the frozen layer and a change to the tables, and shows the new version.
    fn merge(
        &self,
        environment: &mut Environment,
        change: impl FnOnce(&mut TableWriter<'_, '_>) -> Result<()>,
    ) -> Result<()> {
        let frozen = self.layers().frozen.clone();
        let written = environment.write(|writer| {
            if let Some(frozen) = &frozen {
                write_layer(frozen, writer)?;
            }
            change(writer)?;
            // Readers of the version so far need its pages until they end.
            let version = Arc::clone(&self.layers().base.version);
            if Arc::strong_count(&version) > 2 {
                version.prepare_for_successor();
            }
            Ok(())
        });
        if written.is_err() {
            self.recover(environment);
        }
        written?;
        self.publish(environment)?;
        if let Some(frozen) = &frozen {
            self.log.writer().remove_through(frozen.last_sequence);
        }
        Ok(())
    }

    /// Returns the current layers. If the file of the tables had an error, waits until it is open
    /// again.
    ///
    /// The caller has not locked the tables.
    pub(crate) fn readable_layers(&self) -> Layers {
        let layers = self.layers().clone();
        if !layers.base.version.is_broken() {
            return layers;
        }
        self.recover(&mut self.lock_tables());
        self.layers().clone()
    }

    /// Opens the file of the tables anew if an error of it requires that. Everything is as before
    /// the failed write then, but the snapshots have expired.
    fn recover(&self, environment: &mut Environment) {
        if !environment.is_broken() {
            return;
        }
        let version = environment.reopen(&self.folder).and_then(|()| Version::open(environment));
        // Without a new version, reads fail until the next attempt.
        let Ok(version) = version else { return };
        let old = {
            let mut layers = self.layers_mut();
            let base = VersionHandle { version: Arc::new(version), ..layers.base.clone() };
            std::mem::replace(&mut layers.base, base)
        };
        old.version.expire();
        self.old_versions.expire_all();
    }

    /// Shows the current state of the tables, which has everything of the frozen layer.
    pub(crate) fn publish(&self, environment: &Environment) -> Result<()> {
        let version = Arc::new(Version::open(environment)?);
        let (old, frozen) = {
            let mut layers = self.layers_mut();
            let base = VersionHandle { version: Arc::clone(&version), ..layers.base.clone() };
            (std::mem::replace(&mut layers.base, base), layers.frozen.take())
        };
        self.old_versions.add(&old.version, &version, self.options.old_snapshot_bytes);
        drop(frozen);
        Ok(())
    }
}

fn write_layer(frozen: &FrozenLayer, writer: &mut TableWriter<'_, '_>) -> Result<()> {
    for entry in frozen.layer.writes.iter_from(&[]) {
        match entry.value() {
            Some(value) => writer.put(entry.key(), value)?,
            None => writer.delete(entry.key())?,
        }
    }
    if let Some(range) = &frozen.dropped {
        writer.delete_range(range)?;
    }
    writer.set_applied(frozen.last_sequence)
}
