// Queues of jobs. A job is a script of a service that the server runs later, and again if it fails.
'use strict';

const jobs = require('persea/foxx/jobs');

// Returns the name and the mount point of a script, as conditions on jobs.
function typeOf(script) {
  if (script === undefined || script === null) {
    return {};
  }
  const { name, mount } = typeof script === 'object' ? script : { name: script };
  return { name, mount };
}

class Job {
  constructor(id) {
    Object.defineProperty(this, 'id', { value: jobs.idOf(id), enumerable: true });
  }

  // Makes the job count as failed, without its callback. A complete job stays as it is.
  abort() {
    jobs.abort(this.id);
  }

  // Makes the job wait for its next run, as if it had not failed.
  reset() {
    jobs.reset(this.id);
  }

  toJSON() {
    return { ...jobs.read(this.id), id: this.id };
  }
}

// The attributes of a job are read at each use.
for (const name of jobs.ATTRIBUTES) {
  Object.defineProperty(Job.prototype, name, {
    get() {
      return jobs.read(this.id)[name];
    },
    set() {
      throw new TypeError(`the attribute "${name}" of a job is read only`);
    },
  });
}

class Queue {
  constructor(name) {
    Object.defineProperty(this, 'name', { value: name, enumerable: true });
  }

  get maxWorkers() {
    return jobs.readQueue(this.name).maxWorkers;
  }

  // Adds a job, and returns its id.
  push(script, data, options) {
    return jobs.add(this.name, script, data, options === undefined ? {} : options);
  }

  get(id) {
    return new Job(id);
  }

  delete(id) {
    return jobs.remove(this.name, id);
  }

  all(script) {
    return jobs.find(this.name, undefined, typeOf(script));
  }
}

for (const status of ['pending', 'progress', 'complete', 'failed']) {
  Queue.prototype[status] = function (script) {
    return jobs.find(this.name, status, typeOf(script));
  };
}

module.exports = {
  // Returns a queue, which is made or gets another number of workers if need be.
  create(name, maxWorkers) {
    jobs.saveQueue(name, maxWorkers);
    return new Queue(name);
  },
  get(name) {
    if (jobs.readQueue(name) === null) {
      throw new Error(`Queue does not exist: ${name}`);
    }
    return new Queue(name);
  },
  delete: (name) => jobs.removeQueue(name),
};
