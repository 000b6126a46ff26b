//! A host for tests of modules of services.
//!
//! It answers requests to other hosts with a given body. Its scripts may require the API's own
//! modules by `own(name)`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::{Failure, Host, HostResult, Isolate, Limits, LogLevel, Network, OutsideRequest, Reply, Request};

struct ServiceHost {
    printed: Rc<RefCell<String>>,
    network: Outside,
}

struct Outside {
    printed: Rc<RefCell<String>>,
    body: &'static str,
}

impl Host for ServiceHost {
    fn request(&self, request: Request<'_>) -> HostResult<Reply> {
        self.print(&format!("{} {} {}\n", request.method, request.database, request.path))?;
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Ok(Reply { status: 200, headers, body: br#"{"own":true}"#.to_vec() })
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

    fn network(&self) -> Option<&dyn Network> {
        Some(&self.network)
    }
}

impl Network for Outside {
    fn request(&self, request: OutsideRequest<'_>) -> HostResult<Reply> {
        let mut printed = self.printed.borrow_mut();
        printed.push_str(&format!("{} {}\n", request.method, request.url));
        for (name, value) in request.headers {
            printed.push_str(&format!("{name}: {value}\n"));
        }
        printed.push_str(&format!("{}\n", String::from_utf8_lossy(request.body)));
        Ok(Reply { status: 200, headers: Vec::new(), body: self.body.as_bytes().to_vec() })
    }
}

/// Runs a script, and returns what it prints. Other hosts answer with `body`.
pub(super) fn run_with(body: &'static str, source: &str) -> Result<String, Failure> {
    let printed = Rc::new(RefCell::new(String::new()));
    let network = Outside { printed: Rc::clone(&printed), body };
    let host = ServiceHost { printed: Rc::clone(&printed), network };
    let isolate = Isolate::new(Box::new(host), &Limits::default(), Arc::new(AtomicBool::new(false))).unwrap();
    isolate.context.with(|ctx| {
        let require = isolate.require.clone().restore(&ctx).unwrap();
        ctx.globals().set("own", require).unwrap();
    });
    isolate.run("test.js", source)?;
    let printed = printed.borrow().clone();
    Ok(printed)
}

/// Runs a script, and returns what it prints.
pub(super) fn run(source: &str) -> String {
    run_with("", source).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// Runs a script that prints `true` for each promise that is kept.
pub(super) fn holds(source: &str) {
    let printed = run(source);
    assert!(!printed.is_empty() && printed.lines().all(|line| line == "true"), "{printed}");
}
