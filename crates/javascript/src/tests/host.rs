//! A host for tests: it answers requests with what they were, and keeps what is printed.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use velocypack::{Limits as ValueLimits, Slice, json};

use crate::{
    CompiledScripts, Failure, Host, HostError, HostResult, Isolate, Limits, LogLevel, Reply, Request,
};

/// A host without capabilities.
#[derive(Default)]
pub(super) struct EchoHost {
    pub(super) printed: Rc<RefCell<String>>,
    pub(super) scripts: Option<Arc<CompiledScripts>>,
}

impl Host for EchoHost {
    fn request(&self, request: Request<'_>) -> HostResult<Reply> {
        match request.path {
            "/panic" => panic!("the host is broken"),
            "/fail" => Err(HostError::Fatal(Failure::Host("no more requests".to_owned()))),
            "/refuse" => Err(errors::Error::bad_parameter("refused").into()),
            _ => Ok(Reply {
                status: 200,
                headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                body: request.body.to_vec(),
            }),
        }
    }

    fn database(&self) -> String {
        "_system".to_owned()
    }

    fn print(&self, text: &str) -> HostResult<()> {
        self.printed.borrow_mut().push_str(text);
        Ok(())
    }

    fn log(&self, _: LogLevel, text: &str) {
        self.printed.borrow_mut().push_str(text);
    }

    fn compiled_scripts(&self) -> Option<&CompiledScripts> {
        self.scripts.as_deref()
    }
}

/// Returns an isolate, and what its scripts print.
pub(super) fn isolate(limits: &Limits) -> (Isolate, Rc<RefCell<String>>) {
    let host = EchoHost::default();
    let printed = Rc::clone(&host.printed);
    let isolate = Isolate::new(Box::new(host), limits, Arc::new(AtomicBool::new(false))).unwrap();
    (isolate, printed)
}

/// Runs a script, and returns what it prints.
pub(super) fn run(source: &str) -> Result<String, Failure> {
    let (isolate, printed) = isolate(&Limits::default());
    isolate.run("test.js", source)?;
    let printed = printed.borrow().clone();
    Ok(printed)
}

/// Passes a value, in JSON, through a function of the global scope, and returns the result in JSON.
pub(super) fn pass(body: &str, value: &str) -> Result<String, Failure> {
    let (isolate, _) = isolate(&Limits::default());
    isolate.run("test.js", &format!("require('internal').pass = function (value) {{ {body} }}"))?;
    let mut builder = velocypack::Builder::new();
    json::parse(value.as_bytes(), &ValueLimits::default(), &mut builder).unwrap();
    let result = isolate.call("internal", "pass", &[builder.as_slice()])?;
    Ok(Slice::new(&result).to_json_string())
}
