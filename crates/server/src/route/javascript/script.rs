//! A run of a script that works with data, within its limits.

use std::sync::Arc;

use database::javascript::{Call, IsolateThread, LogAllowance, ended};
use errors::{Error, ErrorCode, Result};
use javascript::Failure;
use velocypack::Slice;

use super::activity::{Activity, Watcher};
use super::host::RouterHost;
use super::origin::Origin;

/// The module that runs scripts.
const MODULE: &str = "persea/actions";

/// A function of the module of scripts, and the script for it.
pub(super) struct Script {
    /// The name of the function.
    pub(super) function: &'static str,
    /// Its arguments: the text of the script, and the parameters.
    pub(super) arguments: Vec<Vec<u8>>,
    /// The number of the error for exceptions that have none.
    pub(super) uncaught: ErrorCode,
}

impl Script {
    /// Runs the script, and lets `read` see its result, if it has one.
    ///
    /// `check` is called every few milliseconds. Errors: those of `check` and `read`; an exception
    /// of the script; 10 if the text is not JavaScript; 32 without memory. 1500 if the script is
    /// ended, or sends no request for the idle time of transactions.
    pub(super) fn run<T>(
        self,
        origin: &Origin,
        check: impl Fn() -> Result<()>,
        read: impl FnOnce(Option<Slice<'_>>) -> Result<T>,
    ) -> Result<T> {
        let session = &origin.session;
        let activity = Arc::<Activity>::default();
        let (world, requests) = (origin.clone(), Arc::clone(&activity));
        let host = move || -> Box<dyn javascript::Host> {
            Box::new(RouterHost { origin: world, activity: requests, log: LogAllowance::default() })
        };
        let mut thread = IsolateThread::start(host, &session.request_memory())?;
        let timeout = session.instance().transactions().limits().idle_timeout;
        let watcher = Watcher::of(&activity);
        let may_continue = || {
            let checked = session.check_interrupt().and_then(|()| check());
            let checked = checked.and_then(|()| watcher.check(timeout));
            // The request that the script waits for ends as well.
            checked.inspect_err(|_| origin.interrupt().kill())
        };
        let Script { function, arguments, uncaught } = self;
        let call = Call::new(MODULE, function, arguments);
        match thread.call(call, may_continue, |outcome| result(outcome, uncaught).and_then(read))? {
            Ok(result) => Ok(result),
            Err(Failure::Exception(exception)) => Err(Error::new(uncaught, exception.message)),
            Err(failure) => Err(ended(&failure)),
        }
    }
}

/// Returns the result in what the module returned. Errors: the exception of the script; 10 if it is
/// no JavaScript.
fn result(outcome: Slice<'_>, uncaught: ErrorCode) -> Result<Option<Slice<'_>>> {
    if let Some(reason) = outcome.get("invalid").and_then(Slice::as_str) {
        return Err(Error::bad_parameter(format!("invalid script: {reason}")));
    }
    if let Some(message) = outcome.get("message").and_then(Slice::as_str) {
        let number = outcome.get("number").and_then(Slice::as_f64);
        return Err(Error::of_exception(number, uncaught, message.to_owned()));
    }
    Ok(outcome.get("result"))
}
