//! From the text of a query to its plan: parse, bind, build, optimize, or look it up in the plan
//! cache.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_optimize::{Optimized, OptimizerOptions};
use aql_plan::{Access, BindInput, BindParameters, OpenParameters, Plan};
use aql_value::{Budget, Interrupt, MemoryAccount, ThreadMeter, Value};
use catalog::AccessLevel;
use errors::{Error, ErrorCode, Result};
use storage::{Catalog, Collection};
use velocypack::Slice;

use crate::query::catalog_view::CatalogView;
use crate::query::constant_cost::has_constant_cost;
use crate::query::plan_eligibility;
use crate::query::planning_memory::{PlanningMemory, charge_plan};
use crate::query_request::QueryRequest;
use crate::session::Session;
use crate::state::plan_cache::{CachedPlan, PlanSurroundings};
use crate::state::plan_cache::{Estimate, Latency};
use crate::state::query_registry::{NewQuery, Registration};

/// The times of the stages before execution, for `extra.profile`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StageTimes {
    pub(crate) initializing: Duration,
    pub(crate) parsing: Duration,
    pub(crate) binding: Duration,
    pub(crate) building: Duration,
    pub(crate) optimizing: Duration,
}

/// The plan of a query and its parameters. A query that starts again elsewhere is not planned
/// again.
#[derive(Clone)]
pub(crate) struct PlannedQuery {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) latency: Arc<Latency>,
    /// The values of the plan's open parameters, by slot.
    pub(crate) parameters: Arc<[Value]>,
    /// The key of the plan in the plan cache, if the client wants to know it.
    pub(crate) plan_cache_key: Option<String>,
    /// True if the plan was in the plan cache.
    pub(crate) was_cached: bool,
}

/// A query that is planned and registered, and may be run. It is large, so it is passed in a box.
pub struct PreparedQuery {
    pub(crate) session: Session,
    pub(crate) request: Arc<QueryRequest>,
    pub(crate) planned: PlannedQuery,
    /// Restored collections whose edge index must be built first.
    pub(crate) lacking_edge_index: Vec<Arc<Collection>>,
    /// The registration that lists the query until it ends.
    pub(crate) registration: Registration,
    pub(crate) memory: Arc<MemoryAccount>,
    pub(crate) interrupt: Interrupt,
    pub(crate) started: Instant,
    pub(crate) times: StageTimes,
}

impl PreparedQuery {
    /// Returns true if the plan writes.
    pub fn is_modification(&self) -> bool {
        self.planned.plan.is_modification
    }

    /// Returns the estimate for the run.
    pub(crate) fn estimate(&self) -> Estimate {
        let plan = &self.planned.plan;
        if !self.lacking_edge_index.is_empty() {
            Estimate::Unknown
        } else if has_constant_cost(plan) {
            Estimate::Constant
        } else if plan.is_modification || self.request.options.stream {
            Estimate::Unknown
        } else {
            self.planned.latency.estimate()
        }
    }
}

impl Session {
    /// Plans a query.
    ///
    /// Errors: those of parsing, binding and planning, and 11 for collections that the user may not
    /// use.
    pub fn prepare_query(&self, request: impl Into<Arc<QueryRequest>>) -> Result<Box<PreparedQuery>> {
        let request = request.into();
        let interrupt = self.query_interrupt(request.options.max_runtime);
        self.prepare(request, interrupt, None)
    }

    /// Prepares a query whose plan is known already.
    pub(crate) fn prepare_planned(
        &self,
        request: Arc<QueryRequest>,
        planned: PlannedQuery,
    ) -> Result<Box<PreparedQuery>> {
        let interrupt = self.query_interrupt(request.options.max_runtime);
        self.prepare(request, interrupt, Some(planned))
    }

    /// Plans a query within a budget.
    ///
    /// Returns `None` if it takes longer, for example because a constant of the query is computed.
    /// It has no effect then.
    pub(crate) fn prepare_within(
        &self,
        request: &Arc<QueryRequest>,
        budget: Budget,
    ) -> Result<Option<Box<PreparedQuery>>> {
        let interrupt = self.query_interrupt(request.options.max_runtime);
        budget.run(&interrupt, || self.prepare(Arc::clone(request), interrupt.clone(), None))
    }

    fn prepare(
        &self,
        request: Arc<QueryRequest>,
        interrupt: Interrupt,
        planned: Option<PlannedQuery>,
    ) -> Result<Box<PreparedQuery>> {
        let started = Instant::now();
        self.check_running()?;
        let memory = self.query_account(request.memory_limit_bytes);
        let registration = self.instance().queries().register(NewQuery {
            database: Arc::clone(self.database_name()),
            user: self.user().cloned().unwrap_or_default(),
            text: &request.text,
            bind_variables: &request.bind_variables,
            began: started,
            stream: request.options.stream,
            is_query: true,
            interrupt: interrupt.clone(),
            memory: Arc::clone(&memory),
        });
        let now = Instant::now();
        let mut times = StageTimes { initializing: now - started, ..StageTimes::default() };
        let planned = match planned {
            Some(planned) => planned,
            None => self
                .planned(&request, &memory, &interrupt, now, &mut times)
                .inspect_err(|error| registration.query().set_failed(error))?,
        };
        self.check_rights(&planned.plan, &request)?;
        let lacking_edge_index = self.lacking_edge_index(&planned.plan, &planned.catalog)?;
        registration.query().set_planned(planned.plan.is_modification);
        Ok(Box::new(PreparedQuery {
            session: self.clone(),
            request,
            planned,
            lacking_edge_index,
            registration,
            memory,
            interrupt,
            started,
            times,
        }))
    }

    /// Returns the plan from the cache, or a new one.
    fn planned(
        &self,
        request: &QueryRequest,
        memory: &Arc<MemoryAccount>,
        interrupt: &Interrupt,
        now: Instant,
        times: &mut StageTimes,
    ) -> Result<PlannedQuery> {
        let catalog = self.data_catalog()?;
        let cached = self.cached_plan(request, &catalog, now);
        let was_cached = cached.is_some();
        let cached = match cached {
            Some(cached) => cached,
            None => {
                let optimized = self.plan(request, &catalog, memory, interrupt, times)?;
                let plan = optimized.into_best().map(Arc::new);
                let plan =
                    plan.ok_or_else(|| Error::new(ErrorCode::Internal, "the optimizer made no plan"))?;
                in_planning(charge_plan(&request.text, &plan, memory), "optimizing plan")?;
                let values = open_values(&plan, request)?;
                // A plan whose optimization was given up is not cached.
                in_planning(interrupt.check(), "optimizing plan")?;
                let made = CachedPlan { plan, latency: Arc::default(), values, listed: None };
                self.keep_plan(request, &catalog, &made, now);
                made
            }
        };
        let plan_cache_key = self.plan_cache_key(request, &catalog, &cached);
        let CachedPlan { plan, latency, values: parameters, .. } = cached;
        Ok(PlannedQuery { catalog, plan, latency, parameters, plan_cache_key, was_cached })
    }

    pub(crate) fn cached_plan(
        &self,
        request: &QueryRequest,
        catalog: &Catalog,
        now: Instant,
    ) -> Option<CachedPlan> {
        if request.options.use_plan_cache == Some(false) {
            return None;
        }
        let parameters = Slice::new(&request.bind_variables);
        let surroundings = self.plan_surroundings(request, catalog);
        let plans = self.instance().plan_cache();
        // A query that never asked for the cache was not checked for eligibility.
        let is_known =
            |cached: &CachedPlan| request.options.use_plan_cache.is_none() || cached.listed.is_some();
        let cached = plans.get(&request.text, parameters, &surroundings, now).filter(is_known);
        plans.count(cached.is_some());
        cached
    }

    /// Returns the plan's key to a client that asks for the plan cache, unless the plan is new to
    /// such clients or has warnings, with which it is not cached.
    pub(crate) fn plan_cache_key(
        &self,
        request: &QueryRequest,
        catalog: &Catalog,
        cached: &CachedPlan,
    ) -> Option<String> {
        if request.options.use_plan_cache != Some(true) || !cached.plan.warnings.is_empty() {
            return None;
        }
        let parameters = Slice::new(&request.bind_variables);
        let surroundings = self.plan_surroundings(request, catalog);
        self.instance().plan_cache().note_use(&request.text, parameters, &surroundings, cached)
    }

    /// Caches a plan, unless it has warnings: the query may have to fail on them.
    fn keep_plan(&self, request: &QueryRequest, catalog: &Catalog, cached: &CachedPlan, now: Instant) {
        if request.options.use_plan_cache != Some(false) && cached.plan.warnings.is_empty() {
            let parameters = Slice::new(&request.bind_variables);
            let surroundings = self.plan_surroundings(request, catalog);
            self.instance().plan_cache().put(&request.text, parameters, &surroundings, cached, now);
        }
    }

    /// Returns all plans of a query, the best first.
    pub(crate) fn plan(
        &self,
        request: &QueryRequest,
        catalog: &Catalog,
        memory: &Arc<MemoryAccount>,
        interrupt: &Interrupt,
        times: &mut StageTimes,
    ) -> Result<Optimized> {
        let mut clock = Clock::start();
        let _meter = ThreadMeter::enter(memory);
        let defaults = &self.instance().options().query_defaults;
        let (instance, text) = (self.instance(), &request.text);
        let permit = instance.large_texts.permit(text, instance.options().query_memory_bytes, interrupt);
        let _permit = in_planning(permit, "parsing")?;
        let mut planning_memory = PlanningMemory::new(text, memory);
        let query = planning_memory.parse(text, interrupt)?;
        times.parsing = clock.lap();
        let values = Value::from_slice(Slice::new(&request.bind_variables));
        let parameters = in_planning(BindParameters::from_value(&values), "parsing")?;
        let view = self.catalog_view(request, catalog)?;
        let mut input = BindInput::new(&parameters, &view, memory, interrupt);
        if request.options.use_plan_cache == Some(true) {
            plan_eligibility::check(&query, &request.options)?;
        }
        if request.options.use_plan_cache != Some(false) {
            input.open = OpenParameters::of(&query);
        }
        // At least one, to detect plans with warnings, which are not cached.
        input.max_warnings = request.options.max_warning_count.max(1);
        input.fail_on_warning = request.options.fail_on_warning.unwrap_or(defaults.fail_on_warning);
        input.max_collections = defaults.max_collections;
        let bound = in_planning(aql_plan::bind(&query, &input), "parsing")?;
        drop(query);
        times.binding = clock.lap();
        let plan = in_planning(aql_plan::build(bound, request.options.full_count), "instantiating plan")?;
        in_planning(planning_memory.begin_optimizing(&plan), "instantiating plan")?;
        times.building = clock.lap();
        let rules = defaults.rules.iter().chain(&request.options.rules);
        let mut options = OptimizerOptions::new(rules.map(String::as_str));
        options.max_number_of_plans = defaults.plans_of(request);
        options.all_plans = request.options.all_plans;
        options.max_condition_branches = defaults.condition_branches_of(request);
        options.time_rules = request.options.profile >= 2;
        options.parameters = parameters;
        let optimized = aql_optimize::optimize(plan, &view, &options, memory, interrupt);
        let optimized = in_planning(optimized, "optimizing plan")?;
        times.optimizing = clock.lap();
        Ok(optimized)
    }

    /// Returns the catalog as the optimizer of a query sees it.
    pub(crate) fn catalog_view(&self, request: &QueryRequest, catalog: &Catalog) -> Result<CatalogView> {
        let database = match request.options.skip_inaccessible_collections {
            true => self.readable_database_in(catalog)?,
            false => Arc::clone(self.database_in(catalog)?),
        };
        Ok(CatalogView::new(database, Arc::clone(self.instance().store()), self.restrictions()))
    }

    pub(crate) fn query_account(&self, wanted_bytes: u64) -> Arc<MemoryAccount> {
        let options = self.instance().options();
        let limit = match (options.query_memory_limit_bytes, wanted_bytes) {
            (0, 0) => None,
            (default, 0) => Some(default),
            (0, wanted) => Some(wanted),
            (_, wanted) if options.query_memory_limit_override => Some(wanted),
            (default, wanted) => Some(wanted.min(default)),
        };
        Arc::new(MemoryAccount::new(limit, Some(self.work_memory())))
    }

    pub(crate) fn query_interrupt(&self, wanted: Option<Duration>) -> Interrupt {
        let own = match wanted.or(self.instance().options().query_max_runtime) {
            Some(max_runtime) => Interrupt::with_max_runtime(max_runtime),
            None => Interrupt::new(),
        };
        match self.interrupt() {
            Some(whole) => own.part_of(whole),
            None => own,
        }
    }

    fn plan_surroundings<'a>(&'a self, request: &'a QueryRequest, catalog: &Catalog) -> PlanSurroundings<'a> {
        let defaults = &self.instance().options().query_defaults;
        PlanSurroundings {
            database: self.database_name(),
            full_count: request.options.full_count,
            max_number_of_plans: defaults.plans_of(request),
            max_condition_branches: defaults.condition_branches_of(request),
            rules: &request.options.rules,
            catalog_version: catalog.version(),
            rule_user: self.restrictions().map(|restrictions| restrictions.user),
        }
    }

    /// Checks the user's rights on every collection that a query names.
    ///
    /// With the option `skipInaccessibleCollections` only the written collections are checked. The
    /// others appear empty.
    pub(crate) fn check_rights(&self, plan: &Plan, request: &QueryRequest) -> Result<()> {
        let skips = request.options.skip_inaccessible_collections;
        let mut checked = plan.collections.iter().filter(|used| !(skips && used.access == Access::Read));
        checked.try_for_each(|used| {
            let name = &used.collection.name;
            match used.access {
                Access::Read => self.require_collection(name, AccessLevel::ReadOnly),
                Access::Write | Access::Exclusive => self.require_writable(name),
            }
        })
    }
}

/// Returns the values of the open parameters of a plan that was made for this request, by slot.
pub(crate) fn open_values(plan: &Plan, request: &QueryRequest) -> Result<Arc<[Value]>> {
    let values = Value::from_slice(Slice::new(&request.bind_variables));
    let parameters = in_planning(BindParameters::from_value(&values), "parsing")?;
    in_planning(plan.parameters.values(&parameters), "parsing")
}

pub(crate) fn in_planning<T>(result: Result<T>, stage: &'static str) -> Result<T> {
    result.map_err(|error| {
        let stage = error.stage().unwrap_or(stage);
        error.in_stage(stage)
    })
}

/// A clock that measures one stage after the other.
struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Clock(Instant::now())
    }

    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.0;
        self.0 = now;
        lap
    }
}
