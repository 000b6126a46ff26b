/** JSON as text: no number loses a digit, because none is parsed. */

/** Returns the position behind the JSON value that begins at `from`. */
export function skipValue(text: string, from: number): number {
  let depth = 0
  let at = from
  do {
    const character = text[at]
    if (character === '"') at = skipString(text, at)
    else if (character === '{' || character === '[') {
      depth += 1
      at += 1
    } else if (character === '}' || character === ']') {
      depth -= 1
      at += 1
    } else if (depth === 0) {
      while (at < text.length && !/[\s,\]}:]/.test(text.charAt(at))) at += 1
    } else at += 1
  } while (depth > 0 && at < text.length)
  return at
}

function skipString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

const skipSpace = (text: string, from: number) => {
  let at = from
  while (' \n\r\t'.includes(text.charAt(at)) && at < text.length) at += 1
  return at
}

/** Returns the texts of an array's members. */
export function members(array: string): string[] {
  const found: string[] = []
  let at = skipSpace(array, 1)
  while (at < array.length && array[at] !== ']') {
    const end = skipValue(array, at)
    found.push(array.slice(at, end))
    at = skipSpace(array, end)
    if (array[at] === ',') at = skipSpace(array, at + 1)
  }
  return found
}

/** Returns the names and the texts of an object's attributes. */
export function attributes(object: string): [string, string][] {
  const found: [string, string][] = []
  let at = skipSpace(object, 1)
  while (at < object.length && object[at] !== '}') {
    const nameEnd = skipString(object, at)
    const name = JSON.parse(object.slice(at, nameEnd)) as string
    at = skipSpace(object, skipSpace(object, nameEnd) + 1)
    const end = skipValue(object, at)
    found.push([name, object.slice(at, end)])
    at = skipSpace(object, end)
    if (object[at] === ',') at = skipSpace(object, at + 1)
  }
  return found
}

/** Returns JSON with a line for each attribute and member; numbers keep their text. */
export function indent(json: string, margin = ''): string {
  const text = json.trim()
  const inner = `${margin}  `
  if (text.startsWith('{')) {
    const lines = attributes(text).map(([name, value]) => `${inner}${JSON.stringify(name)}: ${indent(value, inner)}`)
    return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${margin}}`
  }
  if (text.startsWith('[')) {
    const parts = members(text)
    if (parts.every((part) => !/^[[{]/.test(part)) && parts.join(', ').length < 80) return `[${parts.join(', ')}]`
    return `[\n${parts.map((part) => inner + indent(part, inner)).join(',\n')}\n${margin}]`
  }
  return text
}
