// Statuses of HTTP: numbers and their phrases (RFC 9110 and the registry of IANA).
'use strict';

const PHRASES = {
  100: 'Continue', 101: 'Switching Protocols', 102: 'Processing', 103: 'Early Hints',
  200: 'OK', 201: 'Created', 202: 'Accepted', 203: 'Non-Authoritative Information', 204: 'No Content', 205: 'Reset Content',
  206: 'Partial Content', 207: 'Multi-Status', 208: 'Already Reported', 226: 'IM Used',
  300: 'Multiple Choices', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified', 305: 'Use Proxy',
  307: 'Temporary Redirect', 308: 'Permanent Redirect',
  400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found',
  405: 'Method Not Allowed', 406: 'Not Acceptable', 407: 'Proxy Authentication Required', 408: 'Request Timeout',
  409: 'Conflict', 410: 'Gone', 411: 'Length Required', 412: 'Precondition Failed', 413: 'Payload Too Large',
  414: 'URI Too Long', 415: 'Unsupported Media Type', 416: 'Range Not Satisfiable', 417: 'Expectation Failed',
  418: "I'm a teapot", 421: 'Misdirected Request', 422: 'Unprocessable Entity', 423: 'Locked', 424: 'Failed Dependency',
  425: 'Too Early', 426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests',
  431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway', 503: 'Service Unavailable',
  504: 'Gateway Timeout', 505: 'HTTP Version Not Supported', 506: 'Variant Also Negotiates', 507: 'Insufficient Storage',
  508: 'Loop Detected', 509: 'Bandwidth Limit Exceeded', 510: 'Not Extended', 511: 'Network Authentication Required',
};

let numbers;

// Returns the number of a phrase, in any case; undefined for other texts.
function numberOf(phrase) {
  if (numbers === undefined) {
    numbers = new Map(Object.keys(PHRASES).map((number) => [PHRASES[number].toLowerCase(), Number(number)]));
  }
  return numbers.get(phrase.toLowerCase());
}

// Returns true for a text that names a status.
function isStatus(text) {
  return numberOf(text) !== undefined || (/^\d{3}$/.test(text) && PHRASES[text] !== undefined);
}

// Returns the number of a status, which may be given by its phrase. A reply has a status from 200 to 599.
function statusOf(given) {
  const number = typeof given === 'string' && !/^\d+$/.test(given) ? numberOf(given) : Number(given);
  if (!Number.isInteger(number) || number < 200 || number > 599) {
    throw new RangeError(`the status is ${JSON.stringify(given)}; it must be a number from 200 to 599 or a phrase such as "not found"`);
  }
  return number;
}

module.exports = { isStatus, statusOf, phraseOf: (number) => PHRASES[number] || String(number) };
