// Errors that handlers throw, and the replies to them.
'use strict';

const { errors } = require('persea/error');
const { phraseOf } = require('persea/foxx/statuses');

// The most errors of a chain of causes that the log shows.
const CAUSES_MAX = 10;

// An error with the status of its reply.
class HttpError extends Error {
  constructor(status, message, { cause, extra, errorNum } = {}) {
    super(message === undefined ? phraseOf(status) : message);
    this.name = 'HttpError';
    this.status = status;
    this.statusCode = status;
    for (const [name, value] of Object.entries({ cause, extra, errorNum })) {
      if (value !== undefined) {
        this[name] = value;
      }
    }
  }
}

const isObject = (value) => value !== null && typeof value === 'object';
const isErrorStatus = (value) => Number.isInteger(value) && value >= 400 && value <= 599;

// Returns the status of the reply to an error; undefined for one that was not meant for the client.
function statusOf(error) {
  if (!isObject(error)) {
    return undefined;
  }
  if (isErrorStatus(error.statusCode)) {
    return error.statusCode;
  }
  if (error.isArangoError === true) {
    return isErrorStatus(error.code) ? error.code : 500;
  }
  return undefined;
}

function textOf(error) {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(isObject(error) ? JSON.stringify(error) : error);
  } catch (failure) {
    return 'an error without a text';
  }
}

// Returns the lines of the stack of an error.
function stackOf(error) {
  const stack = isObject(error) && typeof error.stack === 'string' ? error.stack.trimEnd() : '';
  // The frames of the API's own modules say nothing of the service.
  const frames = stack.split('\n').filter((line) => line !== '' && !/^\s*at .*\(?(persea:|native\))/.test(line));
  return stack.startsWith('    at') || frames.length === 0 ? [textOf(error), ...frames] : frames;
}

// Returns the stack of an error and those of its causes.
function traceOf(error) {
  const lines = stackOf(error);
  let cause = isObject(error) ? error.cause : undefined;
  for (let count = 0; isObject(cause) && count < CAUSES_MAX; ++count, cause = cause.cause) {
    lines.push(...stackOf(cause).map((line, index) => (index === 0 ? `via ${line}` : line)));
  }
  return lines;
}

// Logs an error that the service or the server is to blame for; in development mode, each one.
function log(error, status, { mount, isDevelopment }) {
  const text = `service "${mount}": ${traceOf(error).join('\n')}`;
  if (status === undefined || status >= 500) {
    host.log('error', text);
  } else if (isDevelopment) {
    host.log('warn', text);
  }
}

function messageOf(error, status, { isDevelopment }) {
  if (error.isInternal && !isDevelopment) {
    const found = Object.values(errors()).find(({ code }) => code === error.errorNum);
    return found === undefined ? phraseOf(status) : found.message;
  }
  return String(error.errorMessage || error.message || phraseOf(status));
}

// Returns status and body of the reply to an error, and logs it.
function replyTo(error, service) {
  const known = statusOf(error);
  log(error, known, service);
  const status = known === undefined ? 500 : known;
  const body = {
    error: true,
    errorNum: known !== undefined && Number.isInteger(error.errorNum) ? error.errorNum : status,
    errorMessage: known === undefined ? 'internal server error' : messageOf(error, status, service),
    code: status,
  };
  if (known !== undefined && isObject(error.extra)) {
    Object.assign(body, error.extra);
  }
  if (service.isDevelopment) {
    body.exception = textOf(error);
    body.stacktrace = traceOf(error);
  }
  return { status, body };
}

// Returns an error of the table of ArangoDB's errors.
function tableError(name, text, options) {
  const { code, message } = errors()[name];
  return new HttpError(500, text === undefined ? message : text, { ...options, errorNum: code });
}

// Returns an error as the server's Rust code reads it.
function facts(error, errorNum) {
  const number = isObject(error) && Number.isInteger(error.errorNum) ? error.errorNum : errorNum;
  const isOwn = isObject(error) && typeof error.message === 'string';
  return {
    name: isOwn ? String(error.name || 'Error') : 'Error',
    message: isOwn ? String(error.errorMessage || error.message) : textOf(error),
    errorNum: number,
    code: statusOf(error),
    stack: traceOf(error).join('\n'),
  };
}

module.exports = { HttpError, facts, replyTo, statusOf, tableError, textOf };
