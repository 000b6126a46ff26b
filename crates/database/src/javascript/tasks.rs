//! The rights of users on tasks: to see those of the databases that they may read, to make and
//! remove those of the databases that they may write.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use aql_value::{Charge, Interrupt};
use catalog::AccessLevel;
use errors::{Error, ErrorCode, Result};

use crate::instance::Instance;
use crate::javascript::check_command;
use crate::session::{Identity, Session};
use crate::state::tasks::{Task, TaskDefinition};

/// The memory of a task besides its texts and parameters.
const TASK_BYTES: usize = 512;

impl Session {
    /// Makes a task that runs in the session's database as its user.
    ///
    /// `check` looks elsewhere for an identifier that the client has chosen. Errors: 11 without
    /// write access to the database, for users of other issuers, or if tasks are disabled; 10 if
    /// the command is not JavaScript; 1851, 32, 30, those of `check`.
    pub fn create_task(
        &self,
        definition: TaskDefinition,
        check: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Arc<Task>> {
        if !self.instance().options().javascript.tasks {
            let message = "JavaScript tasks are disabled (--javascript.tasks)";
            return Err(Error::new(ErrorCode::Forbidden, message));
        }
        self.require_local_user("a task")?;
        self.require_database(AccessLevel::ReadWrite)?;
        check_command(self, &definition.command)?;
        let id: Arc<str> = match &definition.id {
            Some(id) if self.instance().tasks().get(id).is_some() => {
                return Err(Error::of(ErrorCode::TaskDuplicateId));
            }
            Some(id) => {
                check(id)?;
                id.as_str().into()
            }
            None => self.next_tick()?.to_string().into(),
        };
        let texts = id.len() + definition.name.len() + definition.command.len();
        let mut memory = Charge::new(self.work_memory());
        memory.grow((texts + definition.params.len() + TASK_BYTES) as u64)?;
        let task = Arc::new(Task {
            id,
            definition,
            owner: self.owner(),
            created_seconds: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0.0, |time| time.as_secs_f64()),
            interrupt: Interrupt::new(),
            has_failed: AtomicBool::new(false),
            _memory: memory,
        });
        self.instance().tasks().insert(Arc::clone(&task))?;
        Ok(task)
    }

    /// Returns the tasks of all databases that the user may read, by identifier.
    pub fn tasks(&self) -> Vec<Arc<Task>> {
        let mut tasks = self.instance().tasks().list();
        tasks.retain(|task| self.task_level(task) >= AccessLevel::ReadOnly);
        tasks
    }

    /// Returns a task. Errors: 1852, also if the user may not read its database.
    pub fn task(&self, id: &str) -> Result<Arc<Task>> {
        let task = self.instance().tasks().get(id);
        let visible = task.filter(|task| self.task_level(task) >= AccessLevel::ReadOnly);
        visible.ok_or_else(|| Error::of(ErrorCode::TaskNotFound))
    }

    /// Removes a task, and ends its run. Errors: 1852, 11.
    pub fn remove_task(&self, id: &str) -> Result<()> {
        let task = self.task(id)?;
        if self.task_level(&task) < AccessLevel::ReadWrite {
            let message = format!("forbidden: no rw access to database '{}'", task.owner.database);
            return Err(Error::new(ErrorCode::Forbidden, message));
        }
        match self.instance().tasks().remove(&task) {
            true => Ok(()),
            false => Err(Error::of(ErrorCode::TaskNotFound)),
        }
    }

    /// Opens the session for a run of a task, with the interrupt of the task.
    ///
    /// Errors: 1228; 11 if its user may no longer write the database, or is not active.
    pub fn of_task(instance: Arc<Instance>, task: &Task) -> Result<Self> {
        let identity = match &task.owner.user {
            None => Identity::Superuser,
            Some(name) => Identity::of_owner(name, &task.owner.database),
        };
        let is_active = |name: &Arc<str>| instance.catalog().user(name).is_some_and(|user| user.active);
        if let Some(name) = identity.catalog_user().filter(|name| !is_active(name)) {
            let message = format!("the user '{name}' of the task is not active");
            return Err(Error::new(ErrorCode::Forbidden, message));
        }
        let session = Session::open(instance, &task.owner.database, identity)?;
        session.require_database(AccessLevel::ReadWrite)?;
        Ok(session.ended_by(task.interrupt.clone()))
    }

    fn task_level(&self, task: &Task) -> AccessLevel {
        self.level(|rights| rights.database_level(&task.owner.database))
    }
}
