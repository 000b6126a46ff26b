// Requests to other hosts, and to this server: an address that begins with "/" is a path of it.
'use strict';

const querystring = require('querystring');
const url = require('url');
const { exchange } = require('persea/connection');

const MESSAGES = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content', 301: 'Moved Permanently', 302: 'Found',
  303: 'See Other', 304: 'Not Modified', 307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request',
  401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed', 409: 'Conflict',
  412: 'Precondition Failed', 500: 'Internal Server Error', 501: 'Not Implemented', 503: 'Service Unavailable' };

class Response {
  constructor(reply, encoding) {
    this.status = reply.status;
    this.statusCode = reply.status;
    this.message = MESSAGES[reply.status] || '';
    this.headers = reply.headers;
    this.rawBody = Buffer.from(reply.body.buffer);
    this.body = this.rawBody;
    if (encoding !== null) {
      this.body = this.rawBody.toString(encoding);
    }
  }

  // The value of a body of JSON. The body itself stays a text.
  get json() {
    const value = typeof this.body === 'string' ? parsed(this.body) : undefined;
    Object.defineProperty(this, 'json', { value, enumerable: true });
    return value;
  }

  throw() {
    if (this.status >= 400) {
      throw new Error(`the server answered with ${this.status} ${this.message}`);
    }
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return undefined;
  }
}

// Nested values in the notation of forms: a[b]=1.
function nested(value, name, parts) {
  if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      nested(value[key], name === undefined ? key : `${name}[${key}]`, parts);
    }
  } else if (value !== undefined) {
    parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value === null ? '' : value)}`);
  }
  return parts;
}

function form(data, isFlat) {
  if (typeof data === 'string') {
    return data;
  }
  return isFlat ? querystring.stringify(data) : nested(data, undefined, []).join('&');
}

// Returns URL, headers and body of a request.
function prepared(options) {
  const given = options.url || options.uri;
  const place = typeof given === 'string' ? url.parse(given) : { ...given };
  const headers = {};
  for (const name of Object.keys(options.headers || {})) {
    headers[name.toLowerCase()] = String(options.headers[name]);
  }
  if (options.qs !== undefined) {
    const search = form(options.qs, options.useQuerystring);
    place.search = place.search ? `${place.search}&${search}` : `?${search}`;
  }
  const auth = options.auth || (place.auth ? loginOf(place.auth) : undefined);
  if (auth !== undefined) {
    const basic = () => Buffer.from(`${auth.username}:${auth.password || ''}`).toString('base64');
    headers.authorization = auth.bearer ? `Bearer ${auth.bearer}` : `Basic ${basic()}`;
  }
  place.auth = null;
  place.hash = null;
  return { target: url.format(place), headers, body: bodyOf(options, headers) };
}

function loginOf(text) {
  const [username, ...password] = text.split(':');
  return { username, password: password.join(':') };
}

function bodyOf(options, headers) {
  const type = (name) => {
    headers['content-type'] = headers['content-type'] || name;
  };
  if (options.body !== undefined && options.json) {
    type('application/json');
    return JSON.stringify(options.body);
  }
  if (options.body !== undefined) {
    const { body } = options;
    return ArrayBuffer.isView(body) ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength) : String(body);
  }
  if (options.form !== undefined) {
    type('application/x-www-form-urlencoded');
    return form(options.form, options.useQuerystring);
  }
  return undefined;
}

// Sends a request to another host, or to this server. Only the first may have a timeout: a request to
// this server is a part of the script, and ends with it.
function send(method, target, headers, body, options) {
  if (target.startsWith('/') && !target.startsWith('//')) {
    return exchange(method, target, body, headers);
  }
  return host.fetch(method, target, headers, body, options.timeout, Boolean(options.verifyCertificates));
}

function request(given) {
  const options = typeof given === 'string' ? { url: given } : given;
  let method = String(options.method || 'GET').toUpperCase();
  let { target, headers, body } = prepared(options);
  const most = options.followRedirect === false ? 0 : options.maxRedirects === undefined ? 10 : options.maxRedirects;
  for (let count = 0; ; ++count) {
    const reply = send(method, target, headers, body, options);
    const next = reply.headers.location;
    if (count >= most || next === undefined || reply.status < 300 || reply.status >= 400) {
      const hidesBody = options.returnBodyOnError === false && reply.status >= 400;
      const shown = hidesBody ? { ...reply, body: new Uint8Array(0) } : reply;
      return new Response(shown, options.encoding === undefined ? 'utf8' : options.encoding);
    }
    const before = url.parse(target).host;
    target = url.resolve(target, next);
    // Another host must not see the login.
    if (url.parse(target).host !== before) {
      const { authorization, ...others } = headers;
      headers = others;
    }
    if (reply.status === 303 || (reply.status < 303 && method === 'POST')) {
      [method, body] = ['GET', undefined];
    }
  }
}

for (const method of ['head', 'get', 'post', 'put', 'delete', 'patch', 'options']) {
  request[method] = (target, options) =>
    request(typeof target === 'string' ? { ...options, method, url: target } : { ...target, method });
}
request.del = request.delete;

module.exports = request;
module.exports.request = request;
