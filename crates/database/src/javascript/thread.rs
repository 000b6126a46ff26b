//! An isolate on a thread of its own.
//!
//! The thread that calls it waits for it, and counts as one that works: the isolate takes its share
//! of the processors. While the script itself waits, for a lock or a time, the caller counts as one
//! that waits, so that a script holds no thread of a pool then.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aql_value::waiting::{self, WaitObserver};
use aql_value::{Charge, MemoryAccount, Waiting};
use errors::{Error, ErrorCode, Result};
use javascript::{Exchanged, Failure, Host, Isolate, Limits};
use rustix::process::{Pid, setpriority_process};
use rustix::thread::gettid;
use velocypack::{Builder, Slice};

/// The stack of the thread; the isolate's own limit is below it.
const STACK_BYTES: usize = 2 << 20;

/// The maximum memory of an isolate. It also bounds the time of single builtin functions.
const MEMORY_MAX_BYTES: u64 = 64 << 20;

/// The minimum memory that an isolate can work with.
const MEMORY_MIN_BYTES: u64 = 2 << 20;

/// An isolate takes at most this part of the memory that is free.
const MEMORY_SHARE: u64 = 4;

/// The priority of a thread whose script must end: the lowest, as for work that nobody waits for.
const ABANDONED_PRIORITY: i32 = 19;

/// The priority of a thread whose script takes long.
const LONG_CALL_PRIORITY: i32 = 10;

/// The time between two checks whether the script may continue.
const NAP: Duration = Duration::from_millis(5);

/// A call of a function of an embedded module.
pub struct Call {
    /// The name of the module.
    pub module: &'static str,
    /// The name of the function that it exports.
    pub function: &'static str,
    /// One value an argument.
    pub arguments: Vec<Vec<u8>>,
    /// Bytes as a last argument. The function then returns bytes as well.
    pub body: Option<Vec<u8>>,
}

impl Call {
    /// Returns a call of a function that takes values only.
    pub fn new(module: &'static str, function: &'static str, arguments: Vec<Vec<u8>>) -> Self {
        Call { module, function, arguments, body: None }
    }
}

/// The end of a call, with its arguments: their memory goes back to the thread that allocated it,
/// so that the counters of both threads are right.
struct Done {
    result: std::result::Result<Exchanged, Failure>,
    call: Call,
}

/// An isolate on a thread of its own, which ends with this handle.
///
/// A thread whose call was abandoned ends as soon as its script does: immediately, or after the
/// builtin functions that it is in. Until then its memory stays charged, and it has the processors
/// only while nobody else wants them.
pub struct IsolateThread {
    calls: Sender<(Call, Exchanged)>,
    done: Receiver<Done>,
    stop: Arc<AtomicBool>,
    /// True while the script waits.
    is_waiting: Arc<AtomicBool>,
    life: Arc<Life>,
    /// True until the last call has ended.
    is_calling: bool,
    /// The last result, which the thread frees with its next call.
    spent: Exchanged,
}

impl IsolateThread {
    /// Starts a thread. The isolate's memory is charged to `memory` as a whole.
    ///
    /// Errors: 32 if there is too little of it.
    pub fn start(
        make_host: impl FnOnce() -> Box<dyn Host> + Send + 'static,
        memory: &Arc<MemoryAccount>,
    ) -> Result<Self> {
        Self::start_within(make_host, memory, MEMORY_MAX_BYTES)
    }

    /// Starts a thread whose isolate has at most `most_bytes`, or the least that one can work with.
    ///
    /// Errors: 32 if there is too little memory.
    pub fn start_within(
        make_host: impl FnOnce() -> Box<dyn Host> + Send + 'static,
        memory: &Arc<MemoryAccount>,
        most_bytes: u64,
    ) -> Result<Self> {
        let bytes = memory.room_bytes().map_or(most_bytes, |room| room / MEMORY_SHARE);
        let bytes = bytes.min(most_bytes).max(MEMORY_MIN_BYTES);
        let mut charge = Charge::new(Arc::clone(memory));
        charge.grow(bytes)?;
        let memory_bytes = usize::try_from(bytes).map_err(Error::internal)?;
        let limits = Limits { memory_bytes, ..Limits::default() };
        let (calls, thread_calls) = channel();
        let (thread_done, done) = channel();
        let stop = Arc::<AtomicBool>::default();
        let is_waiting = Arc::<AtomicBool>::default();
        let (flag, relay) = (Arc::clone(&stop), Relay(Arc::clone(&is_waiting)));
        let life = Arc::<Life>::default();
        let own = Arc::clone(&life);
        let run = move || {
            let _alive = own.begin();
            let isolate = Isolate::new(make_host(), &limits, flag);
            waiting::observe(Rc::new(relay), || serve(&isolate, &thread_calls, &thread_done));
            drop(isolate);
            drop(charge);
        };
        let thread = std::thread::Builder::new().name("javascript".to_owned()).stack_size(STACK_BYTES);
        thread.spawn(run).map_err(Error::internal)?;
        Ok(IsolateThread {
            calls,
            done,
            stop,
            is_waiting,
            life,
            is_calling: false,
            spent: Exchanged::default(),
        })
    }

    /// Calls a function, and lets `read` see its result.
    ///
    /// `check` is called every few milliseconds. Errors: those of `check`, after which the handle
    /// is useless unless it recovers, and of `read`.
    pub fn call<T>(
        &mut self,
        call: Call,
        check: impl Fn() -> Result<()>,
        read: impl FnOnce(Slice<'_>) -> Result<T>,
    ) -> Result<std::result::Result<T, Failure>> {
        self.exchange(call, check, |value, _| read(value))
    }

    /// Calls a function, and lets `read` see its result and the bytes that it returned.
    ///
    /// `check` and the errors are those of [`IsolateThread::call`].
    pub fn exchange<T>(
        &mut self,
        call: Call,
        check: impl Fn() -> Result<()>,
        read: impl FnOnce(Slice<'_>, &[u8]) -> Result<T>,
    ) -> Result<std::result::Result<T, Failure>> {
        let gone = || Error::internal("a JavaScript thread has ended");
        self.calls.send((call, std::mem::take(&mut self.spent))).map_err(|_| gone())?;
        self.is_calling = true;
        let mut waiting = None;
        loop {
            match self.done.recv_timeout(NAP) {
                Ok(done) => return self.finish(done, read),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            check().inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?;
            if self.is_waiting.load(Ordering::Relaxed) {
                waiting.get_or_insert_with(Waiting::begin);
            } else {
                waiting = None;
            }
        }
    }

    /// Returns the life of the isolate's thread.
    pub fn life(&self) -> Arc<Life> {
        Arc::clone(&self.life)
    }

    /// Waits for the end of an abandoned call, so that the isolate can continue with what it
    /// has. Returns false if the call does not end in time: the handle is then useless.
    pub fn recover(&mut self, longest: Duration) -> bool {
        let Ok(done) = self.done.recv_timeout(longest) else { return false };
        self.is_calling = false;
        self.spent = done.result.unwrap_or_default();
        self.stop.store(false, Ordering::Relaxed);
        true
    }

    fn finish<T>(
        &mut self,
        done: Done,
        read: impl FnOnce(Slice<'_>, &[u8]) -> Result<T>,
    ) -> Result<std::result::Result<T, Failure>> {
        self.is_calling = false;
        drop(done.call);
        match done.result {
            Ok(result) => {
                let value = read(Slice::new(&result.value), &result.body);
                self.spent = result;
                value.map(Ok)
            }
            Err(failure) => Ok(Err(failure)),
        }
    }
}

/// Tells the thread that calls the isolate when its script waits.
struct Relay(Arc<AtomicBool>);

impl WaitObserver for Relay {
    fn waits(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn continues(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Drop for IsolateThread {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if self.is_calling {
            self.life.abandon();
        }
    }
}

/// The number of the isolate's thread, while it runs.
#[derive(Default)]
pub struct Life(Mutex<Option<Pid>>);

/// The time in which the isolate's thread runs.
struct Alive<'a>(&'a Life);

impl Life {
    /// Notes the number of the calling thread until the guard is dropped.
    fn begin(&self) -> Alive<'_> {
        *self.lock() = Some(gettid());
        Alive(self)
    }

    /// Gives the thread a low priority, if it still runs: it has the processors while others do not
    /// need them all. It cannot have its former priority back.
    pub fn yield_processors(&self) {
        self.set_priority(LONG_CALL_PRIORITY);
    }

    /// Gives the thread the lowest priority, if it still runs.
    fn abandon(&self) {
        self.set_priority(ABANDONED_PRIORITY);
    }

    fn set_priority(&self, priority: i32) {
        // The lock keeps the number from being another thread's.
        if let Some(thread) = *self.lock() {
            // Errors: the system does not allow it, and the thread keeps its priority.
            let _ = setpriority_process(Some(thread), priority);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

/// Makes calls until the handle is dropped.
fn serve(
    isolate: &std::result::Result<Isolate, Failure>,
    calls: &Receiver<(Call, Exchanged)>,
    done: &Sender<Done>,
) {
    while let Ok((call, spent)) = calls.recv() {
        drop(spent);
        let arguments: Vec<Slice<'_>> = call.arguments.iter().map(|bytes| Slice::new(bytes)).collect();
        let result = match isolate {
            Ok(isolate) => match &call.body {
                Some(body) => isolate.exchange(call.module, call.function, &arguments, body),
                None => isolate
                    .call(call.module, call.function, &arguments)
                    .map(|value| Exchanged { value, ..Exchanged::default() }),
            },
            Err(failure) => Err(failure.clone()),
        };
        if done.send(Done { result, call }).is_err() {
            return;
        }
    }
}

/// Returns the error of a script that did not run to its end, other than by an exception.
pub fn ended(failure: &Failure) -> Error {
    match failure {
        Failure::Interrupted | Failure::DeadlinePassed => Error::killed(),
        Failure::OutOfMemory => Error::new(ErrorCode::ResourceLimit, "the script is out of memory"),
        failure => Error::new(ErrorCode::QueryFunctionRuntimeError, failure.to_string()),
    }
}

/// Returns a text as an argument of a [`Call`]. Errors: it is too long.
pub fn text(text: &str) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    builder.add_str(text)?;
    Ok(builder.into_vec())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use javascript::{HostResult, LogLevel, Reply, Request};

    use super::*;

    struct Nobody;

    impl Host for Nobody {
        fn request(&self, _: Request<'_>) -> HostResult<Reply> {
            Ok(Reply::default())
        }

        fn database(&self) -> String {
            String::new()
        }

        fn print(&self, _: &str) -> HostResult<()> {
            Ok(())
        }

        fn log(&self, _: LogLevel, _: &str) {}
    }

    #[derive(Default)]
    struct Waits(Cell<u32>);

    impl WaitObserver for Waits {
        fn waits(&self) {
            self.0.set(self.0.get() + 1);
        }

        fn continues(&self) {}
    }

    /// Runs a program for a caller whose waits are counted.
    fn waits_during(program: &str) -> u32 {
        let waits = Rc::<Waits>::default();
        let own = Rc::clone(&waits);
        waiting::observe(own, || {
            let memory = Arc::new(MemoryAccount::new(Some(64 << 20), None));
            let mut thread = IsolateThread::start(|| Box::new(Nobody), &memory).unwrap();
            let arguments = vec![text(program).unwrap()];
            let call = Call::new("persea/actions", "program", arguments);
            thread.call(call, || Ok(()), |_| Ok(())).unwrap().unwrap();
        });
        waits.0.get()
    }

    #[test]
    fn an_abandoned_script_leaves_the_processors_to_others() {
        let memory = Arc::new(MemoryAccount::new(Some(512 << 20), None));
        let mut thread = IsolateThread::start(|| Box::new(Nobody), &memory).unwrap();
        // Each step takes milliseconds, and the interrupt is looked at every 10,000 steps.
        let program = "const t = 'a'.repeat(1 << 24); while (true) { t.indexOf('b'); }";
        let arguments = vec![text(program).unwrap()];
        let call = Call::new("persea/actions", "program", arguments);
        let begin = std::time::Instant::now();
        let late = || if begin.elapsed().as_millis() < 300 { Ok(()) } else { Err(Error::killed()) };
        assert_eq!(thread.call(call, late, |_| Ok(())).unwrap_err().code(), ErrorCode::QueryKilled);
        let life = Arc::clone(&thread.life);
        drop(thread);
        let number = life.lock().expect("the script works on");
        let priority = rustix::process::getpriority_process(Some(number)).unwrap();
        assert_eq!(priority, ABANDONED_PRIORITY);
    }

    #[test]
    fn a_script_that_waits_lets_its_caller_wait() {
        // Times: the caller looks every few milliseconds.
        assert_eq!(waits_during("require('internal').wait(0.3);"), 1);
        assert_eq!(waits_during("const end = Date.now() + 100; while (Date.now() < end) {}"), 0);
    }
}
