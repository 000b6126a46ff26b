// Packs the packages of node_modules for the crate: an archive each, a table of them for Rust, and
// their licences. Run it after `npm ci --ignore-scripts`.
//
// An archive is the gzip form of its files, one after the other: a line of path and bytes, the
// content, a line break.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const HERE = import.meta.dirname
const MODULES = join(HERE, 'node_modules')
const OUT = join(HERE, 'packed')

/** Folders and files that no `require` of the package's main module leads to. */
const UNUSED = /(^|\/)(tests?|__tests__|bench(marks?)?|docs?|examples?|man|bin|build|es|esm|pkg|styles|fp\/_mapping|typings)\/|\.min\.js$|\.mjs$|(^|\/)(karma|gulpfile|Gruntfile|bower|rollup|webpack|package-lock)[^/]*$|-all\.js$|\.(umd|esm|production|browser)\.js$/
/** Bundles for browsers, by package. */
const BUNDLES = {
  chai: /^chai\.js$/,
  'js-yaml': /^dist\//,
  nise: /^nise\.js$/,
  'error-stack-parser': /^dist\//,
  stackframe: /^dist\//,
  diff: /^dist\//,
  underscore: /^(modules|cjs|amd)\/|^underscore(-esm|-node.*)?\.js$/,
  '@sinonjs/samsam': /^dist\//,
  samsam: /^dist\//,
  'ascii-table': /^ascii-table\.min\.js$/,
  lodash: /^core\.js$/,
  depd: /^index\.js$/,
}
/** Packages whose variant for browsers is used: the other one reads the stack as V8 has it. */
const VARIANTS = ['depd']
/** Fields of package.json that the program reads. */
const FIELDS = ['name', 'version', 'license', 'main']

function packages(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap((entry) =>
      entry.name.startsWith('@')
        ? readdirSync(join(folder, entry.name)).map((name) => `${entry.name}/${name}`)
        : [entry.name],
    )
    .sort()
}

function files(name) {
  return readdirSync(join(MODULES, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(MODULES.length + name.length + 2))
    .filter((path) => /\.(js|json)$/.test(path) && !UNUSED.test(path) && !BUNDLES[name]?.test(path))
    .sort()
}

function content(name, path) {
  const text = readFileSync(join(MODULES, name, path), 'utf8')
  if (!path.endsWith('package.json')) return text
  const facts = JSON.parse(text)
  if (VARIANTS.includes(name)) facts.main = facts.browser
  return JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, facts[field]])))
}

function archive(name) {
  const parts = files(name).flatMap((path) => {
    const bytes = Buffer.from(content(name, path))
    return [Buffer.from(`${path} ${bytes.length}\n`), bytes, Buffer.from('\n')]
  })
  return gzipSync(Buffer.concat(parts), { level: 9 })
}

/** Returns the texts of a package's licence. */
function licence(name) {
  const facts = JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8'))
  const known = facts.license ?? facts.licenses?.map((one) => one.type ?? one).join(' OR ') ?? 'see below'
  const found = readdirSync(join(MODULES, name)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = found.sort().map((file) => readFileSync(join(MODULES, name, file), 'utf8').trim())
  const author = facts.author?.name ?? facts.author ?? facts.maintainers?.[0]?.name ?? 'its authors'
  if (texts.length === 0) texts.push(`Copyright (c) ${author}. ${known}.`)
  return `${'='.repeat(80)}\n${facts.name} ${facts.version}, ${known}\n\n${texts.join('\n\n')}\n`
}

rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
const names = packages(MODULES)
/** All packages, also those that only one package uses in a version of its own. */
const all = names.flatMap((name) => {
  const inner = join(MODULES, name, 'node_modules')
  return existsSync(inner) ? [name, ...packages(inner).map((own) => `${name}/node_modules/${own}`)] : [name]
})
let bytes = 0
const rows = names.map((name) => {
  const file = `${name.replace('/', '+')}.gz`
  const packed = archive(name)
  bytes += packed.length
  writeFileSync(join(OUT, file), packed)
  return `    (${JSON.stringify(name)}, include_bytes!(${JSON.stringify(file)})),\n`
})
writeFileSync(join(OUT, 'table.in'), `&[\n${rows.join('')}]\n`)
writeFileSync(join(HERE, 'LICENCES.txt'), all.map(licence).join('\n'))
console.log(`${names.length} packages, ${bytes} bytes`)
