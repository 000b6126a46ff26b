// The documents of queues and jobs, in `_queues` and `_jobs`.
'use strict';

const { send, sendUnless } = require('persea/connection');
const { make } = require('persea/error');
const { run } = require('persea/statement');
const { definition } = require('persea/foxx/job-definition');

const QUEUES = '_queues';
const JOBS = '_jobs';
// The queue that each database has.
const DEFAULT = { _key: 'default', maxWorkers: 1 };

const ATTRIBUTES = ['status', 'queue', 'type', 'data', 'failures', 'runs', 'runFailures', 'created', 'modified',
  'delayUntil', 'maxFailures', 'backOff', 'repeatDelay', 'repeatTimes', 'repeatUntil', 'success', 'failure'];

const path = (collection, key) => `/_api/document/${collection}${key === undefined ? '' : `/${encodeURIComponent(key)}`}`;

function nameOf(name) {
  if (typeof name !== 'string' || name === '') {
    throw new TypeError('the name of a queue must be a text that is not empty');
  }
  return name;
}

// Returns the document of a queue, or null.
function readQueue(name) {
  const found = sendUnless(404, 'GET', path(QUEUES, nameOf(name)));
  return found !== undefined ? found : name === DEFAULT._key ? DEFAULT : null;
}

// Makes a queue, or changes the number of its workers if one is given.
function saveQueue(name, maxWorkers) {
  if (maxWorkers !== undefined && !(Number.isSafeInteger(maxWorkers) && maxWorkers >= 1)) {
    throw new TypeError('the number of workers must be an integer, at least 1');
  }
  const before = readQueue(name);
  if (before === null || (maxWorkers !== undefined && before.maxWorkers !== maxWorkers)) {
    const document = { _key: name, maxWorkers: maxWorkers === undefined ? 1 : maxWorkers };
    send('POST', `${path(QUEUES)}?overwriteMode=update`, document);
  }
}

// Returns true if there was such a queue. Its jobs stay.
function removeQueue(name) {
  return sendUnless(404, 'DELETE', path(QUEUES, nameOf(name))) !== undefined;
}

// Returns the id of a job, of its id or its key.
function idOf(given) {
  const id = String(given);
  const key = id.startsWith(`${JOBS}/`) ? id.slice(JOBS.length + 1) : id;
  if (key === '' || key.includes('/')) {
    throw make('ERROR_ARANGO_DOCUMENT_HANDLE_BAD', `${JSON.stringify(id)} is no id of a job`);
  }
  return `${JOBS}/${key}`;
}

const keyOf = (id) => idOf(id).slice(JOBS.length + 1);

// Returns the document of a job. Error: 1202.
function read(id) {
  return send('GET', path(JOBS, keyOf(id)));
}

// Adds a job to a queue, and returns its id.
function add(queue, script, data, options) {
  return send('POST', path(JOBS), definition(queue, script, data, options, Date.now()))._id;
}

// Removes a job of a queue. Returns false if the queue has no such job.
function remove(queue, id) {
  const text = 'FOR job IN @@jobs FILTER job._key == @key && job.queue == @queue REMOVE job IN @@jobs RETURN true';
  return run(text, { '@jobs': JOBS, key: keyOf(id), queue }).toArray().length > 0;
}

// Returns the ids of the jobs of a queue, those that are due first.
function find(queue, status, { name, mount }) {
  const conditions = { queue, status, 'type.name': name, 'type.mount': mount };
  const bindVars = { '@jobs': JOBS };
  const filters = Object.keys(conditions).filter((attribute) => conditions[attribute] !== undefined).map((attribute, index) => {
    bindVars[`v${index}`] = conditions[attribute];
    return `FILTER job.${attribute} == @v${index}`;
  });
  return run(`FOR job IN @@jobs ${filters.join(' ')} SORT job.delayUntil, job.created, job._key RETURN job._id`, bindVars).toArray();
}

// Changes a job unless its status is a certain one.
function change(id, except, patch) {
  const text = 'FOR job IN @@jobs FILTER job._key == @key && job.status != @except UPDATE job WITH @patch IN @@jobs RETURN true';
  const bindVars = { '@jobs': JOBS, key: keyOf(id), except, patch: { ...patch, modified: Date.now() } };
  if (run(text, bindVars).toArray().length === 0) {
    // A job that does not exist is an error.
    read(id);
  }
}

const abort = (id) => change(id, 'complete', { status: 'failed' });

// A job that runs stays as it is: it must not run twice at a time.
const reset = (id) => change(id, 'progress', { status: 'pending', runFailures: 0, delayUntil: Date.now() });

module.exports = { ATTRIBUTES, readQueue, saveQueue, removeQueue, idOf, read, add, remove, find, abort, reset };
