// The functions that the server calls. Each returns an array of a value and a body.
'use strict';

const connection = require('persea/connection');
const { HttpError, facts, replyTo, tableError } = require('persea/foxx/errors');
const { Request } = require('persea/foxx/request');
const { Response } = require('persea/foxx/response');
const { segmentsOf } = require('persea/foxx/routes');
const { run, select } = require('persea/foxx/dispatch');
const files = require('persea/foxx/files');
const services = require('persea/foxx/service');
const { JSON_TYPE } = require('persea/foxx/types');

// Returns to the database of the service, which a script before may have left.
function reset() {
  const database = host.database();
  if (connection.getDatabase() !== database) {
    connection.setDatabase(database);
    require('persea/database').db._flushCache();
  }
}

// Runs a function; its result, or its exception with this number of an error unless it has its own.
function guarded(errorNum, body) {
  reset();
  try {
    return body();
  } catch (error) {
    return [{ exception: safely(() => facts(error, errorNum), { name: 'Error', message: UNREADABLE, errorNum }) }, undefined];
  } finally {
    settle();
  }
}

// Runs the callbacks of promises that are left. A rejection that nobody handles is only logged.
function settle() {
  const lost = host.settle();
  if (lost !== undefined) {
    host.log('error', `a promise was rejected and nobody handled it: ${lost}`);
  }
}

// Answers a request to a service.
function handle(request, body) {
  reset();
  let res;
  const service = { mount: request.mount, isDevelopment: false };
  try {
    service.isDevelopment = services.get(request.mount).isDevelopment;
    const loaded = services.load(request.mount);
    res = new Response(loaded.context);
    const req = new Request(request, body, loaded.context);
    answer(loaded, req, res);
    settle();
    const { status, headers, body: content } = res._finish(req);
    return [{ result: { status, headers } }, content];
  } catch (error) {
    settle();
    return safely(() => failure(error, service, res), unreadable);
  }
}

const UNREADABLE = 'an exception whose attributes throw exceptions';

// Returns what a function returns; what `otherwise` is, or returns, if it throws. An exception may be
// any value, also one that throws when it is looked at.
function safely(body, otherwise) {
  try {
    return body();
  } catch (error) {
    return typeof otherwise === 'function' ? otherwise() : otherwise;
  }
}

function unreadable() {
  host.log('error', UNREADABLE);
  const body = { error: true, errorNum: 500, errorMessage: 'internal server error', code: 500 };
  return [{ result: { status: 500, headers: [['content-type', JSON_TYPE]] } }, JSON.stringify(body)];
}

// Returns a value as JSON has it. Errors: exceptions of JSON.stringify.
function plain(value) {
  const text = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}

// Answers a request: by a file, a route, or the default document.
function answer(service, req, res) {
  const path = req.path.slice(service.mount.length);
  const segments = segmentsOf(path);
  if (files.serve(service, segments, req, res)) {
    return;
  }
  let match;
  try {
    match = select(service.routes, req.method, segments);
  } catch (error) {
    if (req.method !== 'OPTIONS' || error.allowed === undefined) {
      throw error;
    }
    res.status(200).set('allow', error.allowed);
    return;
  }
  if (match !== undefined) {
    run(match, req, res, path);
  } else if (!files.redirect(service, segments, req, res)) {
    throw new HttpError(404, `unknown path '${req.path}'`);
  }
}

// Returns the reply to an error. Headers that do not describe the body stay.
function failure(error, service, res) {
  const { status, body } = replyTo(error, service);
  const kept = res === undefined ? {} : res.headers;
  const headers = [['content-type', JSON_TYPE]];
  for (const name of Object.keys(kept)) {
    const isText = typeof kept[name] === 'string' && !/[\x00-\x08\x0a-\x1f\x7f]/.test(kept[name]);
    if (isText && /^[a-z0-9-]+$/.test(name) && !/^(content-|etag$|last-modified$|cache-control$|expires$|location$|transfer-|connection$)/.test(name)) {
      headers.push([name, kept[name].toWellFormed()]);
    }
  }
  if (error !== null && typeof error === 'object' && error.allowed !== undefined) {
    headers.push(['allow', error.allowed]);
  }
  (res === undefined ? [] : res._cookies).forEach((cookie) => headers.push(['set-cookie', cookie]));
  return [{ result: { status, headers } }, text(body)];
}

// Returns a reply's JSON. What the service added may have no form in JSON.
function text(body) {
  try {
    return JSON.stringify(body);
  } catch (error) {
    const { errorNum, errorMessage, code } = body;
    return JSON.stringify({ error: true, errorNum, errorMessage, code });
  }
}

// Runs the main file of a service.
function load(mount) {
  return guarded(3103, () => {
    services.load(mount);
    return [{ result: null }, undefined];
  });
}

// Compiles the main file and the scripts of a service, and runs none of them.
function check(mount) {
  return guarded(3101, () => {
    services.get(mount).check();
    return [{ result: null }, undefined];
  });
}

// Runs a script of a service with arguments. Its result is what the script exports.
function script(mount, name, argv) {
  return guarded(3016, () => {
    const service = services.get(mount);
    const { scripts } = service.manifest;
    const path = Object.prototype.hasOwnProperty.call(scripts || {}, name) ? scripts[name] : undefined;
    if (path === undefined) {
      throw tableError('ERROR_SERVICE_UNKNOWN_SCRIPT', `service "${mount}" has no script ${JSON.stringify(name)}`);
    }
    const exported = service.run(service.pathOf(path), argv);
    return [{ result: plain(exported) }, undefined];
  });
}

// Calls a function of a job, given by its text.
function callback(mount, source, values) {
  return guarded(3103, () => {
    return [{ result: plain(services.get(mount).call(source, values)) }, undefined];
  });
}

// Runs files of tests, whose paths begin in the service's folder. The value is the report; with
// `idiomatic`, a report that has a format of its own is the body.
function tests(mount, files, options) {
  return guarded(3103, () => require('persea/foxx/testing/tests').tests(mount, files, options));
}

// Returns the description of a service's routes, in OpenAPI 2.0.
function apiDescription(mount) {
  return guarded(3103, () => [{ result: require('persea/foxx/api-description').describe(services.load(mount)) }, undefined]);
}

module.exports = { apiDescription, callback, check, handle, load, script, tests };
