// A client of providers of OAuth 2.0 (RFC 6749), with the grant of an authorization code.
'use strict';

const request = require('@arangodb/request');
const { append, content, required } = require('persea/foxx/oauth');

class OAuth2Client {
  constructor(options) {
    required(options, ['authEndpoint', 'tokenEndpoint', 'clientId', 'clientSecret']);
    this._options = { ...options };
  }

  // Returns the address at which a user grants access. The provider sends the user back to
  // `redirectUri`.
  getAuthUrl(redirectUri, args) {
    const { authEndpoint, clientId } = this._options;
    return append(authEndpoint, { response_type: 'code', ...args, redirect_uri: redirectUri, client_id: clientId });
  }

  // Exchanges the code that the provider gave the user for an access token.
  exchangeGrantToken(code, redirectUri, args) {
    const form = { grant_type: 'authorization_code', ...args, code, redirect_uri: redirectUri };
    return this._token(this._options.tokenEndpoint, form);
  }

  // Exchanges a refresh token for another access token.
  exchangeRefreshToken(refreshToken, args) {
    const { refreshEndpoint, tokenEndpoint } = this._options;
    return this._token(refreshEndpoint || tokenEndpoint, { grant_type: 'refresh_token', ...args, refresh_token: refreshToken });
  }

  // Returns what the provider knows about the user of an access token; null without an endpoint.
  fetchActiveUser(accessToken) {
    const { activeUserEndpoint } = this._options;
    if (!activeUserEndpoint) {
      return null;
    }
    if (typeof accessToken !== 'string' || accessToken === '') {
      throw new TypeError('the access token must be a text that is not empty');
    }
    const headers = { accept: 'application/json', authorization: `Bearer ${accessToken}` };
    return content(request.get(activeUserEndpoint, { headers }), activeUserEndpoint);
  }

  _token(endpoint, form) {
    const { clientId, clientSecret } = this._options;
    const whole = { ...form, client_id: clientId, client_secret: clientSecret };
    return content(request.post(endpoint, { form: whole, headers: { accept: 'application/json' } }), endpoint);
  }
}

module.exports = (options) => new OAuth2Client(options);
