//! Checks of code that users store, before it is stored.

use std::sync::Arc;
use std::time::Duration;

use aql_value::{Interrupt, MemoryAccount};
use catalog::UserFunction;
use errors::{Error, ErrorCode, Result};

use super::host::ComputingHost;
use super::thread::{Call, IsolateThread, text};
use crate::Session;

/// The maximum time for a check.
const CHECK_TIME: Duration = Duration::from_secs(2);

/// Checks that a text is a JavaScript function.
///
/// Errors: 1581 if it is not, or if its check takes long; 32.
pub(crate) fn check_function(session: &Session, function: &UserFunction) -> Result<()> {
    let arguments = vec![text(&function.name)?, text(&function.code)?];
    check(session, Call::new(super::functions::MODULE, "check", arguments), |reason| {
        let message = format!("invalid user function code: {reason}");
        Error::new(ErrorCode::QueryFunctionInvalidCode, message)
    })
}

/// Checks that a text is the body of a JavaScript function, which does not run.
///
/// Errors: 10 if it is not, or if its check takes long; 32.
pub(crate) fn check_command(session: &Session, command: &str) -> Result<()> {
    let call = Call::new("persea/actions", "check", vec![text(command)?]);
    check(session, call, |reason| Error::bad_parameter(format!("`command` is not JavaScript: {reason}")))
}

fn check(session: &Session, call: Call, invalid: impl Fn(&str) -> Error) -> Result<()> {
    let memory = MemoryAccount::new(None, Some(session.work_memory()));
    let mut thread = IsolateThread::start(ComputingHost::maker(session), &Arc::new(memory))?;
    let interrupt = Interrupt::with_max_runtime(CHECK_TIME);
    match thread.call(call, || interrupt.check(), |_| Ok(())) {
        Err(error) if error.code() == ErrorCode::QueryKilled => Err(invalid("its check takes too long")),
        Err(error) => Err(error),
        Ok(Err(failure)) => Err(invalid(&failure.to_string())),
        Ok(Ok(())) => Ok(()),
    }
}
