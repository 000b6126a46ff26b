// Requests of GraphQL: parameters of a request, their execution, and the reply.
'use strict';

const page = require('persea/foxx/graphql-page');

class RequestError extends Error {
  constructor(status, message, headers = {}) {
    super(message);
    Object.assign(this, { status, headers });
  }
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

// Returns the members of a body: the query alone for application/graphql.
function bodyOf(req) {
  const type = String(req.get('content-type') || '').split(';')[0].trim().toLowerCase();
  const { body } = req;
  if (type === 'application/graphql') {
    return { query: ArrayBuffer.isView(body) ? Buffer.from(body).toString() : String(body || '') };
  }
  return isObject(body) ? body : {};
}

function variablesOf(given) {
  if (given === undefined || given === null || given === '') {
    return undefined;
  }
  let variables = given;
  if (typeof given === 'string') {
    try {
      variables = JSON.parse(given);
    } catch (error) {
      throw new RequestError(400, `the variables are no JSON: ${error.message}`);
    }
  }
  if (!isObject(variables)) {
    throw new RequestError(400, 'the variables must be an object');
  }
  return variables;
}

// Returns the parameters of a request. Those of the address come before those of the body.
function parametersOf(req) {
  const body = req.method === 'POST' ? bodyOf(req) : {};
  const all = { ...body, ...req.queryParams };
  const { query, operationName, raw } = all;
  if (query !== undefined && query !== null && typeof query !== 'string') {
    throw new RequestError(400, 'the query must be a text');
  }
  return {
    query: query || undefined,
    variables: all.variables,
    operationName: operationName || undefined,
    isRaw: raw !== undefined && ![false, 'false', '0'].includes(raw),
  };
}

// Returns the document of a query, or the errors that it has.
function check(graphql, settings, query) {
  let document;
  try {
    document = graphql.parse(new graphql.Source(query, 'GraphQL request'));
  } catch (error) {
    return { errors: [error] };
  }
  const rules = [...graphql.specifiedRules, ...(settings.validationRules || [])];
  const errors = graphql.validate(settings.schema, document, rules);
  return errors.length > 0 ? { errors } : { document };
}

// Executes a document. Versions with `graphqlSync` take an object, older ones a list.
function execute(graphql, settings, document, context, variables, operationName) {
  const { schema, rootValue } = settings;
  const result = typeof graphql.graphqlSync === 'function'
    ? graphql.execute({ schema, document, rootValue, contextValue: context, variableValues: variables, operationName })
    : graphql.execute(schema, document, rootValue, context, variables, operationName);
  if (result !== null && typeof result === 'object' && typeof result.then === 'function') {
    throw new Error('a resolver returned a promise: services are synchronous');
  }
  return result;
}

// Returns status and result of a query.
function answer(graphql, settings, req, parameters) {
  const { document, errors } = check(graphql, settings, parameters.query);
  if (errors !== undefined) {
    return { status: 400, result: { errors } };
  }
  const operation = graphql.getOperationAST(document, parameters.operationName);
  if (req.method === 'GET' && operation && operation.operation !== 'query') {
    throw new RequestError(405, `a ${operation.operation} needs a POST request`, { allow: 'POST' });
  }
  const context = settings.context === undefined ? req : settings.context;
  const variables = variablesOf(parameters.variables);
  const result = execute(graphql, settings, document, context, variables, parameters.operationName);
  // A request without a suitable operation has no data at all.
  const status = result.data === undefined ? 400 : result.data === null ? 500 : 200;
  return { status, result };
}

function formatted(graphql, settings, error) {
  const format = settings.formatError || graphql.formatError;
  return format === undefined ? error.toJSON() : format(error);
}

function isBrowser(req) {
  return Boolean(req.accepts) && req.accepts(['json', 'html']) === 'html';
}

function send(res, status, type, text) {
  res.status(status);
  res.set('content-type', type);
  res.write(text);
}

// Answers a request.
function handle(graphql, settings, req, res) {
  let parameters = {};
  let reply;
  try {
    parameters = parametersOf(req);
    if (settings.graphiql && !parameters.isRaw && isBrowser(req)) {
      send(res, 200, 'text/html; charset=utf-8', page(parameters));
      return;
    }
    if (parameters.query === undefined) {
      throw new RequestError(400, 'the request has no query');
    }
    reply = answer(graphql, settings, req, parameters);
  } catch (error) {
    if (!(error instanceof RequestError)) {
      throw error;
    }
    Object.entries(error.headers).forEach(([name, value]) => res.set(name, value));
    send(res, error.status, 'application/json; charset=utf-8', text({ errors: [{ message: error.message }] }, settings));
    return;
  }
  const { status, result } = reply;
  const body = { ...result };
  if (result.errors) {
    body.errors = result.errors.map((error) => formatted(graphql, settings, error));
  }
  send(res, status, 'application/json; charset=utf-8', text(body, settings));
}

function text(value, settings) {
  return JSON.stringify(value, undefined, settings.pretty ? 2 : undefined);
}

// Returns the settings of a router: from options, or from a schema alone.
function settingsOf(given) {
  const isSchema = given !== null && typeof given === 'object' && typeof given.getQueryType === 'function';
  const settings = isSchema ? { schema: given } : { ...given };
  if (!settings.schema || typeof settings.schema.getQueryType !== 'function') {
    throw new TypeError('a GraphQL router needs a schema');
  }
  return settings;
}

// Returns the handler of a router's requests.
function handler(given) {
  const settings = settingsOf(given);
  const graphql = settings.graphql || require('graphql-sync');
  return (req, res) => handle(graphql, settings, req, res);
}

module.exports = { handler };
