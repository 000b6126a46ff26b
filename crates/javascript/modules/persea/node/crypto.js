// The part of Node.js's `crypto` that the packages in the program use.
'use strict';

const crypto = require('@arangodb/crypto');

module.exports = {
  randomBytes: (count) => Buffer.from(crypto.genRandomBytes(count)),
};
