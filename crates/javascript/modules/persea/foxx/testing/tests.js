// Runs the tests of a service.
'use strict';

const { make } = require('persea/error');
const { tableError } = require('persea/foxx/errors');
const { Suite, functions, fromExports, select, size } = require('persea/foxx/testing/suites');
const { Runner } = require('persea/foxx/testing/runner');
const { create } = require('persea/foxx/testing/reporters');

// Runs a function with globals that are gone after it.
function withGlobals(globals, run) {
  const names = Object.keys(globals);
  const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  for (const name of names) {
    Object.defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });
  }
  try {
    return run();
  } finally {
    names.forEach((name, index) => {
      delete globalThis[name];
      if (before[index] !== undefined) {
        Object.defineProperty(globalThis, name, before[index]);
      }
    });
  }
}

function reporterOf(name) {
  try {
    return create(name);
  } catch (error) {
    throw make('ERROR_BAD_PARAMETER', error.message);
  }
}

// Runs files of tests. `load` runs one of them in a context of its own, and returns its exports.
// Returns the reporter, which knows the results.
function run(files, { reporter, filter }, load) {
  const listener = reporterOf(reporter || undefined);
  const root = new Suite('', undefined);
  return withGlobals(functions(root), () => {
    for (const file of files) {
      fromExports(root, load(file));
    }
    select(root, filter);
    listener.start(size(root));
    listener.end(new Runner(listener).run(root));
    return listener;
  });
}

// Runs the tests of the service at a mount point. `files` are paths within the service. Returns the
// value of the report, and its text if the text has the reporter's own format.
function tests(mount, files, options) {
  const { fresh } = require('persea/foxx/service');
  const { unmet } = fresh(mount);
  if (unmet.length > 0) {
    throw tableError('ERROR_SERVICE_NEEDS_CONFIGURATION', `service needs configuration: ${unmet.join(', ')}`);
  }
  const load = (file) => fresh(mount).run(file);
  const report = run(files, options || {}, load);
  const text = options && options.idiomatic ? report.text : undefined;
  return text === undefined ? [{ result: report.value }, undefined] : [{ result: null }, text];
}

module.exports = { run, tests };
