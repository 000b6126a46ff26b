//! Jobs of queues: their documents.

use super::foxx_host::holds;

const FUNCTIONS: &str = r#"
const { definition } = own('persea/foxx/job-definition');
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
