// The licences of the packages whose code is in the built files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the name, version and licence text of every package that is no tool. */
export function notices(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, entry]) => path && !entry.dev && !entry.devOptional && !entry.optional)
    .map(([path, entry]) => {
      const folder = join(root, path)
      const file = existsSync(folder) && readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
      const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${entry.license}`
      return `${path.replace(/^.*node_modules\//, '')} ${entry.version}\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(72)}\n\n`)
}
