// URLs, with the older interface of Node.js.
'use strict';

const querystring = require('querystring');

const PATTERN = /^([A-Za-z][\w+.-]*:)?(\/\/)?(?:([^/?#@]*)@)?([^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/;

function parse(text, parsesQuery = false) {
  const hasHost = /^([A-Za-z][\w+.-]*:)?\/\//.test(text);
  let [, protocol = null, slashes, auth = null, host = '', pathname = '', search = null, hash = null] = PATTERN.exec(text.trim());
  if (!hasHost) {
    [pathname, host] = [(auth === null ? '' : auth + '@') + host + pathname, ''];
    auth = null;
  }
  const [, hostname, port = null] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?/.exec(host);
  const query = search === null ? null : search.slice(1);
  const url = {
    protocol: protocol && protocol.toLowerCase(),
    slashes: slashes === undefined ? null : true,
    auth: auth === null ? null : decodeURIComponent(auth),
    host: hasHost ? host.toLowerCase() : null,
    port,
    hostname: hasHost ? hostname.toLowerCase().replace(/^\[|\]$/g, '') : null,
    hash,
    search,
    query: parsesQuery ? querystring.parse(query || '') : query,
    pathname: pathname || (hasHost ? '/' : null),
  };
  url.path = url.pathname === null && search === null ? null : (url.pathname || '') + (search || '');
  url.href = format(url);
  return url;
}

function format(given) {
  if (typeof given === 'string') {
    return parse(given).href;
  }
  const protocol = given.protocol ? given.protocol.replace(/:?$/, ':') : '';
  const name = given.hostname && given.hostname.includes(':') ? `[${given.hostname}]` : given.hostname;
  const host = given.host || (name ? name + (given.port ? `:${given.port}` : '') : '');
  const auth = given.auth ? encodeURIComponent(given.auth).replace(/%3A/i, ':') + '@' : '';
  const slashes = host && (given.slashes || /^(https?|ftp|file):$/.test(protocol)) ? '//' : '';
  const isObject = given.query !== null && typeof given.query === 'object';
  const query = given.search || (isObject ? querystring.stringify(given.query) : '');
  const search = query === '' || query.startsWith('?') ? query : `?${query}`;
  const hash = given.hash ? given.hash.replace(/^#?/, '#') : '';
  return protocol + slashes + (host ? auth + host : '') + (given.pathname || '') + search + hash;
}

function resolve(from, to) {
  const [base, target] = [parse(from), parse(to)];
  if (target.protocol !== null) {
    return target.href;
  }
  if (target.host !== null) {
    return format({ ...target, protocol: base.protocol });
  }
  if (target.pathname === null) {
    return format({ ...base, search: target.search === null ? base.search : target.search, hash: target.hash });
  }
  const folder = (base.pathname || '/').replace(/[^/]*$/, '');
  const path = target.pathname.startsWith('/') ? target.pathname : folder + target.pathname;
  const end = /(^|\/)\.{0,2}$/.test(path) && path !== '/' ? '/' : '';
  const pathname = (require('path').normalize(path).replace(/\/$/, '') + end) || '/';
  return format({ ...base, pathname, search: target.search, hash: target.hash });
}

module.exports = { parse, format, resolve };
