// Cookies (RFC 6265), with signatures in a second cookie.
'use strict';

const crypto = require('@arangodb/crypto');

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// The characters of an attribute: no control characters, and no end of the attribute.
const ATTRIBUTE = /^[^;\x00-\x1f\x7f]*$/;
const SITES = { strict: 'Strict', lax: 'Lax', none: 'None' };

function decoded(text) {
  const plain = text.replace(/^"(.*)"$/, '$1');
  try {
    return decodeURIComponent(plain);
  } catch (error) {
    return plain;
  }
}

// Returns the cookies of a request's header. The first one of a name counts.
function parse(header) {
  const cookies = new Map();
  for (const part of String(header || '').split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    if (name !== '' && !cookies.has(name)) {
      cookies.set(name, decoded(part.slice(at + 1).trim()));
    }
  }
  return cookies;
}

function signature(secret, value, algorithm = 'sha256') {
  return crypto.hmac(secret, value, algorithm);
}

// Returns the value of a cookie; null without one, or if its signature is wrong.
function read(cookies, name, given) {
  const { secret, algorithm } = typeof given === 'string' ? { secret: given } : given || {};
  const value = cookies.get(String(name));
  if (value === undefined) {
    return null;
  }
  if (!secret) {
    return value;
  }
  const known = cookies.get(`${name}.sig`);
  return known !== undefined && crypto.constantEquals(known, signature(secret, value, algorithm)) ? value : null;
}

function attribute(name, value) {
  if (!ATTRIBUTE.test(value)) {
    throw new TypeError(`the attribute ${name} of a cookie is ${JSON.stringify(value)}; it must have no ";" and no control characters`);
  }
  return `; ${name}=${value}`;
}

function serialized(name, value, options) {
  const { ttl, path, domain, secure, httpOnly, sameSite } = options;
  let text = `${name}=${encodeURIComponent(value)}`;
  if (ttl !== undefined && ttl !== null) {
    const seconds = Math.max(0, Math.trunc(Number(ttl)) || 0);
    const expires = new Date(seconds === 0 ? 0 : Math.min(Date.now() + seconds * 1000, 253402300799000));
    text += `; Max-Age=${seconds}; Expires=${expires.toUTCString()}`;
  }
  text += path ? attribute('Path', String(path)) : '';
  text += domain ? attribute('Domain', String(domain)) : '';
  if (sameSite) {
    const site = SITES[String(sameSite).toLowerCase()];
    if (site === undefined) {
      throw new TypeError(`the attribute sameSite of a cookie is ${JSON.stringify(sameSite)}; it must be "strict", "lax" or "none"`);
    }
    text += `; SameSite=${site}`;
  }
  return text + (secure ? '; Secure' : '') + (httpOnly ? '; HttpOnly' : '');
}

// Returns the headers that set a cookie, and the cookie of its signature if it has a secret.
function write(name, given, options) {
  const settings = typeof options === 'string' ? { secret: options } : typeof options === 'number' ? { ttl: options } : options || {};
  if (!NAME.test(name)) {
    throw new TypeError(`the name of a cookie is ${JSON.stringify(name)}; it must be a token of RFC 6265`);
  }
  const value = given === undefined || given === null ? '' : String(given).toWellFormed();
  const headers = [serialized(name, value, settings)];
  if (settings.secret) {
    headers.push(serialized(`${name}.sig`, signature(settings.secret, value, settings.algorithm), settings));
  }
  return headers;
}

module.exports = { parse, read, write };
