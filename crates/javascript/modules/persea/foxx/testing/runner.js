// Runs suites of tests, one test after the other, and tells a listener what happens.
'use strict';

// Thrown by `this.skip()`.
class Skipped extends Error {}

// Runs a function of a test or a hook to its end. A promise, or the function `done`, may end it later,
// but in the same run of the event loop: nothing else happens beside a script.
function call(body, context) {
  const state = { isDone: false, error: undefined };
  const end = (error) => {
    Object.assign(state, { isDone: true, error });
  };
  const result = body.length > 0 ? body.call(context, end) : body.call(context);
  const isPromise = result !== null && typeof result === 'object' && typeof result.then === 'function';
  if (isPromise) {
    result.then(() => end(undefined), (error) => end(error === undefined ? new Error('the promise was rejected') : error));
  }
  const lost = host.settle();
  if (state.error !== undefined && state.error !== null) {
    throw state.error;
  }
  if (!state.isDone && (isPromise || body.length > 0)) {
    throw new Error(isPromise ? 'the promise never settles' : 'done() is never called');
  }
  if (lost !== undefined) {
    throw new Error(`a promise was rejected and nobody handled it: ${lost}`);
  }
}

// `this` of tests and hooks: each suite's inherits from that of the suite around it.
function contextOf(parent, state) {
  const context = Object.create(parent);
  if (parent === null || parent === Object.prototype) {
    Object.defineProperties(context, {
      skip: { value() { throw new Skipped('skipped'); } },
      timeout: { value(milliseconds) { state.timeout = milliseconds; return this; } },
      // No report says how fast a test is, so nothing depends on it.
      slow: { value() { return this; } },
    });
  }
  return context;
}

class Runner {
  constructor(listener) {
    this.listener = listener;
    this.stats = { suites: 0, tests: 0, passes: 0, pending: 0, failures: 0, duration: 0 };
    this.state = { timeout: undefined };
  }

  // Runs a suite with everything in it, and returns the statistics.
  run(root) {
    const start = Date.now();
    this._suite(root, contextOf(Object.prototype, this.state), [], false, undefined);
    this.stats.duration = Date.now() - start;
    return this.stats;
  }

  // `around` are the suites around this one, outermost first.
  _suite(suite, context, around, isPending, timeout) {
    const skipsAll = isPending || suite.isPending;
    const limit = suite.timeout === undefined ? timeout : suite.timeout;
    const path = [...around, { suite, context }];
    if (suite.parent !== undefined) {
      this.stats.suites += 1;
    }
    this.listener.enter(suite);
    const state = skipsAll ? 'skipped' : this._hooks(suite.hooks.before, 'before all', context, suite);
    if (state !== 'failed') {
      // Tests that are defined while others run are none.
      const isLeftOut = state === 'skipped';
      this._tests([...suite.tests], path, isLeftOut, limit);
      for (const inner of [...suite.suites]) {
        this._suite(inner, contextOf(context, this.state), path, isLeftOut, limit);
      }
    }
    if (!skipsAll) {
      this._hooks(suite.hooks.after, 'after all', context, suite);
    }
    this.listener.leave(suite);
  }

  _tests(tests, path, isPending, timeout) {
    for (const test of tests) {
      if (isPending || test.isPending) {
        this._end(test, 'pending', undefined);
      } else if (!this._test(test, path, timeout)) {
        // A hook that fails ends the suite.
        return;
      }
    }
  }

  // Runs a test between its hooks. Returns false if one of them failed.
  _test(test, path, timeout) {
    const { context } = path[path.length - 1];
    let state = 'ready';
    for (const { suite, context: own } of path) {
      own.currentTest = test;
      state = state === 'ready' ? this._hooks(suite.hooks.beforeEach, 'before each', own, test.suite, test) : state;
    }
    if (state === 'ready') {
      this._body(test, context, timeout);
    } else if (state === 'skipped') {
      this._end(test, 'pending', undefined);
    }
    let isWhole = state !== 'failed';
    for (const { suite, context: own } of [...path].reverse()) {
      isWhole = this._hooks(suite.hooks.afterEach, 'after each', own, test.suite, test) !== 'failed' && isWhole;
    }
    return isWhole;
  }

  _body(test, context, timeout) {
    this.state.timeout = timeout;
    const start = Date.now();
    try {
      context.test = test;
      call(test.body, context);
    } catch (error) {
      this._end(test, error instanceof Skipped ? 'pending' : 'fail', Date.now() - start, error);
      return;
    }
    const duration = Date.now() - start;
    const limit = this.state.timeout;
    if (limit > 0 && duration > limit) {
      this._end(test, 'fail', duration, new Error(`the test took ${duration} ms, more than its timeout of ${limit} ms`));
    } else {
      this._end(test, 'pass', duration);
    }
  }

  // Runs hooks. Returns "failed" after one that failed, which counts as a failure of its own, and
  // "skipped" after one that skips its tests.
  _hooks(hooks, kind, context, suite, test) {
    for (const { title, body } of hooks) {
      const start = Date.now();
      try {
        call(body, context);
      } catch (error) {
        if (error instanceof Skipped) {
          return 'skipped';
        }
        const named = `"${kind}" hook${title ? `: ${title}` : ''}${test === undefined ? '' : ` for "${test.title}"`}`;
        const fullTitle = [...suite.titles, named].join(' ');
        this.stats.failures += 1;
        this.listener.result({ title: named, fullTitle, suite, result: 'fail', duration: Date.now() - start, error });
        return 'failed';
      }
    }
    return 'ready';
  }

  _end(test, result, duration, error) {
    this.stats.tests += 1;
    this.stats[{ pass: 'passes', fail: 'failures', pending: 'pending' }[result]] += 1;
    test.state = { pass: 'passed', fail: 'failed', pending: 'pending' }[result];
    const { title, fullTitle, suite } = test;
    this.listener.result({
      title, fullTitle, suite, result,
      duration: result === 'pending' ? undefined : duration,
      error: result === 'fail' ? error : undefined,
    });
  }
}

module.exports = { Runner };
