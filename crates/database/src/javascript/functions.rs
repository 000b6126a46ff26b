//! Functions that users write, as queries call them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use aql_value::{BlockBuilder, Interrupt, MemoryAccount, UserCalls, UserFunctions, Warning};
use errors::{Error, ErrorCode, Result};
use javascript::Failure;
use velocypack::{Builder, Slice};

use super::host::ComputingHost;
use super::thread::{Call, IsolateThread, ended, text};
use crate::Session;

/// The module that defines functions and calls them.
pub(super) const MODULE: &str = "persea/aql-functions";

/// The functions that one query calls. Its isolate starts with the first call.
pub(crate) struct QueryFunctions {
    session: Session,
    memory: Arc<MemoryAccount>,
    interrupt: Interrupt,
    running: Mutex<Option<Running>>,
}

/// An isolate, with the keys of the functions that are compiled in it.
struct Running {
    thread: IsolateThread,
    known: HashSet<String>,
}

impl QueryFunctions {
    pub(crate) fn new(session: Session, memory: Arc<MemoryAccount>, interrupt: Interrupt) -> Self {
        QueryFunctions { session, memory, interrupt, running: Mutex::new(None) }
    }

    fn start(&self) -> Result<Running> {
        let thread = IsolateThread::start(ComputingHost::maker(&self.session), &self.memory)?;
        Ok(Running { thread, known: HashSet::new() })
    }

    /// Compiles a function unless the isolate has it.
    fn define(&self, running: &mut Running, key: &str) -> Result<()> {
        if running.known.contains(key) {
            return Ok(());
        }
        let Some(function) = self.session.user_function(key)? else {
            let message = format!("user function '{key}()' not found");
            return Err(Error::new(ErrorCode::QueryFunctionNotFound, message));
        };
        let defined = running.thread.call(
            code_call("define", key, &function.code)?,
            || self.interrupt.check(),
            |_| Ok(()),
        );
        defined?.map_err(failed)?;
        running.known.insert(key.to_owned());
        Ok(())
    }

    /// Calls a function for each row of arguments. Errors: 1583 if a call throws, or if its result
    /// has no form as a value.
    fn run(&self, isolate: &mut Running, key: &str, rows: Vec<u8>) -> Result<UserCalls> {
        let call = Call::new(MODULE, "call", vec![text(key)?, rows]);
        let calls =
            isolate.thread.call(call, || self.interrupt.check(), |result| calls(result, &self.memory))?;
        calls.map_err(failed)
    }
}

impl UserFunctions for QueryFunctions {
    fn call(&self, name: &str, rows: Builder) -> Result<UserCalls> {
        if !self.session.instance().options.javascript.user_defined_functions {
            let message = "AQL user functions are disabled (--javascript.user-defined-functions)";
            return Err(Error::new(ErrorCode::Forbidden, message));
        }
        let key = name.to_ascii_uppercase();
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // An isolate whose call fails is not used again.
        let mut isolate = match running.take() {
            Some(isolate) => isolate,
            None => self.start()?,
        };
        self.define(&mut isolate, &key)?;
        let calls = self.run(&mut isolate, &key, rows.into_vec())?;
        *running = Some(isolate);
        Ok(calls)
    }
}

/// Returns the error of code that threw (1583), or of an isolate that ended.
fn failed(failure: Failure) -> Error {
    match failure {
        Failure::Exception(exception) => {
            let message = format!("user function runtime error: {exception}");
            Error::new(ErrorCode::QueryFunctionRuntimeError, message)
        }
        failure => ended(&failure),
    }
}

fn code_call(function: &'static str, name: &str, code: &str) -> Result<Call> {
    Ok(Call::new(MODULE, function, vec![text(name)?, text(code)?]))
}

/// Reads the module's result: an array of values, and an array of warnings.
fn calls(result: Slice<'_>, memory: &MemoryAccount) -> Result<UserCalls> {
    let mut parts = result.elements();
    let (Some(results), Some(warnings)) = (parts.next(), parts.next()) else {
        return Err(Error::internal("calls of a user function have no result"));
    };
    memory.check_room(results.bytes().len() as u64)?;
    let mut values = BlockBuilder::new(0);
    for value in results.elements() {
        values.builder().add_slice(value)?;
        values.end_value();
    }
    Ok(UserCalls { values: values.finish(), warnings: warnings.elements().map(warning).collect() })
}

/// Reads a warning: number and message. A number that is none of ArangoDB's is 1571.
fn warning(warning: Slice<'_>) -> Warning {
    let mut parts = warning.elements();
    let number = parts.next().and_then(Slice::as_f64).unwrap_or_default();
    let message = parts.next().and_then(Slice::as_str).unwrap_or_default().to_owned();
    Warning { code: ErrorCode::of_number(number).unwrap_or(ErrorCode::QueryUserWarn), message }
}
