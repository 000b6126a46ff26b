// The reply as handlers make it.
'use strict';

const { HttpError } = require('persea/foxx/errors');
const { statusOf, phraseOf } = require('persea/foxx/statuses');
const types = require('persea/foxx/types');
const mime = require('persea/foxx/mime');

// The names and values that HTTP allows (RFC 9110, section 5).
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[^\x00-\x08\x0a-\x1f\x7f]*$/;

// Headers that the server itself sets: they belong to the connection, or follow from the body.
const OWN = ['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer'];

const isBytes = (value) => value instanceof Uint8Array;

// The names of headers that were found to be right.
const names = new Set();
const NAMES_MAX = 256;

function isName(name) {
  if (names.has(name)) {
    return true;
  }
  const isRight = NAME.test(name);
  if (isRight && names.size < NAMES_MAX) {
    names.add(name);
  }
  return isRight;
}

// Returns the text of a header. Line breaks would begin another header, so they are refused.
function headerText(name, value) {
  if (value === types.JSON_TYPE && isName(name)) {
    return value;
  }
  if (!isName(name)) {
    throw new TypeError(`the name of a header is ${JSON.stringify(name)}; it must be a token of RFC 9110`);
  }
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  if (!VALUE.test(text)) {
    throw new TypeError(`the header ${name} is ${JSON.stringify(text)}; it must have no line breaks and no control characters`);
  }
  return text.toWellFormed();
}

// Returns the value of `content-disposition` (RFC 6266).
function disposition(filename) {
  if (filename === undefined) {
    return 'attachment';
  }
  const name = require('path').basename(String(filename)).toWellFormed();
  const plain = name.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"${/^[\x20-\x7e]*$/.test(name) ? '' : `; filename*=UTF-8''${encoded}`}`;
}

class Response {
  constructor(context) {
    this.context = context;
    this.statusCode = undefined;
    this.headers = {};
    this.body = undefined;
    this._cookies = [];
    // The definitions of replies of the present route, by status.
    this._responses = undefined;
  }

  getHeader(name) {
    return this.headers[String(name).toLowerCase()];
  }

  removeHeader(name) {
    delete this.headers[String(name).toLowerCase()];
    return this;
  }

  setHeader(name, value) {
    const key = String(name).toLowerCase();
    if (value === undefined || value === null) {
      delete this.headers[key];
    } else {
      this.headers[key] = headerText(key, value);
    }
    return this;
  }

  set(name, value) {
    if (name !== null && typeof name === 'object') {
      Object.keys(name).forEach((key) => this.setHeader(key, name[key]));
      return this;
    }
    return this.setHeader(name, value);
  }

  type(type) {
    if (type !== undefined) {
      this.setHeader('content-type', String(type).includes('/') ? type : mime.withCharset(mime.expanded(type)));
    }
    return this.headers['content-type'];
  }

  vary(...names) {
    const given = (Array.isArray(names[0]) ? names[0] : names).flatMap((text) => String(text).split(',')).map((text) => text.trim());
    const known = (this.headers.vary || '').split(',').map((text) => text.trim()).filter((text) => text !== '');
    for (const name of given.filter((text) => text !== '')) {
      if (!known.some((other) => other === '*' || other.toLowerCase() === name.toLowerCase())) {
        known.push(name);
      }
    }
    return this.setHeader('vary', known.includes('*') ? '*' : known.join(', '));
  }

  status(status) {
    this.statusCode = statusOf(status);
    return this;
  }

  sendStatus(status) {
    this.statusCode = statusOf(status);
    this.headers['content-type'] = 'text/plain; charset=utf-8';
    this.body = phraseOf(this.statusCode);
    return this;
  }

  redirect(status, path) {
    const isGiven = path !== undefined;
    if (isGiven && status) {
      this.statusCode = status === 'permanent' ? 301 : statusOf(status);
    } else if (this.statusCode === undefined) {
      this.statusCode = 302;
    }
    return this.setHeader('location', isGiven ? path : status);
  }

  cookie(name, value, options) {
    this._cookies.push(...require('persea/foxx/cookies').write(String(name), value, options));
    return this;
  }

  json(data) {
    this.headers['content-type'] = this.headers['content-type'] || types.JSON_TYPE;
    this.body = JSON.stringify(types.plain(data));
    return this;
  }

  write(data) {
    if (data === undefined || data === null) {
      return this;
    }
    const added = isBytes(data) || typeof data === 'string' ? data : typeof data === 'object' ? JSON.stringify(data) : String(data);
    if (this.body === undefined || this.body === null) {
      this.body = added;
    } else if (isBytes(this.body) || isBytes(added)) {
      this.body = Buffer.concat([this.body, added].map((part) => (isBytes(part) ? part : Buffer.from(String(part)))));
    } else {
      this.body = String(this.body) + added;
    }
    return this;
  }

  send(data, type = 'auto') {
    types.send(this, data, type);
    return this;
  }

  attachment(filename) {
    this.setHeader('content-disposition', disposition(filename));
    if (filename !== undefined && this.headers['content-type'] === undefined) {
      this._typeOf(filename);
    }
    return this;
  }

  download(path, filename) {
    return this.attachment(filename === undefined ? path : filename).sendFile(path);
  }

  sendFile(path, options) {
    const { lastModified } = options !== null && typeof options === 'object' ? options : { lastModified: options };
    const name = String(path).startsWith('/') ? String(path) : this.context.fileName(path);
    const info = host.fileInfo(name);
    if (info === undefined || info.kind !== 'file') {
      throw new HttpError(404, `there is no file "${require('path').basename(name)}"`);
    }
    this.body = Buffer.from(host.readFile(name).buffer);
    if (lastModified || (lastModified !== false && this.headers['last-modified'] === undefined)) {
      this.headers['last-modified'] = new Date(Math.floor(info.mtime) * 1000).toUTCString();
    }
    if (this.headers['content-type'] === undefined) {
      this._typeOf(name);
    }
    return this;
  }

  throw(status, reason, options) {
    const isError = (value) => value instanceof Error;
    if (reason !== null && typeof reason === 'object') {
      [reason, options] = [undefined, reason];
    }
    const { cause, extra } = isError(options) ? { cause: options } : options || {};
    const number = isError(status) ? status.statusCode || 500 : statusOf(status);
    const thrown = isError(status) && cause === undefined ? status : cause;
    const text = reason === undefined && isError(thrown) ? thrown.message : reason;
    throw new HttpError(number < 400 ? 500 : number, text, { cause: thrown, extra, errorNum: thrown && thrown.isArangoError ? thrown.errorNum : undefined });
  }

  _typeOf(name) {
    this.headers['content-type'] = mime.withCharset(mime.lookup(name) || 'application/octet-stream');
  }

  // Returns status, headers and bytes of the reply.
  _finish(request) {
    const body = finished(this.body);
    const isEmpty = body === undefined || body.length === 0;
    const status = this.statusCode === undefined ? (isEmpty ? 204 : 200) : statusOf(this.statusCode);
    if (this.headers['content-type'] === undefined && !isEmpty) {
      this.headers['content-type'] = types.JSON_TYPE;
    }
    const hasNone = status === 204 || status === 304;
    const headers = [];
    const keys = Object.keys(this.headers);
    for (let index = 0; index < keys.length; ++index) {
      const name = keys[index];
      const key = name.toLowerCase();
      const value = this.headers[name];
      const isOmitted = OWN.includes(key) || (hasNone && key === 'content-type');
      if (value !== undefined && value !== null && !isOmitted) {
        headers.push([key, headerText(key, value)]);
      }
    }
    this._cookies.forEach((cookie) => headers.push(['set-cookie', cookie]));
    if (request.headers.origin !== undefined && this.headers['access-control-expose-headers'] === undefined) {
      const names = new Set(headers.map(([name]) => name).filter((name) => !name.startsWith('access-control-')));
      headers.push(['access-control-expose-headers', [...names].join(', ')]);
    }
    return { status, headers, body: hasNone ? undefined : body };
  }
}

// Returns a body as text or bytes.
function finished(body) {
  if (body === undefined || body === null || typeof body === 'string' || isBytes(body)) {
    return body === null ? undefined : body;
  }
  return ArrayBuffer.isView(body) ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : typeof body === 'object' ? JSON.stringify(body) : String(body);
}

module.exports = { Response };
