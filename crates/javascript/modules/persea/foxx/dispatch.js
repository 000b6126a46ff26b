// A request on its way through the steps of its route: checks, middleware, handlers.
'use strict';

const { HttpError } = require('persea/foxx/errors');
const { holds, restOf } = require('persea/foxx/routes');
const { validated, validatedBody } = require('persea/foxx/validation');
const types = require('persea/foxx/types');

// Returns the route of a request: `{ route, params, others, segments }`. Undefined if there is no such
// path. Error: 405 if the path has routes for other methods only.
function select(root, method, segments) {
  let allowed;
  const found = root.find(root.root, segments, 0, (route) => {
    if (route.endpoint._methods.includes(method)) {
      return route.match(segments);
    }
    allowed = [...(allowed || ['OPTIONS']), ...route.endpoint._methods];
    return undefined;
  });
  if (found === undefined && allowed !== undefined) {
    throw Object.assign(new HttpError(405), { allowed: [...new Set(allowed)].sort().join(', ') });
  }
  return found;
}

// A request at the steps of its route. It has no closures that refer to each other: those would be
// garbage that only a search of the whole heap finds.
class Run {
  constructor(match, req, res, path) {
    this.match = match;
    this.steps = match.route.steps;
    this.req = req;
    this.res = res;
    this.path = path;
    this.isParsed = false;
  }

  // Runs the steps from one on, up to the next that has handlers. These go on by `next`.
  enter(from) {
    for (let index = from; index < this.steps.length; ++index) {
      const step = this.steps[index];
      if (step.conditions !== undefined && !holds(step.conditions, this.match.segments)) {
        continue;
      }
      if (!step.isRoute) {
        this.check(step);
      }
      if (step.handlers !== undefined) {
        this.begin(step, index);
        return;
      }
    }
  }

  begin(step, index) {
    const { req, match } = this;
    const { route, others } = match;
    const { pathParams, suffix } = req;
    req.pathParams = (others !== undefined && others.get(step)) || match.params;
    req.suffix = !step.isRoute ? restOf(this.path, step.length) : route.hasRest ? restOf(this.path, route.fixed) : '';
    try {
      this.call(step, index, 0);
    } finally {
      req.pathParams = pathParams;
      req.suffix = suffix;
    }
  }

  call(step, index, place) {
    const next = (error) => {
      if (error) {
        throw error;
      }
      if (place + 1 < step.handlers.length) {
        this.call(step, index, place + 1);
      } else {
        this.enter(index + 1);
      }
    };
    settled(step.handlers[place](this.req, this.res, next));
  }

  // Checks what the definitions of a step say of headers, query and body.
  check({ headers, queryParams, body }) {
    const { req } = this;
    for (const [name, schema] of headers) {
      put(req.headers, name, validated(schema, own(req.headers, name), `the header "${name}"`));
    }
    for (const [name, schema] of queryParams) {
      put(req.queryParams, name, validated(schema, own(req.queryParams, name), `the query parameter "${name}"`));
    }
    if (body !== undefined) {
      if (!this.isParsed) {
        req.body = parsedBody(req, body);
        this.isParsed = true;
      }
      req.body = validatedBody(body, req.body);
    }
  }
}

// Runs the steps of a route.
function run(match, req, res, path) {
  req._route = match.route;
  res._responses = match.route.responses;
  new Run(match, req, res, path).enter(0);
}

function put(object, name, value) {
  if (value !== undefined) {
    object[name] = value;
  }
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
