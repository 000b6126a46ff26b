//! All tasks of the server, and the moments of their next runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aql_value::{Charge, Interrupt};
use errors::{Error, ErrorCode, Result};

use super::TaskDefinition;
use crate::base::Owner;

/// Maximum number of tasks.
const TASKS_MAX: usize = 10_000;

/// Maximum number of concurrent runs; further tasks wait.
const RUNS_MAX: usize = 16;

/// The shortest time between two runs of a task.
const PAUSE_MIN: Duration = Duration::from_millis(10);

/// A task of a user in a database.
pub struct Task {
    /// The identifier.
    pub id: Arc<str>,
    /// Its description. The identifier there is that of the client, if it gave one.
    pub definition: TaskDefinition,
    /// Its user and database.
    pub owner: Owner,
    /// The moment at which it was made, in seconds since 1970.
    pub created_seconds: f64,
    /// Ends a run. It is set once the task is removed.
    pub(crate) interrupt: Interrupt,
    /// True if the last run has failed.
    pub(crate) has_failed: AtomicBool,
    /// The memory of the description.
    pub(crate) _memory: Charge,
}

impl Task {
    /// Returns the interrupt that ends a run of the task when it is removed.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Notes the outcome of a run. Returns true if it is another one than that of the run before;
    /// the first run is compared with a success.
    pub fn note_run(&self, has_failed: bool) -> bool {
        self.has_failed.swap(has_failed, Ordering::Relaxed) != has_failed
    }
}

/// The server's tasks. All methods may be called from many threads.
#[derive(Default)]
pub struct Tasks {
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Default)]
struct Table {
    all: BTreeMap<Arc<str>, Arc<Task>>,
    /// The tasks that wait for a run, by its moment and a number that distinguishes equal moments.
    waiting: BTreeMap<(Instant, u64), Arc<Task>>,
    next: u64,
    running: usize,
    is_stopped: bool,
}

/// A task that is due. Its run ends when this is dropped.
pub struct DueTask {
    task: Arc<Task>,
    tasks: Arc<Tasks>,
    due: Instant,
}

impl DueTask {
    /// Returns the task.
    pub fn task(&self) -> &Task {
        &self.task
    }
}

impl Drop for DueTask {
    fn drop(&mut self) {
        self.tasks.run_ended(&self.task, self.due);
    }
}

impl Tasks {
    /// Adds a task. Errors: 1851 if its identifier is in use, 32 if there are too many, 10 if its
    /// offset is beyond what clocks have, 30 while the server stops.
    pub(crate) fn insert(&self, task: Arc<Task>) -> Result<()> {
        let offset = Duration::try_from_secs_f64(task.definition.offset_seconds).ok();
        let due = offset.and_then(|offset| Instant::now().checked_add(offset));
        let due = due.ok_or_else(|| Error::bad_parameter("`offset` is too large"))?;
        let mut table = self.table();
        if table.is_stopped {
            return Err(Error::of(ErrorCode::ShuttingDown));
        }
        if table.all.contains_key(&task.id) {
            return Err(Error::of(ErrorCode::TaskDuplicateId));
        }
        if table.all.len() >= TASKS_MAX {
            let message = format!("resource limit exceeded: there are {TASKS_MAX} tasks; delete some");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        table.all.insert(Arc::clone(&task.id), Arc::clone(&task));
        table.wait_until(due, task);
        self.changed.notify_all();
        Ok(())
    }

    /// Returns a task.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Task>> {
        self.table().all.get(id).cloned()
    }

    /// Returns all tasks by identifier.
    pub(crate) fn list(&self) -> Vec<Arc<Task>> {
        self.table().all.values().cloned().collect()
    }

    /// Removes a task, and ends its run. Returns true if it existed.
    pub fn remove(&self, task: &Task) -> bool {
        self.remove_where(|other| std::ptr::eq(other, task)) > 0
    }

    /// Removes the tasks of a database that is about to be dropped, and ends their runs.
    pub(crate) fn remove_database(&self, database: &str) {
        self.remove_where(|task| *task.owner.database == *database);
    }

    /// Removes all tasks, ends their runs, and accepts no more.
    pub fn stop(&self) {
        self.table().is_stopped = true;
        self.remove_where(|_| true);
        self.changed.notify_all();
    }

    /// Waits until no task runs, at most for a time. Returns true if none does.
    pub fn wait_for_runs(&self, timeout: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.table(), timeout, |table| table.running > 0);
        waited.unwrap_or_else(PoisonError::into_inner).0.running == 0
    }

    /// Waits for the next task that is due. Returns none once the tasks are stopped.
    pub fn next_due(self: &Arc<Self>) -> Option<DueTask> {
        let mut table = self.table();
        while !table.is_stopped {
            let now = Instant::now();
            let first = table.first().filter(|_| table.running < RUNS_MAX);
            match first {
                Some(due) if due <= now => {
                    if let Some(task) = table.begin_run() {
                        return Some(DueTask { task, tasks: Arc::clone(self), due });
                    }
                }
                Some(due) => {
                    let waited = self.changed.wait_timeout(table, due.saturating_duration_since(now));
                    table = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None => table = self.changed.wait(table).unwrap_or_else(PoisonError::into_inner),
            }
        }
        None
    }

    /// Plans the next run of a periodic task, and forgets one that runs once.
    ///
    /// A run that lasts longer than the period delays the next: two runs of a task never overlap.
    fn run_ended(&self, task: &Arc<Task>, due: Instant) {
        let mut table = self.table();
        table.running -= 1;
        let is_kept = table.all.get(&task.id).is_some_and(|kept| Arc::ptr_eq(kept, task));
        let period =
            task.definition.period_seconds.and_then(|period| Duration::try_from_secs_f64(period).ok());
        let soonest = Instant::now() + PAUSE_MIN;
        match period.and_then(|period| due.checked_add(period)) {
            Some(next) if is_kept => table.wait_until(next.max(soonest), Arc::clone(task)),
            _ if is_kept => drop(table.all.remove(&task.id)),
            _ => {}
        }
        self.changed.notify_all();
    }

    fn remove_where(&self, is_chosen: impl Fn(&Task) -> bool) -> usize {
        let mut table = self.table();
        let before = table.all.len();
        table.all.retain(|_, task| {
            let goes = is_chosen(task);
            if goes {
                task.interrupt.kill();
            }
            !goes
        });
        table.waiting.retain(|_, task| !is_chosen(task));
        before - table.all.len()
    }

    /// Locks the table. No code that can panic runs under this lock.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn first(&self) -> Option<Instant> {
        self.waiting.keys().next().map(|(due, _)| *due)
    }

    fn begin_run(&mut self) -> Option<Arc<Task>> {
        let (_, task) = self.waiting.pop_first()?;
        self.running += 1;
        Some(task)
    }

    fn wait_until(&mut self, due: Instant, task: Arc<Task>) {
        self.next += 1;
        self.waiting.insert((due, self.next), task);
    }
}
