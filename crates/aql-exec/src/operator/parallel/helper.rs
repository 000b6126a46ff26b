//! A thread that scans morsels for a query on another thread.

use std::sync::Arc;
use std::thread::JoinHandle;

use aql_plan::NodeId;
use aql_value::{Batch, ThreadMeter, Warning, Warnings};
use errors::Result;
use storage::Turn;

use super::LocalState;
use super::morsels::Morsels;
use super::segment::Chain;
use crate::context::ExecutionContext;
use crate::statistics::ExecutionStatistics;

/// A running thread.
pub(super) struct Helper<L>(JoinHandle<Ended<L>>);

/// The result of a thread that has ended.
pub(super) struct Ended<L> {
    pub(super) local: L,
    pub(super) statistics: ExecutionStatistics,
    pub(super) reports: Reports,
    pub(super) failed_at: Option<NodeId>,
    pub(super) result: Result<()>,
}

impl<L: LocalState> Helper<L> {
    /// Starts a thread that takes morsels until none is left. `None` if it cannot start.
    pub(super) fn start(
        turn: Option<Turn>,
        mut chain: Chain,
        outer: Batch,
        morsels: Arc<Morsels>,
        mut local: L,
        mut context: ExecutionContext,
    ) -> Option<Self> {
        let run = move || {
            let _turn = turn;
            let memory = Arc::clone(&context.memory);
            let meter = ThreadMeter::enter(&memory);
            let mut reports = Reports::begin(&mut context);
            let result = work(&mut chain, &morsels, &outer, &mut local, &mut context, &mut reports);
            if result.is_err() {
                morsels.stop();
            }
            drop(meter);
            let (statistics, failed_at) = (context.statistics, context.failed_at);
            Ended { local, statistics, reports, failed_at, result }
        };
        std::thread::Builder::new().name("query".to_owned()).spawn(run).ok().map(Self)
    }

    /// Waits for the end of the thread. Errors: the panic that ended it.
    pub(super) fn join(self) -> std::thread::Result<Ended<L>> {
        self.0.join()
    }
}

/// Takes morsels until none is left, and adds their rows to a local state.
pub(super) fn work<L: LocalState>(
    chain: &mut Chain,
    morsels: &Morsels,
    outer: &Batch,
    local: &mut L,
    context: &mut ExecutionContext,
    reports: &mut Reports,
) -> Result<()> {
    while let Some((number, morsel)) = morsels.take() {
        chain.morsel.set(morsel, morsels.stopped());
        chain.root.restart(outer.clone());
        while let Some(batch) = chain.root.next_full_batch(context)? {
            context.interrupt.check()?;
            local.add(&batch, number, context)?;
        }
        reports.note(number, context);
    }
    Ok(())
}

/// The warnings of morsels. Together they are those of a scan on one thread.
pub(super) struct Reports {
    /// The warnings of the query before.
    before: Warnings,
    of_morsels: Vec<(u32, Vec<Warning>)>,
}

impl Reports {
    /// Begins to collect the warnings of a context by morsel.
    pub(super) fn begin(context: &mut ExecutionContext) -> Self {
        let empty = context.warnings.emptied();
        Self { before: std::mem::replace(&mut context.warnings, empty), of_morsels: Vec::new() }
    }

    fn note(&mut self, morsel: u32, context: &mut ExecutionContext) {
        if !context.warnings.is_empty() {
            let empty = context.warnings.emptied();
            let warnings = std::mem::replace(&mut context.warnings, empty);
            self.of_morsels.push((morsel, warnings.list().to_vec()));
        }
    }

    /// Adds the warnings of another thread.
    pub(super) fn append(&mut self, mut other: Reports) {
        self.of_morsels.append(&mut other.of_morsels);
    }

    /// Gives the context its earlier warnings, then those of all morsels in their order.
    pub(super) fn end(mut self, context: &mut ExecutionContext) {
        self.of_morsels.sort_by_key(|(morsel, _)| *morsel);
        let mut warnings = self.before;
        self.of_morsels.into_iter().for_each(|(_, of_morsel)| warnings.append(of_morsel));
        context.warnings = warnings;
    }
}
