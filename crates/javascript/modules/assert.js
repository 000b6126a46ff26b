// Assertions, as in Node.js.
'use strict';

const { inspect, isDeepEqual } = require('util');

class AssertionError extends Error {
  constructor({ message, actual, expected, operator }) {
    super(message || `${inspect(actual)} ${operator} ${inspect(expected)}`);
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    this.generatedMessage = !message;
    this.code = 'ERR_ASSERTION';
  }

  get name() {
    return 'AssertionError';
  }
}

function fail(facts, message) {
  if (message instanceof Error) {
    throw message;
  }
  throw new AssertionError({ ...facts, message });
}

// Makes an assertion about two values.
function comparison(operator, holds) {
  return (actual, expected, message) => {
    if (!holds(actual, expected)) {
      fail({ actual, expected, operator }, message);
    }
  };
}

function ok(value, message) {
  if (!value) {
    fail({ actual: value, expected: true, operator: '==' }, message);
  }
}

// Returns true if an error is the expected one: a class, an expression, a function or an object.
function matches(error, expected) {
  if (expected === undefined || typeof expected === 'string') {
    return true;
  }
  if (expected instanceof RegExp) {
    return expected.test(String(error));
  }
  if (typeof expected === 'object') {
    return Object.keys(expected).every((name) => isDeepEqual(error[name], expected[name], true));
  }
  return error instanceof expected || (!(expected.prototype instanceof Error) && expected !== Error && expected.call({}, error) === true);
}

function throws(block, expected, message) {
  let thrown;
  let isThrown = false;
  try {
    block();
  } catch (error) {
    [thrown, isThrown] = [error, true];
  }
  if (!isThrown) {
    fail({ operator: 'throws' }, message || 'an exception was expected');
  }
  if (!matches(thrown, expected)) {
    throw thrown;
  }
}

function doesNotThrow(block, expected, message) {
  try {
    block();
  } catch (error) {
    fail({ actual: error, operator: 'doesNotThrow' }, message || `unexpected exception: ${error}`);
  }
}

const assert = ok;
assert.ok = ok;
assert.AssertionError = AssertionError;
assert.fail = (...given) => {
  const [actual, expected, message, operator] = given;
  fail({ actual, expected, operator: operator || 'fail' }, given.length === 1 ? actual : message);
};
assert.equal = comparison('==', (a, b) => a == b || (a !== a && b !== b));
assert.notEqual = comparison('!=', (a, b) => a != b);
assert.strictEqual = comparison('===', Object.is);
assert.notStrictEqual = comparison('!==', (a, b) => !Object.is(a, b));
assert.deepEqual = comparison('deepEqual', (a, b) => isDeepEqual(a, b, false));
assert.notDeepEqual = comparison('notDeepEqual', (a, b) => !isDeepEqual(a, b, false));
assert.deepStrictEqual = comparison('deepStrictEqual', (a, b) => isDeepEqual(a, b, true));
assert.notDeepStrictEqual = comparison('notDeepStrictEqual', (a, b) => !isDeepEqual(a, b, true));
assert.match = comparison('match', (text, pattern) => pattern.test(text));
assert.throws = throws;
assert.doesNotThrow = doesNotThrow;
assert.ifError = (value) => {
  if (value !== null && value !== undefined) {
    throw value;
  }
};
assert.strict = assert;

module.exports = assert;
