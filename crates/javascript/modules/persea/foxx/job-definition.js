// The document of a new job, of what a service gives for it.
'use strict';

const BACK_OFF = 1000;

// Returns the data of a job as it was checked by the schema and changed by the function of its type.
function dataOf(script, data) {
  let value = data;
  if (script.schema) {
    const { error, value: checked } = typeof script.schema.validate === 'function'
      ? script.schema.validate(value)
      : require('joi').validate(value, script.schema);
    if (error) {
      throw error;
    }
    value = checked;
  }
  return typeof script.preprocess === 'function' ? script.preprocess(value) : value;
}

// Returns the first value that is given.
const first = (...values) => values.find((value) => value !== undefined && value !== null);

function count(name, given) {
  // JSON has no infinity: a negative number stands for it.
  const value = given === Infinity ? -1 : given;
  if (!Number.isSafeInteger(value)) {
    throw new TypeError(`\`${name}\` must be an integer or Infinity`);
  }
  return Math.max(value, -1);
}

function duration(name, value) {
  if (typeof value !== 'number' || !(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
    throw new TypeError(`\`${name}\` must be a number of milliseconds, at least 0`);
  }
  return value;
}

function moment(name, given) {
  const value = given instanceof Date ? given.getTime() : given;
  if (typeof value !== 'number' || !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    throw new TypeError(`\`${name}\` must be a date, or milliseconds since 1970`);
  }
  return value;
}

// Returns the text of a function. A text is one already.
function source(name, given) {
  if (given === undefined || given === null) {
    return undefined;
  }
  if (typeof given !== 'function' && typeof given !== 'string') {
    throw new TypeError(`\`${name}\` must be a function`);
  }
  return callable(name, String(given));
}

// Returns the text of a function as an expression: `run() {}` is only one within an object.
function callable(name, text) {
  const { check } = require('persea/actions');
  for (const candidate of [text, `function ${text}`, text.replace(/^async\s+/, 'async function ')]) {
    try {
      check(`return (${candidate}\n);`);
      return candidate;
    } catch (error) {
      // The next form may be the right one.
    }
  }
  throw new TypeError(`\`${name}\` has no text that is a function: ${text.slice(0, 100)}`);
}

function backOffOf(given) {
  return typeof given === 'function' || typeof given === 'string' ? source('backOff', given) : duration('backOff', given);
}

// Zero, a negative number and Infinity mean that the job repeats without an end.
function untilOf(given) {
  if (given === undefined || given === null || given === Infinity) {
    return -1;
  }
  const value = moment('repeatUntil', given);
  return value > 0 ? value : -1;
}

// Returns the document of a job.
function definition(queue, script, data, options, now) {
  if (script === null || typeof script !== 'object' || typeof script.name !== 'string' || typeof script.mount !== 'string') {
    throw new TypeError('a job needs an object with the `name` of a script and the `mount` of its service');
  }
  if (options === null || typeof options !== 'object') {
    throw new TypeError('the options of a job must be an object');
  }
  return {
    status: 'pending',
    queue,
    type: { name: script.name, mount: script.mount },
    data: dataOf(script, data),
    failures: [],
    runs: 0,
    runFailures: 0,
    created: now,
    modified: now,
    delayUntil: moment('delayUntil', first(options.delayUntil, now)),
    maxFailures: count('maxFailures', first(options.maxFailures, script.maxFailures, 0)),
    backOff: backOffOf(first(options.backOff, script.backOff, BACK_OFF)),
    repeatDelay: duration('repeatDelay', first(options.repeatDelay, 0)),
    repeatTimes: count('repeatTimes', first(options.repeatTimes, 0)),
    repeatUntil: untilOf(options.repeatUntil),
    success: source('success', options.success),
    failure: source('failure', options.failure),
  };
}

module.exports = { definition };
