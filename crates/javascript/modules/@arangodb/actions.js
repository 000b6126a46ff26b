// Replies of the interface that was before Foxx. Services that still use it have a request and a
// response of a router.
'use strict';

const { errors, make } = require('persea/error');
const { phraseOf } = require('persea/foxx/statuses');

const actions = module.exports;

// The statuses by names: HTTP_OK, HTTP_NOT_FOUND.
for (let status = 100; status < 600; ++status) {
  const phrase = phraseOf(status);
  if (phrase !== String(status)) {
    actions[`HTTP_${phrase.toUpperCase().replace(/[^A-Z]+/g, '_')}`] = status;
  }
}
actions.HTTP_BAD = 400;

const JSON_TYPE = 'application/json; charset=utf-8';

// Returns the row of the table of errors with a number.
const rowOf = (number) => Object.values(errors()).find(({ code }) => code === number);

function reply(res, status, type, body, headers) {
  if ('statusCode' in res) {
    res.statusCode = status;
    res.headers['content-type'] = type;
  } else {
    res.responseCode = status;
    res.contentType = type;
  }
  res.body = body;
  for (const name of Object.keys(headers || {})) {
    res.headers = res.headers || {};
    res.headers[name.toLowerCase()] = headers[name];
  }
}

// Routes are those of routers, so an action would answer nothing.
actions.defineHttp = () => {
  throw make('ERROR_NOT_IMPLEMENTED', 'defineHttp() is not implemented; a router of @arangodb/foxx/router defines routes');
};

actions.getErrorMessage = (code) => {
  const row = rowOf(code);
  return row === undefined ? '' : row.message;
};

actions.resultOk = (req, res, code, result, headers) => {
  reply(res, code, JSON_TYPE, JSON.stringify({ ...result, error: false, code }), headers);
};

actions.resultError = (req, res, status, errorNum, errorMessage, headers, more) => {
  // The message may be left out.
  if (errorMessage !== undefined && errorMessage !== null && typeof errorMessage === 'object') {
    [errorMessage, headers, more] = [undefined, errorMessage, headers];
  }
  const number = Number.isInteger(errorNum) ? errorNum : status;
  const message = errorMessage || actions.getErrorMessage(number);
  reply(res, status, JSON_TYPE, JSON.stringify({ ...more, error: true, code: status, errorNum: number, errorMessage: String(message) }), headers);
};

actions.resultBad = (req, res, code, message, headers) => actions.resultError(req, res, 400, code, message, headers);
actions.resultNotFound = (req, res, code, message, headers) => actions.resultError(req, res, 404, code, message, headers);
actions.resultUnsupported = (req, res, headers) =>
  actions.resultError(req, res, 405, 405, 'the method is not supported', headers);
actions.resultNotImplemented = (req, res, message, headers) => actions.resultError(req, res, 501, 501, message || 'not implemented', headers);

function redirect(res, status, options, headers) {
  const location = typeof options === 'string' ? options : options.destination;
  reply(res, status, 'text/html; charset=utf-8', '', { ...headers, location });
}

actions.resultPermanentRedirect = (req, res, options, headers) => redirect(res, 301, options, headers);
actions.resultTemporaryRedirect = (req, res, options, headers) => redirect(res, 302, options, headers);

actions.collectionNotFound = (req, res, collection, headers) => {
  const { code, message } = errors().ERROR_ARANGO_DATA_SOURCE_NOT_FOUND;
  actions.resultError(req, res, 404, code, collection === undefined ? message : `${message}: ${collection}`, headers);
};

actions.indexNotFound = (req, res, collection, index, headers) => {
  const { code, message } = errors().ERROR_ARANGO_INDEX_NOT_FOUND;
  actions.resultError(req, res, 404, code, index === undefined ? message : `${message}: ${index}`, headers);
};

// Replies with an exception. A text that is `verbose` comes before its message, and its stack behind.
actions.resultException = (req, res, error, headers, verbose = true) => {
  const isOwn = error.isArangoError === true;
  const status = isOwn && error.code >= 400 && error.code <= 599 ? error.code : isOwn ? 500 : error.statusCode || 500;
  const before = typeof verbose === 'string' ? `${verbose}: ` : '';
  const stack = verbose && error.stack ? `\n${error.stack}` : '';
  actions.resultError(req, res, status, error.errorNum, before + (error.errorMessage || error.message || String(error)) + stack, headers);
};
