// The files that a service's manifest serves, and its default document.
'use strict';

const mime = require('persea/foxx/mime');

// Returns the path of a part of a folder; undefined if it would lead out of it.
function inside(folder, segments) {
  const isPlain = segments.every((text) => text !== '..' && text !== '.' && !text.includes('/') && !text.includes('\0'));
  return isPlain ? [folder, ...segments].join('/') : undefined;
}

const partsOf = (path) => String(path).split('/').filter((text) => text !== '' && text !== '.');

// Returns the entries of a manifest's `files`: the URL's parts, the path, and how to serve it.
function entriesOf(service) {
  if (service._files === undefined) {
    const { files } = service.manifest;
    const names = files !== null && typeof files === 'object' ? Object.keys(files) : [];
    const entries = names.map((name) => {
      const entry = typeof files[name] === 'string' ? { path: files[name] } : files[name];
      return { parts: partsOf(name), path: inside(service.basePath, partsOf(entry.path)), type: entry.type, gzip: entry.gzip === true };
    });
    // The longest URL wins.
    service._files = entries.filter((entry) => entry.path !== undefined).sort((left, right) => right.parts.length - left.parts.length);
  }
  return service._files;
}

// Returns the file at a URL: its path, facts and entry; undefined without one.
function find(service, segments) {
  for (const entry of entriesOf(service)) {
    if (entry.parts.length <= segments.length && entry.parts.every((part, index) => part === segments[index])) {
      const path = inside(entry.path, segments.slice(entry.parts.length));
      const info = path === undefined ? undefined : host.fileInfo(path);
      if (info !== undefined && info.kind === 'file') {
        return { path, info, entry };
      }
    }
  }
  return undefined;
}

function isUnchanged(req, tag, modified) {
  const tags = req.headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((text) => text.trim().replace(/^W\//, '') === tag || text.trim() === '*');
  }
  return Date.parse(req.headers['if-modified-since'] || '') >= modified;
}

// Answers a request with a file. It returns true if there is one.
function serve(service, segments, req, res) {
  const found = entriesOf(service).length === 0 || !['GET', 'HEAD'].includes(req.method) ? undefined : find(service, segments);
  if (found === undefined) {
    return false;
  }
  const { path, info, entry } = found;
  const modified = Math.floor(info.mtime) * 1000;
  const packs = entry.gzip && req.headers['accept-encoding'] !== undefined && req.acceptsEncodings('gzip', 'identity') === 'gzip';
  const tag = `"${info.size.toString(16)}-${modified.toString(16)}${packs ? '-gzip' : ''}"`;
  res.set({ 'last-modified': new Date(modified).toUTCString(), etag: tag });
  if (entry.gzip) {
    res.vary('accept-encoding');
  }
  if (isUnchanged(req, tag, modified)) {
    res.status(304);
    return true;
  }
  res.set('content-type', entry.type || mime.withCharset(mime.lookup(path) || 'application/octet-stream'));
  const content = host.readFile(path);
  res.status(200);
  res.body = packs ? host.gzip(content) : content;
  if (packs) {
    res.set('content-encoding', 'gzip');
  }
  return true;
}

// Redirects a request for the root to the manifest's default document. It returns true if there is one.
function redirect(service, segments, req, res) {
  const document = service.manifest.defaultDocument;
  if (!document || document === '/' || segments.length > 0) {
    return false;
  }
  // A relative URL would begin at the parent of a mount point without a slash at its end.
  res.redirect(req.path.endsWith('/') ? document : `${req.context.baseUrl}/${document}`);
  return true;
}

module.exports = { redirect, serve };
