// Hashes of passwords: `createAuth()` returns functions that make and verify them.
'use strict';

const crypto = require('@arangodb/crypto');

const METHODS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'pbkdf2'];
const SINCE = Date.UTC(2000, 0, 1);
// PBKDF2 repeats its hash once for so many milliseconds since 2000: 100,000 times in 2025, and more
// each year.
const MILLISECONDS = 8_000_000;

// Returns the iterations of a new hash.
function iterationsOf(factor) {
  return Math.max(1, Math.floor(((Date.now() - SINCE) / MILLISECONDS) * factor));
}

// Returns the hash of a password, with all that is needed to compute it again.
function hashOf(method, salt, password, iterations, length) {
  const text = method === 'pbkdf2' ? crypto.pbkdf2(salt, password, iterations, length) : crypto[method](salt + password);
  return { method, salt, hash: text, ...(method === 'pbkdf2' ? { iter: iterations } : {}) };
}

function createAuth({ method = 'sha256', saltLength = 16, workFactor = 1 } = {}) {
  if (!METHODS.includes(method)) {
    throw new TypeError(`unknown hash method "${method}"; it must be one of ${METHODS.join(', ')}`);
  }
  if (typeof workFactor !== 'number' || !(workFactor > 0 && workFactor <= 10_000)) {
    throw new TypeError('`workFactor` must be a positive number, at most 10000');
  }
  return {
    create(password) {
      return hashOf(method, crypto.genRandomAlphaNumbers(saltLength), password, iterationsOf(workFactor), saltLength);
    },
    // Without a hash, it takes as long and returns false.
    verify(known, password = '') {
      const { method: used, salt, hash, iter } = known || {};
      const isKnown = METHODS.includes(used) && typeof hash === 'string';
      const computed = hashOf(isKnown ? used : method, salt || '', password, iter || iterationsOf(workFactor), isKnown ? (salt || '').length : saltLength);
      return crypto.constantEquals(computed.hash, isKnown ? hash : '') && isKnown;
    },
  };
}

module.exports = createAuth;
