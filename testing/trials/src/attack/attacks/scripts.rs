//! JavaScript that never ends or takes all memory: functions of queries, transactions, services.

use std::time::Duration;

use fastrand::Rng;
use harness::http1::{Connection, Request};
use serde_json::json;

use super::Attack;
use super::hostile::Hostile;
use super::killed::{run_and_kill, run_for};
use crate::attack::case::{Case, run_cases};
use crate::attack::target::Target;

/// Time after which queries are killed.
const KILL_AFTER: Duration = Duration::from_millis(300);

/// Time after which the client of a transaction leaves.
const PATIENCE: Duration = Duration::from_millis(700);

/// Clients with transactions, or of services: more than the server has threads.
const CLIENTS: usize = 6;

/// The bodies of functions.
///
/// No builtin function is here that computes for long by itself. quickjs looks at the interrupt
/// every 10,000 steps, and such a function is one step.
const BODIES: &[(&str, &str)] = &[
    ("loop", "while (true) {}"),
    ("recursion", "const f = (n) => f(n + 1) + 1; while (true) { try { f(0); } catch (e) {} }"),
    (
        "allocation",
        "const all = []; while (true) { try { all.push(new Array(1000).fill({a: 1})); } catch (e) {} }",
    ),
    ("doubling", "let t = 'ab'; while (true) { try { t += t; } catch (e) { t = 'ab'; } }"),
    ("pattern", "return /^(a+)+$/.test('a'.repeat(5000) + 'b');"),
    (
        "sort",
        "return [...Array(1e5).keys()].sort(() => Math.random() - 0.5).sort((a, b) => { while (true) {} });",
    ),
    ("getters", "const o = {get a() { return o.a; }}; while (true) { try { o.a; } catch (e) {} }"),
    ("promises", "const f = () => Promise.resolve().then(f); f(); return 1;"),
    ("generator", "function* g() { while (true) yield 1; } for (const x of g()) {} "),
    ("proxy", "const p = new Proxy({}, {get: (t, k) => p[k]}); while (true) { try { p.x; } catch (e) {} }"),
    ("wait", "require('internal').wait(1000);"),
];

/// See the module.
pub(crate) struct Scripts;

impl Attack for Scripts {
    fn name(&self) -> &'static str {
        "scripts"
    }

    fn summary(&self) -> &'static str {
        "JavaScript that never ends or takes all memory"
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        for (name, body) in BODIES {
            let code = format!("function () {{ {body} }}");
            let function = json!({"name": format!("attack::{name}"), "code": code});
            target.call("POST", "/_api/aqlfunction", &function.to_string())?;
            let service = format!(
                "const router = require('@arangodb/foxx/router')();
                 module.context.use(router);
                 router.get('/', () => {{ {body} }});"
            );
            let path = format!("/_api/foxx?mount=/attack-{name}");
            let request = target.request("POST", &path).header("content-type", "application/javascript");
            let reply = target.ask(&request.body(service)).map_err(|error| format!("{path}: {error}"))?;
            if reply.status != 201 {
                return Err(format!("{path}: {}", reply.text()));
            }
        }
        Ok(())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut cases = Vec::new();
        for (name, body) in BODIES {
            let text = format!("FOR i IN 1..1000000 RETURN attack::{name}()");
            let query = Hostile { name: format!("a function: {name}"), text, bind: json!({}) };
            let again = query.clone();
            cases.push(Case::new(format!("{} killed", query.name), move |target, rng| {
                run_and_kill(target, rng, &query, KILL_AFTER)
            }));
            cases.push(Case::new(format!("{} with maxRuntime", again.name), move |target, _| {
                run_for(target, &again)
            }));
            cases.push(Case::new(format!("transactions: {name}"), move |target, _| {
                let action = format!("() => {{ {body} }}");
                let transaction = json!({"collections": {"write": "c"}, "action": action}).to_string();
                leave(target, &target.request("POST", "/_api/transaction").body(transaction));
                Ok(())
            }));
            cases.push(Case::new(format!("services: {name}"), move |target, _| {
                leave(target, &target.request("GET", &format!("/attack-{name}")));
                Ok(())
            }));
        }
        run_cases(target, rng, cases)
    }
}

/// Sends a request from several clients, which leave.
fn leave(target: &Target, request: &Request) {
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                target.count(1);
                // Errors: the client has left.
                let _ =
                    Connection::open(target.address(), PATIENCE).and_then(|mut client| client.ask(request));
            });
        }
    });
}
