// A request on its way through the steps of its route: checks, middleware, handlers.
'use strict';

const { HttpError } = require('persea/foxx/errors');
const { holds, restOf } = require('persea/foxx/routes');
const { validated, validatedBody } = require('persea/foxx/validation');
const types = require('persea/foxx/types');

// Returns the route of a request: `{ route, params, others, segments }`. Undefined if there is no such
// path. Error: 405 if the path has routes for other methods only.
function select(root, method, segments) {
  const allowed = new Set();
  const found = root.find(root.root, segments, 0, (route) => {
    if (route.endpoint._methods.includes(method)) {
      return route.match(segments);
    }
    route.endpoint._methods.forEach((known) => allowed.add(known));
    return undefined;
  });
  if (found === undefined && allowed.size > 0) {
    throw Object.assign(new HttpError(405), { allowed: [...allowed.add('OPTIONS')].sort().join(', ') });
  }
  return found;
}

// Runs the steps of a route.
function run(match, req, res, path) {
  const { route, others, segments } = match;
  const { steps } = route;
  req._route = route;
  req.pathParams = match.params;
  res._responses = route.responses;
  let isParsed = false;

  function check(step) {
    for (const [name, schema] of step.headers) {
      const value = validated(schema, req.headers[name], `the header "${name}"`);
      if (value !== undefined) {
        req.headers[name] = value;
      }
    }
    for (const [name, schema] of step.queryParams) {
      const value = validated(schema, own(req.queryParams, name), `the query parameter "${name}"`);
      if (value !== undefined) {
        req.queryParams[name] = value;
      }
    }
    if (step.body !== undefined) {
      if (!isParsed) {
        req.body = parsedBody(req, step.body);
        isParsed = true;
      }
      req.body = validatedBody(step.body, req.body);
    }
  }

  function enter(from) {
    for (let index = from; index < steps.length; ++index) {
      const step = steps[index];
      if (step.conditions !== undefined && !holds(step.conditions, segments)) {
        continue;
      }
      if (!step.isRoute) {
        check(step);
      }
      if (step.handlers !== undefined) {
        call(step, index, 0);
        return;
      }
    }
  }

  function call(step, index, place) {
    const saved = [req.pathParams, req.suffix];
    if (place === 0) {
      req.pathParams = step.isRoute ? match.params : others.get(step) || match.params;
      req.suffix = step.isRoute ? (route.hasRest ? restOf(path, route.fixed) : '') : restOf(path, step.length);
    }
    const next = (error) => {
      if (error) {
        throw error;
      }
      if (place + 1 < step.handlers.length) {
        call(step, index, place + 1);
      } else {
        enter(index + 1);
      }
    };
    try {
      settled(step.handlers[place](req, res, next));
    } finally {
      [req.pathParams, req.suffix] = saved;
    }
  }

  enter(0);
}

const own = (object, name) => (Object.prototype.hasOwnProperty.call(object, name) ? object[name] : undefined);

// Waits for a promise that a handler returned. Nothing happens beside a request, so it settles once
// all callbacks have run, or never.
function settled(result) {
  if (result === null || typeof result !== 'object' || typeof result.then !== 'function') {
    return;
  }
  let outcome;
  result.then(
    () => {
      outcome = {};
    },
    (error) => {
      outcome = { error };
    },
  );
  const lost = host.settle();
  if (lost !== undefined) {
    host.log('error', `a promise was rejected and nobody handled it: ${lost}`);
  }
  if (outcome === undefined) {
    throw new Error('the promise that a handler returned does not settle; a handler must have ended when it returns');
  }
  if ('error' in outcome) {
    throw outcome.error;
  }
}

// Returns a request's body by its definition, before the model's checks.
function parsedBody(req, { model, types: declared }) {
  if (model === null) {
    return undefined;
  }
  if (declared === undefined || declared.length === 0) {
    return req.rawBody;
  }
  const header = req.headers['content-type'];
  const { isOf, essence } = require('persea/foxx/negotiation');
  const given = header === undefined ? undefined : essence(header);
  const isDeclared = given !== undefined && declared.some((type) => isOf(given, type));
  return types.parse(req, isDeclared ? given : declared[0], req.context._types);
}

module.exports = { run, select };
