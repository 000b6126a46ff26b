// The forms that bodies have by their content type, in both directions.
'use strict';

const { HttpError } = require('persea/foxx/errors');
const form = require('persea/foxx/form');
const mime = require('persea/foxx/mime');

const JSON_TYPE = 'application/json; charset=utf-8';

const essence = (type) => String(type).split(';')[0].trim().toLowerCase();
const isJson = (type) => type === 'application/json' || type.endsWith('+json');

// Returns a cursor's rows as an array; other values as they are.
function plain(data) {
  const isCursor = data !== null && typeof data === 'object' && typeof data.toArray === 'function' && typeof data.hasNext === 'function';
  return isCursor ? data.toArray() : data;
}

// Returns the value of a request's body that has a content type.
function parse(req, type, registered) {
  const kind = essence(type);
  const own = registered.get(kind);
  if (own !== undefined && typeof own.fromClient === 'function') {
    return own.fromClient(req.rawBody, req, type);
  }
  if (isJson(kind)) {
    try {
      return req.json();
    } catch (error) {
      throw new HttpError(400, `the request body is not valid JSON: ${error.message}`, { cause: error });
    }
  }
  if (kind === 'application/x-www-form-urlencoded') {
    return form.parse(req.rawBody.toString('utf8'), true);
  }
  if (kind.startsWith('multipart/')) {
    return require('persea/foxx/multipart').parse(req.rawBody, req.headers['content-type']);
  }
  return kind.startsWith('text/') ? req.rawBody.toString('utf8') : req.rawBody;
}

// Returns the body of a reply, and sets its content type.
function format(res, data, type) {
  const kind = essence(type);
  const own = res.context._types.get(kind);
  if (own !== undefined && typeof own.forClient === 'function') {
    const result = own.forClient(data, res, type);
    const isPlain = result === null || typeof result !== 'object' || result instanceof Uint8Array;
    if (!isPlain && result.headers !== undefined) {
      res.set(result.headers);
    }
    return isPlain ? result : result.data;
  }
  if (data instanceof Uint8Array) {
    return data;
  }
  if (isJson(kind)) {
    return JSON.stringify(data);
  }
  if (data !== null && typeof data === 'object') {
    return kind === 'application/x-www-form-urlencoded' ? form.stringify(data) : JSON.stringify(data);
  }
  return data === undefined || data === null ? undefined : String(data);
}

// Sets the body of a reply to data, as the route defines the reply of its status.
function send(res, given, type) {
  let data = plain(given);
  const definition = res._responses === undefined ? undefined : res._responses.get(res.statusCode === undefined ? 200 : res.statusCode);
  if (definition !== undefined && definition.model && typeof definition.model.forClient === 'function') {
    const { model } = definition;
    data = definition.isList && Array.isArray(data) ? data.map((item) => model.forClient(item)) : model.forClient(data);
  }
  let chosen = type;
  if (!type || type === 'auto') {
    const isValue = data === null || data === undefined;
    const declared = definition !== undefined && definition.types ? definition.types[0] : undefined;
    const implied = data instanceof Uint8Array ? 'application/octet-stream' : typeof data === 'object' ? 'application/json' : 'text/html';
    chosen = declared || (isValue ? undefined : implied);
  }
  if (chosen === undefined) {
    res.body = undefined;
    return;
  }
  const full = String(chosen).includes(';') ? String(chosen) : mime.withCharset(mime.expanded(chosen));
  const body = data === undefined || data === null ? undefined : format(res, data, full);
  if (body !== undefined && (res.headers['content-type'] === undefined || (type && type !== 'auto'))) {
    res.setHeader('content-type', full);
  }
  res.body = body;
}

module.exports = { JSON_TYPE, parse, plain, send };
