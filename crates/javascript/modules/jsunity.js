// Unit tests: suites of functions whose names begin with `test`, and assertions.
'use strict';

const assert = require('assert');

// Fails with a message, and with what was found.
function fail(message, text) {
  throw new assert.AssertionError({ message: text === undefined ? message : `${text}: ${message}` });
}

function shown(value) {
  return value === undefined ? 'undefined' : typeof value === 'function' ? String(value) : JSON.stringify(value);
}

function isEqual(left, right) {
  try {
    assert.deepEqual(left, right);
    return true;
  } catch (error) {
    return false;
  }
}

// Makes an assertion about one value.
const about = (check, what) => (value, text) => check(value) || fail(`${shown(value)} ${what}`, text);
const ofType = (type) => about((value) => typeof value === type, `is no ${type}`);

const assertions = {
  fail: (text) => fail('failed', text),
  assertTrue: about((value) => value === true, 'is not true'),
  assertFalse: about((value) => value === false, 'is not false'),
  assertNull: about((value) => value === null, 'is not null'),
  assertNotNull: about((value) => value !== null, 'is null'),
  assertUndefined: about((value) => value === undefined, 'is not undefined'),
  assertNotUndefined: about((value) => value !== undefined, 'is undefined'),
  assertNaN: about((value) => typeof value === 'number' && isNaN(value), 'is not NaN'),
  assertNotNaN: about((value) => !(typeof value === 'number' && isNaN(value)), 'is NaN'),
  assertTypeOf: (type, value, text) => ofType(type)(value, text),
  assertNotTypeOf: (type, value, text) => typeof value !== type || fail(`${shown(value)} is a ${type}`, text),
  assertInstanceOf: (type, value, text) => value instanceof type || fail(`${shown(value)} is no ${type.name}`, text),
  assertEqual: (expected, found, text) => isEqual(found, expected) || fail(`${shown(found)} is not ${shown(expected)}`, text),
  assertNotEqual: (other, found, text) => !isEqual(found, other) || fail(`${shown(found)} is the same`, text),
  assertIdentical: (expected, found, text) => expected === found || fail(`${shown(found)} is not ${shown(expected)}`, text),
  assertNotIdentical: (other, found, text) => other !== found || fail(`${shown(found)} is the same`, text),
  assertMatch: (pattern, value, text) => pattern.test(value) || fail(`${shown(value)} does not match ${pattern}`, text),
  assertNotMatch: (pattern, value, text) => !pattern.test(value) || fail(`${shown(value)} matches ${pattern}`, text),
  assertException(call, text) {
    try {
      call();
    } catch (error) {
      return;
    }
    fail('nothing was thrown', text);
  },
  assertNotException(call, text) {
    try {
      call();
    } catch (error) {
      fail(`thrown: ${error}`, text);
    }
  },
};
for (const type of ['Boolean', 'Function', 'Number', 'Object', 'String']) {
  assertions[`assertTypeOf${type}`] = ofType(type.toLowerCase());
}

const suites = [];

// Returns the tests of a suite with their outcome.
function outcomes(suite) {
  const call = (name) => typeof suite[name] === 'function' && suite[name]();
  const run = (name) => {
    const begin = host.time();
    try {
      call('setUp');
      try {
        suite[name]();
      } finally {
        call('tearDown');
      }
      return { name, status: true, duration: host.time() - begin };
    } catch (error) {
      return { name, status: false, duration: host.time() - begin, message: String(error && error.message || error) };
    }
  };
  call('setUpAll');
  try {
    return Object.keys(suite).filter((name) => name.startsWith('test')).map(run);
  } finally {
    call('tearDownAll');
  }
}

// Adds suites, which `done` counts.
function run(...makers) {
  return makers.map((make) => {
    const name = make.name || make.suiteName || '<suite>';
    const tests = outcomes(typeof make === 'function' ? make.call(Object.create(assertions)) || {} : make);
    const failed = tests.filter(({ status }) => !status).length;
    tests.forEach((test) => host.print(`${test.status ? '[PASSED]' : '[FAILED]'} ${test.name}${test.message ? `: ${test.message}` : ''}\n`));
    const result = { suiteName: name, total: tests.length, passed: tests.length - failed, failed, tests };
    suites.push(result);
    return result;
  });
}

// Returns the counts of all suites that have run since the last call.
function done() {
  const all = suites.splice(0);
  const sum = (what) => all.reduce((count, suite) => count + suite[what], 0);
  return { total: sum('total'), passed: sum('passed'), failed: sum('failed'), status: sum('failed') === 0, suites: all };
}

const jsUnity = { assertions, run, env: {}, attachAssertions: (scope) => Object.assign(scope, assertions) };

module.exports = { jsUnity, run, done };
