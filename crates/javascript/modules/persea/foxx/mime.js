// Types of media by the extensions of file names.
'use strict';

const TABLE = `application/epub+zip epub|application/geo+json geojson|application/gzip gz|application/java-archive jar
application/javascript js mjs cjs|application/json json map|application/ld+json jsonld|application/manifest+json webmanifest
application/msword doc|application/octet-stream bin exe dll iso img|application/ogg ogx|application/pdf pdf
application/rtf rtf|application/vnd.ms-excel xls|application/vnd.ms-fontobject eot|application/vnd.ms-powerpoint ppt
application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
application/vnd.openxmlformats-officedocument.wordprocessingml.document docx|application/wasm wasm
application/x-7z-compressed 7z|application/x-bzip2 bz2|application/x-ldjson ldjson|application/x-sh sh
application/x-tar tar|application/x-velocypack vpack|application/xhtml+xml xhtml xht|application/xml xml xsl
application/yaml yaml yml|application/zip zip|application/atom+xml atom|application/rss+xml rss
audio/aac aac|audio/flac flac|audio/midi mid midi|audio/mp4 m4a|audio/mpeg mp3|audio/ogg ogg oga opus|audio/wav wav
font/otf otf|font/ttf ttf|font/woff woff|font/woff2 woff2
image/avif avif|image/bmp bmp|image/gif gif|image/jpeg jpeg jpg jpe|image/png png|image/svg+xml svg|image/tiff tiff tif
image/webp webp|image/x-icon ico|text/calendar ics|text/cache-manifest appcache|text/coffeescript coffee|text/css css
text/csv csv|text/html html htm|text/less less|text/markdown md markdown|text/plain txt text log conf ini|text/vcard vcf
text/tab-separated-values tsv|text/vtt vtt|text/x-handlebars-template hbs|text/x-scss scss
video/mp4 mp4 m4v|video/mpeg mpeg mpg|video/ogg ogv|video/quicktime mov|video/webm webm|video/x-msvideo avi`;

let types;

function table() {
  if (types === undefined) {
    types = new Map();
    for (const row of TABLE.split(/[|\n]/)) {
      const [type, ...extensions] = row.split(' ');
      extensions.forEach((extension) => types.set(extension, type));
    }
    types.set('urlencoded', 'application/x-www-form-urlencoded');
    types.set('multipart', 'multipart/form-data');
    types.set('form', 'application/x-www-form-urlencoded');
    types.set('binary', 'application/octet-stream');
  }
  return types;
}

// Returns the type of a path, a file name or an extension; undefined if it is unknown.
function lookup(name) {
  const extension = /([^./\\]+)$/.exec(String(name));
  return extension === null ? undefined : table().get(extension[1].toLowerCase());
}

// Returns the type that a text names: a type itself, or an extension.
function expanded(name) {
  const text = String(name);
  return text.includes('/') ? text : lookup(text) || text;
}

const isText = (type) => /^(text\/|application\/(json|javascript|xml|yaml|manifest\+json|ld\+json|geo\+json)$)/.test(type);

// Returns a type with its charset, if it is one of texts.
function withCharset(type) {
  return isText(type) ? `${type}; charset=utf-8` : type;
}

module.exports = { lookup, expanded, withCharset };
