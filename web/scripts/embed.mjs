// Compresses the built files for the server and writes the table of them that the crate `web`
// includes. It checks the sizes that the interface promises.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { notices } from './notices.mjs'

const ROOT = join(import.meta.dirname, '..')
const OUT = join(ROOT, '../crates/web/embedded')
/** Bytes of all files, and of those that the first page needs, compressed with Brotli. */
const MOST_BYTES = 400_000
const MOST_FIRST_BYTES = 150_000

const TYPES = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
}

const dist = join(ROOT, 'dist')
writeFileSync(join(dist, 'licences.txt'), notices(ROOT))
const isFirst = firstPage(JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')))
rmSync(join(dist, '.vite'), { recursive: true })
const paths = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1).replaceAll('\\', '/'))
  .sort((left, right) => (left < right ? -1 : 1))

/** Returns the files that the page of queries needs, which is the first that is shown. */
function firstPage(manifest) {
  const files = new Set(['index.html'])
  const add = (name) => {
    const { file, css = [], assets = [], imports = [] } = manifest[name]
    if (files.has(file)) return
    for (const one of [file, ...css, ...assets]) files.add(one)
    imports.forEach(add)
  }
  add('index.html')
  add('src/page/Queries.tsx')
  return files
}

/** Writes a file, unless it is there as it is: cargo would build the server again. */
function write(name, content) {
  written.add(name)
  const path = join(OUT, name)
  if (!existsSync(path) || !readFileSync(path).equals(content)) writeFileSync(path, content)
}

mkdirSync(OUT, { recursive: true })
const written = new Set(['.gitignore'])

let all = 0
let first = 0
const rows = paths.map((path) => {
  const content = readFileSync(join(dist, path))
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 20)
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }
  const brotli = brotliCompressSync(content, options)
  write(`${digest}.br`, brotli)
  write(`${digest}.gz`, gzipSync(content, { level: 9 }))
  all += brotli.length
  if (isFirst.has(path)) first += brotli.length
  const type = TYPES[path.split('.').pop()]
  if (!type) throw new Error(`${path} has no media type in TYPES`)
  return `    Asset {
        path: ${JSON.stringify(path)},
        content_type: ${JSON.stringify(type)},
        etag: ${JSON.stringify(JSON.stringify(digest))},
        is_immutable: ${path.startsWith('assets/')},
        brotli: include_bytes!("${digest}.br"),
        gzip: include_bytes!("${digest}.gz"),
    },\n`
})
write('table.rs', Buffer.from(`&[\n${rows.join('')}]\n`))
for (const name of readdirSync(OUT)) if (!written.has(name)) rmSync(join(OUT, name))

console.log(`web: ${paths.length} files, ${all} bytes compressed, ${first} of them for the first page`)
if (all > MOST_BYTES || first > MOST_FIRST_BYTES) {
  console.error(`web: at most ${MOST_BYTES} and ${MOST_FIRST_BYTES} are allowed`)
  process.exit(1)
}
