//! The run of a query to its first reply, as far as a budget allows. The rest runs elsewhere.

use std::sync::Arc;

use aql_value::{Budget, Interrupt};
use errors::Result;
use velocypack::Slice;

use crate::query::cached_result::CachedResult;
use crate::query::prepare::{PlannedQuery, PreparedQuery};
use crate::query::run::RunningQuery;
use crate::query_request::QueryRequest;
use crate::session::Session;
use crate::state::cursor::Reply;
use crate::state::cursor::encoder::Format;
use crate::state::cursor::whole::WholeResult;
use crate::state::plan_cache::Estimate;

/// The progress of a query within its budget.
pub enum Progress {
    /// It has its first reply.
    Done(Reply),
    /// It must continue without a budget.
    More(RestOfQuery),
}

/// The remaining work of a query.
pub struct RestOfQuery {
    session: Session,
    format: Format,
    work: Work,
}

enum Work {
    /// Planning was given up.
    Plan(Arc<QueryRequest>),
    /// The execution was given up and starts again.
    Restart(Arc<QueryRequest>, PlannedQuery),
    /// The plan is ready.
    Run(Box<PreparedQuery>),
    /// Some rows are ready.
    Resume(Box<RunningQuery>),
    /// The result is in the cache, and large.
    Copy(Box<CachedResult>),
}

impl RestOfQuery {
    /// Runs the query, to its end unless it is streamed, and returns the first batch of its result.
    pub fn run(self) -> Result<Reply> {
        let RestOfQuery { session, format, work } = self;
        match work {
            Work::Plan(request) => session.prepare_query(request)?.run(format),
            Work::Restart(request, planned) => session.prepare_planned(request, planned)?.run(format),
            Work::Run(prepared) => prepared.run(format),
            Work::Resume(running) => running.run(),
            Work::Copy(result) => result.run(format),
        }
    }

    /// Runs the query as [`RestOfQuery::run`] does, for one reply with the whole result.
    ///
    /// `observe` sees each row that is computed before this returns: all of them, unless the query
    /// is streamed.
    pub fn run_whole(self, observe: &mut dyn FnMut(Slice<'_>)) -> Result<WholeResult> {
        let RestOfQuery { session, format, work } = self;
        let prepared = match work {
            Work::Plan(request) => session.prepare_query(request)?,
            Work::Restart(request, planned) => session.prepare_planned(request, planned)?,
            Work::Run(prepared) => prepared,
            Work::Resume(running) => return running.run_whole(observe),
            Work::Copy(result) => return result.run_whole(observe),
        };
        prepared.start(format)?.run_whole(observe)
    }

    /// Returns the interrupt that ends the query.
    pub fn interrupt(&mut self) -> Interrupt {
        match &self.work {
            Work::Run(prepared) => prepared.interrupt.clone(),
            Work::Resume(running) => running.interrupt().clone(),
            Work::Plan(_) | Work::Restart(..) | Work::Copy(_) => {
                let interrupt = self.session.part_interrupt();
                self.session = self.session.clone().ended_by(interrupt.clone());
                interrupt
            }
        }
    }

    /// Returns true if the query has a plan.
    pub fn is_planned(&self) -> bool {
        !matches!(self.work, Work::Plan(_))
    }
}

impl Session {
    /// Plans and runs a query, and returns the first batch of its result.
    ///
    /// Errors: those of planning and execution.
    pub fn query(&self, request: &QueryRequest, format: Format) -> Result<Reply> {
        match self.begin_query(request.clone(), format, Budget::UNLIMITED)? {
            Progress::Done(reply) => Ok(reply),
            Progress::More(rest) => rest.run(),
        }
    }

    /// Plans and runs a query as far as a budget allows. Errors: those of planning and execution.
    pub fn begin_query(&self, request: QueryRequest, format: Format, budget: Budget) -> Result<Progress> {
        if request.options.allow_dirty_reads && !self.reads_replicas() {
            return self.clone().reading_replicas().begin_query(request, format, budget);
        }
        if let Some(result) = self.cached_result(&request)? {
            return match budget.is_unlimited() || result.estimate() == Estimate::Constant {
                true => result.run(format).map(Progress::Done),
                false => Ok(self.more(format, Work::Copy(Box::new(result)))),
            };
        }
        let request = Arc::new(request);
        let Some(prepared) = self.prepare_within(&request, budget)? else {
            return Ok(self.more(format, Work::Plan(request)));
        };
        if budget.is_unlimited() {
            return prepared.run(format).map(Progress::Done);
        }
        let (interrupt, planned) = (prepared.interrupt.clone(), prepared.planned.clone());
        let done = match prepared.estimate() {
            Estimate::Constant => budget.run(&interrupt, || prepared.run(format).map(Progress::Done))?,
            Estimate::Latency(latency) if budget.admits(latency) => {
                budget.run_resumable(&interrupt, || self.advance(prepared, format, budget))?
            }
            _ => return Ok(self.more(format, Work::Run(prepared))),
        };
        Ok(done.unwrap_or_else(|| self.more(format, Work::Restart(request, planned))))
    }

    /// Returns a query whose result one reply delivers as a whole. It is not planned yet.
    pub fn whole_query(&self, request: QueryRequest) -> Result<RestOfQuery> {
        if request.options.allow_dirty_reads && !self.reads_replicas() {
            return self.clone().reading_replicas().whole_query(request);
        }
        let work = match self.cached_result(&request)? {
            Some(result) => Work::Copy(Box::new(result)),
            None => Work::Plan(Arc::new(request)),
        };
        Ok(RestOfQuery { session: self.clone(), format: Format::VelocyPack, work })
    }

    fn more(&self, format: Format, work: Work) -> Progress {
        Progress::More(RestOfQuery { session: self.clone(), format, work })
    }

    /// Computes rows until the budget is spent.
    fn advance(&self, prepared: Box<PreparedQuery>, format: Format, budget: Budget) -> Result<Progress> {
        let mut running = prepared.start(format)?;
        match running.advance(budget)? {
            true => running.run().map(Progress::Done),
            false => Ok(self.more(format, Work::Resume(Box::new(running)))),
        }
    }
}
