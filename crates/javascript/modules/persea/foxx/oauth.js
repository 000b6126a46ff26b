// Parts that the clients of OAuth 1.0a and 2.0 share.
'use strict';

const querystring = require('querystring');

// Throws unless the options have these texts.
function required(options, names) {
  for (const name of names) {
    if (options === null || typeof options !== 'object' || typeof options[name] !== 'string' || options[name] === '') {
      throw new TypeError(`\`${name}\` must be a text that is not empty`);
    }
  }
}

// Returns a URL with parameters behind its own.
function append(url, parameters) {
  const [address, fragment] = url.split('#');
  const text = querystring.stringify(Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)));
  const glue = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return address + (text === '' ? '' : glue + text) + (fragment === undefined ? '' : `#${fragment}`);
}

// Returns the value of a provider's reply, in JSON or in the format of forms.
function content(response, endpoint) {
  const text = String(response.body === null || response.body === undefined ? '' : response.body);
  if (text.trim() === '') {
    throw new Error(`${endpoint} answered with status ${response.status} and an empty body`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    return { ...querystring.parse(text) };
  }
}

module.exports = { required, append, content };
