//! Jobs of queues: their documents, and what follows their runs.

use super::foxx_host::holds;

const FUNCTIONS: &str = r#"
const { definition } = own('persea/foxx/job-definition');
const { after, argumentsOf } = own('persea/foxx/job-runs');
const script = { name: 's', mount: '/m' };
const made = (options, data, type) => definition('q', { ...script, ...type }, data, options || {}, 1000);
const stored = (...given) => ({ _id: '_jobs/1', ...JSON.parse(JSON.stringify(made(...given))) });
function fails(run, text) {
  try { run(); } catch (error) { return error.message.includes(text); }
  return false;
}
"#;

fn check(source: &str) {
    holds(&format!("{FUNCTIONS}{source}"));
}

#[test]
fn a_job_has_the_documented_attributes_and_defaults() {
    check(
        r#"
        const job = stored({}, { to: 'x' });
        const { status, queue, type, data, failures, runs, runFailures, created, modified, delayUntil } = job;
        print(status === 'pending' && queue === 'q' && type.name === 's' && type.mount === '/m' && data.to === 'x');
        print(failures.length === 0 && runs === 0 && runFailures === 0 && [created, modified, delayUntil].join() === '1000,1000,1000');
        const { maxFailures, backOff, repeatDelay, repeatTimes, repeatUntil, success, failure } = job;
        print([maxFailures, backOff, repeatDelay, repeatTimes, repeatUntil, success, failure].join() === '0,1000,0,0,-1,,');
        const given = stored({ delayUntil: new Date(5000), maxFailures: Infinity, repeatTimes: -7, repeatUntil: Infinity, backOff: 0, success: (a, b) => a + b });
        print([given.delayUntil, given.maxFailures, given.repeatTimes, given.repeatUntil, given.backOff].join() === '5000,-1,-1,-1,0');
        print(given.success === '(a, b) => a + b');
        // The options of a job come before those of its type.
        print(stored({}, 1, { maxFailures: 3, backOff: 5 }).maxFailures === 3 && stored({ maxFailures: 4 }, 1, { maxFailures: 3 }).maxFailures === 4);
        print(stored({ success: { run(a) { return a; } }.run }).success === 'function run(a) { return a; }');
        "#,
    );
}

#[test]
fn data_is_checked_and_changed_before_it_is_stored() {
    check(
        r#"
        const joi = require('joi');
        const type = { schema: joi.object({ n: joi.number().required() }), preprocess: (data) => [data.n + 1] };
        print(stored({}, { n: '4' }, type).data[0] === 5);
        print(fails(() => made({}, { n: 'x' }, type), 'must be a number'));
        print(fails(() => made({}, 'x', { schema: { a: joi.number() } }), 'object'));
        print(stored({}, 1, { schema: { validate: (value) => ({ value: value + 1 }) } }).data === 2);
        "#,
    );
}

#[test]
fn wrong_definitions_are_refused() {
    check(
        r#"
        print(fails(() => definition('q', 'name', 1, {}, 1), '`name`'));
        print(fails(() => definition('q', { name: 's' }, 1, {}, 1), '`mount`'));
        print(fails(() => definition('q', script, 1, null, 1), 'options'));
        for (const [name, value] of [['delayUntil', 'soon'], ['delayUntil', NaN], ['maxFailures', 1.5], ['repeatTimes', 'x'],
          ['repeatDelay', -1], ['repeatDelay', Infinity], ['backOff', -1], ['backOff', NaN], ['repeatUntil', 'x'],
          ['success', 5], ['failure', 'no function'], ['success', (() => 1).bind(null)]]) {
          print(fails(() => made({ [name]: value }), name) || name);
        }
        "#,
    );
}

#[test]
fn a_run_that_succeeds_completes_the_job() {
    check(
        r#"
        const job = stored({ success: (a) => a }, { x: 1 });
        print(JSON.stringify(argumentsOf(job)) === '[{"x":1},"_jobs/1"]');
        print(JSON.stringify(argumentsOf(stored({}, [1, 2]))) === '[1,2,"_jobs/1"]');
        print(JSON.stringify(argumentsOf(stored({}))) === '["_jobs/1"]');
        const { changes, callback } = after(job, { result: 7 }, 2000);
        print(JSON.stringify(changes) === '{"modified":2000,"runs":1,"status":"complete"}');
        print(callback.source === '(a) => a' && callback.arguments[0] === 7 && callback.arguments[1].x === 1 && callback.arguments[2].status === 'complete');
        print(after(stored({}), {}, 2000).callback === null);
        "#,
    );
}

#[test]
fn a_job_repeats_as_often_and_as_long_as_it_should() {
    check(
        r#"
        const run = (options, runs, now = 2000) => after({ ...stored({ repeatDelay: 50, ...options }), runs }, { result: 1 }, now).changes;
        print(run({ repeatTimes: 2 }, 0).status === 'pending' && run({ repeatTimes: 2 }, 0).delayUntil === 2050);
        print(run({ repeatTimes: 2 }, 1).status === 'pending' && run({ repeatTimes: 2 }, 2).status === 'complete');
        print(run({ repeatTimes: Infinity }, 1e6).status === 'pending');
        print(run({ repeatTimes: -1, repeatUntil: 2050 }, 0).status === 'pending' && run({ repeatTimes: -1, repeatUntil: 2049 }, 0).status === 'complete');
        // A run that failed too often is followed by the next run, and by its callback.
        const failing = stored({ repeatTimes: 1, failure: () => 1 });
        const { changes, callback } = after(failing, { exception: { message: 'x' } }, 2000);
        print(changes.status === 'pending' && changes.runs === 1 && changes.runFailures === 0 && callback.arguments[0] === null);
        "#,
    );
}

#[test]
fn a_run_that_fails_is_tried_again_after_a_pause() {
    check(
        r#"
        const exception = { name: 'ArangoError', message: 'm', stack: 's'.repeat(10000), errorNum: 1202, code: 404 };
        const attempt = (options, runFailures) => after({ ...stored({ backOff: 100, ...options }), runFailures }, { exception }, 0);
        let { changes, callback } = attempt({ maxFailures: 2, failure: () => 1 }, 0);
        print(changes.status === 'pending' && changes.runFailures === 1 && callback === null && changes.delayUntil === 100 && !('runs' in changes));
        const [failure] = changes.failures;
        print(failure.errorNum === 1202 && failure.code === 404 && failure.message === 'm' && failure.stack.length === 4096);
        ({ changes, callback } = attempt({ maxFailures: 2, failure: () => 1 }, 2));
        print(changes.status === 'failed' && changes.runs === 1 && changes.runFailures === 3 && callback.source === '() => 1');
        print(attempt({}, 0).changes.status === 'failed' && attempt({ maxFailures: -1 }, 1e6).changes.status === 'pending');
        // The pause grows with each failure, at random and within bounds.
        for (const failures of [1, 2, 5, 40, 1e6]) {
          const { delayUntil } = attempt({ maxFailures: -1 }, failures).changes;
          print(delayUntil >= 100 && delayUntil <= Math.min(100 * (2 ** Math.min(failures + 1, 31) - 1), 86400000));
        }
        print(attempt({ maxFailures: 1, backOff: 0 }, 0).changes.delayUntil === 0);
        print(attempt({ maxFailures: 9, backOff: (n) => n * 7 }, 2).changes.delayUntil === 21);
        print(attempt({ maxFailures: 9, backOff: () => { throw 1; } }, 0).changes.delayUntil === 1000);
        print(attempt({ maxFailures: 9, backOff: () => 'x' }, 0).changes.delayUntil === 1000);
        // A job that never succeeds keeps its last failures.
        const many = after({ ...stored({ maxFailures: -1 }), failures: new Array(64).fill({ message: 'old' }) }, { exception }, 0).changes.failures;
        print(many.length === 64 && many[63].message === 'm');
        "#,
    );
}
