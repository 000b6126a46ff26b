//! Morsel-driven parallelism: several threads scan a collection for one operator.
//!
//! The operator at the end of the segment (a grouping, a count, a sort with a limit) has a local
//! state for each thread, and merges them at the end. A query scans alone first. If the scan is
//! long, and the store has a turn for another thread, the rest is divided into morsels, which
//! threads take in order. See Leis et al., "Morsel-Driven Parallelism" (SIGMOD 2014).

mod helper;
mod morsels;
mod segment;

use std::sync::Arc;

use aql_value::{Batch, Waiting};
use errors::{Error, Result};
use storage::Turn;

use super::Operator;
use crate::context::ExecutionContext;
use helper::{Helper, Reports, work};
use morsels::Morsels;
use segment::Chain;

pub(crate) use morsels::{CurrentMorsel, Morsel};
pub(crate) use segment::Segment;

/// The state of an operator that consumes all rows, on one thread.
pub(super) trait LocalState: Send + 'static {
    /// Adds the rows of a batch, all of which are of the morsel with this number.
    ///
    /// Numbers ascend.
    fn add(&mut self, batch: &Batch, morsel: u32, context: &mut ExecutionContext) -> Result<()>;
}

/// An operator that consumes all rows, as its input sees it.
pub(super) struct Consumer<'c, L> {
    /// Its state on the thread of the query.
    pub(super) own: &'c mut L,
    /// Creates its state on another thread.
    pub(super) make: &'c dyn Fn(&ExecutionContext) -> L,
    /// Returns true if other threads save time, given the state after the first rows.
    pub(super) pays: &'c dyn Fn(&L) -> bool,
}

/// The input of an operator that consumes all rows.
pub(crate) enum Input {
    /// The rows of an operator.
    Serial(Box<dyn Operator>),
    /// The rows of a segment, which may run on several threads.
    Parallel(Box<ParallelInput>),
}

impl Input {
    /// Adds all rows to the consumer's own state. Returns the states of other threads, to be merged
    /// into it.
    pub(super) fn consume<L: LocalState>(
        &mut self,
        consumer: Consumer<'_, L>,
        context: &mut ExecutionContext,
    ) -> Result<Vec<L>> {
        match self {
            Self::Serial(input) => {
                while let Some(batch) = input.next_full_batch(context)? {
                    context.interrupt.check()?;
                    consumer.own.add(&batch, 0, context)?;
                }
                Ok(Vec::new())
            }
            Self::Parallel(input) => input.consume(consumer, context),
        }
    }

    /// Makes the reads of the next runs like [`Operator::rehearse`]. Rows that are made without a
    /// read are of no use to an operator that needs all rows.
    pub(super) fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<()> {
        match self {
            Self::Serial(input) => input.rehearse(outer, context).map(drop),
            Self::Parallel(_) => Ok(()),
        }
    }

    /// Skips to the end like [`Operator::count_rest`].
    pub(super) fn count_rest(&mut self, context: &mut ExecutionContext) -> Result<Option<u64>> {
        match self {
            Self::Serial(input) => input.count_rest(context),
            Self::Parallel(_) => Ok(None),
        }
    }

    /// Restarts like [`Operator::restart`].
    pub(super) fn restart(&mut self, outer: Batch) {
        match self {
            Self::Serial(input) => input.restart(outer),
            Self::Parallel(input) => input.outer.restart(outer),
        }
    }

    /// Releases memory like [`Operator::release`].
    pub(super) fn release(&mut self) {
        match self {
            Self::Serial(input) => input.release(),
            Self::Parallel(input) => input.release(),
        }
    }
}

/// A segment and the rows that it starts from.
pub(crate) struct ParallelInput {
    outer: Box<dyn Operator>,
    segment: Segment,
    chain: Option<Chain>,
    next_number: u32,
}

/// Morsels for each thread: the last one of a thread is short beside its work before.
const MORSELS_PER_THREAD: usize = 8;

impl ParallelInput {
    /// Creates the input of a segment that runs for each row of `outer`, which is usually one.
    pub(crate) fn new(outer: Box<dyn Operator>, segment: Segment) -> Self {
        Self { outer, segment, chain: None, next_number: 0 }
    }

    fn consume<L: LocalState>(
        &mut self,
        mut consumer: Consumer<'_, L>,
        context: &mut ExecutionContext,
    ) -> Result<Vec<L>> {
        let mut others = Vec::new();
        self.next_number = 0;
        while let Some(outer) = self.outer.next_full_batch(context)? {
            let rest = self.scan_alone(&outer, Morsel::default(), consumer.own, context)?;
            let Some(rest) = rest else { continue };
            let pays = context.parallelism.is_forced || (consumer.pays)(consumer.own);
            let turns = if pays { turns(context) } else { Vec::new() };
            let morsels = self.divide(rest, turns.len(), context)?;
            if morsels.len() > 1 {
                others.extend(self.scan_together(&outer, morsels, turns, &mut consumer, context)?);
                continue;
            }
            drop(turns);
            for morsel in morsels {
                // Without another thread it goes on to its end.
                self.chain().morsel.set_alone(morsel, None);
                self.drain(&outer, consumer.own, context)?;
            }
        }
        Ok(others)
    }

    /// Scans alone. Returns the rest of the range if the scan is long and may be divided.
    fn scan_alone<L: LocalState>(
        &mut self,
        outer: &Batch,
        morsel: Morsel,
        own: &mut L,
        context: &mut ExecutionContext,
    ) -> Result<Option<Morsel>> {
        // Several rows would have to be scanned for one after the other.
        let may_divide = outer.selected_len() == 1;
        let blocks = may_divide.then_some(context.parallelism.blocks_alone.max(1));
        self.chain().morsel.set_alone(morsel, blocks);
        self.drain(outer, own, context)?;
        Ok(self.chain().morsel.take_last_key().map(|key| Morsel::after(&key)))
    }

    fn drain<L: LocalState>(
        &mut self,
        outer: &Batch,
        own: &mut L,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let number = self.next_number;
        self.next_number += 1;
        let chain = self.chain();
        chain.root.restart(outer.clone());
        while let Some(batch) = chain.root.next_full_batch(context)? {
            context.interrupt.check()?;
            own.add(&batch, number, context)?;
        }
        Ok(())
    }

    /// Divides the rest of a scan for this thread and `helpers` others.
    fn divide(&self, rest: Morsel, helpers: usize, context: &mut ExecutionContext) -> Result<Vec<Morsel>> {
        if helpers == 0 {
            return Ok(vec![rest]);
        }
        let parts = (helpers + 1) * MORSELS_PER_THREAD;
        let after = rest.from.as_ref().map(|bound| bound.key.as_str());
        let snapshot = context.data.snapshot(false);
        let points = snapshot.split_points(&self.segment.source.collection, after, parts)?;
        Ok(rest.divided_at(points))
    }

    /// Scans morsels on this thread and on one for each turn. Returns the states of the others.
    fn scan_together<L: LocalState>(
        &mut self,
        outer: &Batch,
        morsels: Vec<Morsel>,
        turns: Vec<Option<Turn>>,
        consumer: &mut Consumer<'_, L>,
        context: &mut ExecutionContext,
    ) -> Result<Vec<L>> {
        let first_number = self.next_number;
        self.next_number += morsels.len() as u32;
        let morsels = Arc::new(Morsels::new(morsels, first_number));
        let spill = context.spill.clone();
        context.spill = spill.clone().shared_by(turns.len() as u64 + 1);
        // An error here leaves no thread behind.
        let contexts: Vec<_> = turns.iter().map(|_| context.helper()).collect::<Result<_>>()?;
        let mut helpers = Vec::with_capacity(turns.len());
        for (turn, helper) in turns.into_iter().zip(contexts) {
            let local = (consumer.make)(&helper);
            let chain = self.segment.chain();
            // Without the thread there is less help.
            helpers.extend(Helper::start(turn, chain, outer.clone(), Arc::clone(&morsels), local, helper));
        }
        let mut reports = Reports::begin(context);
        let worked = work(self.chain(), &morsels, outer, consumer.own, context, &mut reports);
        if worked.is_err() {
            morsels.stop();
        }
        context.spill = spill;
        let mut result = worked;
        let mut others = Vec::with_capacity(helpers.len());
        let waiting = Waiting::begin();
        for helper in helpers {
            match helper.join() {
                Ok(ended) => {
                    context.statistics.add(&ended.statistics);
                    reports.append(ended.reports);
                    others.push(ended.local);
                    if let Err(error) = ended.result
                        && result.is_ok()
                    {
                        context.failed_at = ended.failed_at;
                        result = Err(error);
                    }
                }
                Err(_) => {
                    result = result.and(Err(Error::internal("a thread of the query has panicked")));
                }
            }
        }
        drop(waiting);
        reports.end(context);
        result.map(|()| others)
    }

    fn chain(&mut self) -> &mut Chain {
        self.chain.get_or_insert_with(|| self.segment.chain())
    }

    fn release(&mut self) {
        self.outer.release();
        if let Some(chain) = &mut self.chain {
            chain.root.release();
        }
    }
}

/// Takes turns for other threads, as many as there are and the query may use.
fn turns(context: &ExecutionContext) -> Vec<Option<Turn>> {
    let helpers = context.parallelism.threads.saturating_sub(1);
    if context.parallelism.is_forced {
        return std::iter::repeat_with(|| None).take(helpers).collect();
    }
    let fork_join = context.data.start().fork_join();
    std::iter::from_fn(|| fork_join.take()).take(helpers).map(Some).collect()
}
