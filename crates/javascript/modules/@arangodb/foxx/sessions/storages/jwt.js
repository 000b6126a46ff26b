// Sessions as JSON Web Tokens: the client keeps the whole session, and the signature protects it.
'use strict';

const crypto = require('@arangodb/crypto');

const seconds = () => Date.now() / 1000;

// Returns the name of the algorithm in the header of a token.
function algorithmOf(token) {
  const header = JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString());
  return crypto.jwtCanonicalAlgorithmName(header.alg);
}

class TokenStorage {
  constructor({ algorithm = 'HS512', secret, ttl = 60 * 60, verify = true, maxExp = Infinity }) {
    const name = crypto.jwtCanonicalAlgorithmName(algorithm);
    if (name === 'none' && secret) {
      throw new TypeError('the algorithm "none" takes no `secret`');
    }
    if (name !== 'none' && (typeof secret !== 'string' || secret === '')) {
      throw new TypeError(`the algorithm ${name} needs a \`secret\``);
    }
    if (typeof ttl !== 'number' || !(ttl > 0)) {
      throw new TypeError('`ttl` must be a positive number of seconds');
    }
    if (typeof maxExp !== 'number' || Number.isNaN(maxExp)) {
      throw new TypeError('`maxExp` must be a number of seconds since 1970');
    }
    Object.assign(this, { _algorithm: name, _secret: secret || null, _ttl: ttl, _verifies: verify, _maxExp: maxExp });
  }

  new() {
    return { uid: null, created: Date.now(), data: null };
  }

  // Returns the session of a token; null if the token is malformed, of another key, or expired.
  fromClient(token) {
    const message = this._read(token);
    if (message === null || typeof message !== 'object' || Array.isArray(message)) {
      return null;
    }
    const { uid = null, iat, exp, payload = null, ...rest } = message;
    if (typeof exp !== 'number' || exp < seconds() || exp > this._maxExp) {
      return null;
    }
    return { ...rest, uid, created: typeof iat === 'number' ? iat * 1000 : null, data: payload };
  }

  forClient(session) {
    const { uid, created, data, ...rest } = session;
    const exp = Math.floor(seconds() + this._ttl);
    const iat = typeof created === 'number' ? created / 1000 : undefined;
    return crypto.jwtEncode(this._secret, { ...rest, uid, iat, exp, payload: data }, this._algorithm);
  }

  _read(token) {
    try {
      // A token must not choose how it is verified.
      if (this._verifies && algorithmOf(token) !== this._algorithm) {
        return null;
      }
      return crypto.jwtDecode(this._secret, token, !this._verifies);
    } catch (error) {
      return null;
    }
  }
}

function createTokenStorage(given) {
  const options = typeof given === 'string' ? { secret: given } : given;
  if (options === null || typeof options !== 'object') {
    throw new TypeError('the storage needs a secret, or an object of options');
  }
  return new TokenStorage(options);
}

module.exports = createTokenStorage;
