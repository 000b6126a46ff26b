// The request as handlers see it. Parts that few handlers look at are made when they do.
'use strict';

const form = require('persea/foxx/form');

// Modules that few handlers need.
const cookies = () => require('persea/foxx/cookies');
const negotiation = () => require('persea/foxx/negotiation');

// Adds a property that a function computes at its first use. Handlers may assign to it.
function lazy(prototype, name, compute) {
  const slot = Symbol(name);
  Object.defineProperty(prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      if (!(slot in this)) {
        this[slot] = compute(this);
      }
      return this[slot];
    },
    set(value) {
      this[slot] = value;
    },
  });
}

// Splits `host:port`; an address of IPv6 is in brackets.
function splitHost(text) {
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text.trim());
  return found === null ? {} : { hostname: found[1] || undefined, port: found[2] === undefined ? undefined : Number(found[2]) };
}

// Returns the first of the values that proxies have put into a header.
const firstOf = (text) => text.split(',')[0].trim();

// Returns the number of a version: 31205 for "3.12.5".
function versionNumber(text) {
  const [major, minor, patch] = String(text).split(/[.-]/).map((part) => Number(part) || 0);
  return major * 10000 + (minor || 0) * 100 + (patch || 0);
}

// Returns the path of parts, without `.` and empty parts, and without leaving the root.
function joined(...parts) {
  const kept = [];
  for (const part of parts.join('/').split('/')) {
    if (part === '..') {
      kept.pop();
    } else if (part !== '' && part !== '.') {
      kept.push(part);
    }
  }
  return '/' + kept.join('/') + (kept.length > 0 && /\/$/.test(parts[parts.length - 1]) ? '/' : '');
}

// The computed attributes that the JSON of a request has beside what was assigned to it. The service
// and a body of bytes are left out.
const SHOWN = [
  'arangoVersion', 'baseUrl', 'body', 'hostname', 'originalUrl', 'port', 'protocol', 'queryParams',
  'remoteAddress', 'remoteAddresses', 'remotePort', 'secure', 'trustProxy', 'url', 'xhr',
];

class Request {
  // Makes the request of its facts, its bytes, and the context of the service.
  constructor(facts, bytes, context) {
    this._facts = facts;
    this._bytes = bytes;
    this._route = undefined;
    this.context = context;
    this.method = facts.method;
    this.database = facts.database;
    this.path = facts.path;
    this.headers = facts.headers;
    this.arangoUser = facts.user === undefined ? null : facts.user;
    this.pathParams = {};
    this.suffix = '';
  }

  get(name) {
    const key = String(name).toLowerCase();
    return this.headers[key === 'referrer' && this.headers.referrer === undefined ? 'referer' : key];
  }

  header(name) {
    return this.get(name);
  }

  param(name) {
    const has = (object) => Object.prototype.hasOwnProperty.call(object, name);
    return has(this.pathParams) ? this.pathParams[name] : has(this.queryParams) ? this.queryParams[name] : undefined;
  }

  json() {
    return this._bytes.length === 0 ? undefined : JSON.parse(host.decode(this._bytes, 'utf8'));
  }

  cookie(name, options) {
    return cookies().read(this.cookies, name, options);
  }

  accepts(...types) {
    return negotiation().types(this.headers.accept, types);
  }

  acceptsCharsets(...charsets) {
    return negotiation().charsets(this.headers['accept-charset'], charsets);
  }

  acceptsEncodings(...encodings) {
    return negotiation().encodings(this.headers['accept-encoding'], encodings);
  }

  acceptsLanguages(...languages) {
    return negotiation().languages(this.headers['accept-language'], languages);
  }

  is(...types) {
    return this._bytes.length === 0 ? null : negotiation().is(this.headers['content-type'], types);
  }

  range(size = Infinity) {
    const header = this.headers.range;
    return header === undefined ? undefined : negotiation().range(header, size);
  }

  // Returns the URL of a path in the service.
  makeAbsolute(path, query) {
    const [pathname, own] = String(path).split(/\?(.*)/s);
    const given = query !== null && typeof query === 'object' ? form.stringify(query) : String(query === undefined || query === null ? '' : query).replace(/^\?/, '');
    const search = [own, given].filter((part) => part).join('&');
    const isUsual = this.port === (this.secure ? 443 : 80);
    const place = `${this.protocol}://${this.hostname}${isUsual ? '' : `:${this.port}`}`;
    return place + joined(this.baseUrl, this.context.mount, pathname) + (search === '' ? '' : `?${search}`);
  }

  // Returns the URL, in the service, of the route with a name.
  reverse(name, params, suffix) {
    return require('persea/foxx/names').reverse(this._route, String(name), params, suffix);
  }

  toJSON() {
    const shown = {};
    for (const name of [...Object.keys(this), ...SHOWN]) {
      if (!name.startsWith('_') && name !== 'context' && !Buffer.isBuffer(this[name])) {
        shown[name] = this[name];
      }
    }
    return shown;
  }

  get xhr() {
    return String(this.headers['x-requested-with'] || '').toLowerCase() === 'xmlhttprequest';
  }

  get secure() {
    return this.protocol === 'https';
  }
}

lazy(Request.prototype, 'rawBody', (req) => Buffer.from(req._bytes.buffer, req._bytes.byteOffset, req._bytes.length));
lazy(Request.prototype, 'body', (req) => req.rawBody);
lazy(Request.prototype, 'queryParams', (req) => form.parse(req._facts.query || '', false));
lazy(Request.prototype, 'cookies', (req) => cookies().parse(req.headers.cookie));
lazy(Request.prototype, 'baseUrl', (req) => `/_db/${encodeURIComponent(req.database)}`);
lazy(Request.prototype, 'url', (req) => req.path + (req._facts.query ? `?${req._facts.query}` : ''));
lazy(Request.prototype, 'originalUrl', (req) => req.baseUrl + req.url);
lazy(Request.prototype, 'trustProxy', (req) => Boolean(req.context.trustProxy));
lazy(Request.prototype, 'arangoVersion', (req) => {
  const given = Number(req.headers['x-arango-version']);
  return given > 0 && Number.isInteger(given) ? given : versionNumber(req._facts.version);
});

lazy(Request.prototype, 'auth', (req) => {
  const found = /^(basic|bearer)(?: +(\S+))?$/i.exec((req.headers.authorization || '').trim());
  if (found === null) {
    return null;
  }
  const content = found[2] || '';
  if (found[1].toLowerCase() === 'bearer') {
    return { bearer: content };
  }
  const text = Buffer.from(content, 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (text === '') {
    return { basic: {} };
  }
  return { basic: at === -1 ? { username: text } : { username: text.slice(0, at), password: text.slice(at + 1) } };
});

// Where the client sent the request to: by the proxy's headers, if the service trusts it.
lazy(Request.prototype, 'protocol', (req) => {
  const forwarded = req.trustProxy ? req.headers['x-forwarded-proto'] : undefined;
  return forwarded ? firstOf(forwarded).toLowerCase() : req._facts.protocol;
});
lazy(Request.prototype, '_place', (req) => {
  const forwarded = req.trustProxy ? req.headers['x-forwarded-host'] : undefined;
  return { isForwarded: Boolean(forwarded), ...splitHost(forwarded ? firstOf(forwarded) : req.headers.host || '') };
});
lazy(Request.prototype, 'hostname', (req) => req._place.hostname || req._facts.server.address);
lazy(Request.prototype, 'port', (req) => {
  const forwarded = req.trustProxy ? Number(firstOf(req.headers['x-forwarded-port'] || '')) : 0;
  const usual = req.secure ? 443 : 80;
  return forwarded || req._place.port || (req._place.hostname ? usual : req._facts.server.port || usual);
});
lazy(Request.prototype, 'remoteAddresses', (req) => {
  const forwarded = req.trustProxy ? req.headers['x-forwarded-for'] : undefined;
  const found = forwarded ? forwarded.split(',').map((part) => part.trim()).filter((part) => part !== '') : [];
  return found.length > 0 ? found : [req._facts.client.address];
});
lazy(Request.prototype, 'remoteAddress', (req) => req.remoteAddresses[0]);
lazy(Request.prototype, 'remotePort', (req) => {
  const forwarded = req.trustProxy ? Number(firstOf(req.headers['x-forwarded-port'] || '')) : 0;
  return forwarded || req._facts.client.port;
});

module.exports = { Request, joined };
