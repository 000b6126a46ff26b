// Requests to any address, for scripts.
'use strict';

// Sends a request. `options` may have `method`, `headers`, `timeout`, `returnBodyOnError`; with `file`
// the body is written there.
function download(url, body, options = {}, file) {
  const { method = body === undefined || body === '' ? 'GET' : 'POST', headers = {}, timeout, returnBodyOnError } = options;
  const request = require('@arangodb/request');
  const sent = body !== null && typeof body === 'object' && !ArrayBuffer.isView(body) ? JSON.stringify(body) : body;
  const target = url.startsWith('/') ? host.endpoint().replace(/^(http\+)?tcp:/, 'http:').replace(/^ssl:/, 'https:') + url : url;
  const reply = request({ url: target, method, headers, body: sent, timeout, encoding: null });
  const result = { code: reply.status, message: reply.message, headers: reply.headers };
  if (reply.status < 400 || returnBodyOnError) {
    if (file === undefined) {
      result.body = Buffer.from(reply.body || '').toString();
    } else {
      require('fs').write(file, Buffer.from(reply.body || ''));
    }
  }
  return result;
}

module.exports = { download };
