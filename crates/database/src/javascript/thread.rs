//! An isolate on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use aql_value::{Charge, MemoryAccount};
use errors::{Error, ErrorCode, Result};
use javascript::{Failure, Host, Isolate, Limits};
use velocypack::{Builder, Slice};

/// The stack of the thread; the isolate's own limit is below it.
const STACK_BYTES: usize = 2 << 20;

/// The maximum memory of an isolate. It also bounds the time of single builtin functions.
const MEMORY_MAX_BYTES: u64 = 64 << 20;

/// The minimum memory that an isolate can work with.
const MEMORY_MIN_BYTES: u64 = 2 << 20;

/// An isolate takes at most this part of the memory that is free.
const MEMORY_SHARE: u64 = 4;

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
}

/// The end of a call, with its arguments: their memory goes back to the thread that allocated it,
/// so that the counters of both threads are right.
struct Done {
    result: std::result::Result<Vec<u8>, Failure>,
    arguments: Vec<Vec<u8>>,
}

/// An isolate on a thread of its own, which ends with this handle.
///
/// A thread whose call was abandoned ends as soon as its script does: immediately, or after the
/// builtin function that it is in. Its memory stays charged until then.
pub struct IsolateThread {
    calls: Sender<(Call, Vec<u8>)>,
    done: Receiver<Done>,
    stop: Arc<AtomicBool>,
    /// The last result, which the thread frees with its next call.
    spent: Vec<u8>,
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
        let flag = Arc::clone(&stop);
        let run = move || {
            let isolate = Isolate::new(make_host(), &limits, flag);
            serve(&isolate, &thread_calls, &thread_done);
            drop(isolate);
            drop(charge);
        };
        let thread = std::thread::Builder::new().name("javascript".to_owned()).stack_size(STACK_BYTES);
        thread.spawn(run).map_err(Error::internal)?;
        Ok(IsolateThread { calls, done, stop, spent: Vec::new() })
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
        let gone = || Error::internal("a JavaScript thread has ended");
        self.calls.send((call, std::mem::take(&mut self.spent))).map_err(|_| gone())?;
        loop {
            match self.done.recv_timeout(NAP) {
                Ok(done) => return self.finish(done, read),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            check().inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?;
        }
    }

    /// Waits for the end of an abandoned call, so that the isolate can continue with what it
    /// has. Returns false if the call does not end in time: the handle is then useless.
    pub fn recover(&mut self, longest: Duration) -> bool {
        let Ok(done) = self.done.recv_timeout(longest) else { return false };
        self.spent = done.result.unwrap_or_default();
        self.stop.store(false, Ordering::Relaxed);
        true
    }

    fn finish<T>(
        &mut self,
        done: Done,
        read: impl FnOnce(Slice<'_>) -> Result<T>,
    ) -> Result<std::result::Result<T, Failure>> {
        drop(done.arguments);
        match done.result {
            Ok(result) => {
                let value = read(Slice::new(&result));
                self.spent = result;
                value.map(Ok)
            }
            Err(failure) => Ok(Err(failure)),
        }
    }
}

impl Drop for IsolateThread {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Makes calls until the handle is dropped.
fn serve(
    isolate: &std::result::Result<Isolate, Failure>,
    calls: &Receiver<(Call, Vec<u8>)>,
    done: &Sender<Done>,
) {
    while let Ok((call, spent)) = calls.recv() {
        drop(spent);
        let arguments: Vec<Slice<'_>> = call.arguments.iter().map(|bytes| Slice::new(bytes)).collect();
        let result = match isolate {
            Ok(isolate) => isolate.call(call.module, call.function, &arguments),
            Err(failure) => Err(failure.clone()),
        };
        if done.send(Done { result, arguments: call.arguments }).is_err() {
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
