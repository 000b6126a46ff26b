// Identifiers of sessions in a cookie, with a signature if an algorithm is given.
'use strict';

function createCookieTransport(given = {}) {
  const options = typeof given === 'string' ? { name: given } : given;
  const { name = 'sid', ttl, algorithm, secret, path, domain, secure, httpOnly } = options;
  if (typeof name !== 'string' || name === '') {
    throw new TypeError('the name of a cookie must be a text that is not empty');
  }
  if (algorithm && !secret) {
    throw new TypeError('a signed cookie needs a `secret` beside `algorithm`');
  }
  // Without an algorithm, the cookie is not signed.
  const signature = algorithm ? { algorithm, secret } : {};
  const attributes = Object.entries({ path, domain, secure, httpOnly }).filter(([, value]) => value !== undefined);
  const place = Object.fromEntries(attributes);
  return {
    get: (req) => req.cookie(name, signature) || null,
    set(res, sid) {
      res.cookie(name, sid, { ...place, ...signature, ...(ttl === undefined ? {} : { ttl }) });
    },
    // A time to live in the past makes the client forget the cookie.
    clear(res) {
      res.cookie(name, '', { ...place, ...signature, ttl: -1 });
    },
  };
}

module.exports = createCookieTransport;
