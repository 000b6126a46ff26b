//! Tests of services: how files define them, how they run, and the reports.

use super::foxx_host::{holds, run};

/// Runs files, which are functions here, and returns the report.
const RUN: &str = r#"
const { run } = own('persea/foxx/testing/tests');
const report = (options, ...files) => run(files, options, (file) => { const exports = {}; const result = file(exports); return result === undefined ? exports : result; });
const nested = (...files) => report({ reporter: 'suite' }, ...files).value;
const list = (...files) => report({}, ...files).value;
const titles = (tests) => tests.map((test) => test.fullTitle || test.title).join(',');
"#;

fn check(source: &str) {
    holds(&format!("{RUN}{source}"));
}

#[test]
fn hooks_run_around_tests_in_order() {
    check(
        r#"
        const log = [];
        const value = nested(() => {
          beforeEach(() => log.push('E'));
          describe('outer', function () {
            before('named', () => log.push('b')); after(() => log.push('a'));
            beforeEach(() => log.push('e')); afterEach(() => log.push('f'));
            it('one', () => log.push('1'));
            context('inner', () => { setup(() => log.push('s')); teardown(() => log.push('t')); specify('two', () => log.push('2')); });
          });
          suite('other', () => { suiteSetup(() => log.push('B')); suiteTeardown(() => log.push('A')); test('three', () => log.push('3')); });
        });
        print(log.join('') === 'bEe1fEes2tfaBE3A' || log.join(''));
        print(value.stats.passes === 3 && value.stats.suites === 3 && value.suites[0].suites[0].tests[0].result === 'pass');
        "#,
    );
}

#[test]
fn a_test_fails_alone_and_a_hook_with_its_suite() {
    check(
        r#"
        const { expect } = require('chai');
        const value = list(() => {
          it('wrong', () => expect({ a: 1 }).to.deep.equal({ a: 2 }));
          it('thrown', () => { throw 'text'; });
          it('right', () => {});
          describe('broken', () => { before(() => { throw new Error('hook'); }); it('never', () => {}); });
          describe('half', () => { beforeEach(() => { throw new Error('each'); }); it('first', () => {}); it('second', () => {}); });
          it('last', () => {});
        });
        print(titles(value.passes) === 'right,last');
        print(titles(value.failures) === 'wrong,thrown,broken "before all" hook,half "before each" hook for "first"' || titles(value.failures));
        const [wrong, thrown] = value.failures;
        print(wrong.err.name === 'AssertionError' && wrong.err.expected.a === 2 && wrong.err.stack.startsWith('AssertionError: expected'));
        print(thrown.err.message === 'text' && thrown.err.stack === 'text');
        print(value.stats.failures === 4 && value.stats.passes === 2 && value.stats.tests === 4);
        print(value.passes.every((test) => typeof test.duration === 'number' && Object.keys(test.err).length === 0));
        "#,
    );
}

#[test]
fn tests_may_be_pending_skipped_or_the_only_ones() {
    check(
        r#"
        const value = list(() => {
          it('later'); it.skip('skipped', () => {}); xit('x', () => {}); describe.skip('all', () => it('inner', () => { throw 1; }));
          it('itself', function () { this.skip(); });
          describe('by hook', () => { before(function () { this.skip(); }); it('not run', () => { throw 1; }); });
        });
        print(titles(value.pending) === 'later,skipped,x,itself,all inner,by hook not run' || titles(value.pending));
        print(value.stats.pending === 6 && value.stats.failures === 0 && !('duration' in value.pending[0]));
        const only = list(() => { it('no', () => {}); describe('s', () => { it.only('yes', () => {}); it('no', () => {}); }); describe.only('t', () => it('too', () => {})); },
          () => it('another file', () => {}));
        print(titles(only.tests) === 's yes,t too');
        "#,
    );
}

#[test]
fn a_filter_chooses_by_the_full_title() {
    check(
        r#"
        const file = () => { describe('sum', () => { before(() => {}); it('of two', () => {}); it('of none', () => {}); }); describe('broken', () => { before(() => { throw 1; }); it('x', () => {}); }); };
        const value = report({ filter: 'sum of t' }, file).value;
        print(titles(value.tests) === 'sum of two' && value.stats.suites === 1 && value.stats.failures === 0);
        print(report({ filter: 'nothing' }, file).value.tests.length === 0);
        "#,
    );
}

#[test]
fn files_may_export_their_tests() {
    check(
        r#"
        const log = [];
        const value = nested((exports) => {
          exports['a suite'] = {
            before: () => log.push('b'), beforeEach: () => log.push('e'), after: () => log.push('a'),
            'a case': () => log.push('1'), inner: { deep: () => log.push('2') }, number: 5,
          };
          exports['a case outside'] = () => log.push('0');
        }, () => () => {});
        print(log.join('') === '0be1e2a' || log.join(''));
        print(value.tests[0].title === 'a case outside' && value.suites[0].title === 'a suite' && value.suites[0].suites[0].tests[0].title === 'deep');
        "#,
    );
}

#[test]
fn the_context_of_hooks_is_that_of_tests() {
    check(
        r#"
        const value = list(() => {
          let state;
          describe('s', function () {
            before(function () { this.a = 1; });
            afterEach(function () { state = this.currentTest.state; });
            describe('t', function () { it('u', function () { if (this.a !== 1) throw new Error('lost'); }); });
          });
          it('has a state', () => { if (state !== undefined) throw new Error('order'); });
        });
        print(value.stats.passes === 2);
        "#,
    );
}

#[test]
fn promises_and_done_end_a_test() {
    check(
        r#"
        const value = list(() => {
          it('resolves', async () => { await 1; });
          it('rejects', async () => { await 1; throw new TypeError('later'); });
          it('never', () => new Promise(() => {}));
          it('done', (done) => setTimeout(done, 5));
          it('done with error', (done) => setImmediate(() => done(new Error('told'))));
          it('not done', (done) => {});
        });
        print(titles(value.passes) === 'resolves,done');
        print(value.failures.map((test) => test.err.message).join('; ') === 'later; the promise never settles; told; done() is never called');
        "#,
    );
}

#[test]
fn a_timeout_that_a_test_sets_bounds_its_time() {
    check(
        r#"
        const wait = (ms) => require('internal').sleep(ms / 1000);
        const value = list(() => {
          it('slow', function () { this.timeout(1); wait(20); });
          it('free', () => wait(20));
          describe('s', function () { this.timeout(1); it('inherits', () => wait(20)); it('none', function () { this.timeout(0); wait(20); }); });
        });
        print(titles(value.failures) === 'slow,s inherits' && value.failures[0].err.message.includes('timeout of 1 ms'));
        "#,
    );
}

#[test]
fn the_functions_are_there_during_tests_only() {
    check(
        r#"
        globalThis.it = 'mine';
        let seen;
        list(() => { seen = typeof describe; });
        print(seen === 'function' && typeof describe === 'undefined' && it === 'mine');
        try { list(() => { throw new Error('load'); }); print(false); } catch (error) { print(error.message === 'load' && typeof describe === 'undefined'); }
        try { list(() => { const nest = (n) => describe('x', () => n > 0 && nest(n - 1)); nest(100); }); print(false); } catch (error) { print(error.message.includes('deeper')); }
        "#,
    );
}

/// A file with a test of each result.
const FILE: &str = r#"
const file = () => describe('a <b> & #c', () => { it('good', () => {}); it('bad', () => { throw new RangeError('x < "y" \u0001'); }); it('open'); });
"#;

#[test]
fn streams_and_tap_have_a_line_for_each_test() {
    check(&format!(
        r#"{FILE}
        const stream = report({{ reporter: 'stream' }}, file);
        print(stream.value.map(([event]) => event).join() === 'start,pass,fail,end' && stream.value[0][1].total === 3);
        print(stream.value[2][1].err === 'x < "y" \u0001' && stream.value[2][1].stack.startsWith('RangeError: ') && stream.value[3][1].pending === 1);
        const lines = stream.text.split('\r\n');
        print(lines.length === 5 && lines[4] === '' && lines[2].startsWith('["fail",') && JSON.parse(lines[0])[1].total === 3);
        const tap = report({{ reporter: 'tap' }}, file);
        print(tap.value[0] === '1..3' && tap.value[1] === 'ok 1 a <b> &  c good' && tap.value[2] === 'not ok 2 a <b> &  c bad');
        print(tap.value.slice(-4).join('|') === 'ok 3 a <b> &  c open # SKIP -|# tests 2|# pass 1|# fail 1' && tap.text.endsWith('# fail 1\n'));"#
    ));
}

#[test]
fn xunit_is_jsonml_or_xml() {
    check(&format!(
        r#"{FILE}
        const [name, attributes, good, bad, open] = report({{ reporter: 'xunit' }}, file).value;
        print(name === 'testsuite' && [attributes.tests, attributes.failures, attributes.errors, attributes.skip].join() === '3,1,0,1');
        print(good[0] === 'testcase' && good[1].name === 'good' && good[1].classname === 'a <b> & #c' && good.length === 2);
        print(bad[2][0] === 'failure' && bad[2][1].type === 'RangeError' && bad[2][2].includes('RangeError: x'));
        print(open[2][0] === 'skipped');
        const lines = report({{ reporter: 'xunit' }}, file).text.split('\n');
        print(lines[0] === '<?xml version="1.0" encoding="utf-8"?>' && / failures="1"/.test(lines[1]));
        print(lines[2].includes('classname="a &lt;b&gt; &amp; #c"') && lines[4].includes('message="x &lt; &quot;y&quot; \ufffd"'));"#
    ));
}

#[test]
fn hostile_exceptions_do_not_break_a_report() {
    check(
        r#"
        const value = list(() => {
          it('circle', () => { const e = new Error('c'); e.self = e; throw e; });
          it('getter', () => { const e = new Error('g'); Object.defineProperty(e, 'bad', { enumerable: true, get() { throw 1; } }); throw e; });
          it('name', () => { throw { get name() { throw 1; }, get message() { throw 2; }, toString: null }; });
          it('symbol', () => { throw Symbol('s'); });
          it('none', () => { throw undefined; });
          it('long', () => { throw new Error('x'.repeat(1e6)); });
          it('big', () => { const e = new Error('b'); e.actual = 10n; e.expected = () => 1; throw e; });
        });
        print(value.stats.failures === 7);
        print(JSON.stringify(value).length < 300000);
        print(value.failures.every((test) => typeof test.err.message === 'string' && typeof test.err.stack === 'string' && test.err.stack !== ''));
        "#,
    );
}

#[test]
fn unknown_reporters_are_refused() {
    let script = format!(
        "{RUN} try {{ report({{ reporter: 'constructor' }}) }} catch (error) {{ print(error.errorNum, error.message.includes('default, suite, stream, tap, xunit')) }}"
    );
    assert_eq!(run(&script), "10 true\n");
}
