// Suites of tests as files define them: by functions such as `describe` and `it`, or by exports.
'use strict';

// The depth of suites within suites.
const DEPTH_MAX = 64;

// The names of hooks, and their other names.
const HOOKS = {
  before: 'before', suiteSetup: 'before', after: 'after', suiteTeardown: 'after',
  beforeEach: 'beforeEach', setup: 'beforeEach', afterEach: 'afterEach', teardown: 'afterEach',
};

class Suite {
  constructor(title, parent) {
    Object.assign(this, { title, parent, suites: [], tests: [], isPending: false, isOnly: false, timeout: undefined });
    this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    if (parent !== undefined) {
      if (this.depth > DEPTH_MAX) {
        throw new Error(`suites are nested deeper than ${DEPTH_MAX}`);
      }
      parent.suites.push(this);
    }
  }

  get titles() {
    return this.parent === undefined ? [] : [...this.parent.titles, this.title];
  }
}

class Test {
  constructor(title, suite, body) {
    Object.assign(this, { title, suite, body, isPending: typeof body !== 'function', isOnly: false });
    suite.tests.push(this);
  }

  get fullTitle() {
    return [...this.suite.titles, this.title].join(' ');
  }
}

// Returns the functions that files use, for one run. `root` is the suite of all files.
function functions(root) {
  let current = root;

  const define = (title, body, marks) => {
    const suite = Object.assign(new Suite(String(title), current), marks);
    const outer = current;
    current = suite;
    try {
      if (typeof body === 'function') {
        body.call(suiteContext(suite));
      }
    } finally {
      current = outer;
    }
    return suite;
  };
  const describe = (title, body) => define(title, body, { isPending: typeof body !== 'function' });
  describe.only = (title, body) => define(title, body, { isOnly: true });
  describe.skip = (title, body) => define(title, body, { isPending: true });

  const it = (title, body) => new Test(String(title), current, body);
  it.only = (title, body) => Object.assign(it(title, body), { isOnly: true });
  it.skip = (title) => it(title, undefined);

  const all = { xdescribe: describe.skip, xcontext: describe.skip, xit: it.skip, xspecify: it.skip };
  for (const name of ['describe', 'suite', 'context']) {
    all[name] = describe;
  }
  for (const name of ['it', 'test', 'specify']) {
    all[name] = it;
  }
  for (const name of Object.keys(HOOKS)) {
    all[name] = (...given) => hook(current, HOOKS[name], given);
  }
  return all;
}

// Adds a hook: a function, with or without a title before it.
function hook(suite, kind, given) {
  const body = given.find((value) => typeof value === 'function');
  if (body === undefined) {
    throw new TypeError(`${kind} needs a function`);
  }
  const title = typeof given[0] === 'string' ? given[0] : body.name;
  suite.hooks[kind].push({ kind, title, body, suite });
}

// `this` in the function of a suite.
function suiteContext(suite) {
  return {
    timeout(milliseconds) {
      suite.timeout = milliseconds;
      return this;
    },
    // No report says how fast a test is, so nothing depends on it.
    slow() {
      return this;
    },
  };
}

// Adds the tests that a file exports: functions, and objects of functions, which are suites.
function fromExports(suite, exports) {
  if (exports === null || typeof exports !== 'object' || Array.isArray(exports)) {
    return;
  }
  for (const title of Object.keys(exports)) {
    const value = exports[title];
    if (typeof value === 'function') {
      if (Object.hasOwn(HOOKS, title)) {
        hook(suite, HOOKS[title], [value]);
      } else {
        new Test(title, suite, value);
      }
    } else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      fromExports(new Suite(title, suite), value);
    }
  }
}

// Removes what is not to run: all but `only`, and tests whose full title has not the text of the
// filter. Returns true if the suite has tests left.
function select(suite, filter) {
  const onlySome = hasOnly(suite);
  const keeps = (item) => !onlySome || item.isOnly;
  suite.tests = suite.tests.filter((test) => keeps(test) && (!filter || test.fullTitle.includes(filter)));
  suite.suites = suite.suites.filter((inner) => (keeps(inner) || hasOnly(inner)) && select(inner, filter));
  return suite.tests.length > 0 || suite.suites.length > 0;
}

// Returns true if a test or a suite within a suite is marked as the only one.
function hasOnly(suite) {
  return suite.tests.some((test) => test.isOnly) || suite.suites.some((inner) => inner.isOnly || hasOnly(inner));
}

// Returns the number of tests in a suite.
function size(suite) {
  return suite.suites.reduce((sum, inner) => sum + size(inner), suite.tests.length);
}

module.exports = { Suite, functions, fromExports, select, size };
