//! The runs of tasks, each on a thread of its own.

use std::sync::{Arc, Weak};

use database::javascript::text;
use database::tasks::{DueTask, Tasks};
use database::{Instance, Session};
use errors::{Error, ErrorCode, Result};

use super::origin::Origin;
use super::script::Script;
use crate::route::batch::PartServices;

/// Runs the tasks of an instance when they are due, until it is dropped.
pub(crate) struct TaskRunner {
    tasks: Arc<Tasks>,
    /// The routes for the requests of commands. The threads have them only while they run one.
    _parts: Arc<PartServices>,
}

impl TaskRunner {
    /// Starts the thread that waits for tasks. Errors: 4 if there is none.
    pub(crate) fn start(parts: Arc<PartServices>, instance: &Arc<Instance>) -> Result<Self> {
        let tasks = Arc::clone(instance.tasks());
        let (waiting, world) = (Arc::clone(&tasks), (Arc::downgrade(&parts), Arc::downgrade(instance)));
        let thread = std::thread::Builder::new().name("tasks".to_owned());
        thread.spawn(move || serve(&waiting, &world)).map_err(Error::internal)?;
        Ok(TaskRunner { tasks, _parts: parts })
    }
}

impl Drop for TaskRunner {
    fn drop(&mut self) {
        self.tasks.stop();
    }
}

fn serve(tasks: &Arc<Tasks>, (parts, instance): &(Weak<PartServices>, Weak<Instance>)) {
    while let Some(due) = tasks.next_due() {
        let (Some(parts), Some(instance)) = (parts.upgrade(), instance.upgrade()) else { return };
        let thread = std::thread::Builder::new().name("task".to_owned());
        if let Err(error) = thread.spawn(move || run(parts, &instance, &due)) {
            tracing::warn!(target: "v8", "cannot start a thread for a task: {error}");
        }
    }
}

/// Runs a task once and discards its result. Logs a failure unless the previous run also failed.
fn run(parts: Arc<PartServices>, instance: &Arc<Instance>, due: &DueTask) {
    let task = due.task();
    let outcome = execute(parts, instance, due);
    let is_news = task.note_run(outcome.is_err());
    let Err(error) = outcome else { return };
    if error.code() == ErrorCode::DatabaseNotFound {
        instance.tasks().remove(task);
    }
    if is_news && !task.interrupt().is_set() {
        let (id, database) = (&task.id, &task.owner.database);
        tracing::warn!(target: "v8", %database, "task '{id}' failed: {error}");
    }
}

fn execute(parts: Arc<PartServices>, instance: &Arc<Instance>, due: &DueTask) -> Result<()> {
    let task = due.task();
    let session = Session::of_task(Arc::clone(instance), task)?;
    let origin = Origin::of_work(parts, session);
    let arguments = vec![text(&task.definition.command)?, task.definition.params.clone()];
    let script = Script { function: "task", arguments, uncaught: ErrorCode::Internal };
    script.run(&origin, || Ok(()), |_| Ok(()))
}
