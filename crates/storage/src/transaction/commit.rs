//! Commits of a transaction's writes.

use std::sync::PoisonError;

use errors::Result;
use kv::{Durability, WriteTransaction};

use super::{Joined, Transaction};
use crate::Catalog;
use crate::encoding::change::{ChangeBuffer, SERVER_LOG};
use crate::encoding::metadata::setting_key;
use crate::store_core::StoreCore;
use crate::visibility::{Change, LoggedChanges, PreparedChanges};

impl Transaction {
    /// Makes all writes visible atomically. Waits for the disk if `durability` or a written
    /// collection's `waitForSync` says so.
    ///
    /// Errors: 1650 if the outcome is not known, 1429 if other members of the group do not have the
    /// writes, which stay. After any other error nothing was written.
    pub fn commit(self, durability: Durability) -> Result<()> {
        // The transaction counts as partly committed until its last part is committed.
        let Transaction { core, engine, joined, mut recorder, partial, .. } = self;
        let has_written = core.commit_writes(engine, &joined, recorder.take(), durability)?;
        if has_written || partial.is_some() {
            // Nobody waits for the collections' locks meanwhile.
            drop(joined);
            core.wait_for_members()?;
        }
        Ok(())
    }

    /// Stores a small value under a name, with the documents of the transaction: both are there
    /// after a crash, or neither.
    ///
    /// Errors: those of the engine.
    pub fn put_setting(&mut self, name: &str, value: &[u8]) -> Result<()> {
        Ok(self.engine.put(&setting_key(name), value)?)
    }

    /// Makes the writes so far visible, as [`Transaction::commit`] does, and continues the
    /// transaction.
    ///
    /// The transaction then uses the state of its next read. It keeps its collections, which stay
    /// locked for everyone who waits for its end. Earlier views stay as they are.
    ///
    /// Errors: those of `commit`; 1500 if a copy of the store waits for the transaction's end. The
    /// writes so far are lost then.
    pub fn commit_intermediate(&mut self, durability: Durability) -> Result<()> {
        match &self.partial {
            None => self.partial = Some(self.core.partial_commits.begin()),
            Some(partial) => partial.check()?,
        }
        let (mut engine, _) = self.core.begin(self.next)?;
        engine.set_interrupt(self.interrupt.clone());
        let engine = std::mem::replace(&mut self.engine, engine);
        let entries = self.recorder.take();
        let outcome = self.core.commit_writes(engine, &self.joined, entries, durability);
        self.recorder = self.core.change_log.recorder();
        self.joined.iter_mut().for_each(Joined::begin_anew);
        self.core.intermediate_commits.add(u64::from(outcome.is_ok()));
        // Both must precede the first read of the engine's next transaction.
        self.loads_at_begin = self.core.load_clock.now();
        self.read_cache = self.core.read_cache.view();
        outcome.map(drop)
    }
}

impl StoreCore {
    /// Commits the writes of a transaction of the engine. Returns false if there are none.
    ///
    /// Errors: 1496 if the store has become a copy.
    fn commit_writes(
        &self,
        mut engine: Box<dyn WriteTransaction>,
        joined: &[Joined],
        entries: ChangeBuffer,
        durability: Durability,
    ) -> Result<bool> {
        if engine.write_count() == 0 {
            engine.rollback();
            return Ok(false);
        }
        let written = || joined.iter().filter(|joined| joined.is_written).map(|joined| &joined.collection);
        let must_sync = written().any(|collection| collection.definition.properties.wait_for_sync);
        let durability = if must_sync { Durability::Synced } else { durability };
        let defines = written().any(|collection| catalog::has_definitions(collection.name()));
        let changes = joined.iter().filter(|joined| joined.is_written).map(Joined::committed_change);
        if defines {
            self.coordination.announce(engine.as_mut(), true, self.catalog().version)?;
        }
        let database = written().next().map_or(SERVER_LOG, |collection| collection.database_id);
        debug_assert!(
            written().all(|collection| collection.database_id == database),
            "a transaction writes to several databases"
        );
        let logged = LoggedChanges { database, entries };
        let publisher = self.publisher();
        let prepared =
            PreparedChanges::of_transaction(publisher, changes.collect(), logged, engine.as_mut())?;
        // The commit has taken its positions of the log. So whoever ends this server's leadership,
        // and then waits for all open positions, has waited for this commit.
        if let Err(error) = self.write_gate.check_leading() {
            engine.rollback();
            return Err(error);
        }
        let publication = prepared.begin(|visit| engine.for_each_written(visit));
        let outcome = match defines {
            true => self.commit_definitions(engine, durability),
            false => engine.commit(durability),
        };
        publication.end(outcome)?;
        if defines {
            self.coordination.wait_until_followed();
        }
        Ok(true)
    }

    /// Commits documents that are definitions (graphs, analyzers) as a change of the catalog. So
    /// plans and other data derived from the previous catalog are not used again.
    fn commit_definitions(
        &self,
        transaction: Box<dyn kv::WriteTransaction>,
        durability: Durability,
    ) -> kv::Result<()> {
        let _definitions = self.definitions();
        if !self.coordination.is_alone() {
            transaction.commit(durability)?;
            // Other servers may have made changes before this one. A failure is left to the
            // follower.
            let _ = self.engine.snapshot().map(|snapshot| self.catch_up(snapshot.as_ref()));
            return Ok(());
        }
        {
            let mut present = self.catalog.write().unwrap_or_else(PoisonError::into_inner);
            transaction.commit(Durability::Buffered)?;
            let mut catalog = Catalog::clone(&present);
            catalog.version += 1;
            *present = std::sync::Arc::new(catalog);
        }
        // The sync runs without the lock, so that readers do not wait for the disk.
        if durability == Durability::Synced { self.engine.sync() } else { Ok(()) }
    }
}

impl Joined {
    fn committed_change(&self) -> Change<'_> {
        self.collection.change(self.change, self.removes, &self.estimates)
    }
}
