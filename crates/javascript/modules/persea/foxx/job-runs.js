// The states of a job that runs: its arguments, and its document after a run. The server calls these
// functions; they read and write nothing.
'use strict';

const { evaluate } = require('persea/actions');

const BACK_OFF = 1000;
// The longest pause before another attempt, unless the job itself wants a longer one: a day.
const MAX_DELAY = 24 * 60 * 60 * 1000;
// A job that fails again and again keeps its last failures.
const MAX_FAILURES = 64;
const MAX_TEXT = 4096;

// Returns the arguments of the script: the data, and the id of the job.
exports.argumentsOf = (job) => [].concat(job.data === undefined ? [] : job.data, job._id);

// Returns the text of an exception, cut off if it is long.
function cut(text) {
  return String(text).slice(0, MAX_TEXT);
}

function failureOf(exception) {
  const { name = 'Error', message = '', stack, errorNum, code } = exception;
  const failure = { name: cut(name), message: cut(message) };
  if (stack !== undefined) {
    failure.stack = cut(stack);
  }
  return { ...failure, ...(errorNum === undefined ? {} : { errorNum }), ...(code === undefined ? {} : { code }) };
}

// Returns the milliseconds before another attempt, after a number of failures of a run.
function pause(backOff, failures) {
  if (typeof backOff === 'string') {
    try {
      const delay = Number(evaluate(backOff)(failures));
      if (delay >= 0 && delay <= Number.MAX_SAFE_INTEGER) {
        return delay;
      }
    } catch (error) {
      // A function that fails says nothing: the default counts.
    }
    return pause(BACK_OFF, failures);
  }
  const base = backOff >= 0 ? backOff : BACK_OFF;
  // A random number of slots, whose maximum doubles with each failure.
  const slots = 2 ** Math.min(failures, 30) - 1;
  return Math.min(base * (1 + Math.floor(Math.random() * slots)), Math.max(base, MAX_DELAY));
}

// Returns true if a job that is done runs again.
function repeats(job, runs, now) {
  const isLeft = job.repeatTimes < 0 || runs <= job.repeatTimes;
  const isInTime = !(job.repeatUntil > 0) || now + (job.repeatDelay || 0) <= job.repeatUntil;
  return isLeft && isInTime;
}

// Returns what follows a run of a job: the attributes that change, and the callback to call.
//
// `outcome` is the reply of the script: { result }, or { exception }. `now` is in milliseconds. The
// callback is `{ source, arguments }`, or null.
exports.after = (job, outcome, now) => {
  const { exception } = outcome;
  const changes = { modified: now };
  if (exception !== undefined && exception !== null) {
    changes.failures = [...(job.failures || []), failureOf(exception)].slice(-MAX_FAILURES);
    changes.runFailures = (job.runFailures || 0) + 1;
    if (job.maxFailures < 0 || changes.runFailures <= (job.maxFailures || 0)) {
      return { changes: { ...changes, status: 'pending', delayUntil: now + pause(job.backOff, changes.runFailures) }, callback: null };
    }
  }
  const isFailed = changes.failures !== undefined;
  changes.runs = (job.runs || 0) + 1;
  if (repeats(job, changes.runs, now)) {
    Object.assign(changes, { status: 'pending', runFailures: 0, delayUntil: now + (job.repeatDelay || 0) });
  } else {
    changes.status = isFailed ? 'failed' : 'complete';
  }
  const source = isFailed ? job.failure : job.success;
  const result = isFailed || outcome.result === undefined ? null : outcome.result;
  const callback = typeof source !== 'string' ? null : { source, arguments: [result, job.data === undefined ? null : job.data, { ...job, ...changes }] };
  return { changes, callback };
};
