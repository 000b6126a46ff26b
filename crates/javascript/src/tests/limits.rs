//! The limits of an isolate, each against a script that does not want to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::host::{EchoHost, isolate, run};
use crate::{Failure, Isolate, Limits};

/// The bound on the time between a deadline and the end of a script that never ends. A fiftieth is
/// the goal, but test machines are busy.
const LATENESS: Duration = Duration::from_secs(5);

/// The bound on the processor time of a single builtin, in a debug build. The memory limit bounds
/// it.
const TIME_OF_BUILTINS: Duration = Duration::from_secs(15);

/// Runs a script with a deadline of 50 ms; returns its failure and how late it ended.
fn late(source: &str) -> (Option<Failure>, Duration) {
    let (isolate, _) = isolate(&Limits::default());
    let deadline = Instant::now() + Duration::from_millis(50);
    isolate.set_deadline(Some(deadline));
    let outcome = isolate.run("test.js", source);
    (outcome.err(), Instant::now().saturating_duration_since(deadline))
}

/// Returns the processor time that this thread has used. Source: Linux, sched-stats.rst.
fn processor_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds = statistics.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap())
}

fn message(failure: Failure) -> String {
    match failure {
        Failure::Exception(exception) => exception.message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn endless_scripts_end_at_the_deadline() {
    let endless = [
        "while (true) {}",
        "for (;;) { try { while (true) {} } catch (e) {} finally { while (true) {} } }",
        "function f() { try { f(); } catch (e) {} f(); } while (true) f();",
        "/^(a|a)*$/.test('a'.repeat(50) + 'b')",
        "[3, 1, 2].sort(function () { while (true) {} })",
        "JSON.stringify({ toJSON: function () { while (true) {} } })",
        "(function* () { while (true) yield 1; })().toArray?.() ?? [...(function* () { while (true) yield 1; })()]",
        "require('internal').wait(60)",
        "(async function () { while (true) await 1; })()",
        "function next() { Promise.resolve().then(next); } next();",
        "var s = 'a'; while (true) { try { s = s + s + s; } catch (e) { s = 'a'; } }",
    ];
    for script in endless {
        let (failure, lateness) = late(script);
        assert!(matches!(failure, None | Some(Failure::DeadlinePassed)), "{script}: {failure:?}");
        assert!(lateness < LATENESS, "{script}: {lateness:?} late");
    }
}

#[test]
fn single_builtins_end_soon_after_the_deadline() {
    for script in ["new Array(2e8) + ''", "'a'.repeat(1e7).split('').map(String).join('b')"] {
        let begin = processor_time();
        let (failure, _) = late(script);
        let taken = processor_time() - begin;
        assert!(failure.is_some(), "{script}");
        assert!(taken < TIME_OF_BUILTINS, "{script}: {taken:?} of processor time");
    }
}

#[test]
fn a_flag_interrupts_a_script() {
    let flag = Arc::new(AtomicBool::new(false));
    let isolate = Isolate::new(Box::new(EchoHost::default()), &Limits::default(), Arc::clone(&flag)).unwrap();
    let setter = Arc::clone(&flag);
    let thread = std::thread::spawn(move || {
        // The script is interrupted in the middle, wherever that is.
        std::thread::sleep(Duration::from_millis(20));
        setter.store(true, Ordering::Relaxed);
    });
    assert_eq!(isolate.run("test.js", "while (true) {}"), Err(Failure::Interrupted));
    thread.join().unwrap();
    assert_eq!(isolate.run("test.js", "print(1)"), Err(Failure::Interrupted));
    flag.store(false, Ordering::Relaxed);
    assert_eq!(isolate.run("test.js", "print(1)"), Ok(()));
}

#[test]
fn recursion_is_an_exception() {
    let failure = run("function f() { return f() + 1; } f()").unwrap_err();
    assert!(message(failure).contains("call stack"), "recursion");
    let deep = "var a = []; for (var i = 0; i < 100000; ++i) a = [a]; JSON.stringify(a)";
    assert!(message(run(deep).unwrap_err()).contains("call stack"), "nested values");
    let caught = "function f() { return f() + 1; } try { f(); } catch (e) { print('caught'); }";
    assert_eq!(run(caught).unwrap(), "caught\n");
}

#[test]
fn memory_is_bounded() {
    let hungry = [
        "(() => { var a = []; while (true) a.push(new Array(1000).fill(1)) })()",
        "(() => { var s = 'abc'; while (true) s += s + '!' })()",
        "new Uint8Array(1e9)",
        "'a'.repeat(1e9)",
    ];
    for script in hungry {
        let (isolate, _) = isolate(&Limits::default());
        let failure = isolate.run("test.js", script).unwrap_err();
        assert!(matches!(failure, Failure::Exception(_) | Failure::OutOfMemory), "{script}: {failure:?}");
        assert!(isolate.used_bytes() < 65 << 20, "{script}");
        isolate.run("test.js", "print(1)").unwrap();
    }
}

#[test]
fn failures_of_the_host_cannot_be_caught() {
    for (path, expected) in
        [("/panic", "the host panicked: the host is broken"), ("/fail", "no more requests")]
    {
        let script = format!(
            "try {{ arango.GET('{path}') }} catch (e) {{ print('caught') }} finally {{ print('finally') }} print('after')"
        );
        let (isolate, printed) = isolate(&Limits::default());
        assert_eq!(isolate.run("test.js", &script), Err(Failure::Host(expected.to_owned())));
        assert_eq!(*printed.borrow(), "");
        isolate.run("test.js", "print(1)").unwrap();
    }
    let refused = "try { arango.GET('/refuse') } catch (e) { print(e.errorNum, e.errorMessage) }";
    assert_eq!(run(refused).unwrap(), "10 refused\n");
}

#[test]
fn capabilities_that_the_host_leaves_out_are_forbidden() {
    let scripts = [
        "require('fs').read('/etc/passwd')",
        "require('./module')",
        "require('internal').load('/tmp/x.js')",
        "exit(1)",
        "require('internal').env.X = 1",
        "require('@arangodb/request').get('http://localhost')",
        "console.getline()",
    ];
    for script in scripts {
        let message = message(run(script).unwrap_err());
        assert!(
            message.contains("may not use") || message.contains("there is no module"),
            "{script}: {message}"
        );
    }
    assert_eq!(run("print(Object.keys(require('internal').env).length)").unwrap(), "0\n");
}

#[test]
fn a_runtime_is_small_and_quick_to_make() {
    let (isolate, _) = isolate(&Limits::default());
    assert!(isolate.used_bytes() < 1 << 20, "{}", isolate.used_bytes());
    let times = (0..20).map(|_| {
        let start = Instant::now();
        drop(self::isolate(&Limits::default()));
        start.elapsed()
    });
    // On a busy machine some take longer.
    let each = times.min().unwrap_or_default();
    assert!(each < Duration::from_millis(10), "{each:?} in a debug build");
    println!("a runtime takes {each:?} and {} bytes", isolate.used_bytes());
    isolate.run("test.js", "db; require('@arangodb')").unwrap();
    assert!(isolate.used_bytes() < 1 << 20, "{} with the database", isolate.used_bytes());
    println!("{} bytes with the database", isolate.used_bytes());
}
