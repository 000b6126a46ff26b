// Identifiers of sessions in a header.
'use strict';

function createHeaderTransport(given = {}) {
  const { name = 'X-Session-Id' } = typeof given === 'string' ? { name: given } : given;
  if (typeof name !== 'string' || name === '') {
    throw new TypeError('the name of a header must be a text that is not empty');
  }
  return {
    get: (req) => req.get(name) || null,
    set(res, sid) {
      res.set(name, sid);
    },
  };
}

module.exports = createHeaderTransport;
