// A client of providers of OAuth 1.0a (RFC 5849).
'use strict';

const crypto = require('@arangodb/crypto');
const querystring = require('querystring');
const request = require('@arangodb/request');
const { append, content, required } = require('persea/foxx/oauth');

const METHODS = ['HMAC-SHA1', 'PLAINTEXT'];

// Encodes a text as section 3.6 wants it.
function encode(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

// Returns the address of a URL in its normal form (section 3.4.1.2), and its query.
function splitUrl(url) {
  const parts = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]+)([^?#]*)(?:\?([^#]*))?/i.exec(String(url));
  if (parts === null) {
    throw new TypeError(`${JSON.stringify(url)} is no URL with a host, such as https://HOST/PATH`);
  }
  const scheme = parts[1].toLowerCase();
  const host = parts[2].toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '');
  return { address: `${scheme}://${host}${parts[3] || '/'}`, query: parts[4] || '' };
}

// Returns names and values: a list has one pair for each of its values.
function pairsOf(parameters) {
  const object = typeof parameters === 'string' ? querystring.parse(parameters.replace(/^\?/, '')) : parameters || {};
  return Object.keys(object)
    .filter((name) => object[name] !== undefined && object[name] !== null)
    .flatMap((name) => [].concat(object[name]).map((value) => [name, String(value)]));
}

// Returns encoded pairs in the order of section 3.4.1.3.2.
function sorted(pairs) {
  const order = (a, b) => (a < b ? -1 : Number(a > b));
  return pairs
    .map(([name, value]) => [encode(name), encode(value)])
    .sort((a, b) => order(a[0], b[0]) || order(a[1], b[1]));
}

const joined = (pairs) => sorted(pairs).map((pair) => pair.join('=')).join('&');

// Returns the parameters that begin with `oauth_`, and the others.
function separate(pairs) {
  const isOwn = ([name]) => name.startsWith('oauth_');
  return [pairs.filter(isOwn), pairs.filter((pair) => !isOwn(pair))];
}

class OAuth1Client {
  constructor(options) {
    required(options, ['requestTokenEndpoint', 'authEndpoint', 'accessTokenEndpoint', 'clientId', 'clientSecret']);
    const { signatureMethod = METHODS[0] } = options;
    if (!METHODS.includes(signatureMethod)) {
      throw new TypeError(`unknown \`signatureMethod\` ${JSON.stringify(signatureMethod)}; it must be one of ${METHODS.join(', ')}`);
    }
    this._options = { ...options, signatureMethod };
  }

  // Fetches temporary credentials: `oauth_token`, `oauth_token_secret`, `oauth_callback_confirmed`.
  fetchRequestToken(callback, opts) {
    return this._send('POST', this._options.requestTokenEndpoint, { ...opts, oauth_callback: callback });
  }

  // Returns the address at which a user grants access to a request token.
  getAuthUrl(token, opts) {
    return append(this._options.authEndpoint, { ...opts, oauth_token: token });
  }

  // Exchanges a request token that the user granted for an access token. A provider that checks the
  // secret of the request token needs it as `oauth_token_secret` in the options; it is not sent.
  exchangeRequestToken(token, verifier, opts) {
    const { oauth_token_secret: secret, ...rest } = opts || {};
    return this._send('POST', this._options.accessTokenEndpoint, { ...rest, oauth_verifier: verifier }, token, secret);
  }

  // Returns what the provider knows about the user of an access token; null without an endpoint.
  fetchActiveUser(token, secret, opts) {
    const { activeUserEndpoint } = this._options;
    return activeUserEndpoint ? this._send('GET', activeUserEndpoint, opts, token, secret) : null;
  }

  // Returns a request as `@arangodb/request` takes it, with its signature.
  createSignedRequest(method, url, parameters, token, secret) {
    const { address, query } = splitUrl(url);
    const [given, others] = separate([...pairsOf(query), ...pairsOf(parameters)]);
    const oauth = [...given, ...this._facts(token)];
    const base = [String(method).toUpperCase(), encode(address), encode(joined([...others, ...oauth]))].join('&');
    const signed = [...oauth, ['oauth_signature', this._signature(base, secret)]];
    const authorization = `OAuth ${sorted(signed).map(([name, value]) => `${name}="${value}"`).join(', ')}`;
    return { url: address, qs: joined(others), headers: { accept: 'application/json', authorization } };
  }

  // Returns the parameters of the protocol itself.
  _facts(token) {
    const { clientId, signatureMethod } = this._options;
    const facts = { oauth_consumer_key: clientId, oauth_token: token || undefined, oauth_signature_method: signatureMethod, oauth_version: '1.0' };
    if (signatureMethod !== 'PLAINTEXT') {
      Object.assign(facts, { oauth_timestamp: Math.floor(Date.now() / 1000), oauth_nonce: crypto.genRandomAlphaNumbers(32) });
    }
    return pairsOf(facts);
  }

  _signature(base, secret) {
    const key = `${encode(this._options.clientSecret)}&${encode(secret || '')}`;
    return this._options.signatureMethod === 'PLAINTEXT' ? key : Buffer.from(crypto.hmac(key, base, 'sha1'), 'hex').toString('base64');
  }

  _send(method, endpoint, parameters, token, secret) {
    const signed = this.createSignedRequest(method, endpoint, parameters, token, secret);
    const qs = signed.qs === '' ? undefined : signed.qs;
    return content(request({ method, url: signed.url, qs, headers: signed.headers }), endpoint);
  }
}

module.exports = (options) => new OAuth1Client(options);
